"""Belief update after an impression: beliefs move towards or away from the valence of items shown.

The rule is b <- b + rate theta (click + exposure look (1 - click)) g(|v - b|) (v - b). One rule with four
switches, since what a feed does to opinions is a property of the rule as much as of the ranker: assimilation
(g = 1), mere exposure (Zajonc, J. Pers. Soc. Psychol. 1968: what is only seen counts as well), bounded
confidence (Deffuant et al., Adv. Complex Syst. 2000), repulsion of what is far off, and anchoring (Friedkin &
Johnsen, J. Math. Sociol. 1990: where one began keeps pulling).
"""

from typing import Literal

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Floats
from openiir.plugin import ConfigTable

_GRID = 2.0**19
"""Grid steps in a belief of 1: beliefs lie in [-1, 1] on a grid of 2^-19."""


class BeliefRule(ConfigTable):
    """Parameters of the belief update after an impression."""

    rate: float = Field(0.1, ge=0, le=1)
    """Step size of the update after a click: how far a belief moves towards the item's valence, on the item's
    topics."""
    exposure: float = Field(0.1, ge=0, le=1)
    """Effect of an item that was seen but not clicked, as a share of the effect of a click. At 1 being seen
    counts as much as a click (mere exposure)."""
    anchor: float = Field(0.003, ge=0, le=1)
    """Share of the way back to the user's first belief, taken after each session."""
    rule: Literal["assimilation", "bounded", "repulsion"] = "assimilation"
    """How an item moves a belief: towards it, only if near (`bounded`), or, if far, away (`repulsion`)."""
    bound: float = Field(0.5, ge=0, le=2)
    """Largest distance between item and belief at which the item still has an effect (rule `bounded`)."""
    repel_beyond: float = Field(1.2, ge=0, le=2)
    """Distance between item and belief from which on the item pushes the belief away (rule `repulsion`)."""
    repulsion: float = Field(0.3, ge=0, le=1)
    """Strength of that push, relative to the pull of nearer items."""


def apply_exposure(
    belief: Floats, theta: Floats, valence: Floats, weight: Floats, rule: BeliefRule
) -> Floats:
    """Update the beliefs (n, k) of n users after an impression each (k topics, one item per user).

    Takes the topic mix (n, k) and the valence (n,) of each item, and a weight (n,) from 0 to 1. The weight is
    1 for a click and `rule.exposure` times the look otherwise. Stays within [-1, 1] (repulsion is cut off
    there) and on the grid.
    """
    pull = valence[:, None] - belief
    step = theta * (rule.rate * weight)[:, None]
    if rule.rule == "bounded":
        step *= np.abs(pull) < rule.bound
    elif rule.rule == "repulsion":
        step *= np.where(np.abs(pull) > rule.repel_beyond, -rule.repulsion, 1.0)
    step *= pull
    step += belief
    if rule.rule == "repulsion":
        np.clip(step, -1.0, 1.0, out=step)
    return on_grid(step)


def anchor_beliefs(belief: Floats, start: Floats, rule: BeliefRule) -> Floats:
    """Pull beliefs back towards their initial values b0 after a session: b + anchor (b0 - b)."""
    return on_grid(belief + rule.anchor * (start - belief))


def on_grid(belief: Floats) -> Floats:
    """Round beliefs in place to the grid of 2^-20.

    Sums and dot products of rounded beliefs are exact in any order.
    """
    belief *= _GRID
    np.rint(belief, out=belief)
    belief *= 1 / _GRID
    return belief
