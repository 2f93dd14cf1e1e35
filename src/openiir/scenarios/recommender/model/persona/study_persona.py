"""Personas of the study, who have no ratings: interests, candidate and habits from what they state."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from openiir.kit.items.collection import Collection
from openiir.plugin import Persona
from openiir.plugin.arguments import tokens
from openiir.scenarios.recommender.model.persona.profile import LABELS, Profile
from openiir.scenarios.recommender.model.persona.samples import GENRES, genre_index, genre_names
from openiir.scenarios.recommender.model.persona.traits import (
    AGES,
    FACTORS,
    OCCUPATIONS,
    PersonaCandidate,
    age_band,
    big_five_level,
)

WORDS = {
    "action": "fight martial stunt superhero",
    "adventure": "quest journey expedition exploration",
    "animation": "animated cartoon anime",
    "children": "child kid family parenting",
    "comedy": "humour humor funny satire comic",
    "crime": "gangster heist police detective",
    "documentary": "history politics journalism nature biography",
    "drama": "literature theatre",
    "fantasy": "magic myth dragon",
    "film-noir": "noir",
    "horror": "scary ghost zombie vampire",
    "musical": "music song dance opera",
    "mystery": "whodunit puzzle detective",
    "romance": "love romantic wedding",
    "sci-fi": "science fiction space robot technology future",
    "thriller": "suspense spy espionage conspiracy",
    "war": "military soldier battle",
    "western": "cowboy frontier",
}
"""Words in an interest that stand for a genre besides its name (our choice)."""


@dataclass(frozen=True)
class Interests:
    """Interests of a persona as genres and items of a collection."""

    genres: Mapping[str, float]
    """Weights of genres, by the collection's names, summing to 1; empty where no interest fits any of its
    genres."""
    items: tuple[int, ...]
    """Items whose title or maker an interest names, ascending."""


def match_interests(persona: Persona, collection: Collection) -> Interests:
    """Match a persona's interests to genres and items of a collection.

    Each interest has weight 1, shared among its genres.
    """
    named = {g: _stems(g) for g in genre_names(collection)}
    weights = dict.fromkeys(named, 0.0)
    items: set[int] = set()
    for interest in persona.interests:
        found = _find_items(interest, collection)
        stems = set(tokens(interest))
        meant = [g for g, words in named.items() if stems & words]
        meant = meant or [g for item in found for g in collection.values("genre", item)]
        for genre in meant:
            weights[genre] += 1 / len(meant)
        items.update(found)
    total = fsum(weights.values())
    genres = {g: round(w / total, 6) for g, w in weights.items() if w}
    return Interests(genres, tuple(sorted(items)))


def stated_candidate(persona: Persona) -> PersonaCandidate | None:
    """Build a candidate from a persona's stated age and occupation; None unless both are stated.

    The age is a band or in years.
    """
    age, occupation = persona.traits.get("age"), persona.traits.get("occupation")
    if isinstance(age, int | float) and not isinstance(age, bool):
        age = AGES[age_band(age)]
    if age not in AGES or occupation not in OCCUPATIONS:
        return None
    return PersonaCandidate.of(
        age, occupation, [big_five_level(getattr(persona.big_five, factor)) for factor in FACTORS]
    )


def stated_profile(persona: Persona) -> Profile:
    """Read rating habits from a persona's traits; the middle level where missing.

    Traits use the words of `profile.LABELS`.
    """
    said = {name: persona.traits.get(name) for name in LABELS}
    levels = (labels.index(str(said[n])) if said[n] in labels else 1 for n, labels in LABELS.items())
    return Profile(tuple(levels))


def _stems(genre: str) -> frozenset[str]:
    known = genre_index(genre)
    more = WORDS[GENRES[known]] if known is not None else ""
    return frozenset(tokens(genre.replace("'s", "") + f" {more}"))


def _find_items(interest: str, collection: Collection) -> list[int]:
    """Find items by an interest: its words open the title (two or more), or name the maker."""
    wanted = interest.casefold().strip()
    makers = ("director", "author", "developer")
    return [
        item
        for item, title in enumerate(collection.titles)
        if (" " in wanted and title.casefold().startswith(wanted))
        or any(wanted == maker.casefold() for role in makers for maker in collection.values(role, item))
    ]
