"""Measures of a recommender study: functions of its log."""

from collections.abc import Mapping

import numpy as np

from openiir.kit.measures.peruser import UserMean
from openiir.kit.measures.visits import visit_measures
from openiir.plugin import Log, Measure

OF_VISITS = ("shown", "watched", "likes", "pages", "satisfaction", "failures")


def recommender_measures(log: Log) -> Mapping[str, Measure]:
    """Measures by name, those of a system as SYSTEM/NAME."""
    found: dict[str, Measure] = {}
    for system, columns in visits_of(log).items():
        found |= {f"{system}/{name}": mean.measure for name, mean in visit_means(columns).items()}
    return found or {"steps": Measure(float(len(log.steps())))}


def visits_of(log: Log) -> dict[str, dict[str, np.ndarray]]:
    """The columns of the table `visits`, for each system in the order of the study."""
    table = log.columns("visits")
    if not table:
        return {}
    names = [system["name"] for system in log.study["config"]["systems"]]
    there = {name: table["system"] == name for name in names}
    return {name: {key: column[rows] for key, column in table.items()} for name, rows in there.items() if rows.any()}


def visit_means(columns: Mapping[str, np.ndarray]) -> Mapping[str, UserMean]:
    """P_view, N_like, P_like, N_exit and S_sat of a system's visits, with intervals over users."""
    satisfaction = np.where(columns["satisfaction"] > 0, columns["satisfaction"], np.nan)
    return visit_measures(columns["shown"], columns["watched"], columns["likes"], columns["pages"], satisfaction)
