"""The record of a run within an export: its rows, packed with the data of the pages, and their check."""

import base64
import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import openiir
from openiir.core.errors import DamagedRun, InputError
from openiir.core.files import check_file, check_size, read_text
from openiir.core.hashing import sha256
from openiir.core.storage import RunFile, content_hash
from openiir.core.storage.content import (
    LONG,
    SECTIONS,
    hash_row_hashes,
    hash_section,
    hash_sections,
    recipe_of,
    row_hashes,
    section_rows,
    stand_in,
)
from openiir.core.sums import int_sum
from openiir.runs.left_out import Omission
from openiir.runs.shared_values import ValueReader

RECORD, SHARED, BESIDE = "record", "shared", "beside"
PAGE = "index.html"
"""The page of an exported folder."""
ROWS = 5_000
"""Rows of the record in a block."""
_PIECE = 1 << 20
"""Bytes that are unpacked at a time."""
_TOLD = {"events": (5,), "calls": (9, 11), "searches": (4, 5, 6, 7)}
"""Columns of a section that tell something; in other sections all do."""
_BLOCK = re.compile(
    r'<script type="application/octet-stream" data-(?:key|prefix)="([^"]+)"(?: data-src="([^"]+)")?>([^<]*)</script>'
)
_GIVEN = re.compile(r'openiirGive\((".*"), "([^"]*)"\);\n?')


class Block(NamedTuple):
    """A packed part of an export."""

    form: str
    """`key` for one answer, `prefix` for several whose keys begin alike."""
    key: str
    packed: str
    """Gzipped JSON in base64."""


def given_text(block: Block) -> str:
    """Write a block as a script of an exported folder."""
    return f"openiirGive({json.dumps(block.key)}, {json.dumps(block.packed)});\n"


def pack(value: Any) -> str:
    """Pack data of an export: equal data give an equal text."""
    return pack_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def pack_text(text: str) -> str:
    """Gzip a text and write it in base64."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)).decode("ascii")


def record_blocks(run: RunFile, left_out: Omission) -> Iterator[tuple[str, Any]]:
    """Yield the rows that the content hash covers, by key; a text that is left out stands as its hash."""
    for section in SECTIONS:
        rows = [
            _hide(section, row) if left_out.hides(section, row) else [_cell(cell) for cell in row]
            for row in section_rows(run.db, section)
        ]
        yield from cut_rows(f"{RECORD}/{section}", rows)


def cut_rows(prefix: str, rows: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Cut rows into pieces of ROWS, by the keys PREFIX/1, PREFIX/2, ...; no rows are one empty piece."""
    for start in range(0, max(len(rows), 1), ROWS):
        yield f"{prefix}/{start // ROWS + 1}", rows[start : start + ROWS]


def record_head(run: RunFile, left_out: Omission, blocks: Sequence[Block]) -> dict[str, Any]:
    """Describe what an export is checked against: the content hash, its sections, and a hash of every block."""
    found = content_hash(run.db)
    return {
        "version": openiir.__version__,
        "content": found.content,
        "recipe": recipe_of(run.db),
        "sections": found.sections,
        "left_out": left_out.parts,
        "blocks": {block.key: sha256(block.packed) for block in blocks},
    }


def _cell(cell: Any) -> Any:
    """A float as its canonical text, since other languages write floats differently."""
    return {"number": repr(cell)} if isinstance(cell, float) else cell


def _hide(section: str, row: Sequence[Any]) -> Any:
    """The row with hashes for its texts; only its own hash where one of them is too short to stand as a hash."""
    told = [row[n] for n in _TOLD[section] if row[n]] if section in _TOLD else row
    if all(isinstance(cell, str) and len(cell) > LONG for cell in told):
        return [stand_in(cell) if isinstance(cell, str) and len(cell) > LONG else _cell(cell) for cell in row]
    return next(row_hashes([row])).hex()


