"""Off-policy evaluation of a feed: estimates for another ranker from the log, beside the true value."""

from dataclasses import replace

import numpy as np
from pydantic import Field

from openiir.plugin import ConfigTable, Draw, InputError, Log, Measure
from openiir.scenarios.curated_feed.config import MAIN, ranker_column
from openiir.scenarios.curated_feed.measures.aggregates import Aggregates, CachedTables
from openiir.scenarios.curated_feed.measures.slate_log import ServedSlates, slates
from openiir.scenarios.curated_feed.model.off_policy.clickfit import predict_cross_fitted
from openiir.scenarios.curated_feed.model.off_policy.estimators import (
    ESTIMATORS,
    Evaluation,
    OffPolicyRules,
    estimate,
)
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

PROPENSITIES = {"item_position": "p_item", "prefix": "p_prefix", "in_slate": "p_shown"}


class OffPolicy(ConfigTable):
    """Settings of the off-policy estimates."""

    ranker: str = Field("", examples=["popularity"])
    """The ranker to evaluate, one of those in the study's `config.evaluate`."""
    clip: float | None = Field(None, gt=0)
    """Upper limit of the importance weights. Weights are not clipped where it is not set."""
    least_ess: float = Field(100.0, ge=1, examples=[100_000.0])
    """Smallest effective sample size, in slates. Estimates with a smaller one are refused."""
    largest_share: float = Field(0.05, gt=0, le=1)
    """Largest share of the total weight that a single slate may have. Estimates above it are refused."""
    resamples: int = Field(2_000, ge=100, le=100_000)
    """Number of bootstrap resamples of users for the intervals."""


def off_policy(log: Log, by: OffPolicy) -> dict[str, Measure]:
    """Estimate a ranker's clicks per slate from the log by every estimator, beside the true value.

    Returns measures `ope.NAME.ESTIMATOR` with their interval and effective sample size. `.truth` is the
    expected clicks of the ranker's slates in the very states that were logged, which the simulation knows;
    `.deployed` is what it earned, exploration included, where it served a feed of its own in the same run
    (the one under study, where that is its own throughout): from candidates of its own, to users whose
    beliefs it moved itself. Raises InputError where nothing was logged for the ranker, or was served without
    exploration.
    """
    name = by.ranker
    declared = log.study["config"]["evaluate"]
    if name not in declared:
        raise InputError(
            f"ope.ranker = {name!r}: this run did not log its slates (it logged "
            f"{', '.join(declared) or 'none'}); run the study with {name!r} in config.evaluate"
        )
    names = ("click", "epsilon", "shuffled", *PROPENSITIES.values(), f"would_{ranker_column(name)}")
    served = slates(log, "impressions", names)
    if not len(served.user):
        raise InputError(f"ope.ranker = {name!r}: no impressions were kept; run with config.kept above 0")
    if not (served.columns["epsilon"][served.there] > 0).all():
        raise InputError(
            f"ope.ranker = {name!r}: slates were served with epsilon = 0, so nothing but the ranker's own "
            "choice has a chance in the log; run the study with config.epsilon above 0"
        )
    found = {"logged": Measure(float(served.columns["click"].sum() / len(served.user)))}
    logged, target = _arrays(served, name)
    rules = OffPolicyRules(by.clip, by.least_ess, by.largest_share, resamples=by.resamples)
    draw = Draw(log.study["seed"], f"{log.study['type']}.ope")
    for estimator in ESTIMATORS:
        found |= _rows(estimator, estimate(estimator, logged, target, draw, rules))
    worth = f"p_click_{ranker_column(name)}"
    truth = slates(log, "oracle", (worth,))
    found["truth"] = Measure(float(truth.columns[worth].sum() / len(truth.user)))
    found["deployed"] = _deployed_value(log, name)
    return {f"ope.{name}.{row}": measure for row, measure in found.items()}


def _arrays(served: ServedSlates, name: str) -> tuple[Logged, Target]:
    columns, there = served.columns, served.there
    chances = {key: columns[column] for key, column in PROPENSITIES.items()}
    logged = Logged.short(columns["click"].astype(np.float64), served.user, there, chances)
    wanted, item = columns[f"would_{ranker_column(name)}"], np.where(there, columns["item"], -1)
    # Every candidate may be shuffled to every position, so that all the target could want had a chance.
    reachable = np.where(there, columns["epsilon"] / np.maximum(columns["shuffled"], 1), 0.0)
    size = int(max(item.max(), wanted.max())) + 1
    q_logged, q_expected = predict_cross_fitted(item, columns["click"], served.user, wanted, size)
    target = Target.ranking(item, wanted, reachable)
    return logged, replace(target, q_logged=q_logged, q_expected=q_expected)


def _rows(name: str, found: Evaluation) -> dict[str, Measure]:
    label = f"{name}.biased" if name == "item_only" else name
    reason = found.value.reason
    return {
        label: found.value,
        f"{label}.low": Measure(found.low, reason),
        f"{label}.high": Measure(found.high, reason),
        f"{label}.ess": Measure(found.ess, "no logged slate has weight" if np.isnan(found.ess) else None),
    }


def _deployed_value(log: Log, name: str) -> Measure:
    tables = CachedTables(log)
    weeks = tables.columns("weeks")
    feed = MAIN if set(weeks["ranker"][weeks["feed"] == MAIN].tolist()) == {name} else name
    if feed not in tables.feeds:
        return Measure(float("nan"), f"no feed of {name} was run beside; name it in config.beside")
    sums = Aggregates(tables, feed)
    return Measure(sums.total("clicks") / sums.total("slates"))
