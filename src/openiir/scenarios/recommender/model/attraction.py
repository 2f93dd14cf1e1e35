"""Models of each visitor's attraction to and expected rating of each item, fitted before any visit.

No fitted part is shared with a system under test: a visitor's taste comes from its own history, the knowledge
graph and models of its own.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import fsum
from typing import NamedTuple

import numpy as np

from openiir.kit.items import Collection, DataSet, Ratings, Scale, Split
from openiir.kit.items.bias import BiasModel
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import quantise
from openiir.scenarios.recommender.model.choice_model import RatingScales
from openiir.scenarios.recommender.model.graph.embeddings import embed
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.retrieval import Retriever
from openiir.scenarios.recommender.model.persona.study_persona import Interests
from openiir.scenarios.recommender.model.taste.interest import SIGNALS, Interest
from openiir.scenarios.recommender.model.taste.probit import Probit
from openiir.scenarios.recommender.model.taste.rating import PARTS, RatingModel

LIKING = 1.0
"""Weight of the expected rating in attraction; interest (what similar people pick) weighs 1 [design]."""
ATTRACTION = 0.3
"""Standard deviation of attraction over the items of a collection, in log-odds of watching before `SLOPE`
[design].

Fitted so that the first pages of a matrix factorisation on MovieLens 1M have a mean attraction of .75, for
which MODELS 7 gives SimUSER's P_view. It is the one number fitted to a published table; other levels follow
from it.
"""
REMINDED_ON = 500
"""Number of users on whose validation ratings the weight of similar titles is fitted."""
_BLOCK = 512
"""Number of users computed at a time."""


class Attraction(NamedTuple):
    """Attraction to all items, and expected ratings of them, for some users: (users, items) each."""

    pull: Floats
    """Attraction to each item; for each user the mean over the collection is 0, the standard deviation
    `ATTRACTION`."""
    expected: Floats
    """Expected rating, 1 to 5, whatever the scale of the data."""


def standardise_rows(rows: Floats) -> Floats:
    """Standardise each row (mean 0, standard deviation 1, on the grid); a constant row becomes zeros."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = centred.std(axis=1, keepdims=True)
    return np.asarray(
        quantise(np.divide(centred, deviation, out=np.zeros_like(rows), where=deviation > 1e-12))
    )


def to_five_stars(ratings: Floats, scale: Scale) -> Floats:
    """Convert ratings of any scale to 1 to 5."""
    return np.asarray(1 + 4 * (ratings - scale.low) / (scale.high - scale.low))


@dataclass(frozen=True, eq=False)
class AttractionModel:
    """Fitted models of attraction and of expected ratings, for one data set and one kind of taste."""

    retriever: Retriever | None
    """Retriever of similar items from the knowledge graph; None for visitors without a graph."""
    ratings: RatingModel
    interest: Interest
    probit: Probit
    """Model that turns an expected rating, 1 to 5, into the probability of each whole rating."""
    bias: BiasModel
    """User and item biases, with which ratings of similar titles are compared."""
    reminded: float
    """Weight, 0 to 1, of the visitor's ratings of similar titles (less user and item bias) in an expected
    rating."""

    @cached_property
    def scales(self) -> RatingScales:
        """Mean, spread and cut points that turn expected ratings into whole ratings."""
        probit = self.probit
        cuts = tuple(round(cut, 3) for cut in probit.cuts.tolist())
        return RatingScales(round(probit.centre, 3), round(probit.spread, 3), round(probit.r2, 3), cuts)

    def of(self, users: Ints) -> Attraction:
        """Compute attraction and expected ratings of these users."""
        pulls, expected = [], []
        for start in range(0, len(users), _BLOCK):
            block = users[start : start + _BLOCK]
            rated = to_five_stars(self.ratings.block(block), self.ratings.scale)
            drawn = standardise_rows(self.interest.block(block)) + LIKING * standardise_rows(rated)
            pulls.append(quantise(ATTRACTION * standardise_rows(drawn)))
            expected.append(rated)
        empty = np.zeros((0, self.ratings.items))
        return Attraction(np.concatenate([empty, *pulls]), np.concatenate([empty, *expected]))


@lru_cache(maxsize=3)
def fit_attraction(
    data: DataSet, folds: Split, seed: int, similar: int, taste: str, with_fame: bool
) -> AttractionModel:
    """Fit the models of attraction and expected ratings; cached within the process.

    `similar` is the number of similar items that a graph retrieves for one, 0 for no graph; `taste` is
    `full`, or `content` for one without other users' ratings; `with_fame` adds how often an item is rated to
    the signals.
    """
    of, train, validation = data.collection, folds.train, folds.validation
    own = taste == "content"
    signals = [s for s in SIGNALS if (s == "content" or not own) and (with_fame or s != "fame")]
    retriever = None
    if similar:
        graph = KnowledgeGraph.build(of, train, _demographics(data, train.users))
        # Held-out items are not hidden from retrieval: their absence would tell which they are.
        retriever = Retriever(graph, embed(of), k=similar)
    ratings = RatingModel.fit(train, validation, of, seed, ("content",) if own else PARTS)
    interest = Interest.fit(train, validation, of, seed, None if own else ratings, signals)
    bias = BiasModel.fit(train)
    reminded = 0.0 if own else _fit_reminding(retriever, ratings, bias, folds, seed)
    # The probit turns expected ratings into those of the validation fold, on a scale of 1 to 5.
    held = validation if len(validation) else train
    expected = to_five_stars(ratings.predict(held.user, held.item), held.scale)
    probit = Probit.fit(whole_stars(train), expected, whole_stars(held))
    return AttractionModel(retriever, ratings, interest, probit, bias, reminded)


def _demographics(data: DataSet, users: int) -> dict[str, tuple[str | tuple[str, ...], ...]]:
    """Age and occupation columns for the graph, padded with empty values for personas of the study."""
    room: tuple[tuple[str, ...], ...] = ((),) * (users - data.ratings.users)
    return {
        name: (*column, *room) for name, column in data.demographics.items() if name in ("age", "occupation")
    }


def _fit_reminding(
    retriever: Retriever | None, ratings: RatingModel, bias: BiasModel, folds: Split, seed: int
) -> float:
    """Fit the weight of similar titles in an expected rating, clipped to 0..1.

    By least squares on validation ratings.
    """
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


def whole_stars(fold: Ratings) -> Ratings:
    """Convert ratings to whole numbers from 1 to 5, halves upwards."""
    fives = np.floor(to_five_stars(fold.value, fold.scale) + 0.5)
    return replace(fold, value=np.clip(fives, 1, 5), scale=Scale())


def attraction_to_interests(pull: Floats, found: Interests, collection: Collection) -> Floats:
    """Compute attraction to each item, (items,), for a persona with interests but no ratings.

    It combines common attraction with the interests. Both weigh the same. An item whose title or maker an
    interest names matches in full, others by their genres.
    """
    match = np.array(
        [
            fsum(found.genres.get(genre, 0.0) for genre in collection.values("genre", n))
            for n in range(len(collection))
        ]
    )
    match[list(found.items)] = 1.0
    both = standardise_rows(pull[None, :]) + standardise_rows(match[None, :])
    return np.asarray(quantise(ATTRACTION * standardise_rows(both)[0]))
