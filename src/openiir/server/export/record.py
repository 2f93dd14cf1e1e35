"""The record of a run within an export: the rows that its content hash covers, and their check."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openiir
from openiir.core.errors import DamagedRun
from openiir.core.hashing import sha256
from openiir.core.storage import RunFile, content_hash
from openiir.core.storage.content import (
    LONG,
    SECTIONS,
    hash_recipe,
    hash_row_hashes,
    hash_section,
    hash_sections,
    replace_by_hash,
    row_hashes,
    section_rows,
)
from openiir.server.export.blocks import RECORD, Block, Unpacking, cut_rows, name_kind, read_row, unpack_rows
from openiir.server.export.left_out import Omission

_TOLD = {"events": (5,), "calls": (9, 11), "searches": (4, 5, 6, 7)}
"""Columns of a section that tell something; in other sections all do."""


def record_blocks(run: RunFile, left_out: Omission) -> Iterator[tuple[str, Any]]:
    """Yield the rows that the content hash covers, by key; a text left out is replaced by its hash."""
    for section in SECTIONS:
        rows = [
            _hide(section, row) if left_out.leaves_out(section, row) else [_cell(cell) for cell in row]
            for row in section_rows(run.db, section)
        ]
        yield from cut_rows(f"{RECORD}/{section}", rows)


def record_head(run: RunFile, left_out: Omission, blocks: Sequence[Block]) -> dict[str, Any]:
    """Describe what an export is checked against: content hash, section hashes, a hash per block."""
    found = content_hash(run.db)
    return {
        "version": openiir.__version__,
        "content": found.content,
        "recipe": hash_recipe(run.db),
        "sections": found.sections,
        "left_out": left_out.parts,
        "blocks": {block.key: sha256(block.packed) for block in blocks},
    }


def _cell(cell: Any) -> Any:
    """A float as its canonical text, since other languages write floats differently."""
    return {"number": repr(cell)} if isinstance(cell, float) else cell


def _hide(section: str, row: Sequence[Any]) -> Any:
    """Hash the texts of a row, or the whole row where one of them is too short to stand as a hash."""
    told = [row[n] for n in _TOLD[section] if row[n]] if section in _TOLD else row
    if all(isinstance(cell, str) and len(cell) > LONG for cell in told):
        return [
            replace_by_hash(cell) if isinstance(cell, str) and len(cell) > LONG else _cell(cell)
            for cell in row
        ]
    return next(row_hashes([row])).hex()


@dataclass(frozen=True)
class RecordCheck:
    """For each part of an export's rows, whether it was changed; None where that cannot be determined."""

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


def check_blocks(blocks: Mapping[str, str], place: Path) -> RecordCheck:
    """Compare the blocks of an export with the hashes that it lists for them; raises DamagedRun."""
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
        kind = name_kind(key)
        if kind:
            changed = sha256(blocks.get(key, "")) != listed.get(key)
            pages[kind] = pages.get(kind, False) or changed
    texts = {name: count for name, count in hidden.items() if count}
    return RecordCheck(named, content, pages, texts, tuple(head.get("left_out", ())))


def _hash_blocks(
    blocks: Mapping[str, str], section: str, recipe: int, unpacking: Unpacking
) -> tuple[str | None, int]:
    """Hash the rows of a section, and count those without texts; no hash if recipe 1 needs the texts."""
    hidden = 0

    def rows() -> Iterator[Any]:
        nonlocal hidden
        for row in unpack_rows(blocks, f"{RECORD}/{section}", unpacking):
            hidden += _is_hidden(row)
            yield row

    try:
        if recipe == 1:
            kept = list(rows())
            return (None if hidden else hash_section(map(read_row, kept), 1)), hidden
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
            yield from row_hashes([read_row(row)])
