"""Cascades without a network: a Galton-Watson process with Poisson offspring, the null model of structure."""

import numpy as np

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.arrays import Ints
from openiir.kit.cascades.trees import NOBODY, CascadeTrees, build_trees


def branching_cascades(number: int, reproduction: float, draw: Draw, most: int = 1_000_000) -> CascadeTrees:
    """Generate cascades in which each share causes a Poisson number of further ones, `reproduction` on average.

    A cascade's members are numbered by depth from 0, and a share's time is its depth. Below 1 the mean size is
    1 / (1 - reproduction), and size follows the Borel distribution. Raises InputError where all cascades together
    have more than `most` shares.
    """
    if number < 0 or not reproduction >= 0:
        raise InputError(
            f"{number} cascades of reproduction number {reproduction} were asked for; both are at least 0"
        )
    counts = _poisson_table(reproduction)
    item, member = np.arange(number), np.zeros(number, dtype=np.int64)
    size = np.ones(number, dtype=np.int64)
    columns = [(item, member, np.full(number, NOBODY), np.zeros(number))]
    while len(item):
        offspring = np.searchsorted(counts, draw.uniform(item=item, agent=member), side="right")
        if (total := int(size.sum() + offspring.sum())) > most:
            raise InputError(
                f"{number} cascades of reproduction number {reproduction} have {total:,} shares or more, over the "
                f"limit of {most:,}; lower the reproduction number, or raise `most`"
            )
        parent = np.repeat(member, offspring)
        item = np.repeat(item, offspring)
        first = np.searchsorted(item, item)
        member = size[item] + np.arange(len(item)) - first
        size += np.bincount(item, minlength=number)
        columns.append((item, member, parent, np.full(len(item), float(len(columns)))))
    return build_trees(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _poisson_table(mean: float) -> Ints:
    """List P(X <= k) for k = 0, 1, ..., until all but 2^-53 is covered."""
    from scipy.special import pdtr

    return np.asarray(pdtr(np.arange(int(mean + 12 * np.sqrt(mean)) + 30), mean))
