"""Models of opinion dynamics and of Delphi revision, as pure functions over arrays of opinions."""

from openiir.kit.beliefs.classic import (
    clusters,
    deffuant,
    degroot,
    degroot_weights,
    friedkin_johnsen,
    friedkin_johnsen_limit,
    hegselmann_krause,
)
from openiir.kit.beliefs.delphi import Stability, revise, revision_weights, stability
from openiir.kit.beliefs.exposure import BeliefRule, anchor_beliefs, apply_exposure
from openiir.kit.beliefs.modes import MODES, ModeParameters, StatedClaim, step
from openiir.kit.beliefs.stance_update import anchor_stance, hear_claim

__all__ = [
    "BeliefRule",
    "MODES",
    "ModeParameters",
    "Stability",
    "StatedClaim",
    "anchor_beliefs",
    "anchor_stance",
    "apply_exposure",
    "clusters",
    "deffuant",
    "degroot",
    "degroot_weights",
    "friedkin_johnsen",
    "friedkin_johnsen_limit",
    "hear_claim",
    "hegselmann_krause",
    "revise",
    "revision_weights",
    "stability",
    "step",
]
