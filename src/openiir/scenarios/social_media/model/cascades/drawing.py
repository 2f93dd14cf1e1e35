"""Cascades as trees of a view."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Ints
from openiir.plugin import TreeNode
from openiir.scenarios.social_media.model.cascades.trees import CascadeTrees


def draw_trees(
    trees: CascadeTrees, items: Mapping[int, str], name: Callable[[int], str], looks: Mapping[str, NDArray[Any]], minutes: float
) -> tuple[TreeNode, ...]:  # fmt: skip
    """Draw the cascades of some items, given with their names: who shared, below whom each has it from.

    A node's value is to how many members its own share was shown: the rows of `looks` with the columns `post` and `shown_by`.
    Its step is the round of so many minutes in which it shared. `name` is that of a member.
    """
    shown: dict[int, Ints] = {
        item: np.bincount(looks["shown_by"][looks["post"] == item].astype(np.int64)) for item in items
    }
    nodes = []
    for row in np.concatenate([np.zeros(0, dtype=np.int64), *trees.levels]).tolist():
        item, member, parent = int(trees.shares.item[row]), int(trees.shares.member[row]), trees.parent[row]
        if item in items:
            nodes.append(TreeNode(
                id=f"{item}/{member}", parent=f"{item}/{trees.shares.member[parent]}" if parent >= 0 else "",
                label=name(member) if parent >= 0 else f"{items[item]}, by {name(member)}",
                value=float(shown[item][member]) if member < len(shown[item]) else 0.0,
                step=int(trees.shares.time[row] // minutes) + 1,
            ))  # fmt: skip
    return tuple(nodes)
