"""Derive a feed user's beliefs from a persona, so that one persona can join panels and feeds."""

from collections.abc import Sequence

import numpy as np

from openiir.kit.arrays import Floats
from openiir.plugin import Draw, Persona, quantise
from openiir.plugin.arguments import tokens
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic

SPREAD = 0.35
"""Standard deviation of a belief that the persona does not state, as in the Curated-Feed reference run."""


def belief_of(persona: Persona, topics: Sequence[Topic], draw: Draw) -> Floats:
    """Compute a persona's belief vector (k,), each element in [-1, 1].

    b_j = clip(s * m_j + 2 * o * 0.35 * z_j * (1 - |s| * m_j / 2)): s is the stance (0 where there is none), o the
    Big Five openness, z_j standard normal, and m_j is 1 where the topic's name or keywords share a stem with the
    persona's interests (its bio, where no interest fits any topic), else 0. So a persona holds its stance on what
    it cares about, the more surely the firmer it is; elsewhere beliefs are drawn as for anybody, and vary more in
    open people. Draws are named by persona and topic: a topic more changes no other belief.
    """
    stance = persona.stance or 0.0
    about = set(tokens(" ".join(persona.interests)))
    if not any(topic.stems() & about for topic in topics):
        about = set(tokens(persona.bio))
    cares = np.array([float(bool(topic.stems() & about)) for topic in topics])
    noise = np.array([draw.normal(agent=persona.id, item=topic.name) for topic in topics])
    spread = 2 * persona.big_five.openness * SPREAD * (1 - abs(stance) * cares / 2)
    return np.asarray(quantise(np.clip(stance * cares + spread * noise, -1.0, 1.0)))
