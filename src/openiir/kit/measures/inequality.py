"""Measures of inequality of amounts such as speaking turns, exposure or topics."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.measures.spread import check_counts
from openiir.kit.statistics.statistic import Statistic, Undefined


@Statistic
def gini(x: ArrayLike) -> float:
    """Compute the Gini coefficient of amounts of at least 0.

    It is 0 for equal shares and (n - 1) / n where one has everything.
    Undefined where there is nothing to share (all amounts 0).
    """
    amounts = np.sort(check_counts(x, 1))
    n = len(amounts)
    return float(2 * (np.arange(1, n + 1) * amounts).sum() / (n * amounts.sum()) - (n + 1) / n)


@Statistic
def entropy(x: ArrayLike, normalised: bool = False) -> float:
    """Compute the Shannon entropy of counts in nats, divided by ln k if `normalised`.

    k is the number of categories given; 0 ln 0 = 0. Normalised, one category alone has no value.
    """
    shares = check_counts(x, 2 if normalised else 1)
    k, shares = len(shares), shares[shares > 0] / shares.sum()
    nats = float(-(shares * np.log(shares)).sum()) + 0.0
    return nats / float(np.log(k)) if normalised else nats


@Statistic
def hill_number(x: ArrayLike, order: float = 1.0) -> float:
    """Compute the effective number of types of given counts (Hill, Ecology 1973), 1 to the number of types.

    As many types of equal counts would be as diverse: of order 0 the number of types, 1 exp(entropy), 2 one
    over the chance that two drawn with replacement are alike, so that 1 - 1 / D is the heterozygosity.
    """
    amounts = check_counts(x, 1)
    shares = amounts[amounts > 0] / amounts.sum()
    if order == 1:
        return float(np.exp(-(shares * np.log(shares)).sum()))
    return float((shares**order).sum() ** (1 / (1 - order)))


@Statistic
def atkinson(x: ArrayLike, aversion: float = 0.5) -> float:
    """Compute Atkinson's inequality index of amounts of at least 0 (J. Econ. Theory 1970).

    It is 0 for equal shares and nears 1 where few have everything. The share of the whole that could go
    unmissed if what is left were shared equally. From an `aversion` of 1 on, one amount of 0 makes it 1.
    """
    amounts = check_counts(x, 1)
    if not aversion > 0:
        raise Undefined(f"the aversion to inequality is above 0, got {aversion}")
    if aversion >= 1 and (amounts == 0).any():
        return 1.0
    shares = amounts / amounts.mean()
    if aversion == 1:
        return float(1 - np.exp(np.log(shares).mean()))
    return float(1 - (shares ** (1 - aversion)).mean() ** (1 / (1 - aversion)))


@Statistic
def theil(x: ArrayLike) -> float:
    """Compute Theil's T of amounts of at least 0, in nats (1967).

    It is 0 for equal shares and ln n where one has everything; 0 ln 0 = 0.
    """
    amounts = check_counts(x, 1)
    shares = amounts[amounts > 0] / amounts.mean()
    return float((shares * np.log(shares)).sum() / len(amounts)) + 0.0


@Statistic
def palma(x: ArrayLike) -> float:
    """Compute Palma's ratio: what the tenth with most has to what the four tenths with least have.

    Palma, Development and Change 2011. Amounts of at least 0; one that lies across a border is divided in
    proportion. 0.25 for equal shares. Undefined where the four tenths have nothing.
    """
    amounts = np.sort(check_counts(x, 1))
    held = np.concatenate([[0.0], amounts.cumsum()])
    least, rest = np.interp(np.array([0.4, 0.9]) * len(amounts), np.arange(len(held)), held)
    if least == 0:
        raise Undefined("the four tenths with least have nothing")
    return float((held[-1] - rest) / least)


@Statistic
def theil_between(x: ArrayLike, group: ArrayLike) -> float:
    """Compute the part of Theil's T, in nats, that lies between groups: T if each had its group's mean.

    Theil, Economics and Information Theory, 1967; what is left is within groups. `group` holds the label of
    each amount.
    """
    amounts, labels = check_counts(x, 1), np.unique(np.asarray(group), return_inverse=True)[1].ravel()
    means = np.bincount(labels, amounts) / np.bincount(labels)
    return theil(means[labels])