@dataclass(frozen=True)
class ExportCheck:
    """Result of checking an export: for each of its parts whether it was changed; None where it cannot be told."""

    named: str
    """The content hash that the export names."""
    content: dict[str, bool | None]
    """Sections of the content hash."""
    pages: dict[str, bool]
    """What the pages show, by kind of data: whether it is what was exported."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Number of rows by section whose texts are left out."""
    parts: tuple[str, ...] = ()

    def list_changes(self) -> list[str]:
        """List the parts of the export that were changed."""
        return [name for name, changed in [*self.content.items(), *self.pages.items()] if changed]


def is_export(place: Path) -> bool:
    """Whether a path names an exported page, .zip or folder, not a run's folder."""
    return place.is_file() or (place / PAGE).is_file()


def read_export(place: Path) -> dict[str, str]:
    """Read the packed blocks of an exported page, .zip or folder, by key; a .zip is not unpacked to disk."""
    files = _read_zip(place) if place.suffix.lower() == ".zip" else None

    def read(name: str) -> str:
        if files is not None:
            return files.get(name, b"").decode("utf-8")
        return read_text(place / name if place.is_dir() else place)

    try:
        text = read(PAGE)
    except UnicodeDecodeError as error:
        raise InputError(f"{place} is no exported run: {error}") from None
    blocks = {}
    for key, source, packed in _BLOCK.findall(text):
        blocks[unescape(key)] = _given_block(read, source) if source else packed
    if RECORD not in blocks:
        raise InputError(
            f"{place} holds no record of a run; name a run's folder, or what `openiir export` wrote"
        )
    return blocks


def _given_block(read: Callable[[str], str], source: str) -> str:
    """Read the block of a data file; empty where it is missing or damaged."""
    try:
        found = _GIVEN.fullmatch(read(source))
    except (InputError, UnicodeDecodeError):
        return ""
    return found[2] if found else ""


def _read_zip(place: Path) -> dict[str, bytes]:
    """Read the files of a .zip by their names within its folder; those that are damaged are left out."""
    check_file(place)
    try:
        with zipfile.ZipFile(place) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            check_size(place, int_sum(one.file_size for one in members))
            found = {}
            for one in members:
                with suppress(zipfile.BadZipFile, zlib.error, EOFError):
                    found[one.filename.partition("/")[2]] = archive.read(one)
            return found
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise InputError(f"{place} is no exported run: {error}") from None


