"""Rating prediction: every held-out item gets a rating, and none is left out of the error."""

from collections.abc import AsyncIterator
from functools import partial

import numpy as np

from openiir.plugin import Agent, Lane, Stage, Step
from openiir.scenarios.recommender.founding import Ground
from openiir.scenarios.recommender.minds import of_five
from openiir.scenarios.recommender.questions.genre import NameGenre
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.questions.rate import Rate, RateDispositions, RateFacts
from openiir.scenarios.recommender.visitor import Mind, Visitor

SORTER = "sorter"
"""The role that says whether the answerer knows an item."""


async def rating(stage: Stage, ground: Ground) -> AsyncIterator[Step]:
    """Each visitor rates its test items, forced, on pages of at most 20."""
    items = {v.persona.id: _held_out(stage, ground, v) for v in ground.visitors}
    if stage.config.rating.unknown:
        await _sort(stage, ground, sorted({item for own in items.values() for item in own}))
        yield Step("items sorted by whether they are known")
    await stage.lanes(
        {v.persona.id: partial(_rate, stage, ground, v, items[v.persona.id]) for v in ground.visitors}
    )
    yield Step("rated")


def _held_out(stage: Stage, ground: Ground, visitor: Visitor) -> list[int]:
    """The test items that a visitor is asked for, ascending; drawn where there are more than wanted."""
    found = ground.split.test.of(visitor.user)[0]
    wanted = stage.config.rating.items
    if wanted and len(found) > wanted:
        keys = stage.draw("recommender.rating", step=0).bits(agent=visitor.persona.id, item=found)
        found = np.sort(found[np.argsort(keys, kind="stable")[:wanted]])
    return [int(item) for item in found]


async def _rate(stage: Stage, ground: Ground, visitor: Visitor, items: list[int], lane: Lane) -> None:
    if not items:
        return
    agent, mind = (
        Agent.of(visitor.persona),
        Mind(ground.common, visitor, stage.draw("recommender.page", step=0)),
    )
    given: list[int] = []
    expectations: list[float] = []
    for start in range(0, len(items), MOST):
        batch = items[start : start + MOST]
        shown = mind.shown(batch)
        expected = tuple(look.by.expected for look in shown)
        expectations += expected
        facts = RateFacts(
            ground.common.noun, tuple(look.facts for look in shown), mind.before(batch, shown)[0]
        )
        question = Rate(facts, RateDispositions(expected, start // MOST + 1))
        reply = await lane.ask(agent, question)
        given += (
            [g.stars for g in sorted(reply.grades, key=lambda g: g.number)] if reply else [0] * len(batch)
        )
    truth = dict(zip(*ground.split.test.of(visitor.user), strict=True))
    low, high = ground.split.train.scale.low, ground.split.train.scale.high
    expectation = np.array(expectations)
    lane.columns(
        "rated",
        {
            "visitor": agent.id,
            "item": [ground.data.collection.ids[item] for item in items],
            "truth": of_five(np.array([float(truth[item]) for item in items]), low, high),
            "given": np.array(given),
            "expected": expectation,
            "likeliest": ground.fitted.probit.likeliest(expectation),
            **ground.baselines(np.full(len(items), visitor.user), np.array(items)),
        },
    )


async def _sort(stage: Stage, ground: Ground, items: list[int]) -> None:
    """Have each item's genre named from its title alone; an item is known where one of its genres is hit (F.5)."""
    of = ground.data.collection
    genres = tuple(sorted({genre for item in range(len(of)) for genre in of.values("genre", item)}))
    questions = [NameGenre.of(of, item, genres) for item in items]
    replies = await stage.ask_all([(SORTER, question) for question in questions])
    said = [reply.genre if reply else "" for reply in replies]
    stage.columns(
        "familiar",
        {
            "item": [of.ids[item] for item in items],
            "genre": said,
            "known": np.array(
                [genre in of.values("genre", item) for genre, item in zip(said, items, strict=True)]
            ),
        },
    )
