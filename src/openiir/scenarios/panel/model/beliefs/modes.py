"""One step of opinion dynamics for a panel, under the model named in the study."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.plugin import Draw, UnknownName, quantise
from openiir.scenarios.panel.model.beliefs.classic import (
    deffuant,
    degroot,
    friedkin_johnsen,
    hegselmann_krause,
)
from openiir.scenarios.panel.model.beliefs.stance_update import SPAN, anchor_stance, hear_claim


class StatedClaim(NamedTuple):
    """A claim made since the last step, as input to the opinion model."""

    speaker: int
    """Row of the panelist who made the claim, whose own stance it does not move."""
    stance: float
    """Stance of the claim, -1 (against) to 1 (for)."""
    strength: float
    """Strength of the argument, 0 to 1."""


@dataclass(frozen=True)
class ModeParameters:
    """Parameters of the opinion models, of which each model reads its own."""

    mu: float = 0.3
    """Step size towards a heard opinion (`combined`; `deffuant`, at most 0.5)."""
    epsilon: float = 1.0
    """Confidence bound on the scale [-1, 1], beyond which opinions are ignored (`combined`, `deffuant`,
    `hegselmann-krause`)."""
    phi: float = 0.05
    """Pull towards the member's first stance (`combined`; `friedkin-johnsen`, whose susceptibility is 1 -
    phi)."""


Mode = Literal["combined", "degroot", "friedkin-johnsen", "deffuant", "hegselmann-krause", "none"]
"""Names of the opinion models. `none` is the control condition without communication."""
MODES: tuple[Mode, ...] = get_args(Mode)


def step(
    mode: str,
    x: ArrayLike,
    x0: ArrayLike,
    weights: ArrayLike | None = None,
    said: Sequence[StatedClaim] = (),
    rule: ModeParameters | None = None,
    draw: Draw | None = None,
) -> Floats:
    """Compute the panelists' stances after one step of the opinion model named `mode`.

    Returns n values in [-1, 1] on the stance grid.
    `combined` moves on what was `said`, claim by claim in the order given, then draws everyone back to `x0`
    once. The other modes let the stances themselves meet, whatever was said: `degroot`, `friedkin-johnsen`
    and `hegselmann-krause` one round; `deffuant` n // 2 meetings under `draw`, which must be bound to the
    step. `weights[i, j]` (n x n, all 1 by default) is what j's word is worth to i: scaled to shares by
    `degroot` and `friedkin-johnsen`, taken as it is by `combined`, not read by the others. Raises UnknownName
    for a mode that does not exist, ValueError for `deffuant` without a draw.
    """
    if mode not in MODES:
        raise UnknownName("opinion dynamics mode", mode, MODES)
    now, start = np.array(x, dtype=np.float64), np.asarray(x0, dtype=np.float64)
    w = np.ones((len(now), len(now))) if weights is None else np.asarray(weights, dtype=np.float64)
    used = rule or ModeParameters()
    match mode:
        case "combined":
            for claim in said:
                hears = np.where(np.arange(len(now)) == claim.speaker, 0.0, w[:, claim.speaker])
                now = hear_claim(now, claim.stance, claim.strength, hears, used.mu, used.epsilon)
            now = anchor_stance(now, start, used.phi)
        case "degroot":
            now = degroot(w, now)
        case "friedkin-johnsen":
            now = friedkin_johnsen(w, start, 1 - used.phi, x=now)
        case "deffuant":
            if draw is None:
                raise ValueError("deffuant draws who meets: give it a draw bound to the step")
            now = deffuant(now, used.epsilon, min(used.mu, 0.5), len(now) // 2, draw)
        case "hegselmann-krause":
            now = hegselmann_krause(now, used.epsilon)
    return np.asarray(quantise(np.clip(now, -1.0, 1.0), SPAN))
