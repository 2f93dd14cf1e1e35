"""Experiment on rating prediction: visitors rate all their held-out items."""

from collections.abc import AsyncIterator, Sequence
from functools import partial

import numpy as np

from openiir.plugin import Agent, Lane, Stage, Step, order_by
from openiir.scenarios.recommender.behaviour.visitor import Visitor, VisitState
from openiir.scenarios.recommender.model.attraction import to_five_stars
from openiir.scenarios.recommender.model.persona.samples import genre_names
from openiir.scenarios.recommender.questions.genre import NameGenre
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.questions.rate import RateTitles
from openiir.scenarios.recommender.run.study_context import StudyContext

SORTER = "sorter"
"""Role that shows whether the answerer knows an item."""
SORTED, RATED = "items sorted by whether they are known", "rated"
"""Labels of the experiment's steps."""


async def run_rating(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: each visitor rates all its test items, on pages of at most 20."""
    items = {v.persona.id: _choose_held_out(stage, study, v) for v in study.visitors}
    if stage.config.rating.unknown:
        await _sort_by_familiarity(stage, study, sorted({item for own in items.values() for item in own}))
        yield Step(SORTED)
    await stage.lanes(
        {v.persona.id: partial(_rate, stage, study, v, items[v.persona.id]) for v in study.visitors}
    )
    yield Step(RATED)


def _choose_held_out(stage: Stage, study: StudyContext, visitor: Visitor) -> list[int]:
    """Choose the test items that a visitor rates, ascending; a random sample if there are too many."""
    found = study.split.test.of(visitor.user)[0]
    wanted = stage.config.rating.items
    if wanted and len(found) > wanted:
        keys = stage.draw("recommender.rating", step=0).bits(agent=visitor.persona.id, item=found)
        found = np.sort(found[order_by(keys)[:wanted]])
    return [int(item) for item in found]


async def rate_items(
    lane: Lane, agent: Agent, state: VisitState, items: Sequence[int]
) -> AsyncIterator[tuple[list[int], tuple[float, ...], list[int]]]:
    """Ask for ratings of items, at most MOST at once; yield batch, expected ratings and stars.

    No stars are given where no usable answer came.
    """
    for number, start in enumerate(range(0, len(items), MOST), 1):
        batch = list(items[start : start + MOST])
        shown = state.show(batch)
        expected = tuple(look.by.expected for look in shown)
        recalled = state.recall_for_page(batch, shown)[0]
        question = RateTitles(
            noun=state.context.noun,
            titles=tuple(look.entry for look in shown),
            remembered=recalled,
            expected=expected,
            batch=number,
            usual=state.visitor.usual,
        )
        reply = await lane.ask(agent, question)
        grades = sorted(reply.grades, key=lambda one: one.number) if reply else ()
        yield batch, expected, [one.stars for one in grades]


async def _rate(stage: Stage, study: StudyContext, visitor: Visitor, items: list[int], lane: Lane) -> None:
    if not items:
        return
    agent = Agent.of(visitor.persona)
    state = VisitState(study.visit_context, visitor)
    given: list[int] = []
    expectations: list[float] = []
    async for batch, expected, stars in rate_items(lane, agent, state, items):
        given += stars or [0] * len(batch)
        expectations += expected
    held_out, truth = study.split.test.of(visitor.user)
    expectation = np.array(expectations)
    lane.columns(
        "rated",
        {
            "visitor": agent.id,
            "item": [study.data.collection.ids[item] for item in items],
            "truth": to_five_stars(truth[np.isin(held_out, items)], study.split.train.scale),
            "given": np.array(given),
            "expected": expectation,
            "likeliest": study.visit_context.model.probit.most_likely_rating(expectation),
            **study.baselines(np.full(len(items), visitor.user), np.array(items)),
        },
    )


async def _sort_by_familiarity(stage: Stage, study: StudyContext, items: list[int]) -> None:
    """Test which items the answerer knows by asking for their genre (F.5).

    An item counts as known where the answer is one of its genres.
    """
    of = study.data.collection
    genres = tuple(genre_names(of))
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
