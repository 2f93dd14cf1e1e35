"""Habits of users from their ratings: pickiness, engagement, conformity and variety.

The formulas are SimUSER's (section 3.2.1), which takes the last three from Agent4Rec (Zhang et al., SIGIR
2024); its code gives the percentiles at which their levels begin. The words are ours.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from openiir.kit.items.collection import Collection
from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.plugin import Persona, quantise
from openiir.scenarios.recommender.model.persona.samples import genre_names
from openiir.scenarios.recommender.model.persona.traits import PersonaCandidate

LABELS = {
    "pickiness": ("not picky", "moderately picky", "extremely picky"),
    "engagement": ("occasional", "regular", "heavy"),
    "conformity": ("goes along", "partly goes along", "goes their own way"),
    "variety": ("narrow", "mixed", "broad"),
}
"""Labels of the levels 0, 1, 2 of each habit. Conformity is measured by a distance from others, so level 0
conforms most."""
SENTENCES = {
    "pickiness": (
        "You are not picky: nearly everything you rate pleases you very much.",
        "You are moderately picky: you rate most things well and some badly.",
        "You are extremely picky: little of what you rate earns a high rating.",
    ),
    "engagement": (
        "You come by now and then and rate few {kind}s.",
        "You come regularly and rate a fair number of {kind}s.",
        "You come all the time and rate a great many {kind}s.",
    ),
    "conformity": (
        "Your ratings are close to what most people say.",
        "Your ratings follow what most people say, with exceptions.",
        "Your ratings often differ from what most people say.",
    ),
    "variety": (
        "You stay with a few genres.",
        "You look into a number of genres.",
        "You take up {kind}s of nearly every genre.",
    ),
}
PICKY = (0.875, 0.625)
"""Limits of pickiness as shares of the rating scale (4.5 and 3.5 of 1 to 5). A mean rating from the first is
not picky, below the second extremely picky."""
PERCENTILES = {"engagement": (60, 90), "conformity": (25, 80), "variety": (33, 66)}
"""Percentiles, over all users with ratings, above which levels 1 and 2 of each habit begin."""


class Profile(NamedTuple):
    """Rating habits of one user; NaN where unknown, which counts as the middle level."""

    levels: tuple[int, ...]
    """Levels 0 to 2 of pickiness, engagement, conformity, variety."""
    mean: float = nan
    """Mean rating."""
    ratings: float = nan
    """Number of ratings (T_act)."""
    conformity: float = nan
    """Mean squared distance of the ratings from their items' training means (T_conf): larger is less
    conforming."""
    genres: float = nan
    """Number of distinct genres seen (T_div)."""

    def labels(self) -> dict[str, str]:
        """List the label of each habit's level by name."""
        return {name: LABELS[name][level] for name, level in zip(LABELS, self.levels, strict=True)}

    def words(self, kind: str, habits: Sequence[str] = tuple(LABELS)) -> str:
        """Describe the habits in the second person, a sentence each; `kind` is the noun for an item."""
        named = zip(LABELS, self.levels, strict=True)
        return " ".join(SENTENCES[name][level].format(kind=kind) for name, level in named if name in habits)


def rating_words(stars: Floats, kind: str) -> str:
    """Describe a user's number of ratings, usual rating and share of 5s.

    `stars` are ratings on 1 to 5.
    """
    fives = float((stars >= 4.5).mean())
    rare = next(words for bound, words in _FIVES if fives >= bound)
    usual = int(stars.mean() + 0.5)
    rated = f"You have rated {len(stars)} {kind}s over the years."
    return f"{rated} {usual} of 5 stars is about your usual, and {rare}."


