"""Generations meet each other: what producers of one age do under the detectors of another."""

from collections.abc import Sequence

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import Agent, Log, Stage
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES, Player, Side
from openiir.scenarios.multi_generational.behaviour.judging import ABSTAINED, judge_posts
from openiir.scenarios.multi_generational.behaviour.moderating import survival_probability
from openiir.scenarios.multi_generational.behaviour.writing import write_posts
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE
from openiir.scenarios.multi_generational.model.credibility.corpus import SharedCorpus
from openiir.scenarios.multi_generational.model.credibility.pairs import ClaimPair
from openiir.scenarios.multi_generational.run.actions import MetOthers
from openiir.scenarios.multi_generational.run.births import read_birth_history

Cohorts = dict[int, dict[Side, list[Player]]]
"""Players by generation and side."""


def sample_generations(generations: int, most: int) -> list[int]:
    """Sample at most `most` generations evenly, including the first and the last."""
    return np.unique(np.linspace(0, generations - 1, min(most, generations)).round().astype(int)).tolist()


def read_cohorts(log: Log, generations: Sequence[int], most: int) -> Cohorts:
    """Rebuild from the log the first `most` agents of each side in each of these generations."""
    personas = {persona.id: persona for persona in log.personas}
    cohorts: Cohorts = {number: {} for number in generations}
    for side in SIDES:
        history = read_birth_history(log, side)
        for number in generations:
            ids = history.agents[history.lineage.cohorts[number]][:most]
            genomes = [birth.genome for birth in history.births[number]]
            cohorts[number][side] = [
                Player(Agent.of(personas[id], key=slot), genome, slot)
                for slot, (id, genome) in enumerate(zip(ids, genomes, strict=False))
            ]
    return cohorts


async def log_cross_generation_contests(
    stage: Stage, cohorts: Cohorts, corpus: SharedCorpus, pairs: Sequence[ClaimPair]
) -> None:
    """Let each generation's producers play every generation's detectors on held-out pairs, and log it.

    Nobody finds other posts than pages, and moderation is the rule, so that only the two generations make a
    difference.
    """
    config, numbers = stage.config, sorted(cohorts)
    landing, error, *said = (list[Floats]() for _ in range(5))
    everybody = [(age, _enter(stage, one)) for age in numbers for one in cohorts[age]["detector"]]
    ages = np.array([age for age, _ in everybody])
    for age in numbers:
        players = [_enter(stage, one) for one in cohorts[age]["producer"]]
        posts, _ = await write_posts(stage, corpus, players, pairs, 0, asks=True)
        texts, names = [post.text for post in posts], [post.name for post in posts]
        judged = await judge_posts(stage, corpus, [one for _, one in everybody], texts, names, 0, asks=True)
        length = np.array([len(text.split()) for text in texts]).reshape(len(players), len(pairs), 2)
        scores = judged.p.reshape(*length.shape, -1)
        by_age = np.stack([scores[..., ages == other].mean(axis=3) for other in numbers], axis=3)
        stands = survival_probability(by_age, config.rounds, config.hazard) * (length > 0)[..., None]
        lands = stands[:, :, FALSE].mean(axis=1)
        landing.append(lands.mean(axis=0))
        error.append(lands.std(axis=0, ddof=1) / np.sqrt(len(players)))
        own = scores[..., ages == age]
        for table, values in zip(said, (own.mean(axis=3), (own > 0.5).mean(axis=3), length), strict=True):
            table.append(_mean_written(values, length > 0).ravel())
    p, most, words = map(_rows, said)
    found = MetOthers(
        arm=config.arm,
        generations=tuple(numbers),
        landing=_rows(landing),
        error=_rows(error),
        pairs=tuple(pair.id for pair in pairs),
        p=p,
        most=most,
        words=words,
    )
    stage.act(None, found)


def _mean_written(values: Floats | Ints, written: Bools) -> Floats:
    """Average over the authors who wrote (authors, pairs, versions); .5 for a version without a post."""
    number = written.sum(axis=0)
    return np.where(number > 0, np.where(written, values, 0.0).sum(axis=0) / np.maximum(number, 1), ABSTAINED)


def _enter(stage: Stage, player: Player) -> Player:
    """Bring an agent of an earlier generation back under a new id, with a new budget."""
    persona = player.agent.persona.model_copy(update={"id": f"again-{player.agent.id}"})
    return player._replace(agent=stage.join(persona, key=player.slot))


def _rows(rows: list[Floats]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row.tolist()) for row in rows)
