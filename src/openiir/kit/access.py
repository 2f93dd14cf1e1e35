"""Access to sources that serve no more than so many requests a round."""

import numpy as np

from openiir.kit.arrays import Bools, Ints
from openiir.plugin import Draw, order_by

NOWHERE = -1
"""Source of an agent that asks for none."""


def grant_access(wanted: Ints, capacity: Ints, draw: Draw) -> Bools:
    """Draw whose requests are granted, (agents,): each source serves a random choice up to its capacity.

    `wanted` is the source that each agent asks for, or NOWHERE, which grants nothing; `capacity` holds for
    each source how many it serves. An agent's place in the queue is a draw by its row, so that it is the same
    in every arm.
    """
    rows = np.arange(len(wanted))
    order = order_by(wanted, draw.uniform(agent=rows))
    asked = wanted[order]
    first = np.searchsorted(asked, asked, side="left")
    served = (asked != NOWHERE) & (rows - first < np.take(capacity, np.maximum(asked, 0)))
    granted = np.empty(len(wanted), dtype=np.bool_)
    granted[order] = served
    return granted
