"""Decoding and normalisation of source texts; all offsets refer to the normalised text."""

import html
import logging
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

_BREAKS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


class BadSource(ValueError):
    """Raised for a source that cannot be used; the message lacks the source's name, which the caller adds."""


@contextmanager
def silence_logger(library: str) -> Iterator[None]:
    """Silence a library's logger within a `with` block; important problems are raised as errors."""
    logger = logging.getLogger(library)
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def decode(data: bytes, fallback: str | None = None) -> str:
    """Decode bytes by their byte order mark, else as UTF-8, else in the fallback encoding if given.

    Raises BadSource for binary data and for bytes in neither encoding.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    if encoding != "utf-16" and b"\0" in data:
        raise BadSource(
            "holds binary data (a zero byte), not text; convert it to text, Markdown, HTML or PDF"
        )
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if fallback is None:
            raise BadSource(_not_in(f"not in {encoding}", data, error)) from error
    try:
        return data.decode(fallback)
    except LookupError as error:
        raise BadSource(f"cannot be read in the encoding {fallback!r}, which does not exist") from error
    except UnicodeDecodeError as error:
        raise BadSource(_not_in(f"neither in utf-8 nor {fallback}", data, error)) from error


def _not_in(where: str, data: bytes, error: UnicodeDecodeError) -> str:
    line = data.count(b"\n", 0, error.start) + 1
    return (
        f"is {where} (byte 0x{data[error.start]:02x} in line {line}); save it as UTF-8, "
        'or name its encoding in the world\'s table, such as encoding = "windows-1252"'
    )


def normalise_text(text: str) -> str:
    """Normalise a text for storage: NFC, `\\n` line ends, no control or invisible characters, plain blanks.

    Blanks at line ends and more than one blank line in a row go as well; applying it twice changes nothing.
    """
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", _BREAKS.sub("\n", text)))
    text = text.replace("\u00a0", " ").replace("\u202f", " ")
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def from_plain(text: str) -> str:
    """Normalise plain text, resolving character references such as `&nbsp;` left from web pages."""
    return normalise_text(html.unescape(text))


_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
# Lengths are bounded, so that a file of nothing but marks is read in linear time.
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^)\n]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]\n]{1,500})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,500}\])")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s+\S.*$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~).*$", re.MULTILINE)
# A heading's closing marks are looked for where a run of marks begins or ends, for the same reason.
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+((?:.*?(?<!\s)(?:(?<!#)|(?!#)))??)\s*#*$", re.MULTILINE)
_UNDERLINE = re.compile(r"^([^\n]+)\n(?:={3,}|-{3,})$", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*{1,3}|(?<!\w)_{1,3}|`{1,2})(?=\S)([^\n]{0,200}?\S)\1(?!\w)")


def from_markdown(text: str) -> str:
    """Extract the prose of a Markdown text: no front matter, comments, images, link targets and emphasis.

    Headings stand as paragraphs of their own; list marks stay.
    """
    text = _BREAKS.sub("\n", text).removeprefix("\ufeff")
    text = _without_comments(_FRONT_MATTER.sub("", text))
    text = _DEFINITION.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text)))
    text = _UNDERLINE.sub(r"\n\1\n", _FENCE.sub("", text))
    text = _HEADING.sub(r"\n\1\n", text)
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    return normalise_text(html.unescape(text))


def _without_comments(text: str) -> str:
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join(kept) + text[at:]
