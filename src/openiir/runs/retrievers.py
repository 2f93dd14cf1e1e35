"""Worlds' own retrievers: search engines, asked as systems under test are, and TREC runs."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import AsyncExitStack
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from openiir.core.agents.knowledge import LOOKUP, WorldRetriever
from openiir.core.errors import EndpointError, InputError
from openiir.core.files import read_text
from openiir.core.records import ProbeReport, ProbeStep
from openiir.core.storage import RunFile
from openiir.core.study_paths import study_path
from openiir.core.systems import RetrieverReply, RetrieverSpec, Session, SystemFault, open_session
from openiir.core.world import Hit, World, WorldSpec
from openiir.core.world.chunking import comparison_form
from openiir.kit.items.retrieval import DATASET, read_queries
from openiir.kit.measures.trec import read_run
from openiir.runs.systems import LINES

_SHOWN = 3


class _OwnRetriever:
    """What engines and runs share: ids are looked for in the world before a reply is recorded."""

    def __init__(self, spec: RetrieverSpec) -> None:
        self.spec = spec

    def check_ids(self, world: World, ranking: list[tuple[str, float]]) -> RetrieverReply:
        """Leave out ids that the world does not hold; raises InputError if it holds none of them."""
        held = [(id, score) for id, score in ranking if world.has(id, self.spec.unit)]
        if ranking and not held:
            unit, own = self.spec.unit, world.chunks[0]
            example = own.id if unit == "chunk" else own.source
            raise InputError(
                f"{self.spec.label} found {_join([id for id, _ in ranking])}, and world {world.name!r} has "
                f"no {unit} of these names; its {unit}s are called as {example!r}: have it answer with those "
                "(`openiir world build SOURCES --out FILE` lists passages with ids), or correct unit"
            )
        ids, scores = zip(*held, strict=True) if held else ((), ())
        return RetrieverReply(ids=ids, scores=scores, dropped=len(ranking) - len(held))

    def read(self, world: World, query: str, reply: RetrieverReply) -> list[Hit]:
        """Return the passages of a reply."""
        return world.hits(query, zip(reply.ids, reply.scores, strict=True), self.spec.unit)


class EngineRetriever(_OwnRetriever):
    """Sessions with a world's search engine: one, or by HTTP, where they cost nothing, up to `LINES`."""

    def __init__(self, spec: RetrieverSpec) -> None:
        super().__init__(spec)
        self._free: list[Session] = []
        self._opened = 0
        self._slots = asyncio.Semaphore(LINES if spec.connector == "http" else 1)

    async def retrieve(self, world: World, query: str, k: int, asker: str) -> RetrieverReply:
        """Ask the engine; raises SystemFault for no usable answer, InputError for ids of another world."""
        return self.check_ids(world, await self.ask(world.name, query, k, asker))

    async def ask(self, world: str, query: str, k: int, asker: str) -> list[tuple[str, float]]:
        """Ask the engine for its first k ids with scores."""
        async with self._slots:
            session = self._free.pop() if self._free else await self._open(world)
            try:
                reply = await session.send({"query": query, "k": k, "world": world, "persona": asker})
                found = self.spec.read_ranking(reply, k)
            except BaseException:
                await session.close()
                raise
            self._free.append(session)
            return found

    async def _open(self, world: str) -> Session:
        self._opened += 1
        return await open_session(self.spec, f"world/{world}/{self._opened}")

    async def aclose(self) -> None:
        """Close all sessions."""
        while self._free:
            await self._free.pop().close()


