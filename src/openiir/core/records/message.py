"""Messages and pictures of a prompt."""

from typing import Any, Literal

from pydantic import Field, model_serializer

from openiir.core.records.record import Record


class Image(Record):
    """A picture shown with a question: media type, hash, size and file.

    Its serialised form, which the ledger hashes and stores, omits the path: pictures with equal bytes are
    equal.
    """

    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    sha256: str
    """Hex SHA-256 of the file's bytes."""
    size: int
    """Size in bytes."""
    path: str = Field(exclude=True)
    """Path of the file, read when the picture is sent."""


class Message(Record):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[Image, ...] = ()
    """Pictures shown after the text."""

    @model_serializer
    def _plain(self) -> dict[str, Any]:
        """Serialise to role and text, plus pictures if any."""
        plain: dict[str, Any] = {"role": self.role, "text": self.text}
        return plain | {"images": [image.model_dump() for image in self.images]} if self.images else plain