class Unpacking:
    """Unpacking of an export's blocks, bounded by the limits on input files: each as JSON, all together as a file."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.size = 0
        """Bytes unpacked so far."""

    def unpack(self, packed: str) -> Any:
        """Unpack a block; raises ValueError for a damaged one, and Unreadable for too much."""
        pieces, size = list[bytes](), 0
        try:
            with gzip.open(io.BytesIO(base64.b64decode(packed, validate=True))) as file:
                while piece := file.read(_PIECE):
                    size += len(piece)
                    check_size(self.place, size, "json_bytes")
                    check_size(self.place, self.size + size)
                    pieces.append(piece)
            self.size += size
            return json.loads(b"".join(pieces))
        except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
            raise ValueError(f"it cannot be unpacked: {error}") from None


def unpack(packed: str) -> Any:
    """Unpack one block; raises ValueError for a damaged one."""
    return Unpacking(Path()).unpack(packed)


def check_blocks(blocks: Mapping[str, str], place: Path) -> ExportCheck:
    """Check the blocks of an export against the hashes and the content hash that it names; raises DamagedRun."""
    unpacking = Unpacking(place)
    try:
        head = unpacking.unpack(blocks[RECORD])
        named, recipe, listed = str(head["content"]), int(head["recipe"]), dict(head["blocks"])
        recorded = {section: str(head["sections"][section]) for section in SECTIONS}
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedRun(f"{place}: its block {RECORD!r} is damaged ({error}); get the export anew") from None
    found: dict[str, str | None] = {}
    hidden: dict[str, int] = {}
    for section in SECTIONS:
        found[section], hidden[section] = _hash_blocks(blocks, section, recipe, unpacking)
    content: dict[str, bool | None] = {
        section: None if digest is None else digest != recorded[section] for section, digest in found.items()
    }
    if hash_sections(recorded, recipe) != named:
        content["content hash"] = True
    pages: dict[str, bool] = {}
    for key in sorted({*listed, *blocks} - {RECORD}):
        kind = kind_of(key)
        if kind:
            changed = sha256(blocks.get(key, "")) != listed.get(key)
            pages[kind] = pages.get(kind, False) or changed
    texts = {name: count for name, count in hidden.items() if count}
    return ExportCheck(named, content, pages, texts, tuple(head.get("left_out", ())))


def _hash_blocks(
    blocks: Mapping[str, str], section: str, recipe: int, unpacking: Unpacking
) -> tuple[str | None, int]:
    """Hash the rows of a section, and count those without texts; no hash where recipe 1 would need the texts."""
    hidden = 0

    def rows() -> Iterator[Any]:
        nonlocal hidden
        for row in _unpack_rows(blocks, f"{RECORD}/{section}", unpacking):
            hidden += _is_hidden(row)
            yield row

    try:
        if recipe == 1:
            kept = list(rows())
            return (None if hidden else hash_section(map(_read_row, kept), 1)), hidden
        return hash_row_hashes(_hash_rows(rows())), hidden
    except (ValueError, TypeError, KeyError, AttributeError):
        return "", 0


def _is_hidden(row: Any) -> bool:
    return isinstance(row, str) or any(isinstance(cell, dict) and "sha256" in cell for cell in row)


def _hash_rows(rows: Iterable[Any]) -> Iterator[bytes]:
    for row in rows:
        if isinstance(row, str):
            yield bytes.fromhex(row)
        else:
            yield from row_hashes([_read_row(row)])


def read_values(blocks: Mapping[str, str], place: Path) -> Iterator[tuple[str, Any]]:
    """Yield the data of an export's pages as answers of the JSON interface by path; raises ValueError, Unreadable."""
    unpacking, shared = Unpacking(place), list[Any]()
    for number in count():
        if (packed := blocks.get(f"{SHARED}/{number}")) is None:
            break
        shared += unpacking.unpack(packed)
    reader = ValueReader(shared)
    for key, packed in blocks.items():
        if key.partition("/")[0] not in (RECORD, SHARED, BESIDE):
            value = reader.join(unpacking.unpack(packed))
            bundled = isinstance(value, dict) and all(name.startswith("runs/") for name in value)
            yield from value.items() if bundled else ((key, value),)


def read_rows(blocks: Mapping[str, str], prefix: str, unpacking: Unpacking) -> Iterator[list[Any]]:
    """Yield rows that are cut into the blocks PREFIX/1, PREFIX/2, ...; raises as `read_values` does."""
    return map(_read_row, _unpack_rows(blocks, prefix, unpacking))


def _unpack_rows(blocks: Mapping[str, str], prefix: str, unpacking: Unpacking) -> Iterator[Any]:
    for number in count(1):
        if (packed := blocks.get(f"{prefix}/{number}")) is None:
            return
        yield from unpacking.unpack(packed)


def _read_row(row: Sequence[Any]) -> list[Any]:
    return [float(cell["number"]) if isinstance(cell, dict) and "number" in cell else cell for cell in row]


def kind_of(key: str) -> str:
    """Name the kind of data that a block holds; empty for rows of the record."""
    own = {RECORD: "", SHARED: "shared values", BESIDE: "what views are made from"}
    first = key.partition("/")[0]
    if first in own:
        return own[first]
    kinds = {"surfaces": "views", "questions": "questions", "chunks": "passages", "agents": "agents"}
    return next((word for part, word in kinds.items() if f"/{part}" in key), "overview")
