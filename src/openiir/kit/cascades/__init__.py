"""Cascades: spreading models over a follower graph, trees from logged exposure, their measures and comparison."""

from openiir.kit.cascades.branching import branching_cascades
from openiir.kit.cascades.drawing import draw_trees
from openiir.kit.cascades.influence import Influence, measure_influence
from openiir.kit.cascades.observed_shares import CleanedTrees, clean_shares
from openiir.kit.cascades.rumour_trees import RumourTrees, read_rumour_trees
from openiir.kit.cascades.size_law import SizeLaw, cascades_of_sizes
from openiir.kit.cascades.size_matching import SizeMatched, compare_at_equal_size
from openiir.kit.cascades.spreading import (
    Contagion,
    Exposures,
    Spread,
    SpreadingRule,
    Threshold,
    p_for_reproduction,
    spread_items,
)
from openiir.kit.cascades.summary import describe_trees
from openiir.kit.cascades.timing import CensoredTimes, ccdf, time_to_depth, time_to_size
from openiir.kit.cascades.trees import NOBODY, Breadths, CascadeTrees, ExposureColumns, build_trees

__all__ = [
    "describe_trees",
    "draw_trees",
    "NOBODY",
    "Breadths",
    "CascadeTrees",
    "CensoredTimes",
    "CleanedTrees",
    "Contagion",
    "Exposures",
    "ExposureColumns",
    "Influence",
    "RumourTrees",
    "SizeLaw",
    "SizeMatched",
    "Spread",
    "SpreadingRule",
    "Threshold",
    "branching_cascades",
    "build_trees",
    "cascades_of_sizes",
    "ccdf",
    "clean_shares",
    "compare_at_equal_size",
    "measure_influence",
    "p_for_reproduction",
    "read_rumour_trees",
    "spread_items",
    "time_to_depth",
    "time_to_size",
]
