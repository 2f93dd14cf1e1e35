"""Sources of a world: text, Markdown, HTML and PDF files, folders of them, and ir_datasets collections."""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

from openiir.core.errors import InputError
from openiir.core.files import Unreadable, path_text, read_bytes
from openiir.core.hashing import sha256
from openiir.core.records import Record
from openiir.core.study_paths import split_root, stays_in
from openiir.core.world.extraction import extract_text
from openiir.core.world.irdatasets import PREFIX, read_collection
from openiir.core.world.text import BadSource, decode, from_markdown, from_plain

Media = Literal["text/plain", "text/markdown", "text/html", "application/pdf"]

ENDINGS: dict[str, Media] = {
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".pdf": "application/pdf",
}
_FOREIGN = (
    (b"%PDF-", "a PDF", "application/pdf"),
    (b"\x89PNG", "a PNG picture", None),
    (b"\xff\xd8\xff", "a JPEG picture", None),
    (b"GIF8", "a GIF picture", None),
    (b"PK\x03\x04", "a ZIP archive or an office document", None),
    (b"\xd0\xcf\x11\xe0", "an office document", None),
    (b"\x1f\x8b", "a gzip archive", None),
    (b"<!doctype html", "an HTML page", "text/html"),
    (b"<html", "an HTML page", "text/html"),
)


class SourceDocument(Record):
    """One source document in normalised form; all offsets refer to its `text`."""

    name: str
    """Source name as a reader would cite it: the path relative to its root, or a URL."""
    media: Media
    text: str
    sha256: str
    """Hex SHA-256 of the text."""
    url: str | None = None


class SkippedSource(Record):
    """A source that was left out, with the reason."""

    name: str
    reason: str


class LoadedSources(Record):
    """Sources that were read, sorted by name, and those left out."""

    sources: tuple[SourceDocument, ...]
    skipped: tuple[SkippedSource, ...] = ()


def load_sources(
    paths: Sequence[str | Path],
    root: Path,
    skip_bad: bool = False,
    encoding: str | None = None,
    fetch: bool = False,
) -> LoadedSources:
    """Read files, folders (recursively) and patterns such as `articles/*.txt`, relative to `root`.

    Names that begin with a dot are passed over inside folders. Text is UTF-8 or bears a byte order mark, else
    it is read in `encoding` where one is given. A path `$OPENIIR_DATA/...` stands below the folder that
    variable names, instead of `root`; `ir_datasets:ID` is a collection, its documents named by their ids,
    those without a word listed in `skipped`, and downloaded only with `fetch`. Raises InputError, naming the
    file and the remedy, for what is missing, empty, larger than the limit of documents, of an unknown or
    wrong ending, in another encoding, encrypted, without text, or outside its root through `..` or a symbolic
    link. With `skip_bad` these are listed in `skipped` instead; when nothing is left at all, that is an error
    still.
    """
    read: dict[Path, SourceDocument] = {}
    skipped: dict[str, str] = {}
    found: list[SourceDocument] = []
    wordless: list[SkippedSource] = []
    for path in paths:
        if str(path).startswith(PREFIX):
            try:
                _add_collection(read_collection(str(path).removeprefix(PREFIX), fetch), found, wordless)
            except BadSource as error:
                skipped[str(path)] = str(error)
            continue
        for base, file in _matching_files(str(path), root, skipped):
            name = path_text(file.relative_to(base).as_posix())
            try:
                read.setdefault(_check_inside(file, base), _read_source(file, name, encoding))
            except BadSource as error:
                skipped[name] = str(error)
            except Unreadable as error:
                skipped[name] = error.reason
    found += read.values()
    if skipped and not (skip_bad and found):
        first, *rest = (f"{name} {skipped[name]}" for name in sorted(skipped))
        more = f" ({len(rest)} more cannot be used either)" if rest else ""
        raise InputError(f"world source {first}{more}")
    sources = tuple(sorted(found, key=lambda source: source.name))
    for one, other in pairwise(sources):
        if one.name == other.name:
            raise InputError(f"two world sources are called {one.name}; rename one, or leave it out")
    left_out = (SkippedSource(name=n, reason=skipped[n]) for n in sorted(skipped))
    return LoadedSources(sources=sources, skipped=(*left_out, *wordless))


