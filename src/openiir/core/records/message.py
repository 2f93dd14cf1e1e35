"""What is said to a model."""

from typing import Literal

from openiir.core.records.record import Record


class Message(Record):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str
