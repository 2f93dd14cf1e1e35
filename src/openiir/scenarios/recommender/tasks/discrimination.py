"""Taste discrimination: items a visitor has met beside items it never met (SimUSER, table 1).

With items never met drawn uniformly the task asks what is famous, so it is run with popularity-weighted ones too, and
popularity, item cosine and EASE answer beside the agent, each with a threshold fitted like the agent's own.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from openiir.kit.items import Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.kit.rankers.recommenders import Recommender, recommender
from openiir.plugin import Agent, Lane, Stage, Step
from openiir.scenarios.recommender.actions import Threshold, Weighed
from openiir.scenarios.recommender.config import AGENT, BASELINES
from openiir.scenarios.recommender.founding import Ground
from openiir.scenarios.recommender.questions.recognise import (
    SURENESS,
    YES,
    Recognise,
    RecogniseDispositions,
    RecogniseFacts,
)
from openiir.scenarios.recommender.taste.discrimination import (
    Against,
    Tasks,
    drawn_users,
    percentiles,
    tasks,
    threshold,
)
from openiir.scenarios.recommender.taste.interest import Interest
from openiir.scenarios.recommender.visitor import Mind, Visitor

_BLOCK = 256
"""Users scored at a time."""
FITTED_ON = 1_000
"""Other users whose validation items thresholds are fitted on."""


@dataclass(frozen=True, eq=False)
class Scorers:
    """The agent's interest and the baselines, as places: percentiles among what a user might pick."""

    ground: Ground
    agent: Interest
    baselines: Mapping[str, Recommender]

    def places(self, of: Tasks, against: Against) -> dict[str, Floats]:
        """By scorer, (tasks, items): the share of candidate items that score below, three decimals."""
        found: dict[str, list[Floats]] = {}
        train, validation = self.ground.split.train, self.ground.split.validation
        for start in range(0, len(of.users), _BLOCK):
            users, items = of.users[start : start + _BLOCK], of.items[start : start + _BLOCK]
            known = (train.seen[users] + validation.seen[users]).toarray() > 0
            among = (train.counts > 0) & ~known
            scores = {AGENT: self.agent.block(users, against)}
            scores |= {name: one.scores(users) for name, one in self.baselines.items()}
            for name, score in scores.items():
                found.setdefault(name, []).append(np.round(percentiles(score, among, items), 3))
        return {name: np.concatenate(rows) for name, rows in found.items()}


async def discrimination(stage: Stage, ground: Ground) -> AsyncIterator[Step]:
    """One task a visitor for each kind of negatives and each ratio; the visitor does not know the ratio."""
    scorers = _scorers(stage, ground)
    for kind in stage.config.discrimination.kinds:
        against: Against = "uniform" if kind == "uniform" else "popular"
        sure = _thresholds(stage, ground, scorers, against)
        for ratio in stage.config.discrimination.negatives:
            put = _tasks(stage, ground, ground.split.test, ground.users, ratio, against)
            places = scorers.places(put, against)
            lives = {
                f"{kind} 1:{ratio}/{v.persona.id}": partial(
                    _recognise, stage, ground, v, put, row, places, sure[AGENT], kind, ratio
                )
                for row, v in enumerate(ground.visitors)
            }
            await stage.lanes(lives)
        yield Step(f"{kind} negatives")


def _scorers(stage: Stage, ground: Ground) -> Scorers:
    """The agent's interest is weighed on other users than those who are judged."""
    config, folds = stage.config, ground.split
    others = folds.validation.chosen(~np.isin(folds.validation.user, ground.users))
    agent = ground.fitted.interest.weighed(
        folds.train, others if len(others) else folds.validation, config.data_seed
    )
    baselines = {name: recommender(name, {}, ground.data.collection, config.data_seed) for name in BASELINES}
    for one in baselines.values():
        one.fit(folds.train)
    names = [*agent.signals, "constant"]
    weights = {kind: dict(zip(names, w.tolist(), strict=True)) for kind, w in agent.weights.items()}
    stage.act(None, Weighed(weights=weights))
    return Scorers(ground, agent, baselines)


def _tasks(stage: Stage, ground: Ground, fold: Ratings, users: Ints, ratio: int, against: Against) -> Tasks:
    folds = (ground.split.train, ground.split.validation, ground.split.test)
    return tasks(
        fold, folds, users, ratio, against, stage.config.data_seed, stage.config.discrimination.items
    )


def _thresholds(stage: Stage, ground: Ground, scorers: Scorers, against: Against) -> dict[str, float]:
    """By scorer, the place from which on to say yes: fitted at 1:1 for accuracy (`blind`), and for each ratio for F1
    (`aware`), on validation items of users who are not judged."""
    config = stage.config.discrimination
    validation = ground.split.validation
    others = drawn_users(validation, stage.config.data_seed, FITTED_ON, config.items // 2, ground.users)
    if not len(others):
        others = drawn_users(validation, stage.config.data_seed, FITTED_ON, config.items // 2)
    blind: dict[str, float] = {}
    for ratio in sorted({1, *config.negatives}):
        put = _tasks(stage, ground, validation, others, ratio, against)
        for name, places in scorers.places(put, against).items():
            if ratio == 1:
                blind[name] = threshold(places, put.truth, "accuracy")
            aware = threshold(places, put.truth, "f1")
            fitted = Threshold(
                against=against, ratio=ratio, scorer=name, blind=blind[name], aware=aware, users=len(others)
            )
            stage.act(None, fitted)
    return blind


async def _recognise(
    stage: Stage,
    ground: Ground,
    visitor: Visitor,
    put: Tasks,
    row: int,
    places: Mapping[str, Floats],
    sure: float,
    kind: str,
    ratio: int,
    lane: Lane,
) -> None:
    of, draw = ground.data.collection, stage.draw("recommender.recognise", agent=visitor.persona.id, step=0)
    order = np.argsort(draw.bits(item=put.items[row]), kind="stable")
    items = put.items[row][order].tolist()
    mind = Mind(ground.common, visitor, draw)
    shown = mind.shown(items)
    facts = RecogniseFacts(
        noun=of.kind,
        titles=tuple(look.facts for look in shown),
        recalled=mind.before(items, shown)[0].recalled,
    )
    by = RecogniseDispositions(tuple(places[AGENT][row][order].tolist()), sure, f"{kind} 1:{ratio}")
    agent = Agent.of(visitor.persona)
    reply = await lane.ask(agent, Recognise(facts, by))
    if reply is None:
        return
    met = [one.met for one in sorted(reply.titles, key=lambda one: one.number)]
    lane.columns(
        "recognised",
        {
            "kind": kind,
            "ratio": np.full(len(items), ratio),
            "visitor": visitor.persona.id,
            "item": [of.ids[i] for i in items],
            "met": put.truth[order],
            "said": np.array([one in YES for one in met]),
            "sureness": np.array([SURENESS.index(one) for one in met]),
            "answerer": lane.answerer(agent, Recognise.kind),
            **{name: column[row][order] for name, column in places.items()},
        },
    )
