"""Off-policy estimates: what another ranker would have earned, from a log that knows its own propensities.

All estimates are of clicks a slate in one step on the logged state distribution: what the target would earn if it
took over for one slate where the logging ranker stood. They say nothing of where it would have led its users.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Measure
from openiir.core.seeds import Draw
from openiir.kit.statistics import cluster_bootstrap

Floats = NDArray[np.float64]
MOST_CLUSTERS = 2_000
"""More users than this are resampled in so many groups, which are as independent as they are."""

ESTIMATORS: Mapping[str, str] = {
    "iips": "item-position weights (Li et al., KDD 2018): right where clicks depend on item and position alone",
    "snips": "the same, divided at each position by the sum of weights (Swaminathan & Joachims, NeurIPS 2015)",
    "rips": "weights of the prefix down to the position (McInerney et al., KDD 2020): right for cascades",
    "slate": "weights of the whole slate: right whatever clicks depend on, and the noisiest",
    "dr": "doubly robust, item-position weights on what a model of clicks leaves (Dudik et al., ICML 2011)",
    "item_only": "weights that forget the position; BIASED, shown to be seen",
}
"""The estimators, and what each is."""


@dataclass(frozen=True)
class Logged:
    """What the logging ranker served and saw: n slates of K positions, with the propensities of serving.

    `clicks`, `item_position` and `prefix` have the shape (n, K), `user` (n,) of integers or strings. `in_slate`
    (n, K) is asked for by `item_only` alone. Raises InputError where a shape does not fit, or where a propensity
    is not above 0 and at most 1: what was served had a chance to be.
    """

    clicks: NDArray[Any]
    user: NDArray[Any]
    item_position: Floats
    prefix: Floats
    in_slate: Floats | None = None

    def __post_init__(self) -> None:
        shape = np.shape(self.clicks)
        if len(shape) != 2 or 0 in shape:
            raise InputError(f"clicks are slates by positions, at least one of each, got shape {shape}")
        if np.shape(self.user) != shape[:1]:
            raise InputError(f"{shape[0]} slates have one user each, got shape {np.shape(self.user)}")
        for name in ("item_position", "prefix", "in_slate"):
            if (p := getattr(self, name)) is not None:
                _fits(name, p, shape)
                if not (wrong := ~((p > 0) & (p <= 1))).any():
                    continue
                where = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise InputError(
                    f"propensity {name} of slate {where[0]}, position {where[1] + 1} is {p[where]}; what was served "
                    "had a probability above 0 and at most 1. Log the probabilities of serving, not scores"
                )


@dataclass(frozen=True)
class Target:
    """What the ranker in question would have done with the logged slates; all arrays (n, K) but where said.

    `position` is its probability of the logged item at that position, `prefix` that of the logged items down to
    it, in order. `unsupported` is the mass that it puts, at each position, on items that the logging ranker could
    not have shown there; a running maximum along the positions stands for that of prefixes, which for a
    deterministic target and an epsilon-shuffle is exact. For `dr`: `q_logged` is the model's click probability of
    the logged item at its position, `q_expected` the sum over items a of pi(a|r) q(a, r). `in_slate` is its
    probability to show the logged item anywhere.
    """

    position: Floats
    prefix: Floats
    unsupported: Floats
    q_logged: Floats | None = None
    q_expected: Floats | None = None
    in_slate: Floats | None = None

    @classmethod
    def ranking(cls, served: ArrayLike, wanted: ArrayLike, reachable: ArrayLike) -> "Target":
        """A deterministic target: it would have shown the items `wanted` (n, K) where `served` (n, K) were shown.

        `reachable` (n, K) is the logging propensity of each wanted item at its position; 0 is no support.
        """
        shown, meant = np.asarray(served), np.asarray(wanted)
        if shown.shape != meant.shape:
            raise InputError(f"the target's slates have shape {meant.shape}, the logged ones {shown.shape}")
        same = shown == meant
        first = np.logical_and.accumulate(same, axis=1)
        anywhere = (shown[:, :, None] == meant[:, None, :]).any(axis=2)
        unsupported = (np.asarray(reachable) <= 0).astype(np.float64)
        as_float = [a.astype(np.float64) for a in (same, first, anywhere)]
        return cls(as_float[0], as_float[1], unsupported, in_slate=as_float[2])


@dataclass(frozen=True)
class Rules:
    """When an estimate is refused, where weights are clipped, and how its interval is drawn."""

    clip: float | None = None
    least_ess: float = 100.0
    largest_share: float = 0.05
    resamples: int = 2_000
    level: float = 0.95


@dataclass(frozen=True)
class Tally:
    """Exact sums of slates, enough for an estimate; tallies of the same users add up.

    A slate's weight is the sum of its weights over positions: what it counts for in the estimate.
    """

    estimator: str
    by_user: Floats
    """A row a user: gains at each of K positions, weights at each, number of slates."""
    weight: float
    weight_squared: float
    largest: float
    unclipped: float
    unsupported: float

    def __add__(self, other: "Tally") -> "Tally":
        if self.estimator != other.estimator:
            raise ValueError(f"tallies of {self.estimator} and {other.estimator} do not add up")
        sums = ("by_user", "weight", "weight_squared", "unclipped", "unsupported")
        added = {name: getattr(self, name) + getattr(other, name) for name in sums}
        return replace(self, **added, largest=max(self.largest, other.largest))


@dataclass(frozen=True)
class Evaluation:
    """Clicks a slate under the target, with what the number rests on. Refused, value and bounds are NaN."""

    estimator: str
    value: Measure
    low: float
    high: float
    ess: float
    """Effective number of slates, (sum w)^2 / sum w^2; NaN where no slate has weight."""
    largest_share: float
    """The part of all weight that one slate carries."""
    mean_weight: float
    """Mean weight of a position before clipping: 1 in expectation, less the unsupported mass."""
    clipped: float
    """The part of all weight that clipping took away."""
    unsupported: float
    """Mean mass of a position on what the logging ranker could not have shown there."""
    slates: int
    users: int


def tally(estimator: str, log: Logged, target: Target, users: int, clip: float | None = None) -> Tally:
    """Sums of a block of slates whose `log.user` are indices below `users`."""
    shape = log.clicks.shape
    weights = _weights(estimator, log, target)
    used = weights if clip is None else np.minimum(weights, clip)
    gains = used * log.clicks
    if estimator == "dr":
        left = log.clicks - _given("q_logged", target.q_logged, shape)
        gains = _given("q_expected", target.q_expected, shape) + used * left
    unsupported = _given("unsupported", target.unsupported, shape)
    if estimator in ("rips", "slate"):
        unsupported = np.maximum.accumulate(unsupported, axis=1)
    columns = [*gains.T, *used.T, np.ones(shape[0])]
    by_user = np.stack([np.bincount(log.user, column, users) for column in columns], axis=1).astype(
        np.float64
    )
    slate = used.sum(axis=1)
    return Tally(
        estimator=estimator,
        by_user=by_user,
        weight=float(slate.sum()),
        weight_squared=float((slate**2).sum()),
        largest=float(slate.max()),
        unclipped=float(weights.sum()),
        unsupported=float(unsupported.sum()),
    )


def conclude(sums: Tally, draw: Draw, rules: Rules | None = None) -> Evaluation:
    """The evaluation that a tally holds; `draw` resamples its users."""
    rules = rules or Rules()
    rows = sums.by_user[sums.by_user[:, -1] > 0]
    slates = int(rows[:, -1].sum())
    entries = slates * ((rows.shape[1] - 1) // 2)
    found = Evaluation(
        estimator=sums.estimator,
        value=Measure(math.nan),
        low=math.nan,
        high=math.nan,
        ess=sums.weight**2 / sums.weight_squared if sums.weight_squared else math.nan,
        largest_share=sums.largest / sums.weight if sums.weight else math.nan,
        mean_weight=sums.unclipped / entries,
        clipped=1 - sums.weight / sums.unclipped if sums.unclipped else 0.0,
        unsupported=sums.unsupported / entries,
        slates=slates,
        users=len(rows),
    )
    if reason := _refusal(found, rules):
        return replace(found, value=Measure(math.nan, reason))
    drawn = cluster_bootstrap(
        *_columns(sums.estimator, _grouped(rows)),
        statistic=_clicks_a_slate,
        draw=draw,
        draws=rules.resamples,
        level=rules.level,
    )
    if math.isnan(drawn.value):
        return replace(
            found, value=Measure(math.nan, "at some position no logged item is one of the target's")
        )
    return replace(found, value=Measure(drawn.value, drawn.reason), low=drawn.low, high=drawn.high)


def estimate(
    estimator: str, log: Logged, target: Target, draw: Draw, rules: Rules | None = None
) -> Evaluation:
    """Clicks a slate under the target, by one of `ESTIMATORS`, with an interval by resampling users.

    The value is NaN with its reason where the effective sample size is below `rules.least_ess`, where one slate
    carries more than `rules.largest_share` of all weight, or where the target would show what the logging ranker
    could not (but for `dr`, whose model covers that mass; it is reported). Raises UnknownName for no estimator,
    InputError where arrays do not fit or those of a model of clicks are wanted.
    """
    rules = rules or Rules()
    names, user = np.unique(log.user, return_inverse=True)
    sums = tally(estimator, replace(log, user=user.ravel()), target, len(names), rules.clip)
    return conclude(sums, draw, rules)


def _columns(estimator: str, rows: Floats) -> list[Floats]:
    """What the value is a function of: gains by what divides them, position by position where weights do."""
    k = (rows.shape[1] - 1) // 2
    if estimator == "snips":
        return [*rows[:, :k].T, *rows[:, k : 2 * k].T]
    return [rows[:, :k].sum(axis=1), rows[:, -1]]


def _clicks_a_slate(*totals: Floats) -> Floats:
    k = len(totals) // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sum(gain / below for gain, below in zip(totals[:k], totals[k:], strict=True)))


def _grouped(rows: Floats) -> Floats:
    if len(rows) <= MOST_CLUSTERS:
        return rows
    group = np.arange(len(rows)) % MOST_CLUSTERS
    return np.stack([np.bincount(group, column, MOST_CLUSTERS) for column in rows.T], axis=1)


def _weights(estimator: str, log: Logged, target: Target) -> Floats:
    shape = log.clicks.shape
    if estimator in ("iips", "snips", "dr"):
        return _given("position", target.position, shape) / log.item_position
    if estimator == "rips":
        return _given("prefix", target.prefix, shape) / log.prefix
    if estimator == "slate":
        whole = _given("prefix", target.prefix, shape)[:, -1:] / log.prefix[:, -1:]
        return np.broadcast_to(whole, shape)
    if estimator == "item_only":
        return _given("in_slate", target.in_slate, shape) / _given("in_slate", log.in_slate, shape)
    raise UnknownName("off-policy estimator", estimator, ESTIMATORS)


def _refusal(found: Evaluation, rules: Rules) -> str | None:
    if found.unsupported > 0 and found.estimator != "dr":
        return (
            f"the target puts {found.unsupported:.3g} of its mass where the logging ranker could not go; serve with "
            "a larger epsilon over more candidates, or evaluate on the same candidates"
        )
    if math.isnan(found.ess):
        return "no logged slate has weight under the target"
    if found.ess < rules.least_ess:
        return f"the estimate would rest on {found.ess:.3g} effective slates; at least {rules.least_ess:g} are needed"
    if found.largest_share > rules.largest_share:
        return f"one slate carries {found.largest_share:.3g} of all weight; at most {rules.largest_share:g} is allowed"
    return None


def _given(name: str, array: Floats | None, shape: tuple[int, ...]) -> Floats:
    if array is None:
        raise InputError(f"this estimator needs {name}, an array of shape {shape}")
    _fits(name, array, shape)
    return array


def _fits(name: str, array: Floats, shape: tuple[int, ...]) -> None:
    if np.shape(array) != shape:
        raise InputError(f"{name} has shape {np.shape(array)}; the clicks have {shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds NaN or infinity")
