"""Describe a user's taste in words, from rated items alone."""

from collections.abc import Sequence
from math import fsum
from statistics import fmean
from typing import NamedTuple

from openiir.kit.prompting import join_words
from openiir.scenarios.recommender.model.choice_model import classify_feeling
from openiir.scenarios.recommender.model.persona.samples import RatedItem, RatingSample

FEW = 3
"""Largest number of names in a sentence."""
PRIOR = 3
"""Number of ratings at the person's mean towards which each genre's mean is shrunk."""
APART = 0.05
"""Smallest distance of a genre's mean rating from the rest at which it is named, as a share of the scale."""
LEAST = 3
"""Smallest number of titles of a genre for saying how it is liked."""


class Leaning(NamedTuple):
    """A user's preference for a genre or a maker (director)."""

    name: str
    share: float
    """Share of the items shown."""
    titles: int
    """Number of the items shown."""
    lean: float
    """Shrunken mean rating minus the person's mean, as a share of the scale."""


def measure_leanings(shown: RatingSample, of: str) -> list[Leaning]:
    """Compute preferences by genre (`genres`) or maker (`directors`), most frequent first, ties by name."""
    mean = fmean(map(shown.level, shown.items)) if shown.items else 0.0
    found: dict[str, list[float]] = {}
    for item in shown.items:
        for name in getattr(item, of):
            found.setdefault(name, []).append(shown.level(item) - mean)
    # Rounded, so that what ranks does not hang on the order of summing.
    told = [
        Leaning(name, len(d) / len(shown.items), len(d), round(fsum(d) / (len(d) + PRIOR), 6))
        for name, d in found.items()
    ]
    return sorted(told, key=lambda one: (-one.share, one.name))


def taste_in_words(shown: RatingSample) -> str:
    """Describe a taste in one to six sentences: genres, directors and examples."""
    if not shown.items:
        return "Nothing is known of your taste yet."
    genres = measure_leanings(shown, "genres")
    makers = [
        m.name
        for m in measure_leanings(shown, "directors")
        if m.share * len(shown.items) > 1.5 and m.lean >= 0
    ]
    above, below = (
        [
            g.name
            for g in sorted(genres, key=lambda g: (-sign * g.lean, g.name))
            if sign * g.lean >= APART and g.titles >= LEAST
        ]
        for sign in (1, -1)
    )
    usual = fmean(map(shown.stars, shown.items))
    most = [g.name for g in genres[:FEW]]
    disliked = [item for item in shown.disliked if classify_feeling(shown.stars(item), usual) == "disliked"]
    told = [
        f"Most of what you choose is {_join_names(most).lower()}." if genres else "",
        _highest_and_lowest(above[:FEW], below[:FEW], most),
        f"Directors you come back to: {_join_names(makers)}." if makers else "",
        f"You liked {_titles(shown.liked, best=True)}."
        if shown.liked
        else "You liked none of what is on record.",
        f"You disliked {_titles(disliked, best=False)}." if disliked else "",
    ]
    return " ".join(filter(None, told))[:1_500]


def _highest_and_lowest(above: Sequence[str], below: Sequence[str], most: Sequence[str]) -> str:
    """Describe the genres rated highest and lowest; empty without either.

    Says which of the lowest are often chosen all the same.
    """
    ends = [
        f"{join_words(names).lower()} {end}"
        for names, end in ((above, "highest"), (below, "lowest"))
        if names
    ]
    often = [name for name in below if name in most]
    though = f", though you often choose {join_words(often).lower()}" if often else ""
    return f"You rate {' and '.join(ends)}{though}." if ends else ""


def _join_names(names: Sequence[str]) -> str:
    return join_words(names[:FEW])


def _titles(items: Sequence[RatedItem], best: bool) -> str:
    ranked = sorted(items, key=lambda item: (-item.rating if best else item.rating, item.title))
    return _join_names([item.title[:100] for item in ranked])
