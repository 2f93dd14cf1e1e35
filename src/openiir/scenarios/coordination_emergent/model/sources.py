"""Sources that answer so many requests a round, and what they are worth for goals."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items.retrieval import arrange_grades, read_judgements, read_queries, retrieval_scores
from openiir.kit.lexical import scale_to_best
from openiir.kit.prompting import cut_text
from openiir.plugin import Draw, InputError, Stage, first_largest, order_by, quantise

MOST_SOURCES = 60
QUALITY, SPECIALTY, BLUR, NOISE = 0.1, 0.2, 0.15, 0.15
"""Standard deviations, on a scale of 0 to 1: of what a synthetic source is worth to all goals, and to one
beside that; of how it looks, and of an answer, around what it is worth."""
GRADES = 5
LOOKS = (
    "has nothing on this",
    "has little on this",
    "has something on this",
    "has much on this",
    "is known for this",
)
ANSWERS = ("useless answers", "poor answers", "fair answers", "good answers", "full answers")
PLACES = tuple(
    "town archive,law clinic,tenants' union,building office,chamber of crafts,evening school,energy agency,"
    "consumer centre,savings bank,court registry,garden society,local paper,parish office,trade union,"
    "land office,museum library,youth centre,tax advice bureau,water board,forestry office,health office,"
    "harbour office,old people's club,fire brigade,school board,insurers' desk,women's centre,job centre,"
    "university library,weather station,police desk,mayor's office,records office,farmers' market,notary,"
    "cycling club,broadcaster,observatory,surveyor,repair shop".split(",")
)


@dataclass(frozen=True, eq=False)
class InformationSources:
    """Sources by number, and what they are worth for each goal."""

    names: tuple[str, ...]
    goals: Mapping[str, str]
    """Words of each goal, by its id."""
    worth: Floats
    """(goals, sources) how good the answers of a source are, 0 to 1."""
    looks: Ints
    """(goals, sources) how promising a source looks before it is asked, a position in LOOKS."""
    passages: tuple[tuple[str, ...], ...] = ()
    """What each source of documents has on each goal, in its own words; empty for synthetic ones."""

    def describe(self, goal: int, source: int) -> str:
        """Tell what a source is and offers for a goal."""
        name, looks = self.names[source], LOOKS[self.looks[goal, source]]
        if not self.passages:
            return f"The {name} {looks}."
        return f'"{name}" {looks}: "{self.passages[goal][source]}"'

    def answer(self, goal: Ints, source: Ints, draw: Draw) -> Ints:
        """Draw the grades of the answers to each agent's requests, in the shape of `source`."""
        noise = draw.normal(sd=NOISE, agent=np.arange(len(goal))[:, None], item=np.maximum(source, 0))
        return as_grades(self.worth[goal[:, None], source] + noise)


def as_grades(values: Floats) -> Ints:
    """Round values from 0 to 1 to the grades 0 to GRADES - 1."""
    return np.rint(quantise(np.clip(values, 0.0, 1.0)) * (GRADES - 1)).astype(np.int64)


def draw_sources(count: int, goals: Mapping[str, str], draw: Draw) -> InformationSources:
    """Draw synthetic sources: some are worth more to all, and each is good for some goals."""
    goal, source = np.arange(len(goals))[:, None], np.arange(count)
    special = draw.at("special").normal(sd=SPECIALTY, agent=goal, item=source)
    worth = quantise(np.clip(0.5 + draw.normal(sd=QUALITY, item=source) + special, 0.0, 1.0))
    looks = as_grades(worth + draw.at("looks").normal(sd=BLUR, agent=goal, item=source))
    names = tuple(
        PLACES[n % len(PLACES)] + f" {n // len(PLACES) + 1}" * (n >= len(PLACES)) for n in range(count)
    )
    return InformationSources(names, goals, worth, looks)


async def find_sources(stage: Stage, folder: Path) -> InformationSources:
    """Draw synthetic sources, or take those that the study's configuration names; raises InputError."""
    config, goals = stage.config, read_queries(stage.config.goals)
    if config.documents == "none":
        return draw_sources(config.sources, goals, stage.draw("coordination_emergent.sources", step=0))
    return await read_sources(stage, goals, folder)


async def read_sources(stage: Stage, goals: Mapping[str, str], folder: Path) -> InformationSources:
    """Take the documents of the world, or their folders, as sources: those that bear most on the goals.

    A source is worth what its best document is for a goal, by its retrieval score against the best one's, or
    by its relevance judgement against the best grade where there are judgements; it looks what its score is.
    Raises InputError where there are fewer than two.
    """
    config, world = stage.config, stage.world()
    documents = list(dict.fromkeys(chunk.source for chunk in world.chunks))
    by_folder = config.documents == "folder"
    owners = [str(PurePosixPath(one).parent) if by_folder else one for one in documents]
    names = list(dict.fromkeys(owners))
    if len(names) < 2:
        raise InputError(f"[world] has {len(names)} sources; name documents in two folders, or two documents")
    scores = scale_to_best(await retrieval_scores(stage, list(goals.values()), documents))
    owner = np.array([names.index(one) for one in owners])
    worth, found = (np.zeros((len(goals), len(names))) for _ in range(2))
    judged = read_judgements(config.qrels, "config.qrels: ", folder) if config.qrels else ()
    grades = np.maximum(arrange_grades(judged, goals, documents), 0) if config.qrels else scores
    for values, given in ((worth, scale_to_best(grades)), (found, scores)):
        np.maximum.at(values.T, owner, given.T)
    kept = np.sort(order_by(-found.sum(axis=0))[: config.sources])
    opening = {chunk.source: cut_text(" ".join(chunk.text.split()), 120) for chunk in reversed(world.chunks)}
    best = [first_largest(np.where(owner == kept[:, None], line, -1.0), axis=1) for line in scores]
    passages = tuple(tuple(opening[documents[one]] for one in line.tolist()) for line in best)
    titles = tuple(PurePosixPath(names[n]).name.partition(".")[0].replace("-", " ") for n in kept.tolist())
    return InformationSources(titles, goals, quantise(worth[:, kept]), as_grades(found[:, kept]), passages)
