"""Hostile run folders, made from a run that is in order: each is what a stranger might send."""

import base64
import gzip
import json
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from openiir.core.storage.content import SECTIONS

Build = Callable[[Path, Path], None]
"""Makes a run's folder hostile; the second path is that of a victim's folder."""

MAGIC = bytes.fromhex("d9d505f920a163d7")
"""First bytes of SQLite's rollback journal."""
ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n)"
KEPT = "kept.parquet", "kept.npz", "kept.txt"
"""Files of the victim."""


def journal_that_deletes(database: Path, victim: Path) -> bytes:
    """A journal of `database` whose playback ends with the deletion of `victim`, its super-journal."""
    head = database.read_bytes()[:100]
    page = int.from_bytes(head[16:18], "big")
    name = os.fsencode(victim)
    header = MAGIC + struct.pack(">IIIII", 0, 0, database.stat().st_size // page, 512, page)
    trailer = struct.pack(">I", 0x40000000 // page + 1) + name
    return header.ljust(512, b"\0") + trailer + struct.pack(">II", len(name), sum(name)) + MAGIC


def journal(name: str) -> Build:
    def build(run: Path, victim: Path) -> None:
        if not (run / name).exists():
            shutil.copyfile(run / "run.db", run / name)
        (run / f"{name}-journal").write_bytes(journal_that_deletes(run / name, victim / KEPT[2]))

    return build


def link(name: str, to: str = "") -> Build:
    def build(run: Path, victim: Path) -> None:
        if (run / name).is_dir():
            shutil.rmtree(run / name)
        (run / name).unlink(missing_ok=True)
        (run / name).symlink_to(victim / to)

    return build


def pipe(name: str) -> Build:
    def build(run: Path, victim: Path) -> None:
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)

    return build


def sparse(name: str, size: int) -> Build:
    def build(run: Path, victim: Path) -> None:
        with (run / name).open("ab") as file:
            file.truncate(size)

    return build


def written(name: bytes, content: bytes) -> Build:
    def build(run: Path, victim: Path) -> None:
        (run / os.fsdecode(name)).write_bytes(content)

    return build


def rewritten(*sql: str) -> Build:
    def build(run: Path, victim: Path) -> None:
        with closing(sqlite3.connect(run / "run.db")) as db:
            for words in sql:
                db.execute(words.replace("VICTIM", str(victim)))
            db.commit()

    return build


def pointing_in_circles(run: Path, victim: Path) -> None:
    """All pages of a table's root lead to one leaf, over and over: a few pages with rows without end."""
    with closing(sqlite3.connect(run / "run.db")) as db:
        (root,) = db.execute("select rootpage from sqlite_master where name = 'event'").fetchone()
        (size,) = db.execute("pragma page_size").fetchone()
        (count,) = db.execute("pragma page_count").fetchone()
    pages = bytearray((run / "run.db").read_bytes())
    leaf = pages[(root - 1) * size : root * size]
    while leaf[0] == 5:  # an interior page: go down to the first child
        cell = int.from_bytes(leaf[12:14], "big")
        child = int.from_bytes(leaf[cell : cell + 4], "big")
        leaf = pages[(child - 1) * size : child * size]
    cells = (size - 12) // 7
    deep = 8
    for level in range(deep):
        page = bytearray(size)
        below = (count + level + 2).to_bytes(4, "big")
        page[:12] = b"\x05\0\0" + struct.pack(">HHB", cells, size - 5 * cells, 0) + below
        for n in range(cells):
            start = size - 5 * (n + 1)
            page[12 + 2 * n : 14 + 2 * n] = start.to_bytes(2, "big")
            page[start : start + 5] = below + b"\x01"
        if level == 0:
            pages[(root - 1) * size : root * size] = page
        pages += page
    pages += leaf
    pages[28:32] = (len(pages) // size).to_bytes(4, "big")
    (run / "run.db").write_bytes(pages)


def _first_part(run: Path) -> Path:
    return min((run / "tables").glob("*.parquet"))


def many_rows(run: Path, victim: Path) -> None:
    column = pa.array(np.zeros(13_000_000, np.int64))
    table = pa.table({"x": pa.chunked_array([column] * 10)})
    pq.write_table(table, _first_part(run), compression="zstd", row_group_size=130_000_000)


def repeated_text(run: Path, victim: Path) -> None:
    """One long text, stored once, in every row."""
    column = pa.DictionaryArray.from_arrays(np.zeros(100_000, np.int32), ["x" * 1_000_000])
    pq.write_table(pa.table({"x": column}), _first_part(run), compression="zstd", store_schema=False)


FOLDERS: dict[str, tuple[Build, str]] = {
    "a journal that deletes": (journal("run.db"), "left half written"),
    "tables as a link": (link("tables"), "is a link"),
    "checkpoints as a link": (link("checkpoints"), "is a link"),
    "inbox as a link": (link("inbox"), "is a link"),
    "a linked part": (link("tables/x-000001.parquet", KEPT[0]), "is a link"),
    "a linked manifest": (link("manifest.json", KEPT[2]), "is a link"),
    "a linked manifest.json.part": (link("manifest.json.part", KEPT[2]), "is a link"),
    "a linked live.json.part": (link("live.json.part", KEPT[2]), "is a link"),
    "a linked lock": (link("run.lock", KEPT[2]), "is a link"),
    "a linked log": (link("run.db-wal", KEPT[2]), "is a link"),
    "manifest.json as a pipe": (pipe("manifest.json"), "no regular file"),
    "live.json as a pipe": (pipe("live.json"), "no regular file"),
    "study.local as a pipe": (pipe("study.local"), "no regular file"),
    "run.db as a pipe": (pipe("run.db"), "no regular file"),
    "a part as a pipe": (pipe("tables/x-000001.parquet"), "no regular file"),
    "a manifest of 30 GB": (sparse("manifest.json", 30_000_000_000), "too large"),
    "a nested manifest": (written(b"manifest.json", b"[" * 1_000_000), "is not the manifest"),
    "a log of 30 GB": (sparse("run.db-wal", 30_000_000_000), "too large"),
    "a name of two lines": (written(b"a\nb", b""), "odd name"),
    "a name that is not UTF-8": (written(b"\xff", b""), "odd name"),
    "an endless view": (
        rewritten("drop table event", f"create view event as {ENDLESS} select i as seq, 1 as step from n"),
        "view 'event'",
    ),
    "a view for state": (
        rewritten("drop table state", f"create view state as {ENDLESS} select i from n"),
        "view",
    ),
    "a trigger": (
        rewritten("create trigger t after insert on state begin delete from event; end"),
        "trigger 't'",
    ),
    "a generated column": (
        rewritten("create table later (x text, y as (hex(zeroblob(1000000000))))"),
        "table 'later'",
    ),
    "an index of expressions": (rewritten("create index later on event (hex(payload))"), "index 'later'"),
    "a table without end": (pointing_in_circles, "damaged|more work"),
    "a part elsewhere": (rewritten("update part set file = '../../' || file"), "no name of one|was changed"),
    "a part of 130 million rows": (many_rows, "too large"),
    "a part of one long text": (repeated_text, "too large"),
}
"""Hostile folders by name, with words of the error that refuses them."""


def bomb_page(place: Path, megabytes: int = 4_000) -> Path:
    """An exported page whose record unpacks to gigabytes, in blocks of a hundred megabytes of JSON."""
    block = base64.b64encode(gzip.compress(b"[" + b" " * 100_000_000 + b"]", 9)).decode()
    told = {"content": "", "recipe": 2, "blocks": {}, "sections": dict.fromkeys(SECTIONS, "")}
    head = base64.b64encode(gzip.compress(json.dumps(told).encode())).decode()
    script = '<script type="application/octet-stream" data-key="{}">{}</script>'
    blocks = [script.format(f"record/events/{n + 1}", block) for n in range(megabytes // 100)]
    place.write_text("\n".join([script.format("record", head), *blocks]))
    return place
