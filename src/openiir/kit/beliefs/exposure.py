"""Update beliefs by exposure: b <- b + rate theta (click + exposure look (1 - click)) g(|v - b|) (v - b).

One rule with four switches, since what a feed does to opinions is a property of the rule as much as of the ranker:
assimilation (g = 1), mere exposure (Zajonc, J. Pers. Soc. Psychol. 1968: what is only seen counts as well),
bounded confidence (Deffuant et al., Adv. Complex Syst. 2000), repulsion of what is far off, and anchoring (Friedkin
& Johnsen, J. Math. Sociol. 1990: where one began keeps pulling).
"""

from typing import Literal

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Floats
from openiir.plugin import Record

_GRID = 2.0**19
"""Steps a unit: beliefs span [-1, 1] and lie on the grid of 2^-20 of that."""


class BeliefRule(Record):
    """The parameters of the belief update after an impression."""

    rate: float = Field(0.1, ge=0, le=1)
    """How far a click moves the belief towards the item's valence, on the item's topics."""
    exposure: float = Field(0.1, ge=0, le=1)
    """What seeing without clicking counts for next to a click; 1 is mere exposure."""
    anchor: float = Field(0.003, ge=0, le=1)
    """Pull of the first belief after each session."""
    rule: Literal["assimilation", "bounded", "repulsion"] = "assimilation"
    bound: float = Field(0.5, ge=0, le=2)
    """Items further off than this do not move a belief (`bounded`)."""
    repel_beyond: float = Field(1.2, ge=0, le=2)
    """Items further off than this push a belief away (`repulsion`)."""
    repulsion: float = Field(0.3, ge=0, le=1)
    """How strongly they push, next to how others pull."""


def apply_exposure(
    belief: Floats, theta: Floats, valence: Floats, weight: Floats, rule: BeliefRule
) -> Floats:
    """Update beliefs (n, k) by one impression each: item mixes (n, k), valences (n,), weights (n,) in [0, 1].

    The weight is 1 for a click and `rule.exposure` times the look otherwise. Stays within [-1, 1] (repulsion is
    cut off there) and on the grid.
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
    """Pull beliefs towards their start after a session: b + anchor (b0 - b), on the grid."""
    return on_grid(belief + rule.anchor * (start - belief))


def on_grid(belief: Floats) -> Floats:
    """Round to the grid in place, so that sums and dot products of beliefs are exact in any order."""
    belief *= _GRID
    np.rint(belief, out=belief)
    belief *= 1 / _GRID
    return belief
