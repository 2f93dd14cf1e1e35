"""Experiment on preference coherence: visitors make a request and see a fitting and an unfitting offer (F.2).

The published study took requests from a forum. Here a request is made of what a visitor really liked and had
held out: the genres of such an item, and two titles it liked that share one. That item is the good offer, any
other item of none of these genres, which the visitor never rated, the bad one.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache, partial

import numpy as np

from openiir.plugin import Agent, Draw, Lane, Stage, Step, order_by
from openiir.scenarios.recommender.behaviour.visitor import Visitor, VisitState
from openiir.scenarios.recommender.config import LIKED
from openiir.scenarios.recommender.run.study_context import StudyContext
from openiir.scenarios.recommender.run.visit_questions import ask_verdicts

LABEL = "asked for and offered"
"""Label of the experiment's step."""


async def run_coherence(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: each visitor makes requests and sees two offers for each."""
    apart = cache(partial(_items_without_genres, study))
    await stage.lanes({v.persona.id: partial(_ask_requests, stage, study, v, apart) for v in study.visitors})
    yield Step(LABEL)


async def _ask_requests(
    stage: Stage,
    study: StudyContext,
    visitor: Visitor,
    apart: Callable[[tuple[str, ...]], Sequence[int]],
    lane: Lane,
) -> None:
    agent, state = Agent.of(visitor.persona), VisitState(study.visit_context, visitor)
    draw = stage.draw("recommender.request", agent=agent.id, step=0)
    for number, good in enumerate(_draw_wishes(study, visitor, draw, stage.config.coherence.requests), 1):
        genres = study.data.collection.values("genre", good)
        bad = _draw_bad_offer(study, visitor, apart(genres), draw, number)
        if bad is None:
            continue
        offers = [good, bad] if draw.at("order").chance(0.5, item=number) else [bad, good]
        like = tuple(_liked_titles(study, visitor, genres))
        taken = await ask_verdicts(lane, agent, state, offers, f"page {number}", wanted=genres, like=like)
        if taken:
            (good_id, took_good), (bad_id, took_bad) = taken if offers[0] == good else taken[::-1]
            lane.row(
                "offers",
                visitor=agent.id,
                request=number,
                good=good_id,
                bad=bad_id,
                took_good=took_good,
                took_bad=took_bad,
            )


def _draw_wishes(study: StudyContext, visitor: Visitor, draw: Draw, most: int) -> list[int]:
    """Draw held-out items that the visitor liked and that have a genre."""
    items, values = study.split.test.of(visitor.user)
    genres = study.data.collection.values
    liked = np.array([i for i in items[values >= LIKED].tolist() if genres("genre", i)], dtype=np.int64)
    keys = draw.at("wish").bits(item=liked)
    return [int(i) for i in liked[order_by(keys)[:most]]]


def _draw_bad_offer(
    study: StudyContext, visitor: Visitor, apart: Sequence[int], draw: Draw, number: int
) -> int | None:
    """Draw an item that the visitor has in no fold; None where there is none."""
    folds = (study.split.train, study.split.validation, study.split.test)
    own = {item for fold in folds for item in fold.of(visitor.user)[0].tolist()}
    fit = [item for item in apart if item not in own]
    return fit[draw.at("other").below(len(fit), item=number)] if fit else None


def _items_without_genres(study: StudyContext, genres: tuple[str, ...]) -> list[int]:
    """List the rated items that have a genre, but none of these."""
    rated = np.flatnonzero(study.split.train.counts).tolist()
    own = ((item, study.data.collection.values("genre", item)) for item in rated)
    return [item for item, named in own if named and set(genres).isdisjoint(named)]


def _liked_titles(study: StudyContext, visitor: Visitor, genres: tuple[str, ...]) -> list[str]:
    """Find two training titles of these genres that the visitor liked, the best rated first."""
    items, values = study.split.train.of(visitor.user)
    of, liked = study.data.collection, values >= LIKED
    ranked = sorted(zip((-values[liked]).tolist(), items[liked].tolist(), strict=True))
    return [of.titles[i] for _, i in ranked if not set(genres).isdisjoint(of.values("genre", i))][:2]
