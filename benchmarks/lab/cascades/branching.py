"""Cascades without a network: a Galton-Watson process, the null model of structure."""

import numpy as np
from scipy.special import betainc, pdtr

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats
from openiir.scenarios.social_media.model.cascades import NOBODY, CascadeTrees, build_trees


def branching_cascades(
    number: int, reproduction: float, draw: Draw, most: int = 1_000_000, dispersion: float = np.inf
) -> CascadeTrees:
    """Generate cascades in which each share causes a random number of further ones, `reproduction` on
    average.

    The number is Poisson or, where `dispersion` is finite, negative binomial (see `SizeLaw`). A cascade's
    members are numbered by depth from 0, and a share's time is its depth. Below 1 the mean size is 1 / (1 -
    reproduction), and size follows `SizeLaw`, for Poisson offspring the Borel distribution. Raises InputError
    where all cascades together have more than `most` shares.
    """
    if number < 0 or not (reproduction >= 0 and dispersion > 0):
        raise InputError(
            f"{number} cascades of reproduction number {reproduction} and dispersion {dispersion} were asked "
            f"for; both numbers are at least 0, and dispersion is above 0"
        )
    counts = _offspring_table(reproduction, dispersion)
    item, member = np.arange(number), np.zeros(number, dtype=np.int64)
    size = np.ones(number, dtype=np.int64)
    columns = [(item, member, np.full(number, NOBODY), np.zeros(number))]
    while len(item):
        offspring = np.searchsorted(counts, draw.uniform(item=item, agent=member), side="right")
        if (total := int(size.sum() + offspring.sum())) > most:
            raise InputError(
                f"{number} cascades of reproduction number {reproduction} have {total:,} shares or more, "
                f"over the limit of {most:,}; lower the reproduction number, or raise `most`"
            )
        parent = np.repeat(member, offspring)
        item = np.repeat(item, offspring)
        first = np.searchsorted(item, item)
        member = size[item] + np.arange(len(item)) - first
        size += np.bincount(item, minlength=number)
        columns.append((item, member, parent, np.full(len(item), float(len(columns)))))
    return build_trees(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _offspring_table(mean: float, dispersion: float) -> Floats:
    """List P(X <= k) for k = 0, 1, ..., until all but 2^-53 is covered."""
    if np.isinf(dispersion):
        return np.asarray(pdtr(np.arange(int(mean + 12 * np.sqrt(mean)) + 30), mean))
    ends = int(40 / np.log1p(dispersion / mean) + 12 * mean) + 30 if mean else 1
    return np.asarray(betainc(dispersion, np.arange(1.0, ends + 1), dispersion / (dispersion + mean)))
