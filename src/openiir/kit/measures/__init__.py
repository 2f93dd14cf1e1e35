"""Measures of convergence, disagreement, inequality, agreement and choice.

Each `Statistic` gives a float, NaN where it is undefined; its `.measure(...)` gives the reason as well.
"""

from openiir.kit.measures.choice import borda, coverage, greedy_coverage
from openiir.kit.measures.consensus import iqr, kendalls_w, percent_agreement, variation
from openiir.kit.measures.inequality import entropy, gini
from openiir.kit.measures.spread import (
    agreement,
    bimodality,
    disagreement,
    esteban_ray,
    mean_pairwise_distance,
    polarisation,
    r_wg,
    variance_ratio,
)
from openiir.kit.measures.statistic import Statistic, Undefined

__all__ = [
    "Statistic",
    "Undefined",
    "agreement",
    "bimodality",
    "borda",
    "coverage",
    "disagreement",
    "entropy",
    "esteban_ray",
    "gini",
    "greedy_coverage",
    "iqr",
    "kendalls_w",
    "mean_pairwise_distance",
    "percent_agreement",
    "polarisation",
    "r_wg",
    "variance_ratio",
    "variation",
]
