"""Extraction of the readable text of an HTML page, with trafilatura."""

import re

from openiir.core.world.text import BadSource, decode, normalise_text, silence_logger

_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}(?:charset|encoding)\s*=\s*["']?([\w-]+)""", re.IGNORECASE
)


def from_html(data: bytes, fallback: str | None = None) -> str:
    """Extract the main text's paragraphs, separated by blank lines, without navigation, comments and scripts.

    The page's own charset declaration counts before `fallback`, after UTF-8. Raises BadSource where the bytes
    are no HTML or hold no readable text.
    """
    try:
        from trafilatura import extract, html2txt
    except ImportError:
        raise BadSource("is HTML, which is read with trafilatura; run: pip install 'openiir[html]'") from None
    if b"<" not in data:
        raise BadSource("holds no HTML; give it the ending .txt if it is plain text")
    page = decode(data, _declared_charset(data) or fallback)
    # The declaration has served; trafilatura refuses text that still carries one for another encoding.
    page = re.sub(r"^\s*<\?xml[^>]*\?>", "", page)
    if "<html" not in page.lower():
        page = f"<html><body>{page}</body></html>"
    with silence_logger("trafilatura"):
        found = extract(page, output_format="txt", include_comments=False, include_tables=True)
        text = normalise_text((found or html2txt(page) or "").replace("\n", "\n\n"))
    if not text:
        raise BadSource("holds no readable text; save the page with its text, or leave it out")
    return text


def _declared_charset(data: bytes) -> str | None:
    """Find the charset that a page declares, if not UTF-8; Latin-1 means windows-1252, as in browsers."""
    found = _CHARSET.search(data[:4096])
    name = found.group(1).decode("ascii", "replace").lower() if found else ""
    if name in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"):
        return "windows-1252"
    return None if name in ("", "utf-8", "utf8") else name
