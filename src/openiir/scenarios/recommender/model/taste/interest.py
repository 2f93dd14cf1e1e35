"""Interest: the log-odds that a user picks an item, from several weighted signals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError, quantise
from openiir.scenarios.recommender.model.taste.blocks import (
    ModelPart,
    at_pairs,
    check_disjoint,
    limit_blas_threads,
)
from openiir.scenarios.recommender.model.taste.content import content_features
from openiir.scenarios.recommender.model.taste.discrimination import AGAINST, Against, draw_unpicked
from openiir.scenarios.recommender.model.taste.factors import Spectrum
from openiir.scenarios.recommender.model.taste.rating import RatingModel
from openiir.scenarios.recommender.model.taste.signals import ContentMatch, PopularitySignal, RandomWalkSignal

SIGNALS: Mapping[str, float] = {"fame": 0.0, "walk": 0.5, "spectrum": 0.5, "content": 0.1, "rating": 0.1}
"""Signals of interest, with their prior weights."""
_USERS, _PICKS = 1_000, 10
"""Largest numbers of users, and of picks of each, on which weights are fitted."""


@dataclass(frozen=True, eq=False)
class Interest:
    """Log-odds that a user picks an item, in a mixture of equally many picked and unpicked items.

    Each signal is standardised over the items that anybody picked, for each user; then a logistic regression,
    one against unpicked items drawn evenly and one against those drawn by popularity.
    """

    signals: Mapping[str, ModelPart]
    weights: Mapping[Against, Floats]
    """(signals + 1,) weights of the signals, then the constant, for each way to draw unpicked items."""
    live: Ints
    """Items that anybody picked."""

    @classmethod
    def fit(
        cls,
        train: Ratings,
        validation: Ratings,
        collection: Collection,
        seed: int,
        rating: RatingModel | None = None,
        signals: Sequence[str] = tuple(SIGNALS),
    ) -> "Interest":
        """Fit the signals on training ratings and their weights on validation picks.

        Validation picks are of up to 1,000 users, drawn by seed. Without `rating` the signal of that name is
        left out. To judge the weights fairly, take the judged users' rows out of `validation`. Raises
        InputError for signals that do not exist, and without any.
        """
        check_disjoint(train, validation)
        if not len(train):
            raise InputError("interest is in what resembles earlier picks, but there is no training rating")
        makers: dict[str, Callable[[], ModelPart | None]] = {
            "fame": lambda: PopularitySignal(train.counts),
            "walk": lambda: RandomWalkSignal.fit(train),
            "spectrum": lambda: Spectrum.fit(train, rank=150, each=25),
            "content": lambda: ContentMatch.fit(train, content_features(collection)),
            "rating": lambda: rating,
        }
        with limit_blas_threads():
            fitted = {name: part for name in SIGNALS if name in signals and (part := makers[name]())}
        if not fitted or set(signals) - set(SIGNALS):
            raise InputError(f"interest has signals of {', '.join(SIGNALS)}; got {list(signals)}")
        return cls(fitted, {}, np.flatnonzero(train.counts)).reweigh(train, validation, seed)

    def reweigh(self, train: Ratings, validation: Ratings, seed: int) -> "Interest":
        """Fit the weights of the same signals on other validation picks."""
        prior = np.array([SIGNALS[name] for name in self.signals] + [0.0])
        asked = [_draw_pairs(train, validation, against, seed) for against in AGAINST]
        users, items, picked = (np.concatenate(column) for column in zip(*asked, strict=True))
        signs = [at_pairs(partial(self.standardise, name), users, items) for name in self.signals]
        rows = np.column_stack([*signs, np.ones(len(users))])
        half = len(asked[0][0])
        with limit_blas_threads():
            of = _logistic(rows[:half], picked[:half], prior), _logistic(rows[half:], picked[half:], prior)
        return replace(self, weights=dict(zip(AGAINST, of, strict=True)))

    def standardise(self, name: str, users: Ints) -> Floats:
        """Compute a signal for these users and all items, standardised over the items anybody picked.

        (len(users), items), with mean 0 and standard deviation 1.
        """
        with limit_blas_threads():
            raw = self.signals[name].block(users)
        known = np.take(raw, self.live, axis=1)
        spread = known.std(axis=1, keepdims=True)
        # A user of whom nothing is known has the same signal everywhere, which says nothing.
        told = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1e-9)
        return np.asarray((raw - known.mean(axis=1, keepdims=True)) * told)

    def block(self, users: Ints, against: Against = "uniform") -> Floats:
        """Compute the log-odds for these users and all items, (len(users), items).

        On the grid of 2^-20; give some hundreds of users at a time.
        """
        *weights, constant = self.weights[against].tolist()
        parts = (w * self.standardise(name, users) for name, w in zip(self.signals, weights, strict=True))
        return np.asarray(quantise(reduce(add, parts, np.array(constant))))


def _draw_pairs(
    train: Ratings, validation: Ratings, against: Against, seed: int
) -> tuple[Ints, Ints, Floats]:
    """Draw validation picks of some users and as many unpicked items.

    Returns users, items, and 1 for picked or 0.
    """
    generator = np.random.default_rng(seed)
    users = np.flatnonzero(np.bincount(validation.user, minlength=validation.users))
    rows = [np.zeros((0, 3), dtype=np.int64)]
    for user in generator.permutation(users)[:_USERS].tolist():
        own = validation.of(user)[0]
        picks = generator.permutation(own)[:_PICKS]
        known = np.concatenate([train.of(user)[0], own])
        others = draw_unpicked(generator, train.counts, known, len(picks), against)
        items = np.concatenate([picks, others])
        rows.append(np.column_stack([np.full(len(items), user), items, np.arange(len(items)) < len(picks)]))
    found = np.concatenate(rows)
    return found[:, 0], found[:, 1], found[:, 2].astype(np.float64)


def _logistic(rows: Floats, picked: Floats, prior: Floats, penalty: float = 1.0) -> Floats:
    """Fit a logistic regression by Newton's method, with weights shrunk towards the prior's."""
    weights = prior.copy()
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (picked - chance) - penalty * (weights - prior)
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + penalty * np.eye(len(prior))
        weights = weights + np.linalg.solve(curve, slope)
    return np.asarray(quantise(weights))
