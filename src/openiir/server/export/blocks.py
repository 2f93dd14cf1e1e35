"""Blocks of an export: packed JSON by key, in a page or in the files of a folder or .zip."""

import base64
import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from openiir.core.errors import InputError
from openiir.core.files import check_file, check_size, read_text
from openiir.core.sums import int_sum

RECORD, BESIDE = "record", "beside"
PAGE = "index.html"
"""The page of an exported folder."""
ROWS = 5_000
"""Rows of the record in a block."""
_PIECE = 1 << 20
"""Bytes that are unpacked at a time."""
_BLOCK = re.compile(
    r'<script type="application/octet-stream" data-(?:key|prefix)="([^"]+)"(?: '
    r'data-src="([^"]+)")?>([^<]*)</script>'
)
_GIVEN = re.compile(r'openiirGive\((".*"), "([^"]*)"\);\n?')


class Block(NamedTuple):
    """A compressed part of an export: data of its pages, or rows of the run."""

    form: str
    """`key` for one answer, `prefix` for several whose keys begin alike."""
    key: str
    packed: str
    """Gzipped JSON in base64."""


def block_script(block: Block) -> str:
    """Write a block as the JavaScript file by which an exported folder loads it."""
    return f"openiirGive({json.dumps(block.key)}, {json.dumps(block.packed)});\n"


def pack_json(value: Any) -> str:
    """Compress a JSON value of an export to text; equal values give equal texts."""
    return pack_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def pack_text(text: str) -> str:
    """Compress a text with gzip and encode it in base64."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)).decode("ascii")


def cut_rows(prefix: str, rows: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Cut rows into pieces of ROWS with keys PREFIX/1, PREFIX/2, ...; without rows, one empty piece."""
    for start in range(0, max(len(rows), 1), ROWS):
        yield f"{prefix}/{start // ROWS + 1}", rows[start : start + ROWS]


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
    """Decompressor of an export's blocks, singly and in all within the limits on input files."""

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


def read_values(blocks: Mapping[str, str], place: Path) -> Iterator[tuple[str, Any]]:
    """Yield the data of an export's pages by path; raises ValueError and Unreadable."""
    unpacking = Unpacking(place)
    for key, packed in blocks.items():
        if key.partition("/")[0] not in (RECORD, BESIDE):
            value = unpacking.unpack(packed)
            bundled = isinstance(value, dict) and all(name.startswith("runs/") for name in value)
            yield from value.items() if bundled else ((key, value),)


def read_rows(blocks: Mapping[str, str], prefix: str, unpacking: Unpacking) -> Iterator[list[Any]]:
    """Yield rows that are cut into the blocks PREFIX/1, PREFIX/2, ...; raises as `read_values` does."""
    return map(read_row, unpack_rows(blocks, prefix, unpacking))


def unpack_rows(blocks: Mapping[str, str], prefix: str, unpacking: Unpacking) -> Iterator[Any]:
    """Yield the run's rows as an export holds them; one that was left out is its hash."""
    for number in count(1):
        if (packed := blocks.get(f"{prefix}/{number}")) is None:
            return
        yield from unpacking.unpack(packed)


def read_row(row: Sequence[Any]) -> list[Any]:
    """Read a row of the run, with its numbers as floats."""
    return [float(cell["number"]) if isinstance(cell, dict) and "number" in cell else cell for cell in row]


def name_kind(key: str) -> str:
    """Name the kind of page data that a block holds; empty for rows of the run."""
    own = {RECORD: "", BESIDE: "what views are made from"}
    first = key.partition("/")[0]
    if first in own:
        return own[first]
    kinds = {"surfaces": "views", "questions": "questions", "chunks": "passages", "agents": "agents"}
    return next((word for part, word in kinds.items() if f"/{part}" in key), "overview")
