"""Measures of an open web, from its log: survivors and funds, who is there, trust, and the tipping point."""

from statistics import fmean
from typing import Any

from openiir.kit.statistics import Estimate
from openiir.plugin import Log, Measure
from openiir.scenarios.open_web.config import HUMAN, OpenWebConfig
from openiir.scenarios.open_web.model import outcomes
from openiir.scenarios.open_web.model.outcomes import measure_value, sum_looks
from openiir.scenarios.open_web.model.retreat import estimate_tipping


def config_of(log: Log) -> OpenWebConfig:
    """Return the configuration with which a run began."""
    return OpenWebConfig.model_validate(log.study["config"])


def last_weeks(log: Log) -> dict[str, dict[str, Any]]:
    """Return the last row of each arm, with the means of `views` and `paid`; empty before there are any."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in log.table("weeks"):
        found.setdefault(row["arm"], []).append(row)
    means = {
        arm: {k: fmean(row[k] for row in rows) for k in ("views", "paid")} for arm, rows in found.items()
    }
    return {arm: rows[-1] | means[arm] for arm, rows in found.items()}


def last_looks(log: Log) -> dict[str, dict[str, Any]]:
    """Sum up what people looked at in the last week, by arm and space."""
    config, weeks, found = config_of(log), last_weeks(log), log.columns("looked")
    sizes = config.people, config.spaces.number, config.spaces.pieces
    now = {arm: (found["arm"] == arm) & (found["step"] == row["step"]) for arm, row in weeks.items()}
    return {arm: sum_looks({k: v[own] for k, v in found.items()}, *sizes) for arm, own in now.items()}


def measure_tipping(log: Log) -> Estimate:
    """Estimate the tipping point from the arm without agents and those of the first price."""
    config, found = config_of(log), log.columns("looked", ["member", "arm", "left"])
    arms = list(config.list_arms().items())[: len(config.shares) + 1] if found else []
    left = [found["member"][found["left"] & (found["arm"] == arm)] for arm, _ in arms]
    stayed = [outcomes.find_stayed(one, config.people, config.spaces.number) for one in left]
    return estimate_tipping([share for _, (share, _) in arms], stayed)


def web_measures(log: Log) -> dict[str, Measure]:
    """Compute the measures of each arm, `ARM/NAME`, and the tipping point of the run."""
    weeks, looks, found = last_weeks(log), last_looks(log), dict[str, Measure]()
    for arm, row in weeks.items():
        values = {k: measure_value(row[k], "nobody earned anything") for k in row if k not in ("arm", "step")}
        if arm != HUMAN and "survivors" in row:
            ends = [weeks[one][name] for name in ("survivors", "paid") for one in (HUMAN, arm)]
            values["elasticity"] = outcomes.arc_elasticity.measure(*ends)
        values |= outcomes.measure_looks(looks[arm])
        found |= {f"{arm}/{name}": value for name, value in values.items()}
    assumed = config_of(log).retreat.find_tipping()
    found |= measure_tipping(log).measures("tipping_point")
    return found | {"tipping_assumed": measure_value(assumed, "no share of agents lets half of them leave")}
