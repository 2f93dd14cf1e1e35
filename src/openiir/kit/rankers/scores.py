"""The built-in rankers: each a function from a View to scores of shape (users, items)."""

from collections.abc import Callable, Mapping

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.rankers.view import View

Ranker = Callable[[View], Floats]
RETRIEVAL = "retrieval"
"""The ranker that needs a world, and a query from every user."""


def popularity(view: View) -> Floats:
    """Clicks so far by all users; ties broken by each user's own random order."""
    return view.spread(view.clicks) + 0.5 * view.noise("tie")


def similarity(view: View) -> Floats:
    """Cosine with what the user believes: the oracle, since no platform can read a belief."""
    if view.belief is None:
        raise ValueError("similarity reads beliefs, which this view does not show")
    return view.cosine(view.belief)


def history(view: View) -> Floats:
    """Cosine with the mean position of the items the user clicked; before the first click, last week's chart."""
    return _or_chart(view, view.cosine(view.taste), view.taste)


def estimate_taste(view: View) -> Floats:
    """Cosine with the belief that clicks and non-clicks point to: a similarity that a platform can compute.

    The evidence is the gradient of the log-likelihood of a click model at no taste: the sum of (click - usual click
    rate of the position) times the item's position.
    """
    return _or_chart(view, view.cosine(view.evidence), view.evidence)


def random(view: View) -> Floats:
    """A random order for each user, the same in every session."""
    return view.noise("random")


def chronological(view: View) -> Floats:
    """Newest first; ties broken by each user's own random order."""
    return view.spread(view.arrival) + 0.5 * view.noise("tie")


def exploring(view: View) -> Floats:
    """Upper confidence bound of an item's click rate (UCB1: Auer, Cesa-Bianchi & Fischer, Machine Learning 2002)."""
    shown = view.shown + 1.0
    bonus = np.sqrt(2.0 * np.log(view.all_shown.sum() + 1.0) / shown)
    return view.spread((view.clicks + 1.0) / (shown + 1.0) + bonus) + 2.0**-12 * view.noise("tie")


def retrieval(view: View) -> Floats:
    """Hybrid retrieval score of each document of a world for the user's query; other items score 0."""
    return view.relevance()


def _or_chart(view: View, scores: Floats, known: Floats) -> Floats:
    """Replace the scores of users of whom nothing is known by the chart's order."""
    cold = ~known.any(axis=1)
    if cold.any():
        chart = view.spread(view.chart[view.items])[cold]
        scores[cold] = chart + 0.5 * view.noise("tie", cold)
    return scores


RANKERS: Mapping[str, Ranker] = {
    "popularity": popularity,
    "similarity": similarity,
    "history": history,
    "estimated": estimate_taste,
    "random": random,
    "chronological": chronological,
    "exploring": exploring,
    RETRIEVAL: retrieval,
}
ORACLES = frozenset({"similarity"})
"""Rankers that read what no platform can."""
