"""What is said and shown to a model."""

from typing import Any, Literal

from pydantic import Field, model_serializer

from openiir.core.records.record import Record


class Image(Record):
    """A picture that a question shows: what it is, and where its bytes are.

    Its plain form, which ledgers hash and keep, leaves out where it is: two pictures are the same if their bytes are.
    """

    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    sha256: str
    """Hex, of the file's bytes."""
    size: int
    """Bytes."""
    path: str = Field(exclude=True)
    """The file, read when the picture is sent or looked at."""


class Message(Record):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[Image, ...] = ()
    """Shown after the text."""

    @model_serializer
    def _plain(self) -> dict[str, Any]:
        """JSON's own types; without pictures, the role and the text alone."""
        plain: dict[str, Any] = {"role": self.role, "text": self.text}
        return plain | {"images": [image.model_dump() for image in self.images]} if self.images else plain
