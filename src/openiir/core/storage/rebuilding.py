"""Making of a run's folder from the rows that its content hash covers, for reading its views again."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from openiir.core.errors import DamagedRun
from openiir.core.hashing import sha256
from openiir.core.records import Claim, Persona
from openiir.core.storage import database
from openiir.core.storage.call_rows import INSERT, INSERT_PROMPT
from openiir.core.storage.gate import create_file
from openiir.core.storage.run_file import RunFile
from openiir.core.storage.tables import part_hash, part_path

Rows = Sequence[Sequence[Any]]
_NO_PROMPT = '{"messages":[{"role":"user","text":""}]}'


class UnhashedData(NamedTuple):
    """Data that views need and that the content hash does not cover."""

    state: Mapping[str, str]
    steps: Rows
    """Number and label of each step, which nothing covers."""
    passages: Rows
    """World, id and text of each passage in the order found; their rows hold the texts' hashes."""
    prompts: Mapping[str, str]
    """Bodies of prompts by their hashes, which the rows of calls hold; those that are missing stand empty."""
    parts: Mapping[str, bytes]
    """Parquet files of the tables by name; the rows of parts hold the hashes of what is in them."""


def rebuild_run(folder: Path, sections: Mapping[str, Rows], beside: UnhashedData) -> None:
    """Write a run's folder from the rows of its sections, as read back from an export.

    It is for reading alone: nothing but what views are made from is in it. Raises DamagedRun for a text or a
    table that is missing or has not the hash that the rows name, and what pydantic, SQLite and NumPy raise
    for rows that no run has.
    """
    with RunFile.create(folder, scratch=True) as run:
        with database.transaction(run.db, run.path) as db:
            (document,) = sections["study"][0]
            db.execute(
                "insert into study select 1, json_extract(?1, '$.type'), json_extract(?1, '$.name'), "
                "json_extract(?1, '$.seed'), ?1",
                (document,),
            )
            people = [
                (Persona.model_validate_json(row[0]).id, n, row[0])
                for n, row in enumerate(sections["personas"])
            ]
            db.executemany("insert into persona values (?, ?, ?)", people)
            chunks = {(row[0], row[1]): row for row in sections["chunks"]}
            db.executemany(
                "insert into chunk values (?, ?, ?, ?, ?, ?, ?, ?)", _join_texts(chunks, beside.passages)
            )
            db.executemany("insert into search values (?, ?, ?, ?, ?, ?, ?, ?)", sections["searches"])
            prompts = {row[8]: _NO_PROMPT for row in sections["calls"]} | dict(beside.prompts)
            db.executemany(INSERT_PROMPT, prompts.items())
            db.executemany(INSERT, ((*row[:10], sha256(row[9]), *row[10:]) for row in sections["calls"]))
            db.executemany("insert into event values (?, ?, ?, ?, ?, ?)", sections["events"])
            db.executemany(
                "insert into claim values (?, ?, ?, ?, ?, ?, ?, ?)",
                map(_claim_row, count(), sections["claims"]),
            )
            edges = ((n, *row) for n, row in enumerate(sections["edges"]))
            db.executemany("insert into edge values (?, ?, ?, ?, ?, ?, ?)", edges)
            parts = [(f"{row[0]}-{row[1]:06}.parquet", *row) for row in sections["tables"]]
            db.executemany("insert into part values (?, ?, ?, ?, ?)", parts)
            db.executemany("insert into step values (?, ?, '', '')", beside.steps)
            db.executemany("insert or replace into state values (?, ?)", beside.state.items())
        _write_parts(folder, parts, beside.parts)
        run.db = database.rename_finished(run.db, run.path, scratch=True)


def _join_texts(chunks: Mapping[tuple[str, str], Sequence[Any]], passages: Rows) -> list[tuple[Any, ...]]:
    """Join the rows of passages with their texts, in the order of the texts."""
    found = []
    for world, id, text in passages:
        *place, digest, step = chunks[world, id]
        if sha256(text) != digest:
            raise DamagedRun(f"the text of the passage {id!a:.60} has not the hash that its row names")
        found.append((*place, text, digest, step))
    if len(found) != len(chunks):
        raise DamagedRun(f"texts of {len(chunks) - len(found)} passages are missing")
    return found


def _claim_row(position: int, row: Sequence[str]) -> tuple[Any, ...]:
    claim = Claim.model_validate_json(row[0])
    told = claim.step, claim.speaker, claim.utterance, claim.stance, claim.text
    return claim.id, position, *told, row[0]


def _write_parts(folder: Path, rows: Rows, parts: Mapping[str, bytes]) -> None:
    for file, table, step, length, digest in rows:
        if file not in parts:
            raise DamagedRun("it leaves out tables that they are made from; a folder or .zip has them")
        with create_file(part_path(folder, file)) as out:
            out.write(parts[file])
        if part_hash(folder, file) != (length, digest):
            raise DamagedRun(
                f"the rows of the table {table} at step {step} have not the hash that is named for them"
            )
