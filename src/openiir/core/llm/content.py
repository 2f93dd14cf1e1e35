"""Message `content` in the OpenAI chat format: text, or a list of parts if there are images (as data URIs).

The parts are those of the OpenAI chat format, `{"type": "text"}` and `{"type": "image_url"}`, which vLLM,
llama.cpp, Ollama and the gateways take as well.
"""

import base64
import re
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.core.files import check_file
from openiir.core.hashing import sha256
from openiir.core.llm.response_body import well_formed
from openiir.core.records import Image, Message

LARGEST = 8_000_000
"""Largest picture file in bytes; base64 adds a third, which endpoints still accept."""
_SIGNATURES: tuple[tuple[bytes, Any], ...] = (
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF....WEBP", "image/webp"),
)


def message_content(message: Message) -> str | list[dict[str, Any]]:
    """Build a message's `content` field, reading its image files."""
    text = well_formed(message.text)
    if not message.images:
        return text
    shown = [{"type": "image_url", "image_url": {"url": data_uri(image)}} for image in message.images]
    return [{"type": "text", "text": text}, *shown]


def picture(path: Path | str) -> Image:
    """Read an image file as an Image; the media type is detected from its first bytes, not its name.

    Raises InputError where it is missing, empty, larger than LARGEST, or neither PNG, JPEG, GIF nor WebP.
    """
    data = _read_picture(path)
    if len(data) > LARGEST:
        raise InputError(
            f"the picture {path} has more than {LARGEST / 1e6:g} MB, which is the most that is shown; scale "
            "it down"
        )
    found = [media for signature, media in _SIGNATURES if re.match(signature, data, re.DOTALL)]
    if not found:
        what = "is empty" if not data else f"is no picture: it begins with {data[:12]!r}"
        raise InputError(f"{path} {what}; give a PNG, JPEG, GIF or WebP file, or leave this picture out")
    return Image(media_type=found[0], sha256=sha256(data), size=len(data), path=str(path))


def data_uri(image: Image) -> str:
    """Encode an image as a data URI; raises InputError if the file is gone or was changed since."""
    data = _read_picture(image.path)
    if sha256(data) != image.sha256:
        raise InputError(
            f"the picture {image.path} has changed since this run looked at it; put the old one back"
        )
    return f"data:{image.media_type};base64,{base64.b64encode(data).decode()}"


def _read_picture(path: Path | str) -> bytes:
    """Read a file, up to one byte more than LARGEST."""
    check_file(Path(path))
    try:
        with Path(path).open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(
            f"the picture {path} cannot be read: {error.strerror or error}; check its permissions"
        ) from None
