"""Check pictures in a request: parts of a message's content, each a base64 data URI."""

import base64
import re
from typing import Any

_DATA_URI = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+={0,2})")
_FIRST_BYTES = {
    "image/png": b"\x89PNG",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}


def message_text(content: Any) -> str:
    """Write a message's content as text, with each picture as its media type in brackets."""
    return "\n".join(map(_words, content)) if isinstance(content, list) else str(content)


def _words(part: Any) -> str:
    if not isinstance(part, dict) or part.get("type") != "image_url":
        return str(part.get("text", "")) if isinstance(part, dict) else str(part)
    return f"[{_url(part)[5:15].partition(';')[0]}]"


def find_picture_error(body: dict[str, Any], sees: bool) -> str | None:
    """Return why a server would refuse the request's pictures; None where it would not."""
    for message in body.get("messages") or []:
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") not in ("text", "image_url"):
                return f"content part of unknown type {part.get('type')!r}"
            if part["type"] == "image_url" and (wrong := _wrong(part, sees)):
                return wrong
    return None


def _wrong(part: dict[str, Any], sees: bool) -> str | None:
    if not sees:
        return "image input is not supported by this server"
    found = _DATA_URI.fullmatch(_url(part))
    if not found:
        return "image_url.url is no data URI of a PNG, JPEG, GIF or WebP picture in base64"
    media_type, data = found.groups()
    start = base64.b64decode(data[:16])
    return None if start.startswith(_FIRST_BYTES[media_type]) else f"the image is no {media_type}"


def _url(part: dict[str, Any]) -> str:
    image = part.get("image_url")
    return str(image.get("url", "")) if isinstance(image, dict) else ""
