"""What visitors make of items before they come: how each item draws them, and the rating they expect to give.

Nothing here is shared with a system under test: an agent's taste comes from its own history, the graph, and models of
its own.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from openiir.kit.items import DataSet, Ratings, Scale, Split
from openiir.kit.items.bias import Bias
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import quantise
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.graph import Graph, Retriever, embed
from openiir.scenarios.recommender.questions.browse import Scales
from openiir.scenarios.recommender.taste.interest import SIGNALS, Interest
from openiir.scenarios.recommender.taste.probit import Probit
from openiir.scenarios.recommender.taste.rating import PARTS, RatingModel

LIKING = 1.0
"""How much the rating one expects weighs in what draws one, beside what people like oneself pick [design]."""
ATTRACTION = 0.3
"""How a standard deviation of that counts in the log-odds of watching, before their slope [design].

So that the first pages of a matrix factorisation on MovieLens 1M draw by .75 on average, where MODELS puts the slate
that gives SimUSER's P_view for one. It is the one number fitted to a published table; other levels follow.
"""
REMINDED_ON = 500
"""Users on whose validation ratings the weight of similar titles is fitted."""
_BLOCK = 512
"""Users thought for at a time."""


@dataclass(frozen=True, eq=False)
class Minds:
    """Of some users, (users, items) each."""

    pull: Floats
    """How each item draws: 0 is a user's average over the collection, and the deviation is `ATTRACTION`."""
    expected: Floats
    """1 to 5, whatever the scale of the data."""


def standardised(rows: Floats) -> Floats:
    """Each row less its mean, by its standard deviation, on the grid; a row that is all alike becomes zeros."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = centred.std(axis=1, keepdims=True)
    return np.asarray(
        quantise(np.divide(centred, deviation, out=np.zeros_like(rows), where=deviation > 1e-12))
    )


def of_five(ratings: Floats, low: float, high: float) -> Floats:
    """Ratings of any scale on 1 to 5."""
    return np.asarray(1 + 4 * (ratings - low) / (high - low))


@dataclass(frozen=True, eq=False)
class Fitted:
    """Everything that is fitted to make minds, for a data set and a kind of taste."""

    retriever: Retriever | None
    """The knowledge graph as memory; None for visitors without one."""
    ratings: RatingModel
    interest: Interest
    probit: Probit
    """From expectations on 1 to 5 to ratings."""
    bias: Bias
    """What ratings owe to user and item alone, which memories are held against."""
    reminded: float
    """How much similar titles that memory brings up, rated above or below their bias, move an expectation."""

    @property
    def scales(self) -> Scales:
        """What a visitor knows of its own ratings."""
        probit = self.probit
        cuts = tuple(round(cut, 3) for cut in probit.cuts.tolist())
        return Scales(round(probit.centre, 3), round(probit.spread, 3), round(probit.r2, 3), cuts)

    def of(self, users: Ints) -> Minds:
        """The minds of these users."""
        scale = self.ratings.scale
        pulls, expected = [], []
        for start in range(0, len(users), _BLOCK):
            block = users[start : start + _BLOCK]
            rated = of_five(self.ratings.block(block), scale.low, scale.high)
            drawn = standardised(self.interest.block(block)) + LIKING * standardised(rated)
            pulls.append(quantise(ATTRACTION * standardised(drawn)))
            expected.append(rated)
        empty = np.zeros((0, self.ratings.items))
        return Minds(np.concatenate([empty, *pulls]), np.concatenate([empty, *expected]))


def fitted(config: RecommenderConfig, data: DataSet, folds: Split) -> Fitted:
    """Fit what minds are made of, once for all runs of a process that need the same."""
    visitors = config.visitors
    signals = ("content",) if visitors.taste == "content" else tuple(SIGNALS)
    if (
        config.experiment != "discrimination"
    ):  # what is famous is what the simplest system under test recommends
        signals = tuple(signal for signal in signals if signal != "fame")
    return _fitted(
        data, folds, config.data_seed, visitors.graph and visitors.similar, visitors.taste, signals
    )


@lru_cache(maxsize=3)
def _fitted(
    data: DataSet, folds: Split, seed: int, similar: int, taste: str, signals: tuple[str, ...]
) -> Fitted:
    of, train, validation = data.collection, folds.train, folds.validation
    retriever = None
    if similar:
        graph = Graph.build(of, train, _people(data, train.users))
        retriever = Retriever(
            graph, embed(of), k=similar
        )  # by absence, hidden items would tell what is held out
    parts = PARTS if taste == "full" else ("content",)
    ratings = RatingModel.fit(train, validation, of, seed, parts)
    interest = Interest.fit(train, validation, of, seed, ratings if taste == "full" else None, signals)
    bias = Bias.fit(train)
    reminded = _reminded(retriever, ratings, bias, folds, seed) if taste == "full" else 0.0
    return Fitted(retriever, ratings, interest, _probit(ratings, folds), bias, reminded)


def _people(data: DataSet, users: int) -> dict[str, tuple[str | tuple[str, ...], ...]]:
    """What users say of themselves, for the graph's nodes of age and occupation; newcomers have said nothing."""
    room: tuple[tuple[str, ...], ...] = ((),) * (users - data.ratings.users)
    return {
        name: (*column, *room) for name, column in data.demographics.items() if name in ("age", "occupation")
    }


def _reminded(
    retriever: Retriever | None, ratings: RatingModel, bias: Bias, folds: Split, seed: int
) -> float:
    """The weight of similar titles in an expectation, by least squares on validation ratings; from 0 to 1."""
    held = folds.validation
    if retriever is None or not len(held):
        return 0.0
    few = np.random.default_rng(seed).permutation(np.unique(held.user))[:REMINDED_ON]
    rows = np.isin(held.user, few)
    user, item, truth = held.user[rows], held.item[rows], held.value[rows]
    own = ratings.predict(user, item)
    recalled = retriever.predict(user, item, expected=lambda one: bias.block(np.array([one]))[0])
    there = ~np.isnan(recalled)
    apart, left = (recalled - bias.mean - bias.users[user] - bias.items[item])[there], (truth - own)[there]
    return float(quantise(min(1.0, max(0.0, float(apart @ left) / max(1e-9, float(apart @ apart))))))


def _probit(ratings: RatingModel, folds: Split) -> Probit:
    """How ratings follow from expectations, as validation ratings show it, on the scale of 1 to 5."""
    held = folds.validation if len(folds.validation) else folds.train
    low, high = held.scale.low, held.scale.high
    train, held = (in_five(fold) for fold in (folds.train, held))
    return Probit.fit(train, of_five(ratings.predict(held.user, held.item), low, high), held)


def in_five(fold: Ratings) -> Ratings:
    """Ratings as whole numbers from 1 to 5."""
    fives = of_five(fold.value, fold.scale.low, fold.scale.high)
    return replace(fold, value=np.clip(np.floor(fives + 0.5), 1, 5), scale=Scale())
