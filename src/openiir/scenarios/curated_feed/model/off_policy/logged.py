"""Input of off-policy estimates: logged slates with propensities, and a target ranker's probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Floats
from openiir.plugin import InputError


@dataclass(frozen=True)
class Logged:
    """Logged slates: n slates of K positions with their clicks and propensities.

    `clicks`, `item_position` and `prefix` have the shape (n, K), `user` (n,) of integers or strings.
    `in_slate` (n, K) is asked for by `item_only` alone. Raises InputError where a shape does not fit, or
    where a propensity is not above 0 and at most 1: what was served had a chance to be.
    """

    clicks: NDArray[Any]
    user: NDArray[Any]
    item_position: Floats
    prefix: Floats
    in_slate: Floats | None = None

    def __post_init__(self) -> None:
        shape = np.shape(self.clicks)
        if len(shape) != 2 or 0 in shape:
            raise InputError(f"clicks are slates by positions, at least one of each, got shape {shape}")
        if np.shape(self.user) != shape[:1]:
            raise InputError(f"{shape[0]} slates have one user each, got shape {np.shape(self.user)}")
        if not np.isfinite(self.clicks).all():
            raise InputError("clicks hold NaN or infinity")
        for name in ("item_position", "prefix", "in_slate"):
            p = getattr(self, name)
            if p is None:
                continue
            _fits(name, p, shape)
            if (wrong := ~((p > 0) & (p <= 1))).any():
                slate, place = (int(i) for i in np.argwhere(wrong)[0])
                raise InputError(
                    f"propensity {name} of slate {slate}, position {place + 1} is {p[slate, place]}; what "
                    "was served had a probability above 0 and at most 1. Log probabilities of serving, not "
                    "scores"
                )

    @classmethod
    def short(
        cls, clicks: ArrayLike, user: ArrayLike, served: ArrayLike, propensities: dict[str, Floats]
    ) -> "Logged":
        """Build logged slates of which some have fewer than K items.

        `served` (n, K) is the mask of positions that held an item.
        Nothing left to show is what every ranker shows with probability 1, and nobody clicks it: propensities
        (`item_position`, `prefix` and, if wanted, `in_slate`) are filled so, whatever they are there.
        """
        there = np.asarray(served, dtype=np.bool_)
        filled = {name: np.where(there, p, 1.0) for name, p in propensities.items()}
        filled["prefix"] = np.minimum.accumulate(filled["prefix"], axis=1)
        return cls(clicks=np.where(there, clicks, 0), user=np.asarray(user), **filled)


@dataclass(frozen=True)
class Target:
    """Probabilities with which the target ranker would have shown the logged slates.

    `position` is its probability of the logged item at that position, `prefix` that of the logged items down
    to it, in order. `unsupported` is the mass that it puts, at each position, on items that the logging
    ranker could not have shown there; a running maximum along the positions stands for that of prefixes,
    which for a deterministic target and an epsilon-shuffle is exact. For `dr`: `q_logged` is the model's
    click probability of the logged item at its position, `q_expected` the sum over items a of pi(a|r) q(a,
    r). `in_slate` is its probability to show the logged item anywhere.
    """

    position: Floats
    prefix: Floats
    unsupported: Floats
    q_logged: Floats | None = None
    q_expected: Floats | None = None
    in_slate: Floats | None = None

    def __post_init__(self) -> None:
        shape = np.shape(self.position)
        for name in ("position", "prefix", "unsupported", "in_slate"):
            if (p := getattr(self, name)) is not None:
                _fits(name, p, shape)
                if not ((p >= 0) & (p <= 1)).all():
                    raise InputError(f"the target's {name} holds what is no probability, 0 to 1")
        for name in ("q_logged", "q_expected"):
            if (q := getattr(self, name)) is not None:
                _fits(name, q, shape)
                if not np.isfinite(q).all():
                    raise InputError(f"{name} holds NaN or infinity")

    def model(self, name: str) -> Floats:
        """Look up the predicted clicks `q_logged` or `q_expected`. Raises InputError where not given."""
        q: Floats | None = getattr(self, name)
        if q is None:
            raise InputError(
                f"a doubly robust estimate needs {name}: click probabilities by a model of clicks"
            )
        return q

    @classmethod
    def ranking(cls, served: ArrayLike, wanted: ArrayLike, reachable: ArrayLike) -> "Target":
        """Build a deterministic target that would show `wanted` (n, K) in place of `served` (n, K).

        `reachable` (n, K) is the logging propensity of each wanted item at its position; 0 is no support. A
        negative id stands for nothing left to show.
        """
        shown, meant = np.asarray(served), np.asarray(wanted)
        if shown.shape != meant.shape:
            raise InputError(f"the target's slates have shape {meant.shape}, the logged ones {shown.shape}")
        same = shown == meant
        first = np.logical_and.accumulate(same, axis=1)
        anywhere = (shown[:, :, None] == meant[:, None, :]).any(axis=2)
        unsupported = ~(np.asarray(reachable) > 0) & ~((shown < 0) & (meant < 0))
        tables = same, first, unsupported, anywhere
        position, prefix, lost, in_slate = (table.astype(np.float64) for table in tables)
        return cls(position, prefix, lost, in_slate=in_slate)


def _fits(name: str, array: Floats, shape: tuple[int, ...]) -> None:
    if np.shape(array) != shape:
        raise InputError(f"{name} has shape {np.shape(array)}; the other arrays have {shape}")
