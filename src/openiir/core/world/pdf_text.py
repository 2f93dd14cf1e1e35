"""Extraction of the text of a PDF with pypdf, joining lines into paragraphs."""

import io
import re
import unicodedata
from collections import Counter

from openiir.core.world.text import BadSource, normalise_text, silence_logger

_BULLET = re.compile(r"[\uf0b7\uf0a7\uf076\uf0d8\u25cf\u25aa\u2023]\s*")
_UNKNOWN = re.compile(r"[\ue000-\uf8ff]")
_LIGATURE = re.compile(r"[\ufb00-\ufb06]")
_PAGE_NUMBER = re.compile(r"(?:page\s*)?[-–]?\s*\d{1,4}\s*[-–]?", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*•·◦]|\(?\d{1,2}[.)]|\(?[a-z]\))\s")
_HYPHENATED = re.compile(r"[^\W\d_]{2,}-$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def from_pdf(data: bytes) -> str:
    """Extract the paragraphs of a PDF in the file's reading order, pages separated by blank lines.

    Raises BadSource for a file that is encrypted, damaged, or holds pictures of text and no text.
    """
    if b"%PDF-" not in data[:1024]:
        raise BadSource("does not begin as a PDF does; give it the ending of what it is")
    pages = _extract_pages(data)
    if not any(_LETTERS.search(page) for page in pages):
        raise BadSource(
            f"holds no text (pages: {len(pages)}), only pictures of it; run text recognition over it, "
            "such as ocrmypdf, or leave it out"
        )
    lines = [_split_lines(page) for page in pages]
    known = Counter(word.lower() for page in lines for line in page for word in re.findall(r"[\w-]+", line))
    return normalise_text(_join_pages([_join_lines(page, known).strip() for page in lines]))


def _extract_pages(data: bytes) -> list[str]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    with silence_logger("pypdf"):
        try:
            reader = PdfReader(io.BytesIO(data))
            return [page.extract_text() for page in reader.pages]
        except MemoryError:
            raise
        except (FileNotDecryptedError, DependencyError) as error:
            raise BadSource("is encrypted; save it without a password, or leave it out") from error
        # Damaged files make the parser fail in any way at all.
        except (Exception, RecursionError) as error:
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise BadSource(f"is damaged and cannot be read as a PDF ({what}); export it again") from error


def _split_lines(page: str) -> list[str]:
    """Split a page into lines of plain characters, without page numbers at its head and foot."""
    page = _BULLET.sub("• ", page)
    page = _LIGATURE.sub(lambda found: unicodedata.normalize("NFKC", found.group()), _UNKNOWN.sub("", page))
    lines = [" ".join(line.split()) for line in page.splitlines()]
    while lines and (not lines[0] or _PAGE_NUMBER.fullmatch(lines[0])):
        lines.pop(0)
    while lines and (not lines[-1] or _PAGE_NUMBER.fullmatch(lines[-1])):
        lines.pop()
    return lines


def _join_lines(lines: list[str], known: Counter[str]) -> str:
    """Join lines into paragraphs, with a blank line after each paragraph, list item and heading."""
    full = sorted(len(line) for line in lines if line)
    width = full[len(full) * 3 // 4] if full else 0
    text = ""
    for before, line in zip(["", *lines], [*lines, ""], strict=True):
        if not line or not before or _is_paragraph_break(before, line, width):
            text += "\n\n" + line
        elif _HYPHENATED.search(before) and line[0].islower():
            text = _join_word(text, line, known)
        else:
            text += " " + line
    return text


def _join_pages(pages: list[str]) -> str:
    """Join pages with blank lines, or with a space where a sentence continues on the next page."""
    text = ""
    for page in pages:
        runs_on = text[-1:] not in '"”.!?:' and page[:1].islower()
        text += (" " if runs_on else "\n\n") + page
    return text


def _is_paragraph_break(before: str, line: str, width: int) -> bool:
    """Whether a paragraph ends between two lines of a column `width` characters wide."""
    if _ITEM.match(line):
        return True
    if line[0].islower():
        return False
    return len(before) < (0.8 if before[-1] in ".!?:" else 0.5) * width


def _join_word(text: str, line: str, known: Counter[str]) -> str:
    """Join a word hyphenated at a line's end; the hyphen stays if the document uses it elsewhere too."""
    head = text[text.rfind(" ") + 1 :].lstrip("\n")
    tail = _FIRST_WORD.match(line)
    spelled = (head + (tail.group() if tail else "")).lower()
    return text + line if known[spelled] and not known[spelled.replace("-", "")] else text[:-1] + line
