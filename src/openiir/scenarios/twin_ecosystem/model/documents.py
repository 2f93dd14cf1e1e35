"""Documents of providers with judgements of how far they serve needs, and versions that providers write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.items.retrieval import arrange_grades, read_judgements, read_queries
from openiir.kit.measures.trec import Judgement
from openiir.plugin import Chunk, Draw, InputError, Stage, UnknownName, first_largest, quantise
from openiir.plugin.arguments import sentences

KEPT = 0.7
"""Chance of each sentence of a passage to be in a version of it."""


@dataclass(frozen=True, eq=False)
class JudgedWorks:
    """What both worlds begin with: needs, works of providers, and how far each work serves each need.

    A work is a document that there is at the start; what providers write later are versions of works, which
    serve as well as these.
    """

    needs: tuple[str, ...]
    """Ids of the queries."""
    queries: tuple[str, ...]
    works: tuple[str, ...]
    """Names of the documents."""
    grades: Floats
    """(needs, works) judgements as shares of the largest: 1 best, 0 no use or not judged, below 0 harmful."""
    providers: tuple[str, ...]
    provider: Ints
    """(works,) number of each work's provider."""
    trusted: Bools
    """(providers,) whether a provider is known and checked."""

    def number_of(self, provider: str) -> int:
        """Return the number of a provider; raises UnknownName."""
        if provider not in self.providers:
            raise UnknownName("provider of a document", provider, self.providers)
        return self.providers.index(provider)

    def held_harmful(self, provider: str = "") -> Bools:
        """Mark the works that a policy holds to be harmful, (needs, works): as judged, or a provider's."""
        if not provider:
            return self.grades < 0
        return np.broadcast_to(self.provider == self.number_of(provider), self.grades.shape)

    def looks(self, rows: Ints, need: Ints, work: Ints, blur: float, draw: Draw) -> Floats:
        """Draw how useful works look to the searchers of these rows, (n, places), who have these needs, (n,).

        A harmful work claims to be as useful as one of the opposite grade, and nobody can tell; around what a
        work claims to be, searchers differ by a normal error of standard deviation `blur`.
        """
        claimed = np.abs(self.grades[need[:, None], work])
        seen: Floats = quantise(claimed + draw.normal(sd=blur, agent=rows[:, None], item=work))
        return seen

    def tables(self, margins: Mapping[str, float]) -> dict[str, dict[str, Any]]:
        """Return the columns of the tables by which a log holds this, and margins by outcome."""
        need, work = np.nonzero(self.grades)
        return {
            "needs": {"id": self.needs, "query": self.queries},
            "providers": {"name": self.providers, "trusted": self.trusted},
            "works": {"document": self.works, "provider": self.provider},
            "judged": {"need": need, "work": work, "grade": self.grades[need, work]},
            "margins": {"outcome": list(margins), "margin": np.array(list(margins.values()))},
        }


def read_works(stage: Stage, names: Sequence[str], folder: Path) -> JudgedWorks:
    """Read what the worlds of these names begin with, which is the same in all, or InputError is raised."""
    config, written = stage.config, set(stage.log.columns("versions").get("document", ()))
    chunks = [[one for one in stage.world(name).chunks if one.source not in written] for name in names]
    if len({tuple((one.source, one.text) for one in own) for own in chunks}) > 1:
        raise InputError(
            f"the worlds {' and '.join(names)} begin with different documents; give both the same sources"
        )
    works = tuple(list_documents(chunks[0]))
    if len(works) < config.slots:
        raise InputError(f"{len(works)} documents do not fill a page of {config.slots} results; give more")
    judged = read_judgements(config.qrels, "config.qrels = ", folder)
    return judge_works(works, read_queries(config.queries), judged, config.providers, config.trusted)


