"""Statistics of simulated experiments, whose units are random seeds shared by the compared arms."""

from openiir.kit.statistics.effects import cliffs_delta, correlation, d_z, percent_difference, spread_ratio
from openiir.kit.statistics.equivalence import Equivalence, tost
from openiir.kit.statistics.estimate import Estimate
from openiir.kit.statistics.lags import LagTest, follow_series
from openiir.kit.statistics.multiplicity import benjamini_hochberg, holm
from openiir.kit.statistics.nulls import curveball, permute_within
from openiir.kit.statistics.order import order_agreement
from openiir.kit.statistics.paired import difference, mean_interval, paired_difference
from openiir.kit.statistics.power import power_of, seeds_needed
from openiir.kit.statistics.resampling import (
    cluster_bootstrap,
    divide_arrays,
    hierarchical_bootstrap,
    ratio_of_sums,
)
from openiir.kit.statistics.signflip import fewest_seeds, is_exact, sign_flip, sign_flips, smallest_p
from openiir.kit.statistics.statistic import Statistic, Undefined

__all__ = [
    "Equivalence",
    "Estimate",
    "LagTest",
    "Statistic",
    "Undefined",
    "benjamini_hochberg",
    "cliffs_delta",
    "cluster_bootstrap",
    "correlation",
    "curveball",
    "d_z",
    "difference",
    "divide_arrays",
    "fewest_seeds",
    "follow_series",
    "hierarchical_bootstrap",
    "holm",
    "is_exact",
    "mean_interval",
    "order_agreement",
    "paired_difference",
    "percent_difference",
    "permute_within",
    "power_of",
    "ratio_of_sums",
    "seeds_needed",
    "sign_flip",
    "sign_flips",
    "smallest_p",
    "spread_ratio",
    "tost",
]
