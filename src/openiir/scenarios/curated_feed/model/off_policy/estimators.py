"""Off-policy estimates of another ranker's clicks, from a log with propensities.

All estimates are of clicks a slate in one step on the logged state distribution: what the target would earn
if it took over for one slate where the logging ranker stood. They say nothing of where it would have led its
users.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.statistics import cluster_bootstrap
from openiir.plugin import Draw, InputError, Measure, UnknownName
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

MOST_CLUSTERS = 2_000
"""Largest number of units in the bootstrap. More users are merged into this many groups."""

ESTIMATORS: Mapping[str, str] = {
    "iips": "item-position weights (Li et al., KDD 2018): right where clicks depend on item and position",
    "snips": "the same, divided at each position by the sum of weights (Swaminathan & Joachims, 2015)",
    "rips": "weights of the prefix down to the position (McInerney et al., KDD 2020): right for cascades",
    "slate": "weights of the whole slate: right whatever clicks depend on, and the noisiest",
    "dr": "doubly robust, item-position weights on what a model of clicks leaves (Dudik et al., ICML 2011)",
    "item_only": "weights that forget the position; BIASED, shown to be seen",
}
"""Short description of each estimator, by name."""


@dataclass(frozen=True)
class OffPolicyRules:
    """Clipping of weights, conditions under which an estimate is refused, and settings of its interval."""

    clip: float | None = None
    least_ess: float = 100.0
    largest_share: float = 0.05
    least_weight: float = 0.5
    """Smallest mean weight required of each position where weights are not clipped; 1 is expected."""
    resamples: int = 2_000
    level: float = 0.95


@dataclass(frozen=True)
class Tally:
    """Sufficient sums of an off-policy estimate over slates; tallies of the same users can be added.

    A slate's weight is the sum of its weights over positions: what it counts for in the estimate.
    """

    estimator: str
    by_user: Floats
    """(users, 2 K + 1) for each user: gains and weights at each of K positions, and the number of slates."""
    weight: float
    weight_squared: float
    position_squares: Floats
    """(K,) sum of squared weights at each position."""
    largest: float
    unclipped: float
    unsupported: float

    def __add__(self, other: "Tally") -> "Tally":
        if self.estimator != other.estimator:
            raise ValueError(f"tallies of {self.estimator} and {other.estimator} do not add up")
        sums = ("by_user", "weight", "weight_squared", "position_squares", "unclipped", "unsupported")
        added = {name: getattr(self, name) + getattr(other, name) for name in sums}
        return replace(self, **added, largest=max(self.largest, other.largest))


@dataclass(frozen=True)
class Evaluation:
    """Estimated clicks per slate under the target ranker, with diagnostics; NaN where refused.

    A value that is not NaN may have a reason as well: why it has no interval, or one of fewer resamples.
    """

    estimator: str
    value: Measure
    low: float
    high: float
    ess: float
    """Effective sample size in slates, (sum w)^2 / sum w^2; NaN where no slate has weight."""
    ess_by_position: tuple[float, ...]
    """Effective sample size of each position's weights. With prefix weights, the last position has the
    smallest."""
    largest_share: float
    """Largest share of the total weight in one slate."""
    mean_weight: float
    """Mean weight of a position before clipping: 1 in expectation, less the unsupported mass."""
    weight_by_position: tuple[float, ...]
    """Mean weight at each position, after clipping."""
    clipped: float
    """Share of the total weight that clipping removed."""
    unsupported: float
    """Mean probability that the target puts at a position on items the logging ranker could not have shown
    there."""
    slates: int
    users: int


def tally(estimator: str, log: Logged, target: Target, users: int, clip: float | None = None) -> Tally:
    """Sum gains and weights over a block of slates, whose `log.user` are indices below `users`."""
    weights = _weights(estimator, log, target)
    used = weights if clip is None else np.minimum(weights, clip)
    if estimator == "dr":
        gains = target.model("q_expected") + used * (log.clicks - target.model("q_logged"))
    else:
        gains = used * log.clicks
    unsupported = target.unsupported
    if estimator in ("rips", "slate"):
        unsupported = np.maximum.accumulate(unsupported, axis=1)
    columns = [*gains.T, *used.T, np.ones(len(log.user))]
    summed = [np.bincount(log.user, column, users) for column in columns]
    slate = used.sum(axis=1)
    return Tally(
        estimator=estimator,
        by_user=np.stack(summed, axis=1).astype(np.float64),
        weight=float(slate.sum()),
        weight_squared=float((slate**2).sum()),
        position_squares=(used**2).sum(axis=0),
        largest=float(slate.max()),
        unclipped=float(weights.sum()),
        unsupported=float(unsupported.sum()),
    )


def conclude(sums: Tally, draw: Draw, rules: OffPolicyRules | None = None) -> Evaluation:
    """Compute an off-policy estimate with diagnostics from a tally; `draw` bootstraps users."""
    rules = rules or OffPolicyRules()
    rows = sums.by_user[sums.by_user[:, -1] > 0]
    k, slates = len(sums.position_squares), int(rows[:, -1].sum())
    at = rows[:, k : 2 * k].sum(axis=0) ** 2
    found = Evaluation(
        estimator=sums.estimator,
        value=Measure(math.nan),
        low=math.nan,
        high=math.nan,
        ess=sums.weight**2 / sums.weight_squared if sums.weight_squared else math.nan,
        ess_by_position=tuple(np.divide(at, sums.position_squares, out=np.zeros(k), where=at > 0).tolist()),
        largest_share=sums.largest / sums.weight if sums.weight else math.nan,
        mean_weight=sums.unclipped / (slates * k),
        weight_by_position=tuple((rows[:, k : 2 * k].sum(axis=0) / slates).tolist()),
        clipped=1 - sums.weight / sums.unclipped if sums.unclipped else 0.0,
        unsupported=sums.unsupported / (slates * k),
        slates=slates,
        users=len(rows),
    )
    if reason := _refusal(found, rules):
        return replace(found, value=Measure(math.nan, reason))
    drawn = cluster_bootstrap(
        *_select_sums(sums.estimator, _group_users(rows)),
        statistic=_clicks_a_slate,
        draw=draw,
        draws=rules.resamples,
        level=rules.level,
    )
    return replace(found, value=Measure(drawn.value, drawn.reason), low=drawn.low, high=drawn.high)


def estimate(
    estimator: str, log: Logged, target: Target, draw: Draw, rules: OffPolicyRules | None = None
) -> Evaluation:
    """Estimate the target ranker's clicks per slate by one of `ESTIMATORS`, with an interval over users.

    The value is NaN with its reason where the effective sample size is below `rules.least_ess`, where one
    slate carries more than `rules.largest_share` of all weight, where a position's weights average less than
    `rules.least_weight` (they average 1 once all that the target would show was logged), where a position has
    no weight at all, or where the target would show what the logging ranker could not. (The last two but for
    `dr`, whose model stands in; the mass is reported.) Raises UnknownName for no estimator, InputError where
    arrays do not fit, and for `dr` without the arrays of a model of clicks.
    """
    rules = rules or OffPolicyRules()
    names, user = np.unique(log.user, return_inverse=True)
    sums = tally(estimator, replace(log, user=user.ravel()), target, len(names), rules.clip)
    return conclude(sums, draw, rules)


def _select_sums(estimator: str, rows: Floats) -> list[Floats]:
    """Select the per-user sums whose ratio is the estimate: gains, over slates or position weights."""
    k = (rows.shape[1] - 1) // 2
    if estimator == "snips":
        return [*rows[:, :k].T, *rows[:, k : 2 * k].T]
    return [rows[:, :k].sum(axis=1), rows[:, -1]]


def _clicks_a_slate(*totals: Floats) -> Floats:
    pairs = zip(totals[: len(totals) // 2], totals[len(totals) // 2 :], strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sum([gain / below for gain, below in pairs], axis=0))


def _group_users(rows: Floats) -> Floats:
    if len(rows) <= MOST_CLUSTERS:
        return rows
    group = np.arange(len(rows)) % MOST_CLUSTERS
    return np.stack([np.bincount(group, column, MOST_CLUSTERS) for column in rows.T], axis=1)


def _weights(estimator: str, log: Logged, target: Target) -> Floats:
    if target.position.shape != log.clicks.shape:
        raise InputError(
            f"the target's arrays have shape {target.position.shape}, the clicks {log.clicks.shape}"
        )
    if estimator in ("iips", "snips", "dr"):
        return target.position / log.item_position
    if estimator == "rips":
        return target.prefix / log.prefix
    if estimator == "slate":
        return np.broadcast_to(target.prefix[:, -1:] / log.prefix[:, -1:], log.clicks.shape)
    if estimator == "item_only":
        if log.in_slate is None or target.in_slate is None:
            raise InputError(
                "item_only needs in_slate of the log and of the target: chances to be shown anywhere"
            )
        return target.in_slate / log.in_slate
    raise UnknownName("off-policy estimator", estimator, ESTIMATORS)


def _refusal(found: Evaluation, rules: OffPolicyRules) -> str | None:
    if found.unsupported > 0 and found.estimator != "dr":
        return (
            f"the target puts {found.unsupported:.3g} of its mass where the logging ranker could not go; "
            "serve with a larger epsilon over more candidates, or evaluate on the same candidates"
        )
    if math.isnan(found.ess):
        return "no logged slate has weight under the target"
    if 0.0 in found.ess_by_position and found.estimator != "dr":
        at = f"at position {found.ess_by_position.index(0.0) + 1}"
        return f"{at} no logged slate has weight under the target, so nothing tells of its clicks"
    if found.ess < rules.least_ess:
        least = f"at least {rules.least_ess:g} are needed"
        return f"the estimate would rest on {found.ess:.3g} effective slates; {least}"
    if found.largest_share > rules.largest_share:
        most = f"at most {rules.largest_share:g} is allowed"
        return f"one slate carries {found.largest_share:.3g} of all weight; {most}"
    thinnest = min(found.weight_by_position)
    if found.estimator not in ("dr", "item_only") and rules.clip is None and thinnest < rules.least_weight:
        position = found.weight_by_position.index(thinnest) + 1
        return (
            f"at position {position} weights average {thinnest:.3g} where 1 is expected: most of what the "
            "target would show was too rare to be logged even once, and the estimate knows nothing of it"
        )
    return None
