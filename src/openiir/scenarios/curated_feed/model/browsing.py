"""Simulate users browsing their slates: examination, clicks, and the belief update after each item."""

from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.beliefs import BeliefRule, anchor_beliefs, apply_exposure
from openiir.kit.clicks import SlateReading
from openiir.kit.rankers import Shelf, row_lengths


@dataclass(frozen=True, eq=False)
class BrowseResult:
    """Result of a session in which B users browsed slates of K items."""

    belief: Floats
    """(B, k) beliefs after the session."""
    looks: Bools
    """(B, K) mask of examined positions, which real platforms cannot observe."""
    clicks: Bools
    """(B, K) mask of clicked positions."""


def cosine_to_items(belief: Floats, unit: Floats) -> Floats:
    """Compute the cosine of beliefs (B, k) with item directions (B, k) or (B, K, k); 0 for zero beliefs."""
    pattern = "bk,bk->b" if unit.ndim == 2 else "bk,bsk->bs"
    dot = np.einsum(pattern, belief, unit)
    length = row_lengths(belief).reshape(-1, *[1] * (unit.ndim - 2))
    return np.divide(dot, length, out=np.zeros_like(dot), where=length > 0)


def browse(
    belief: Floats,
    start: Floats,
    items: Ints,
    shelf: Shelf,
    rule: BeliefRule,
    reading: SlateReading,
    answered: Bools | None = None,
) -> BrowseResult:
    """Simulate users reading their slates (B, K) from the top.

    A user's belief is updated after each item, before the next one is examined. `answered` (P, K) holds the
    clicks that the first P users gave themselves; what they clicked, they looked at. Items of index -1 are
    gaps.
    """
    catalogue = shelf.catalogue
    looks, clicks = np.zeros(items.shape, dtype=np.bool_), np.zeros(items.shape, dtype=np.bool_)
    for slot in range(items.shape[1]):
        there, item = items[:, slot] >= 0, np.maximum(items[:, slot], 0)
        attraction = reading.model.attraction(
            cosine_to_items(belief, shelf.unit.take(item, axis=0)), catalogue.quality[item]
        )
        looking, weight = reading.look(slot + 1)
        looking = looking & there
        clicking = reading.click(slot + 1, looking, attraction)
        if answered is not None:
            clicking = np.concatenate([answered[:, slot], clicking[len(answered) :]]) & there
            looking = looking | clicking
        reading.go_on(slot + 1, looking, clicking)
        weight = np.where(clicking, 1.0, rule.exposure * weight * there)
        belief = apply_exposure(
            belief, catalogue.theta.take(item, axis=0), catalogue.valence[item], weight, rule
        )
        looks[:, slot], clicks[:, slot] = looking, clicking
    return BrowseResult(anchor_beliefs(belief, start, rule), looks, clicks)