def _add_collection(
    texts: Mapping[str, str], found: list[SourceDocument], wordless: list[SkippedSource]
) -> None:
    """Add a collection's documents to `found`; those without any word go to `wordless` instead."""
    for name in sorted(texts):
        text = texts[name]
        if any(letter.isalnum() for letter in text):
            found.append(SourceDocument(name=name, media="text/plain", text=text, sha256=sha256(text)))
        else:
            wordless.append(SkippedSource(name=name, reason="is empty: it holds no word"))


def as_source(
    name: str, media: Media, data: bytes, encoding: str | None = None, url: str | None = None
) -> SourceDocument:
    """Build a source document from bytes; raises BadSource."""
    _check_bytes(data, media)
    if media in ("text/html", "application/pdf"):
        text = extract_text(media, data, encoding)
    else:
        text = (from_plain if media == "text/plain" else from_markdown)(decode(data, encoding))
    if not any(letter.isalnum() for letter in text):
        raise BadSource("is empty: it holds no word; fill it or leave it out")
    return SourceDocument(name=name, media=media, text=text, sha256=sha256(text), url=url)


def _matching_files(path: str, root: Path, skipped: dict[str, str]) -> Iterator[tuple[Path, Path]]:
    """Yield (root, file) for every file that a path matches; unreadable paths go to `skipped`."""
    base, relative = _split_base(path, root)
    start = base / relative
    try:
        if not start.exists() and not start.is_symlink() and any(mark in relative for mark in "*?["):
            found = sorted(base.glob(relative))
            if not found:
                raise BadSource("matches no file")
        else:
            found = [start]
        for place in found:
            _check_inside(place, base)
            if not place.exists():
                raise BadSource(f"does not exist (looked in {base})")
            files = list(_walk(place, base, ()))
            if not files:
                raise BadSource("is an empty folder; put sources into it or leave it out")
            yield from ((base, file) for file in files)
    except ValueError as error:
        skipped[path] = str(error)
    except OSError as error:
        skipped[path] = f"cannot be read: {error.strerror}; check the path and its permissions"


def _split_base(path: str, root: Path) -> tuple[Path, str]:
    """Return the folder that a path must stay in, and the path relative to it."""
    root, path = split_root(path, root, "world source")
    base = Path(os.path.normpath(root.absolute()))
    return base, os.path.relpath(base / path, base)


def _walk(place: Path, base: Path, above: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files at and below a path, by name; an unreadable folder is yielded itself."""
    if not place.is_dir() or not stays_in(place, base) or not os.access(place, os.R_OK | os.X_OK):
        yield place
        return
    real = place.resolve()
    # A link may lead back up: what is already being walked is not walked again.
    if real not in above:
        for entry in sorted(place.iterdir()):
            if not entry.name.startswith("."):
                yield from _walk(entry, base, (*above, real))


def _check_inside(place: Path, base: Path) -> Path:
    """Return the path with links resolved; raises BadSource unless it lies in `base`."""
    if ".." in place.relative_to(base).parts:
        raise BadSource(f"lies outside {base}; copy it into that folder")
    if not stays_in(place, base):
        raise BadSource(f"leaves {base} through a symbolic link; copy it into that folder")
    return place.resolve()


def _read_source(file: Path, name: str, encoding: str | None) -> SourceDocument:
    """Read one source file; raises BadSource."""
    media = ENDINGS.get(file.suffix.lower())
    if media is None:
        known = ", ".join(ENDINGS)
        raise BadSource(
            f"has the ending {file.suffix or '(none)'!r}, which says nothing here; known are {known}"
        )
    return as_source(name, media, read_bytes(file, "document_bytes"), encoding)


def _check_bytes(data: bytes, media: Media) -> None:
    """Raise BadSource if the first bytes belong to another media type."""
    head = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if not head:
        raise BadSource("is empty; fill it or leave it out")
    for mark, what, true_media in _FOREIGN:
        if head.startswith(mark.lower()) and media != true_media:
            remedy = (
                "give it the ending of what it is"
                if true_media
                else "convert it to text, Markdown, HTML or PDF"
            )
            raise BadSource(f"has the wrong ending: it is {what}; {remedy}")
