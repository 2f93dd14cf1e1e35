"""Retrieval for a feed: scores of every item for each user's query, and relevance judgements."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from openiir.core.records import RetrievalMode
from openiir.core.world import irdatasets
from openiir.kit.arrays import Floats
from openiir.kit.measures.trec import Judgement, qrels_of
from openiir.plugin import InputError, Lane, Persona, study_path

DATASET = irdatasets.PREFIX
"""Beginning of the name of a collection of ir_datasets."""

Unit = Literal["source", "chunk"]


async def retrieval_scores(
    stage: Lane,
    queries: Sequence[str],
    ids: Sequence[str],
    unit: Unit = "source",
    mode: RetrievalMode = "own",
    world: str = "main",
) -> Floats:
    """Score every item for each query, (queries, items), by its own text or its passage in a world.

    An item scores what its best chunk scores (MaxP: Dai & Callan, SIGIR 2019), found as agents' look-ups find
    it, by the world's own retriever where it has one; with the mode `none` all score 0. `ids` are those of
    `documents(world.chunks, unit)`, as a catalogue made by `from_world` has them. Raises InputError for an id
    that the world does not hold.
    """
    held_by = stage.world(world)
    column = {id: at for at, id in enumerate(ids)}
    names = [chunk.source if unit == "source" else chunk.id for chunk in held_by.chunks]
    if missing := sorted(column.keys() - set(names)):
        raise InputError(
            f"world {world!r} holds no {unit} {missing[0]!r} to retrieve ({len(missing)} of "
            f"{len(column)} items are not in it); make the catalogue from this world"
        )
    held = np.array([at for at, name in enumerate(names) if name in column], dtype=np.int64)
    item = np.array([column[name] for name in names if name in column], dtype=np.int64)
    found = np.full((len(queries), len(ids)), -np.inf)

    async def fill(row: int, query: str) -> None:
        np.maximum.at(found[row], item, (await stage.score_passages(query, world, mode=mode))[held])

    await asyncio.gather(*(fill(row, query) for row, query in enumerate(queries)))
    return found


def query_of(persona: Persona) -> str:
    """Write a persona's search query: its interests, or its bio where it names none."""
    return " ".join(persona.interests) or persona.bio


def read_queries(named: str | Mapping[str, str]) -> Mapping[str, str]:
    """Read queries by id: a table as it is, or those of a collection (`ir_datasets:ID`), in its order."""
    return irdatasets.read_queries(named.removeprefix(DATASET)) if isinstance(named, str) else named


def read_judgements(name: str, where: str, folder: Path | None = None) -> tuple[Judgement, ...]:
    """Read relevance judgements: of a collection (`ir_datasets:ID`), or of a TREC qrels file.

    A file that a study names lies in the study's `folder`. `where` says in errors what names it.
    """
    try:
        if name.startswith(DATASET):
            return tuple(Judgement(*one) for one in irdatasets.list_judgements(name.removeprefix(DATASET)))
        return qrels_of(Path(name) if folder is None else study_path(name, folder, "the file"))
    except InputError as error:
        raise InputError(f"{where}{name}: {error}") from None


def arrange_grades(judgements: Iterable[Judgement], topics: Iterable[str], items: Iterable[str]) -> Floats:
    """Arrange grades as (topics, items), 0 for what is not judged; others' judgements are left out."""
    row, column = ({id: n for n, id in enumerate(ids)} for ids in (topics, items))
    grades = np.zeros((len(row), len(column)))
    for one in judgements:
        if one.topic in row and one.item in column:
            grades[row[one.topic], column[one.item]] = one.relevance
    return grades
