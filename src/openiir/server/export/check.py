"""Check of an export: its rows against their hashes, its pages against what its rows make again."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import openiir
from openiir.core.errors import OpeniirError
from openiir.runs.settings import Settings
from openiir.server.export.answers import collect_answers
from openiir.server.export.blocks import BESIDE, RECORD, name_kind, read_export, read_values, unpack
from openiir.server.export.rebuild import rebuild_exported
from openiir.server.export.record import RecordCheck, check_blocks
from openiir.server.reading import Reader

_RUN = "run"
_ID = re.compile(r"^runs/[^/]+")
_UNCHECKED = frozenset(("id", "checked", "left_out", "started", "heard", "planned", "progress", "digest"))
"""What pages tell that does not follow from rows: names of folders, and times of the clock."""
_RESTORED = frozenset(("messages", "schema", "replies", "passages", "restored"))
"""What the page of a question tells that is made of facts beside the record."""
_NEAR = 1e-9
"""Relative distance of numbers that are the same on another processor."""


class ExportCheck(NamedTuple):
    """Result of checking an export."""

    record: RecordCheck
    unchecked: str = ""
    """Why the pages could not be made again from the rows; empty where they were."""
    made: Mapping[str, str] = MappingProxyType({})
    """Pages that are not what is made from the rows, by key, with the first difference."""
    prompts: int = 0
    """Number of questions whose prompt is no part of the record, but made of facts beside it."""

    def list_changes(self) -> list[str]:
        """List the parts of the record and the kinds of pages that were changed."""
        return [*self.record.list_changes(), *sorted({name_kind(key) for key in self.made})]


def check_export(place: Path) -> ExportCheck:
    """Check an exported page, .zip or folder; raises InputError and DamagedRun where it holds no record."""
    blocks = read_export(place)
    record = check_blocks(blocks, place)
    if record.list_changes():
        return ExportCheck(record, "what they are made from was changed")
    if record.parts:
        return ExportCheck(record, f"{', '.join(record.parts)} are left out, which they are made from")
    version = unpack(blocks[RECORD]).get("version")
    if f"{BESIDE}/state/1" not in blocks or "shared/0" in blocks:
        version = "of an earlier release"
    if version != openiir.__version__:
        return ExportCheck(record, f"openiir {version} made them, and this is {openiir.__version__}")
    try:
        return _check_pages(record, blocks, place)
    except OpeniirError as error:
        return ExportCheck(record, str(error))
    except Exception as error:  # rows of a stranger may be anything, and types read them
        return ExportCheck(record, f"nothing can be made from its rows, {type(error).__name__}: {error}")


def _check_pages(record: RecordCheck, blocks: Mapping[str, str], place: Path) -> ExportCheck:
    answers = dict(read_values(blocks, place))
    made, prompts = {}, 0
    with TemporaryDirectory(prefix="openiir-verify-") as scratch:
        rebuild_exported(blocks, answers, Path(scratch) / _RUN, place)
        reader = Reader(Path(scratch), Settings(cache=Path(scratch) / ".cache"), keeps_views=False)
        with reader.hold(_RUN):
            own = {_ID.sub("run", key): value for key, value in collect_answers(reader, _RUN)}
            for key, shown in answers.items():
                path = _ID.sub("run", key)
                if path.startswith("run/chunks/") and path not in own:  # only an offline prompt numbers it
                    own[path] = reader.chunk(_RUN, *path.split("/", 3)[2:])
                restored = path.startswith("run/questions/") and shown.get("restored", False)
                prompts += restored
                unchecked = _UNCHECKED | (_RESTORED if restored else frozenset())
                if difference := find_difference(shown, own.get(path), unchecked):
                    made[key] = difference
    return ExportCheck(record, made=made, prompts=prompts)


def find_difference(shown: Any, own: Any, unchecked: frozenset[str] = frozenset(), place: str = "") -> str:
    """Find the first difference of JSON values and say where it is; empty where they are the same.

    Keys in `unchecked` are passed over, and numbers need be the same up to their last bits.
    """
    if isinstance(shown, dict) and isinstance(own, dict):
        for key in [*shown, *(key for key in own if key not in shown)]:
            if key in unchecked:
                continue
            if key not in own or key not in shown:
                return f"{place}{key} is {'not there' if key in shown else 'left out'}"
            if difference := find_difference(shown[key], own[key], unchecked, f"{place}{key}: "):
                return difference
        return ""
    if isinstance(shown, list) and isinstance(own, list | tuple):
        if len(shown) != len(own):
            return f"{place}{len(shown)} entries, {len(own)} are made"
        for n, (a, b) in enumerate(zip(shown, own, strict=True), 1):
            if difference := find_difference(a, b, unchecked, f"{place}no. {n}: "):
                return difference
        return ""
    if isinstance(shown, float) and isinstance(own, float) and math.isclose(shown, own, rel_tol=_NEAR):
        return ""
    return "" if shown == own and type(shown) is type(own) else f"{place}{shown!r:.60}, {own!r:.60} is made"
