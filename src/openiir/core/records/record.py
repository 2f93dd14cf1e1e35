"""The parent of all records."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Frozen, and refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
