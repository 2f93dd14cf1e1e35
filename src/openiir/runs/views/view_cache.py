"""Read pages of views, measures and search results of runs; slow ones are kept in a cache folder."""

import json
import math
import sqlite3
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from openiir.core.errors import InputError, OpeniirError
from openiir.core.hashing import fingerprint
from openiir.core.storage import Log, RunFile
from openiir.core.storage.derived_file import ENDING, DerivedFile, SearchRow, StoredItem
from openiir.core.storage.folder import database_stamp
from openiir.plugin import Surface
from openiir.plugin.definitions import define_measure
from openiir.runs.post_run import compute_measures, find_surface, scenario_of, surfaces_of
from openiir.runs.views.paging import (
    ENTRIES,
    Page,
    StoredParts,
    ViewParts,
    compute_view,
    cut_page,
    divide_view,
    write_json,
)
from openiir.runs.views.search_rows import search_rows

SLOW = 0.2
"""Seconds of CPU time from which a result is kept in the cache folder; others are kept in memory."""
KEPT = 64
"""Most results kept in memory."""
BEGINNING = 2_000
"""Events that are read for the beginning of a view, where reading all of them takes long."""
MEASURES = "measures"

Version = tuple[int, str | None, tuple[int, int]]


def run_version(run: RunFile) -> Version:
    """Return a value that changes with a run's steps, its status, or another run in its folder."""
    (step,) = run.db.execute("select coalesce(max(number), 0) from step").fetchone()
    return step, run.state("status"), database_stamp(run.folder)


@cache
def code_stamp(module: str) -> str:
    """Hash sizes and times of a module's package's source files; views may change when it does."""
    top, own = sys.modules[module.partition(".")[0]], sys.modules[module]
    file = Path(str(top.__file__ or own.__file__))  # a namespace package has no file
    alone = top is own and file.name != "__init__.py"
    files = [file] if alone else sorted(file.parent.rglob("*.py"))
    return fingerprint([[str(one), one.stat().st_size, one.stat().st_mtime_ns] for one in files])


