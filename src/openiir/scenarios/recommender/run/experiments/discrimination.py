"""Experiment on taste discrimination: visitors tell items they rated from others (SimUSER, table 1).

With items never met drawn uniformly the task asks what is famous, so it is run with popularity-weighted ones
too, and popularity, item cosine and EASE answer beside the agent, each with a threshold fitted like the
agent's own.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from openiir.kit.items import Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Agent, Lane, Stage, Step, order_by
from openiir.scenarios.recommender.behaviour.visitor import Visitor, VisitState
from openiir.scenarios.recommender.config import AGENT, BASELINES
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.recommender import Recommender
from openiir.scenarios.recommender.model.taste.discrimination import (
    Against,
    DiscriminationTasks,
    draw_users,
    percentiles,
    tasks,
    threshold,
)
from openiir.scenarios.recommender.model.taste.interest import Interest
from openiir.scenarios.recommender.questions.recognise import SURENESS, YES, Recognise
from openiir.scenarios.recommender.run.actions import SignalsWeighed, ThresholdFitted
from openiir.scenarios.recommender.run.study_context import StudyContext

_BLOCK = 256
"""Number of users scored at a time."""
FITTED_ON = 1_000
"""Number of other users on whose validation items thresholds are fitted."""
Scorer = Callable[[Ints], Floats]
"""Function that scores all items for some users, (users, items)."""


@dataclass(frozen=True, eq=False)
class VisitorTasks:
    """Each visitor's task for one way to draw negatives and one ratio, with the scorers' percentiles."""

    kind: str
    ratio: int
    tasks: DiscriminationTasks
    places: Mapping[str, Floats]
    """(tasks, items) percentiles by scorer."""
    sure: float
    """Decision threshold of the agent."""


async def run_discrimination(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: each visitor gets a task for each kind of negatives and each ratio.

    Visitors do not know the ratio.
    """
    agent, baselines = _fit_scorers(stage, study)
    for kind in stage.config.discrimination.kinds:
        against: Against = "uniform" if kind == "uniform" else "popular"
        scorers: dict[str, Scorer] = {AGENT: partial(agent.block, against=against)}
        scorers |= {name: one.scores for name, one in baselines.items()}
        sure = _fit_thresholds(stage, study, scorers, against)
        for ratio in stage.config.discrimination.negatives:
            drawn = _draw_tasks(stage, study, study.split.test, study.users, ratio, against)
            placed = VisitorTasks(kind, ratio, drawn, _place_items(study, scorers, drawn), sure[AGENT])
            lives = {
                f"{kind} 1:{ratio}/{v.persona.id}": partial(_recognise, stage, study, v, placed, row)
                for row, v in enumerate(study.visitors)
            }
            await stage.lanes(lives)
        yield Step(label_kind(kind))


def label_kind(kind: str) -> str:
    """Return the label of the step with negatives of this kind."""
    return f"{kind} negatives"


def _fit_scorers(stage: Stage, study: StudyContext) -> tuple[Interest, dict[str, Recommender]]:
    """Fit the baselines, and weigh the agent's interest signals on users who are not judged."""
    config, folds = stage.config, study.split
    others = folds.validation.select(~np.isin(folds.validation.user, study.users))
    agent = study.visit_context.model.interest.reweigh(
        folds.train, others if len(others) else folds.validation, config.data_seed
    )
    baselines = {name: recommender(name, {}, study.data.collection, config.data_seed) for name in BASELINES}
    for one in baselines.values():
        one.fit(folds.train)
    names = [*agent.signals, "constant"]
    weights = {kind: dict(zip(names, w.tolist(), strict=True)) for kind, w in agent.weights.items()}
    stage.act(None, SignalsWeighed(weights=weights))
    return agent, baselines


def _place_items(
    study: StudyContext, scorers: Mapping[str, Scorer], of: DiscriminationTasks
) -> dict[str, Floats]:
    """Compute each scorer's percentiles of the tasks' items, (tasks, items).

    A percentile is the share of candidate items that score below, three decimals.
    """
    found: dict[str, list[Floats]] = {name: [] for name in scorers}
    for start in range(0, len(of.users), _BLOCK):
        users, items = of.users[start : start + _BLOCK], of.items[start : start + _BLOCK]
        among = (study.split.train.counts > 0) & ~(study.known[users].toarray() > 0)
        for name, scores in scorers.items():
            found[name].append(np.round(percentiles(scores(users), among, items), 3))
    return {name: np.concatenate(rows) for name, rows in found.items()}


def _draw_tasks(
    stage: Stage, study: StudyContext, fold: Ratings, users: Ints, ratio: int, against: Against
) -> DiscriminationTasks:
    folds = (study.split.train, study.split.validation, study.split.test)
    seed, items = stage.config.data_seed, stage.config.discrimination.items
    return tasks(fold, folds, users, ratio, against, seed, items)


def _fit_thresholds(
    stage: Stage, study: StudyContext, scorers: Mapping[str, Scorer], against: Against
) -> dict[str, float]:
    """Fit the decision thresholds of each scorer on validation items of users who are not judged.

    `blind` is fitted at 1:1 for accuracy, `aware` at each ratio for F1.
    """
    config, validation = stage.config.discrimination, study.split.validation
    drawn = partial(draw_users, validation, stage.config.data_seed, FITTED_ON, config.items // 2)
    others = drawn(study.users)
    if not len(others):
        others = drawn()
    blind: dict[str, float] = {}
    for ratio in sorted({1, *config.negatives}):
        put = _draw_tasks(stage, study, validation, others, ratio, against)
        for name, places in _place_items(study, scorers, put).items():
            if ratio == 1:
                blind[name] = threshold(places, put.truth, "accuracy")
            aware = threshold(places, put.truth, "f1")
            fitted = ThresholdFitted(
                against=against, ratio=ratio, scorer=name, blind=blind[name], aware=aware, users=len(others)
            )
            stage.act(None, fitted)
    return blind


async def _recognise(
    stage: Stage, study: StudyContext, visitor: Visitor, put: VisitorTasks, row: int, lane: Lane
) -> None:
    of, draw = study.data.collection, stage.draw("recommender.recognise", agent=visitor.persona.id, step=0)
    order = order_by(draw.bits(item=put.tasks.items[row]))
    items = put.tasks.items[row][order].tolist()
    places = {name: column[row][order] for name, column in put.places.items()}
    state = VisitState(study.visit_context, visitor)
    shown = state.show(items)
    question = Recognise(
        noun=of.kind,
        titles=tuple(replace(look.entry, summary="", review="", average=None, raters=None) for look in shown),
        recalled=state.recall_for_page(items, shown, beside=1)[0].recalled,
        places=tuple(places[AGENT].tolist()),
        sure=put.sure,
        task=f"{put.kind} 1:{put.ratio}",
    )
    agent = Agent.of(visitor.persona)
    reply = await lane.ask(agent, question)
    if reply is None:
        return
    met = [one.met for one in sorted(reply.titles, key=lambda one: one.number)]
    lane.columns(
        "recognised",
        {
            "kind": put.kind,
            "ratio": np.full(len(items), put.ratio),
            "visitor": visitor.persona.id,
            "item": [of.ids[i] for i in items],
            "met": put.tasks.truth[order],
            "said": np.array([one in YES for one in met]),
            "sureness": np.array([SURENESS.index(one) for one in met]),
            "answerer": lane.answerer(agent, Recognise.kind),
            **places,
        },
    )
