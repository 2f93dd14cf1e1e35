"""Built-in rankers: functions from a View to scores of shape (users, items)."""

from collections.abc import Callable, Mapping

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.rankers.view import View

Ranker = Callable[[View], Floats]
RETRIEVAL = "retrieval"
"""Name of the ranker that needs a world and a query for every user."""


def popularity(view: View) -> Floats:
    """Score items by all users' clicks so far; ties are broken at random for each user."""
    return view.spread(view.clicks) + 0.5 * view.noise("tie")


def similarity(view: View) -> Floats:
    """Score items by their cosine with the user's true belief, an oracle that no real platform has."""
    if view.belief is None:
        raise ValueError("similarity reads beliefs, which this view does not show")
    return view.cosine(view.belief)


def history(view: View) -> Floats:
    """Score items by their cosine with the mean topic vector of the user's clicked items.

    Before the first click, items are ranked by last week's clicks.
    """
    return _fill_cold_users(view, view.cosine(view.taste), view.taste)


def estimate_taste(view: View) -> Floats:
    """Score items by their cosine with a belief estimated from the user's clicks and non-clicks.

    The evidence is the gradient of the log-likelihood of a click model at no taste: the sum of (click - usual
    click rate of the position) times the item's position.
    """
    return _fill_cold_users(view, view.cosine(view.evidence), view.evidence)


def random(view: View) -> Floats:
    """Score items at random for each user, the same in every session."""
    return view.noise("random")


def chronological(view: View) -> Floats:
    """Score items by week of arrival, newest first; ties are broken at random for each user."""
    return view.spread(view.arrival) + 0.5 * view.noise("tie")


def exploring(view: View) -> Floats:
    """Score items by the upper confidence bound of their click rate (UCB1).

    Auer, Cesa-Bianchi & Fischer, Machine Learning 2002.
    """
    shown = view.shown + 1.0
    bonus = np.sqrt(2.0 * np.log(view.all_shown.sum() + 1.0) / shown)
    return view.spread((view.clicks + 1.0) / (shown + 1.0) + bonus) + 2.0**-12 * view.noise("tie")


def retrieval(view: View) -> Floats:
    """Score documents of a world by hybrid retrieval for the user's query; other items get 0."""
    return view.relevance()


def _fill_cold_users(view: View, scores: Floats, known: Floats) -> Floats:
    """Replace the scores of users without history by the order of last week's clicks."""
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
"""Rankers that read beliefs, which real platforms cannot."""
