"""How true a reader takes a text to be: in words, and as a probability by cues and evidence."""

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from openiir.kit.arrays import Floats

Belief = Literal[
    "certainly true",
    "very likely true",
    "probably true",
    "cannot tell",
    "probably false",
    "very likely false",
    "certainly false",
]
BELIEFS: Mapping[Belief, float] = dict(
    zip(get_args(Belief), (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98), strict=True)
)
"""Probability of being false that each word stands for; bounds between them are half-way."""
USUAL_SUPPORT, SUPPORT_SPREAD = 0.32, 0.14
"""Mean and standard deviation of the support of claims by what is found, on half of the type's own pairs."""


def word_belief(p: float) -> Belief:
    """Return the word nearest to a probability of being false."""
    return min(BELIEFS, key=lambda word: abs(BELIEFS[word] - p))


def judge_falsehood(
    prior: float, weights: Floats, evidence_weight: float, depth: float, cues: Floats, evidence: Floats
) -> Floats:
    """Compute the probability that posts are false, to 4 decimals, .0001 to .9999.

    sigma(c + w cues - e a_k evidence), a_k = .3 + .7 k / 10, with the evidence less its usual value, in units
    of its usual spread, and 0 where nothing was found (NaN). The form is our design; cues and evidence are
    measured from texts. Cues have the cues as last axis, as weights (cues,).
    """
    reach = 0.3 + 0.07 * depth
    surplus = np.nan_to_num((evidence - USUAL_SUPPORT) / SUPPORT_SPREAD)
    logit = prior + np.einsum("...c,...c->...", weights, cues) - evidence_weight * reach * surplus
    return np.asarray(np.clip(np.round(1 / (1 + np.exp(-logit)), 4), 0.0001, 0.9999))


def word_evidence(evidence: float | None) -> str:
    """Describe how the evidence read bears on a text, -1 to 1; None where it says nothing about it."""
    words = ("speaks against it", "hardly bears on it", "bears it out in part", "bears it out")
    if evidence is None:
        return "says nothing about it"
    return words[int(np.digitize(evidence, (-0.05, 0.15, USUAL_SUPPORT)))]
