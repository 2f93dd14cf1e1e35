"""Simulate users browsing their slates: examination, clicks, and the belief update after each item."""

from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.beliefs import BeliefRule, anchor_beliefs, apply_exposure
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.rankers import Shelf, lengths
from openiir.plugin import Draw


@dataclass(frozen=True)
class ReadingHabits:
    """The click model and the belief rule of a feed's users."""

    clicks: ClickModel
    beliefs: BeliefRule


@dataclass(frozen=True, eq=False)
class AnsweredClicks:
    """Clicks (P, K) answered by the first P users themselves, instead of drawn."""

    clicks: Bools

    def of(self, block: slice) -> "AnsweredClicks | None":
        """Those of a block's users; None where nobody in it was asked."""
        return AnsweredClicks(self.clicks[block]) if block.start < len(self.clicks) else None

    def over(self, slot: int, clicking: Bools) -> Bools:
        """Who clicks at a position, where `clicking` holds what everybody would."""
        return np.concatenate([self.clicks[:, slot], clicking[len(self.clicks) :]])


@dataclass(frozen=True, eq=False)
class BrowseResult:
    """The outcome of B users browsing slates of K."""

    belief: Floats
    """(B, k) after the session."""
    looks: Bools
    """(B, K) who looked at what: latent, no platform sees it."""
    clicks: Bools
    """(B, K)"""


def agreement(belief: Floats, unit: Floats) -> Floats:
    """Cosine of beliefs (B, k) with item directions (B, k) or (B, K, k); 0 for who believes nothing."""
    pattern = "bk,bk->b" if unit.ndim == 2 else "bk,bsk->bs"
    dot = np.einsum(pattern, belief, unit)
    length = lengths(belief).reshape(-1, *[1] * (unit.ndim - 2))
    return np.divide(dot, length, out=np.zeros_like(dot), where=length > 0)


def browse(
    belief: Floats,
    start: Floats,
    items: Ints,
    shelf: Shelf,
    habits: ReadingHabits,
    reading: SlateReading,
    answered: AnsweredClicks | None = None,
) -> BrowseResult:
    """Browse slates (B, K) from the top; every belief moves after each item, before the next is looked at.

    Clicks that were `answered` are taken as they are, and what was clicked was looked at. Items of index -1 are gaps.
    """
    catalogue = shelf.catalogue
    looks, clicks = np.zeros(items.shape, dtype=np.bool_), np.zeros(items.shape, dtype=np.bool_)
    for slot in range(items.shape[1]):
        there, item = items[:, slot] >= 0, np.maximum(items[:, slot], 0)
        attraction = habits.clicks.attraction(
            agreement(belief, shelf.unit.take(item, axis=0)), catalogue.quality[item]
        )
        looking, weight = reading.look(slot + 1)
        looking = looking & there
        clicking = reading.click(slot + 1, looking, attraction)
        if answered is not None:
            clicking = answered.over(slot, clicking) & there
            looking = looking | clicking
        reading.go_on(slot + 1, looking, clicking)
        weight = np.where(clicking, 1.0, habits.beliefs.exposure * weight * there)
        belief = apply_exposure(
            belief, catalogue.theta.take(item, axis=0), catalogue.valence[item], weight, habits.beliefs
        )
        looks[:, slot], clicks[:, slot] = looking, clicking
    return BrowseResult(anchor_beliefs(belief, start, habits.beliefs), looks, clicks)


def start_reading(habits: ReadingHabits, draw: Draw, users: Ints, session: int, slots: int) -> SlateReading:
    """The reading of a session's slates; `draw` bears the name of the question that could be asked instead."""
    return SlateReading(habits.clicks, draw, users, session, slots)