_FIVES = (
    (0.4, "you give many a 5"),
    (0.15, "you give a 5 now and then"),
    (0.05, "a 5 is rare with you"),
    (0.0, "you hardly ever give a 5"),
)
"""Smallest share of ratings that are a 5, with the words for it."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """Habits of all users in columns."""

    mean: Floats
    ratings: Floats
    conformity: Floats
    genres: Floats
    levels: Ints
    """(users, 4) levels of pickiness, engagement, conformity, variety."""

    def of(self, user: int) -> Profile:
        """Select one user's habits."""
        columns = (self.mean, self.ratings, self.conformity, self.genres)
        return Profile(tuple(self.levels[user].tolist()), *(float(column[user]) for column in columns))


def profiles(train: Ratings, collection: Collection) -> Profiles:
    """Compute the habits of all users from their training ratings.

    The paper's bounds of pickiness put 70 % of MovieLens 1M in the middle, and distinct genres saturate
    (half the users of MovieLens 1M have seen 16 of 18).
    """
    user, users = train.user, train.users
    count = np.bincount(user, minlength=users).astype(np.float64)
    off = (train.value - train.item_means[train.item]) ** 2
    with np.errstate(invalid="ignore"):
        mean = quantise(np.bincount(user, weights=train.value, minlength=users) / count)
        conformity = quantise(np.bincount(user, weights=off, minlength=users) / count)
    genres = _count_genres(train, collection)
    place = (mean - train.scale.low) / (train.scale.high - train.scale.low)
    picky = np.where(np.isnan(place), 1, (place < PICKY[0]).astype(np.int64) + (place < PICKY[1]))
    cut = {"engagement": np.where(count > 0, count, np.nan), "conformity": conformity, "variety": genres}
    levels = [picky, *(_cut_at_percentiles(values, PERCENTILES[name]) for name, values in cut.items())]
    return Profiles(mean, count, conformity, genres, np.stack(levels, axis=1))


def _cut_at_percentiles(values: Floats, percentiles: tuple[float, float]) -> Ints:
    """Cut values at two percentiles into levels 0 to 2; 1 for NaN."""
    known = ~np.isnan(values)
    if not known.any():
        return np.ones(len(values), dtype=np.int64)
    low, high = np.percentile(values[known], percentiles)
    return np.where(known, (values > low).astype(np.int64) + (values > high), 1)


def _count_genres(train: Ratings, collection: Collection) -> Floats:
    """Count each user's distinct genres, (users,); NaN without a known genre."""
    place = {name: n for n, name in enumerate(genre_names(collection))}
    marked = np.zeros((len(collection), len(place)))
    for item in range(len(collection)):
        marked[item, [place[g] for g in collection.values("genre", item)]] = 1
    distinct = (np.asarray(train.seen @ marked) > 0).sum(axis=1)
    return np.where(distinct > 0, distinct, np.nan)


def as_persona(
    user: str, profile: Profile, matched: PersonaCandidate | None, taste: str, kind: str = "movie"
) -> Persona:
    """Build a persona of a user of the data set, with its taste and habits as the bio.

    Big Five on 0..1, a level being the middle of its third of the population: 1, 2, 3 are .17, .5, .83.
    Without a match (or left out on purpose) there is no age or occupation and all five are 0.5, which prompts
    leave unsaid.
    """
    traits: dict[str, str | int | float | bool] = {**profile.labels()}
    if matched is not None:
        traits |= {"age": matched.age, "occupation": matched.occupation}
    return Persona.model_validate(
        {
            "id": persona_id(user),
            "name": f"User {user}"[:120],
            "bio": f"{taste} {profile.words(kind)}".strip()[:4_000],
            "big_five": dict(matched.big_five) if matched else {},
            "traits": traits,
        }
    )


def persona_id(user: str) -> str:
    """Build a persona's id such as `user-17` from a user's id.

    Other characters than a-z and 0-9 are replaced, and a hash is added.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", user.lower()).strip("-")[:40]
    if plain == user:
        return f"user-{user}"
    return f"user-{plain}-{hashlib.blake2b(user.encode(), digest_size=4).hexdigest()}"