def judge_works(
    works: Sequence[str],
    queries: Mapping[str, str],
    judgements: Sequence[Judgement],
    patterns: Mapping[str, Sequence[str]],
    trusted: Sequence[str],
) -> JudgedWorks:
    """Put documents and judgements together; queries that no document serves are left out.

    A document belongs to the first provider one of whose `patterns` fits its name; without patterns, to its
    folder. Raises InputError for a document without a provider, and where no document serves any query.
    """
    grades = arrange_grades(judgements, queries, works)
    served = np.flatnonzero((grades > 0).any(axis=1))
    if not len(served):
        raise InputError(
            f"none of the {len(judgements)} judgements calls one of these {len(works)} documents relevant to "
            f"one of {len(queries)} queries; documents have names such as {works[0]!r}"
        )
    owners = [_find_provider(name, patterns) for name in works]
    providers = tuple(patterns) or tuple(sorted({*owners}))
    ids, texts = list(queries), list(queries.values())
    found = JudgedWorks(
        needs=tuple(ids[at] for at in served),
        queries=tuple(texts[at] for at in served),
        works=tuple(works),
        grades=quantise(grades[served] / np.abs(grades).max()),
        providers=providers,
        provider=np.array([providers.index(owner) for owner in owners], dtype=np.int64),
        trusted=np.isin(providers, trusted),
    )
    for name in trusted:
        found.number_of(name)
    return found


def _find_provider(name: str, patterns: Mapping[str, Sequence[str]]) -> str:
    if not patterns and (folder := PurePosixPath(name).parent.name):
        return folder
    for provider, own in patterns.items():
        if any(fnmatchcase(name, pattern) for pattern in own):
            return provider
    raise InputError(
        f"the document {name!r} has no provider; give a pattern that fits it in config.providers"
    )


def list_documents(chunks: Sequence[Chunk]) -> dict[str, Chunk]:
    """Map the documents of a world, in its order, to the first passage of each."""
    first: dict[str, Chunk] = {}
    for chunk in chunks:
        first.setdefault(chunk.source, chunk)
    return first


class PlannedVersion(NamedTuple):
    """A provider's plan to write a version of a work, for a need."""

    provider: int
    need: int
    work: int


def plan_versions(exposure: Floats, judged: JudgedWorks, writing: float, draw: Draw) -> list[PlannedVersion]:
    """Draw which providers write, and more of what: who is shown more writes more, of what was shown.

    `exposure` is (needs, works). A provider writes with chance `writing` times its exposure as a multiple of
    the mean; need and work are drawn in proportion to their exposure. One plan a provider at most.
    """
    own = np.bincount(judged.provider, exposure.sum(axis=0), len(judged.providers))
    chance = np.minimum(writing * len(own) * own / own.sum(), 1.0)
    writes = draw.at("writes").chance(chance, agent=np.arange(len(own)))
    noise = draw.at("which").gumbel(item=np.arange(exposure.size)).reshape(exposure.shape)
    with np.errstate(divide="ignore"):
        worth = quantise(np.log(exposure) + noise)
    found = []
    for provider in np.flatnonzero(writes).tolist():
        best = int(first_largest(np.where(judged.provider == provider, worth, -np.inf)))
        found.append(PlannedVersion(provider, *divmod(best, exposure.shape[1])))
    return found


def write_version(query: str, passage: str, draw: Draw) -> str:
    """Write a version of a passage for a query: the query as its title, and most sentences of the passage.

    Authors who compete for a query take up its words and stay near what ranked well (Raifer, Raiber,
    Tennenholtz & Kurland, SIGIR 2017).
    """
    head, _, rest = passage.partition("\n")
    body = rest if rest.strip() and head[-1:] not in ".!?" else passage
    spans = sentences(body)
    kept = draw.chance(KEPT, item=np.arange(len(spans)))
    chosen = [body[start:end] for (start, end), keep in zip(spans, kept.tolist(), strict=True) if keep]
    return f"{query[:1].upper()}{query[1:]}\n\n{' '.join(chosen or [body.strip()])}"
