"""What visitors make of items before they come: how each item draws them, and the rating they expect to give.

Nothing here is shared with a system under test: an agent's taste comes from its own history, the graph, and models of
its own.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from openiir.kit.items import DataSet, Split
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import quantise
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.graph import Graph, Retriever, embed
from openiir.scenarios.recommender.questions.browse import Scales
from openiir.scenarios.recommender.taste.rating import PARTS, RatingModel
from openiir.scenarios.recommender.taste.spectrum import Spectrum as Interest

LIKING = 0.5
"""How much the rating one expects weighs in what draws one, beside what people like oneself pick [design]."""
_BLOCK = 512
"""Users thought for at a time."""


@dataclass(frozen=True, eq=False)
class Minds:
    """Of some users, (users, items) each."""

    pull: Floats
    """Standardised over the items of each user: mean 0, deviation 1."""
    expected: Floats
    """1 to 5, whatever the scale of the data."""


def standardised(rows: Floats) -> Floats:
    """Each row less its mean, by its standard deviation, on the grid; a row that is all alike becomes zeros."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = centred.std(axis=1, keepdims=True)
    return np.asarray(quantise(np.divide(centred, deviation, out=np.zeros_like(rows), where=deviation > 1e-12)))


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
    scales: Scales

    def of(self, users: Ints) -> Minds:
        """The minds of these users."""
        scale = self.ratings.scale
        pulls, expected = [], []
        for start in range(0, len(users), _BLOCK):
            block = users[start : start + _BLOCK]
            rated = of_five(self.ratings.block(block), scale.low, scale.high)
            pulls.append(standardised(standardised(self.interest.block(block)) + LIKING * standardised(rated)))
            expected.append(rated)
        empty = np.zeros((0, self.ratings.items))
        return Minds(np.concatenate([empty, *pulls]), np.concatenate([empty, *expected]))


def fitted(config: RecommenderConfig, data: DataSet, folds: Split) -> Fitted:
    """Fit what minds are made of, once for all runs of a process that need the same."""
    visitors = config.visitors
    return _fitted(data, folds, config.data_seed, visitors.graph, visitors.similar, visitors.taste)


@lru_cache(maxsize=3)
def _fitted(data: DataSet, folds: Split, seed: int, graph: bool, similar: int, taste: str) -> Fitted:
    of, train = data.collection, folds.train
    retriever = None
    if graph and similar:
        built = Graph.build(of, train)
        retriever = Retriever(built, embed(of), hidden=(folds.validation, folds.test), k=similar)
    parts = PARTS if taste == "full" else ("content",)
    extra = {"graph": retriever.predict} if retriever is not None and taste == "full" else None
    ratings = RatingModel.fit(train, folds.validation, of, seed, parts, extra)
    return Fitted(retriever, ratings, Interest.fit(train), _scales(ratings, folds))


def _scales(ratings: RatingModel, folds: Split) -> Scales:
    """How expectations spread over validation pairs, and the cuts between ratings on a standard normal scale."""
    from scipy.special import ndtri

    train, held = folds.train, folds.validation if len(folds.validation) else folds.train
    scale = train.scale
    expected = of_five(ratings.predict(held.user, held.item), scale.low, scale.high)
    fifths = np.clip(np.rint(of_five(train.value, scale.low, scale.high)), 1, 5).astype(np.int64)
    shares = np.bincount(fifths - 1, minlength=5) / len(train)
    cuts = ndtri(np.clip(np.cumsum(shares)[:-1], 1e-4, 1 - 1e-4))
    return Scales(round(float(expected.mean()), 2), round(float(expected.std()), 2), tuple(np.round(cuts, 3).tolist()))
