"""Measures of all cascades of a run."""

import math

import numpy as np

from openiir.plugin import Measure, ratio
from openiir.scenarios.social_media.model.cascades.trees import CascadeTrees


def describe_trees(trees: CascadeTrees) -> dict[str, Measure]:
    """Measure cascades: mean and largest size, depth and breadth, structural virality, shares a share (`reproduction`)."""
    shared = trees.virality[~np.isnan(trees.virality)]
    none, alone = Measure(math.nan, "nobody posted"), Measure(math.nan, "nothing was reposted")
    measures = {
        "cascade_size": trees.size, "cascade_depth": trees.max_depth, "cascade_breadth": trees.max_breadth,
    }  # fmt: skip
    found = {name: Measure(float(each.mean())) if len(each) else none for name, each in measures.items()}
    found |= {
        f"{name}.max": Measure(float(each.max())) if len(each) else none for name, each in measures.items()
    }
    found["structural_virality"] = Measure(float(shared.mean())) if len(shared) else alone
    shares = len(trees.parent)
    found["reproduction"] = ratio(shares - len(trees), shares, "nobody posted")
    return found
