"""Opinion dynamics and Delphi revision: pure functions over float64 arrays, each with its source."""

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
from openiir.kit.beliefs.exposure import BeliefRule, drawn_back, exposed
from openiir.kit.beliefs.hearing import anchored, heard
from openiir.kit.beliefs.modes import MODES, Rule, Said, step

__all__ = [
    "MODES",
    "BeliefRule",
    "Rule",
    "Said",
    "Stability",
    "anchored",
    "clusters",
    "deffuant",
    "degroot",
    "degroot_weights",
    "drawn_back",
    "exposed",
    "friedkin_johnsen",
    "friedkin_johnsen_limit",
    "heard",
    "hegselmann_krause",
    "revise",
    "revision_weights",
    "stability",
    "step",
]
