"""Sources and what they are worth, goals and how they change, the null, and measures of time to an answer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints, number_within
from openiir.kit.items.retrieval import arrange_grades, read_judgements, read_queries, retrieval_scores
from openiir.kit.measures.trec import Judgement
from openiir.kit.statistics import Estimate
from openiir.kit.statistics.estimate import percentile_interval
from openiir.kit.statistics.resampling import divide_arrays, resamples
from openiir.plugin import Arm, Draw, InputError, Own, Stage, order_by, quantise

MEAN, SD = 0.5, 0.2
"""Mean and standard deviation of what a synthetic source is worth for a need, cut at 0 and 1."""
MOST_SOURCES = 40
"""Largest number of sources, since a persona is shown all of them."""


@dataclass(frozen=True)
class Sources:
    """Sources, the needs that they are asked about, and how well each answers each."""

    names: tuple[str, ...]
    ids: tuple[str, ...]
    """Ids of the needs."""
    needs: tuple[str, ...]
    """Words of the needs."""
    worth: Floats
    """(needs, sources) how well a source answers a need, 0 to 1."""
    looks: Floats
    """(needs, sources) how well it seems to before it is asked, without noise."""


def draw_sources(names: Sequence[str], needs: Mapping[str, str], draw: Draw) -> Sources:
    """Draw what synthetic sources are worth, normally distributed; they look what they are worth."""
    rows, columns = np.arange(len(needs))[:, None], np.arange(len(names))[None, :]
    worth = quantise(np.clip(draw.normal(MEAN, SD, agent=rows, item=columns), 0.0, 1.0))
    return Sources(tuple(names), tuple(needs), tuple(needs.values()), worth, worth)


async def find_sources(config: Any, stage: Stage, folder: Path, draw: Draw) -> Sources:
    """Draw the synthetic sources of a study, or judge the folders of its world; raises InputError."""
    needs = read_queries(config.needs)
    if config.sources:
        return draw_sources(config.sources, needs, draw)
    judgements: Sequence[Judgement] = ()
    if isinstance(config.qrels, dict):
        judgements = [
            Judgement(need, *one) for need, graded in config.qrels.items() for one in graded.items()
        ]
    elif config.qrels:
        judgements = read_judgements(config.qrels, "config.qrels = ", folder)
    return await judge_sources(stage, needs, judgements)


async def judge_sources(
    stage: Stage, needs: Mapping[str, str], judgements: Sequence[Judgement], depth: int = 5
) -> Sources:
    """Judge how well the folders of a world answer queries, by what a search finds in each.

    A source is worth the discounted gain of the first `depth` documents found in it, as a share of the best
    source's; it looks as good as the score of its best document, which without judgements is also its worth.
    A need that no source answers is worth nothing to ask anywhere. A judgement's item is a document's name in
    the world, or its file name without ending where no other has it. Raises InputError where no need is
    answered, and for fewer than two sources or too many.
    """
    ids = sorted({chunk.source for chunk in stage.world().chunks})
    names, group = np.unique([PurePosixPath(id).parent.name or id for id in ids], return_inverse=True)
    if not 2 <= len(names) <= MOST_SOURCES:
        raise InputError(
            f"[world] has documents in {len(names)} folders, each of which is a source to ask; sort them "
            f"into 2 to {MOST_SOURCES}"
        )
    grades = np.maximum(arrange_grades(_name_items(judgements, ids), needs, ids), 0)
    scores = await retrieval_scores(stage, tuple(needs.values()), ids)
    worth, looks = np.zeros((2, len(needs), len(names)))
    for number in range(len(names)):
        own = np.flatnonzero(group == number)
        found = order_by(-scores[:, own], axis=1)[:, :depth]
        gains = np.take_along_axis(grades[:, own], found, axis=1)
        worth[:, number] = (gains / np.log2(np.arange(2, gains.shape[1] + 2))).sum(axis=1)
        looks[:, number] = scores[:, own].max(axis=1)
    worth = worth if judgements else looks
    if worth.max() <= 0:
        raise InputError(
            f"no need finds a document that is judged relevant among the first {depth} of any source; "
            "compare the ids of needs and documents with those of the judgements"
        )
    best = (np.maximum(part.max(axis=1, keepdims=True), 1e-9) for part in (worth, looks))
    worth, looks = (quantise(part / most) for part, most in zip((worth, looks), best, strict=True))
    return Sources(tuple(names.tolist()), tuple(needs), tuple(needs.values()), worth, looks)


def _name_items(judgements: Sequence[Judgement], ids: Sequence[str]) -> list[Judgement]:
    """Name judged items by the ids of documents, where a judgement has a file name that no other has."""
    stems = [PurePosixPath(id).stem for id in ids]
    alone = {stem for stem, times in Counter(stems).items() if times == 1}
    named = {stem: id for stem, id in zip(stems, ids, strict=True) if stem in alone} | dict(
        zip(ids, ids, strict=True)
    )
    return [one._replace(item=named.get(one.item, one.item)) for one in judgements]


@dataclass(eq=False)
class Goals(Arm):
    """Goals of members, and what stands behind the names of sources, as they change from round to round."""

    goal: Own[Ints]
    """(members,) row of the need that a member has."""
    place: Own[Ints]
    """(sources,) column of what stands behind a source's name."""
    changed: Own[Ints]
    """(sources,) round in which that last changed; 0 if it never did."""

    def change(self, round: int, needs: int, new_goal: float, drift: float, draw: Draw) -> Bools:
        """Draw goals anew and let two sources exchange what they have, with these chances.

        Returns who has another goal now; nothing changes before the first round.
        """
        if round == 1:
            return np.zeros(len(self.goal), np.bool_)
        every, before = np.arange(len(self.goal)), self.goal.copy()
        again = np.flatnonzero(draw.at("turns").chance(new_goal, agent=every))
        self.goal[again] = draw.at("goal").below(needs, agent=again)
        if draw.at("drift").chance(drift):
            pair = order_by(draw.at("pair").uniform(item=np.arange(len(self.place))))[:2]
            self.place[pair], self.changed[pair] = self.place[pair[::-1]], round
        return np.asarray(self.goal != before)