class RunRetriever(_OwnRetriever):
    """The rankings of a TREC run, by the text of each topic's query."""

    def __init__(self, spec: RetrieverSpec, folder: Path) -> None:
        super().__init__(spec)
        self.folder = folder

    @cached_property
    def rankings(self) -> Mapping[str, list[tuple[str, float]]]:
        """Ranked ids with scores by query, letter case and white space apart. Raises InputError."""
        spec = self.spec
        ranked: dict[str, list[tuple[str, float]]] = {}
        for row in read_run(study_path(spec.run or "", self.folder, "the TREC run")).rows:
            ranked.setdefault(row.topic, []).append((row.item, row.score))
        topics = {topic: topic for topic in ranked} if spec.topics is None else self._read_topics(spec.topics)
        named: dict[str, str] = {}
        for topic, query in topics.items():
            other = named.setdefault(comparison_form(query), topic)
            if other != topic:
                raise InputError(
                    f"{spec.label}: the topics {other} and {topic} have the same query; keep one"
                )
        return {query: ranked.get(topic, []) for query, topic in named.items()}

    def _read_topics(self, topics: str) -> Mapping[str, str]:
        if topics.startswith(DATASET):
            return read_queries(topics)
        found: dict[str, str] = {}
        lines = read_text(study_path(topics, self.folder, "the topics")).splitlines()
        for number, line in enumerate(filter(str.strip, lines), 1):
            topic, tab, query = line.partition("\t")
            if not (tab and topic.strip() and query.strip()) or topic.strip() in found:
                raise InputError(
                    f"{topics} line {number}: {line!r:.80} is no new topic with its query; write the "
                    "topic's id, a tab and the query"
                )
            found[topic.strip()] = query.strip()
        return found

    async def retrieve(self, world: World, query: str, k: int, asker: str) -> RetrieverReply:
        """Look a query up; raises InputError for one that is no topic where the study has no `otherwise`."""
        ranking = self.rankings.get(comparison_form(query))
        if ranking is not None:
            return self.check_ids(world, ranking[:k])
        if self.spec.otherwise is None:
            near = get_close_matches(comparison_form(query), self.rankings, n=1)
            hint = f"the nearest is {near[0]!r:.100}" if near else f"it has {len(self.rankings):,} topics"
            raise InputError(
                f"{self.spec.label}: no topic has the query {query!r:.100}; {hint}; add the topic, or say by "
                'which mode such queries find passages (otherwise = "keyword")'
            )
        return RetrieverReply(otherwise=self.spec.otherwise)


def build_retrievers(
    document: Mapping[str, Any], folder: Path, exits: AsyncExitStack
) -> dict[str, WorldRetriever]:
    """Build the retrievers of a stored study's worlds, by world; `exits` closes their sessions."""
    found: dict[str, WorldRetriever] = {}
    for world, table in document["world"].items():
        spec = WorldSpec.model_validate(table).retriever
        if spec is not None and spec.connector == "run":
            found[world] = RunRetriever(spec, folder)
        elif spec is not None:
            found[world] = engine = EngineRetriever(spec)
            exits.push_async_callback(engine.aclose)
    return found


def check_runs(worlds: Mapping[str, WorldSpec], folder: Path, where: Callable[[str], str]) -> None:
    """Read the TREC runs that worlds name; raises InputError, with the table, for one that cannot be used."""
    for world, spec in worlds.items():
        if spec.retriever is not None and spec.retriever.connector == "run":
            try:
                _ = RunRetriever(spec.retriever, folder).rankings
            except InputError as error:
                raise InputError(f"{where(world)}: {error}") from None


def list_unasked(run: RunFile, worlds: Collection[str]) -> list[str]:
    """List the worlds whose retriever was never asked in a run."""
    rows = run.db.execute("select distinct subject from call where kind = ?", (LOOKUP,)).fetchall()
    return sorted(set(worlds) - {subject for (subject,) in rows})


async def probe_retriever(spec: RetrieverSpec, world: str, folder: Path, query: str) -> ProbeReport:
    """Send a retriever one query, for `openiir doctor`; a failure becomes a step of the report."""
    try:
        if spec.connector == "run":
            retriever = RunRetriever(spec, folder)
            saw, found = (
                f"has {len(retriever.rankings):,} queries",
                next(iter(retriever.rankings.values()), []),
            )
        else:
            engine = EngineRetriever(spec)
            try:
                found = await engine.ask(world, query, _SHOWN, "probe")
            finally:
                await engine.aclose()
            saw = f"answers to {query!r}"
    except (EndpointError, InputError) as error:
        return ProbeReport(subject=spec.label, steps=(_failure(error),))
    ids = f"{spec.unit}s {_join([id for id, _ in found])}" if found else "finds nothing"
    scores = ", ".join(f"{score:g}" for _, score in found[:_SHOWN])
    steps = [ProbeStep(what="look-up", saw=saw), ProbeStep(what="ids", ok=bool(found), saw=ids)]
    return ProbeReport(subject=spec.label, steps=(*steps, ProbeStep(what="scores", saw=scores or "none")))


def _failure(error: Exception) -> ProbeStep:
    if isinstance(error, SystemFault):
        return ProbeStep(what="look-up", ok=False, saw=error.saw, remedy=error.remedy)
    return ProbeStep(what="look-up", ok=False, saw=str(error))


def _join(ids: list[str]) -> str:
    more = ", ..." if len(ids) > _SHOWN else ""
    return ", ".join(map(repr, ids[:_SHOWN])) + more