class ViewCache:
    """Cache of views and measures of runs: in memory and, for finished runs, in deletable files.

    A file is named after the run's content hash, its database's stamp, and the code that computed it.
    """

    def __init__(self, folder: Path, *, writes: bool = True) -> None:
        self.folder = folder.expanduser()
        self.writes = writes
        """Whether files are written; False for a reader that takes everything once."""
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = RLock()
        """Held while something is computed, so that it is done once."""

    @contextmanager
    def open_file(self, run: RunFile) -> Iterator[DerivedFile | None]:
        """Open the cache file of a finished run; None for an unfinished run, or where none can be written."""
        file = None
        if run.state("status") == "done":
            modules = ("openiir", type(scenario_of(run)).__module__)
            parts = [run.state("content"), *database_stamp(run.folder), *map(code_stamp, modules)]
            with suppress(OpeniirError, sqlite3.Error, OSError):
                file = DerivedFile(self.folder / f"{fingerprint(parts)[:32]}{ENDING}")
        if file is None:
            yield None
            return
        with file:
            yield file

    def page(
        self,
        run: RunFile,
        name: str,
        agent: str | None = None,
        until: int | None = None,
        after: str | None = None,
        limit: int = 1,
        seek: int | None = None,
        beginning: bool = False,
    ) -> Page:
        """Return a page of a surface; raises UnknownName, or InputError for an invalid cursor.

        With `beginning`, the first page of a long view that only grows and is still to be computed is the
        page of its first events, and says so.
        """
        surface = find_surface(run, name)
        if after is not None and not after.isdecimal():
            raise InputError(f"after={after!r} is no cursor; take `next` of the page before")
        steps = len(run.steps()) if until is None else until
        with self.open_file(run) as file:
            # of a view that only grows, what stood at a step is its beginning
            cut = None if surface.live == "append" else until
            if beginning and until is None and seek is None and not int(after or 0):
                begun = self._begin(run, file, surface, agent)
                if begun and begun.total:
                    return cut_page(surface, begun, steps, limit=limit).model_copy(update={"whole": False})
            parts = self.parts(run, file, surface, agent, cut)
            return cut_page(surface, parts, steps, after, limit, seek, until)

    def _begin(
        self, run: RunFile, file: DerivedFile | None, surface: Surface, agent: str | None
    ) -> ViewParts | None:
        """Compute a view of the first events; None if that is no shorter, or the view is known."""
        (events,) = run.db.execute("select coalesce(max(seq), 0) from event").fetchone()
        if surface.live != "append" or events <= 5 * BEGINNING or self._find(run, file, surface, agent, None):
            return None
        try:
            return divide_view(compute_view(surface, Log(run, last_event=BEGINNING), agent))
        except Exception:  # the first events may end amid a step, which a type's view need not read
            return None

    def _find(
        self, run: RunFile, file: DerivedFile | None, surface: Surface, agent: str | None, until: int | None
    ) -> ViewParts | StoredParts | None:
        """Find a view that is stored, or was computed since the run last changed."""
        if file and until is None and (view := file.find_view(surface.name, agent or "")):
            return StoredParts(file, view)
        known = self._kept.get((str(run.folder), surface.name, agent, until))
        return known[1] if known and known[0] == run_version(run) else None

    def parts(
        self, run: RunFile, file: DerivedFile | None, surface: Surface, agent: str | None, until: int | None
    ) -> ViewParts | StoredParts:
        """Return a view divided for paging, from the cache or computed."""
        if known := self._find(run, file, surface, agent, until):
            return known
        key = (str(run.folder), surface.name, agent, until)
        with self._lock:
            if known := self._find(run, file, surface, agent, until):  # computed meanwhile
                return known
            version, began = run_version(run), time.thread_time()
            found = self._compute(run, surface, agent, until, self._kept.get(key))
            if file and self.writes and until is None and time.thread_time() - began >= SLOW:
                with suppress(OpeniirError, sqlite3.Error):
                    _store(file, surface.name, agent or "", found)
                    return found
            self._keep(key, (version, found))
            return found

    def _compute(
        self, run: RunFile, surface: Surface, agent: str | None, until: int | None, known: Any
    ) -> ViewParts:
        """Compute a view; of one that only grows, only what was added since it was last computed."""
        log = Log(run) if until is None else Log(run, until=until)
        if known and surface.live == "append" and known[0][2][0] == database_stamp(run.folder)[0]:
            (step, *_), before = known
            more = divide_view(compute_view(surface, log, agent, since=step))
            return before._replace(items=[*before.items, *more.items])
        return divide_view(compute_view(surface, log, agent))

    def _keep(self, key: tuple[Any, ...], value: Any) -> None:
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def measures(self, run: RunFile) -> list[dict[str, Any]]:
        """Return the measures of a finished run under the type's own settings; empty for another run."""
        key = (str(run.folder), MEASURES)
        with self.open_file(run) as file, self._lock:
            if file is None and run.state("status") != "done":
                return []
            if file and (stored := file.note(MEASURES)):
                return json.loads(stored)  # type: ignore[no-any-return]
            version = run_version(run)
            known = self._kept.get(key)
            if known and known[0] == version:
                return known[1]  # type: ignore[no-any-return]
            began = time.thread_time()
            scenario, found = scenario_of(run), list[dict[str, Any]]()
            for name, one in compute_measures(run, {}).items():
                label, definition = define_measure(scenario.definitions, name)
                value = one.value if math.isfinite(one.value) else None
                told = {"name": name, "value": value, "reason": one.reason}
                found.append({**told, "label": label, "definition": definition})
            self._keep(key, (version, found))
            if file and self.writes and time.thread_time() - began >= SLOW:
                with suppress(OpeniirError, sqlite3.Error):
                    file.add_text(MEASURES, json.dumps(found))
            return found

    def search(
        self, run: RunFile, words: str, after: int, limit: int, kind: str = "", agent: str = ""
    ) -> dict[str, Any]:
        """Find texts of a finished run that hold all words: agents, claims, sources, events, questions."""
        with self.open_file(run) as file:
            if file is None:
                raise InputError(
                    "only finished runs can be searched, and only where a cache file can be written"
                )
            self._build_index(run, file)
            rows, total = file.search(words, after, limit + 1, kind, agent)
            timelines = [(one.name, self.parts(run, file, one, None, None)) for one in _timelines(run)]
            found = [_describe_hit(row, timelines) for _, row in rows[:limit]]
        return {"hits": found, "total": total, "next": str(rows[limit - 1][0]) if len(rows) > limit else None}

    def prepare(self, run: RunFile) -> None:
        """Compute and cache measures, views and search index of a finished run in advance."""
        with self.open_file(run) as file:
            if file is None:
                return
            self.measures(run)
            for surface in surfaces_of(scenario_of(run)).values():
                if _shows(surface, run):
                    self.parts(run, file, surface, None, None)
            self._build_index(run, file)

    def _build_index(self, run: RunFile, file: DerivedFile) -> None:
        if file.note("search") is None:
            with self._lock:
                file.add_search(search_rows(Log(run)))


def _shows(surface: Surface, run: RunFile) -> bool:
    return surface.shows is None or surface.shows(Log(run)) is True


def _timelines(run: RunFile) -> list[Surface]:
    found = surfaces_of(scenario_of(run)).values()
    return [one for one in found if one.form in ("timeline", "dialogue") and _shows(one, run)]


def _describe_hit(row: SearchRow, timelines: list[tuple[str, ViewParts | StoredParts]]) -> dict[str, Any]:
    """Return a search result, with the timeline and the place in it where it is shown."""
    for name, parts in timelines if row.kind == "event" else ():
        place = _place_of(parts, name, int(row.ref))
        if place is not None:
            return row._asdict() | {"view": name, "place": place}
    return row._asdict() | {"view": None, "place": None}


def _place_of(parts: ViewParts | StoredParts, name: str, seq: int) -> int | None:
    if isinstance(parts, StoredParts):
        return parts.file.entry_number(name, seq)
    return next((n for n, entry in enumerate(parts.items) if entry.seq == seq), None)


def _store(file: DerivedFile, name: str, agent: str, parts: ViewParts) -> None:
    """Write a view into a cache file, each item as JSON, an entry with its step and number."""
    about = ("step", "seq") if parts.part == ENTRIES else ()
    items = [StoredItem(write_json(one), *(getattr(one, key) for key in about)) for one in parts.items]
    file.add_view(name, agent, parts.part, parts.head, items)