@dataclass(frozen=True)
class SourceRound:
    """What all worlds have in common in a round; arrays are (members,) or (members, sources)."""

    sources: Sources
    goal: Ints
    turned: Bools
    """Whether a member has turned to another goal, so that its last need is given up."""
    worth: Floats
    seen: Floats
    """How good each source seems."""
    noise: Floats
    """What is added to the worth of the source that a member asks."""
    changed: Ints
    """(sources,) round in which a source last changed."""


def open_round(
    sources: Sources, goals: Goals, turned: Bools, cue: float, answer: float, draw: Draw
) -> SourceRound:
    """Draw how good sources seem, with the standard deviation `cue`, and the noise of answers."""
    worth, looks = (part[goals.goal][:, goals.place] for part in (sources.worth, sources.looks))
    rows, columns = np.arange(len(worth)), np.arange(worth.shape[1])[None, :]
    seen = quantise(looks + draw.at("cues").normal(sd=cue, agent=rows[:, None], item=columns))
    noise = draw.at("answers").normal(sd=answer, agent=rows)
    return SourceRound(sources, goals.goal.copy(), turned, worth, seen, noise, goals.changed)


def draw_share(goals: Ints, share: float, draw: Draw) -> Bools:
    """Draw a share of the members with each goal, as evenly as their number allows; returns the mask."""
    order = order_by(goals, draw.at("order").uniform(agent=np.arange(len(goals))))
    sizes = np.bincount(goals)[goals[order]]
    offset = draw.at("offset").uniform(item=goals[order])
    found = np.zeros(len(goals), dtype=np.bool_)
    found[order] = quantise((number_within(goals[order]) + offset) / sizes) < share
    return found


def exchange_memories(goals: Ints, draw: Draw) -> Ints:
    """Permute members so that each gets the place of one with another goal.

    Where more than half of all have one goal, some of those get the place of one with the same.
    """
    order = order_by(goals, draw.uniform(agent=np.arange(len(goals))))
    found = np.empty(len(goals), dtype=np.int64)
    found[order] = np.roll(order, np.bincount(goals).max(initial=0))
    return found


def list_waits(waited: Ints, met: Bools) -> tuple[Ints, Bools]:
    """List how many rounds each need waited for an answer, and whether one came, from (rounds, members).

    A need that was given up, or still waits at the end, was seen for so many rounds.
    """
    last = np.ones(waited.shape, np.bool_)
    last[:-1] = waited[1:] == 1
    return waited[last], met[last]


def hazard_ratio(waited: Ints, met: Bools, one: Bools, draw: Draw, draws: int = 2_000) -> Estimate:
    """Compute how many times as likely an answer is in a round for one group of members as for the others.

    `waited` has for which round a member's need waits, and `met` whether an answer comes, both (rounds,
    members); `one` is the mask of the group. Mantel & Haenszel (J. Natl. Cancer Inst. 1959), stratified by
    the rounds waited; the interval is over resampled members, whose needs are not independent.
    """
    shape, places = (len(one), int(waited.max(initial=0)) + 1), np.arange(len(one))
    risk, ends = np.zeros((2, *shape))
    for waits, comes in zip(waited, met, strict=True):
        risk[places, waits] += 1
        ends[places, waits] += comes

    def ratio(weights: Floats) -> Floats:
        first, other = weights * one, weights * ~one
        at_risk = np.maximum(weights @ risk, 1)
        top = ((first @ ends) * (other @ risk) / at_risk).sum(axis=-1)
        return divide_arrays(top, ((other @ ends) * (first @ risk) / at_risk).sum(axis=-1))

    value = float(ratio(np.ones((1, len(one))))[0])
    if not np.isfinite(value):
        return Estimate(value, reason="one of the groups had no answer")
    found = []
    for _, picked in resamples(len(one), draw, draws):
        weights = np.zeros(picked.shape)
        np.add.at(weights, (np.arange(len(picked))[:, None], picked), 1.0)
        found.append(ratio(weights))
    return percentile_interval(value, np.concatenate(found), 0.95, "percentile bootstrap")
