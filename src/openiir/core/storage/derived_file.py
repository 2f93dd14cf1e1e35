"""Cache file of what was computed from one finished run: pages of views, measures, and a search index."""

import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from openiir.core.storage import database

ENDING = ".derived"
MOST_BYTES = 2_000_000_000
"""Most bytes of all cache files together; the ones used longest ago are deleted."""
_QUICK = ("journal_mode = wal", "synchronous = off")
_WORD = re.compile(r"\w+")


class StoredView(NamedTuple):
    """Header of a cached view of a run, without the view's list of items."""

    id: int
    part: str
    head: str
    total: int


class StoredItem(NamedTuple):
    """An item of a cached view as JSON; entries of timelines also have step and event number."""

    document: str
    step: int | None = None
    seq: int | None = None


class SearchRow(NamedTuple):
    """A text of a run for full-text search, with the thing (agent, claim, event) that it belongs to."""

    text: str
    kind: str
    """agent, claim, source, event or question."""
    ref: str
    """Id within the kind, such as the number of an event."""
    actor: str = ""
    step: int = 0


class DerivedFile(AbstractContextManager["DerivedFile"]):
    """Cache file of one finished run for views, notes and a search index; created when first opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with database.translate_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                path.touch()
            else:
                _make_room(path.parent)
        if path.exists() and database.is_fully_created(path, ours=True):
            self.db = database.open_writable(path, "derived")
        else:
            self.db = database.create_database(path, "derived", _QUICK)
            with database.transaction(self.db, path):
                pass

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def find_view(self, name: str, agent: str) -> StoredView | None:
        """Find a cached view by its surface's name and the agent's id ("" for the whole run)."""
        sql = "select id, part, head, total from view where name = ? and agent = ?"
        row = self.db.execute(sql, (name, agent)).fetchone()
        return StoredView(*row) if row else None

    def add_view(self, name: str, agent: str, part: str, head: str, items: Sequence[StoredItem]) -> None:
        """Cache a view with its items, unless another process did so meanwhile."""
        with database.transaction(self.db, self.path) as db:
            sql = "insert or ignore into view (name, agent, part, head, total) values (?, ?, ?, ?, ?)"
            made = db.execute(sql, (name, agent, part, head, len(items) if part else 1))
            if made.rowcount:
                rows = ((made.lastrowid, n, one.step, one.seq, one.document) for n, one in enumerate(items))
                db.executemany("insert into item (view, n, step, seq, document) values (?, ?, ?, ?, ?)", rows)

    def items(self, view: int, first: int, limit: int) -> list[str]:
        """Read items of a cached view, as JSON, from number `first` on."""
        sql = "select document from item where view = ? and n >= ? and n < ? order by n"
        return [text for (text,) in self.db.execute(sql, (view, first, first + limit))]

    def first_of_step(self, view: StoredView, step: int) -> int:
        """Return the number of the first entry of this step or a later one; the total if there is none."""
        sql = "select min(n) from item where view = ? and step >= ?"
        (found,) = self.db.execute(sql, (view.id, step)).fetchone()
        return view.total if found is None else int(found)

    def entry_number(self, name: str, seq: int) -> int | None:
        """Return the number of an event's entry in a cached timeline of the whole run."""
        sql = "select n from item join view on view.id = view where seq = ? and name = ? and agent = ''"
        row = self.db.execute(sql, (seq, name)).fetchone()
        return int(row[0]) if row else None

    def note(self, name: str) -> str | None:
        """Read a cached text by name, such as the measures as JSON."""
        row = self.db.execute("select value from note where name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def add_text(self, name: str, value: str) -> None:
        """Cache a text under a name, such as the measures as JSON."""
        with database.transaction(self.db, self.path) as db:
            db.execute("insert or replace into note values (?, ?)", (name, value))

    def add_search(self, rows: Iterable[SearchRow]) -> None:
        """Build the full-text search index, unless another process did so meanwhile."""
        with database.transaction(self.db, self.path) as db:
            if self.note("search") is None:
                db.executemany(
                    "insert into words (text, kind, ref, actor, step) values (?, ?, ?, ?, ?)", rows
                )
                db.execute("insert into note values ('search', 'complete')")

    def search(
        self, words: str, after: int, limit: int, kind: str = "", actor: str = ""
    ) -> tuple[list[tuple[int, SearchRow]], int]:
        """Find texts with all of the words (the last may be a prefix), perhaps of one kind or actor.

        Returns numbered rows behind the number `after`, in the order added, and how many there are in all.
        """
        found = _WORD.findall(words)
        if not found:
            return [], 0
        where = "from words where words match ?"
        args = [" ".join(f'"{word}"' for word in found) + "*"]
        for column, value in (("kind", kind), ("actor", actor)):
            if value:
                where += f" and {column} = ?"
                args.append(value)
        sql = (
            "select rowid, snippet(words, 0, '', '', ' … ', 40), kind, ref, actor, step "
            f"{where} and rowid > ? order by rowid limit ?"
        )
        rows = [(row[0], SearchRow(*row[1:])) for row in self.db.execute(sql, (*args, after, limit))]
        (total,) = self.db.execute(f"select count(*) {where}", args).fetchone()
        return rows, total


def _make_room(folder: Path) -> None:
    """Delete the files used longest ago beyond MOST_BYTES."""
    files = sorted(folder.glob(f"*{ENDING}"), key=lambda file: file.stat().st_mtime, reverse=True)
    size = 0
    for file in files:
        size += file.stat().st_size
        if size > MOST_BYTES:
            for part in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm"))):
                part.unlink(missing_ok=True)
