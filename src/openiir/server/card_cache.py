"""Cards of finished runs, kept in memory and the cache folder: a list opens each run once."""

import os
from contextlib import suppress
from functools import cache, cached_property
from importlib.metadata import entry_points
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from openiir.core.errors import OpeniirError
from openiir.core.files import limits
from openiir.core.hashing import fingerprint
from openiir.core.records import Record
from openiir.core.storage.folder import DATABASE, write_whole
from openiir.core.storage.gate import read_run_file
from openiir.core.storage.live_file import LIVE
from openiir.runs.catalogue import RunCard, find_run_folders, read_card
from openiir.runs.types import AT_HAND, GROUP, find_type
from openiir.runs.views.paging import MOST
from openiir.runs.views.view_cache import code_stamp


class CachedCard(Record):
    """A cached card (summary) of a finished run, with the stamp of the files it was made from."""

    stamp: str
    """Stamp of the run's files."""
    code: str
    """Stamp of the code, which holds the reference study that the run differs from."""
    card: RunCard


_FILE = TypeAdapter(dict[str, CachedCard])


class CardCache:
    """Cache of the cards (summaries) of the runs below one folder."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._file = folder.expanduser() / f"{fingerprint(str(root.resolve()))[:32]}.cards"
        self._changed = False

    @cached_property
    def _kept(self) -> dict[str, CachedCard]:
        """Cards by the run's id."""
        try:
            return _FILE.validate_json(read_run_file(self._file, limits().json_bytes))
        except (OSError, OpeniirError, ValidationError):
            return {}

    def page(self, after: str = "", limit: int = MOST) -> tuple[list[RunCard], str | None]:
        """Read the cards of the runs after the id `after`; also returns the last id if there are more."""
        folders = find_run_folders(self._root)
        ids = [id for id in folders if id > after]
        found = [self.read(id, folders[id]) for id in ids[:limit]]
        if self._changed:
            self._changed = False
            self._write({id: kept for id in folders if (kept := self._kept.get(id))})
        return found, ids[limit - 1] if len(ids) > limit else None

    def read(self, id: str, folder: Path) -> RunCard:
        """Read a run's card; of a finished run again only if its files or the code changed."""
        stamp, known = files_stamp(folder), self._kept.get(id)
        if known and (known.stamp, known.code) == (stamp, type_stamp(known.card.type)):
            return known.card
        card = read_card(id, folder)
        if card.state == "finished":
            self._kept[id] = CachedCard(stamp=stamp, code=type_stamp(card.type), card=card)
            self._changed = True
        return card

    def tag(self, id: str, folder: Path) -> str | None:
        """Return a value that changes with a finished run's files and the code; None for other runs."""
        card = self.read(id, folder)
        return f"{files_stamp(folder)} {type_stamp(card.type)}" if card.state == "finished" else None

    def _write(self, kept: dict[str, CachedCard]) -> None:
        with suppress(OpeniirError, OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, _FILE.dump_json(kept).decode())


def files_stamp(folder: Path) -> str:
    """Return a value that changes with a run's database, progress or the files in its folder."""
    found = []
    for path in (folder, folder / DATABASE, folder / LIVE):
        with suppress(OSError):
            file = os.lstat(path)
            found += [file.st_ino, file.st_size, file.st_mtime_ns]
            found += [file.st_ctime_ns] if path is not folder else []
    return ".".join(map(str, found))


def type_stamp(type: str) -> str:
    """Return a value that changes with the code of openiir and of a scenario type."""
    own = ""
    if type not in _built_in() or type in AT_HAND:
        with suppress(OpeniirError):
            own = code_stamp(find_type(type).__module__)
    return code_stamp("openiir")[:16] + own[:16]


@cache
def _built_in() -> frozenset[str]:
    return frozenset(one.name for one in entry_points(group=GROUP) if one.value.startswith("openiir."))
