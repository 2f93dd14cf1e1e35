"""When people leave spaces where agents write, and the share of agents from which on half have left."""

import math

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from openiir.kit.arrays import Floats
from openiir.kit.statistics import Estimate
from openiir.kit.statistics.estimate import percentile_interval
from openiir.kit.statistics.resampling import resamples
from openiir.plugin import ConfigTable, Draw, first_largest, quantise

_GRID = 4_096
"""Number of shares among which the closed form looks for the tipping point."""


class RetreatRule(ConfigTable):
    """When people leave a space, and how well they tell who wrote what."""

    threshold: float = Field(0.5, ge=0.05, le=0.95)
    """Mean of the share of agents that people bear; thresholds have a Beta distribution."""
    firmness: float = Field(10.0, ge=0.5, le=1_000)
    """Concentration of thresholds around their mean: 10 at a mean of 0.5 is Beta(5, 5)."""
    rounds: int = Field(3, ge=1, le=1_000)
    """Rounds in a row above one's threshold after which one leaves."""
    recall: float = Field(0.9, ge=0, le=0.999)
    """Weight of what one saw a round ago against what one sees now, in the impression of a space."""
    detection: float = Field(0.8, ge=0, le=1)
    """Chance that a piece by an agent looks as if a program wrote it."""
    false_alarms: float = Field(0.1, ge=0, le=1)
    """Chance that a piece by a person looks as if a program wrote it."""

    def update_impression(self, impression: Floats, seen: Floats, rounds: int) -> Floats:
        """Average the share of a page that looks written by programs with the impression of earlier pages.

        `rounds` counts the pages, this one included.
        """
        weight = (1.0 - self.recall) / (1.0 - self.recall**rounds)
        return np.asarray(quantise(impression + weight * (seen - impression)))

    def find_tipping(self) -> float:
        """Compute the share of agents from which on half of the people leave, by thresholds alone.

        Where agents wrote a share a and a share F of the people has left, agents write x, with
        x / (1 - x) = a / (1 - a) / (1 - F), and F is the share of thresholds below what x looks like: the
        equilibria of Schelling (J. Math. Sociol. 1971) and Granovetter (AJS 1978). Half have left above the
        largest a / (1 - a) that has an equilibrium with fewer. NaN where no share makes half leave. It leaves
        out followers, chance and time.
        """
        from scipy.special import betainc, betaincinv

        a, b = self.firmness * self.threshold, self.firmness * (1.0 - self.threshold)
        told = self.detection - self.false_alarms
        half = (float(betaincinv(a, b, 0.5)) - self.false_alarms) / told if told > 0 else math.inf
        if not 0 < half < 1:
            return math.nan
        x = np.linspace(0.0, half, _GRID)
        odds = float((x / (1.0 - x) * (1.0 - betainc(a, b, self.false_alarms + told * x))).max())
        return odds / (1.0 + odds)


def find_crossing(shares: ArrayLike, stayed: ArrayLike, level: float = 0.5) -> Floats:
    """Find where curves (..., shares) first fall below a level, between shares on a straight line.

    NaN for a curve that does not, and for one that begins below it.
    """
    x, y = np.asarray(shares, dtype=np.float64), np.asarray(stayed, dtype=np.float64)
    below = y < level
    at = np.maximum(first_largest(below, axis=-1), 1)
    low, high = (np.take_along_axis(y, (at - back)[..., None], axis=-1)[..., 0] for back in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = x[at] - (x[at] - x[at - 1]) * (level - low) / (high - low)
    return np.where(below.any(axis=-1) & ~below[..., 0], found, math.nan)


def estimate_tipping(shares: ArrayLike, stayed: ArrayLike, draws: int = 2_000) -> Estimate:
    """Estimate the share of agents from which on fewer than half stay, with a 95 % interval over spaces.

    `stayed` is (shares, spaces), the share of each space's people who are still there, at rising shares.
    """
    curves = np.asarray(stayed, dtype=np.float64)
    value = float(find_crossing(shares, curves.mean(axis=1))) if curves.size else math.nan
    if math.isnan(value):
        return Estimate(value, reason="no share of agents in this run lets half of the people leave")
    picked = [one for _, one in resamples(curves.shape[1], Draw(0, "open_web.tipping"), draws)]
    means = np.moveaxis(curves[:, np.concatenate(picked)].mean(axis=2), 0, -1)
    return percentile_interval(value, find_crossing(shares, means), 0.95, "percentile bootstrap")
