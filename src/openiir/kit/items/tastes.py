"""Synthetic data set of invented films and users whose true tastes are known."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.films import (
    GENRES,
    MOODS,
    Film,
    film_description,
    film_summary,
    film_titles,
    invent_person,
)
from openiir.kit.items.ratings import Ratings
from openiir.plugin import Draw, InputError, order_by, quantise

AGES = ("1", "18", "25", "35", "45", "50", "56")
"""Lowest age of each age band, as MovieLens 1M codes them."""
MARGINALS = (0.0562, 0.1075, 0.2611, 0.3489, 0.2263)
"""Shares of the ratings 1 to 5 in MovieLens 1M (Harper & Konstan, TiiS 2015), which the synthetic ratings
match."""
GROUPS = 6
"""Number of groups of users with partly shared tastes."""
RATINGS = 50
"""Mean number of ratings of a user."""
FEWEST = 12
"""Smallest number of ratings of a user."""
MOST = 4_000_000
"""Largest number of (user, item) pairs, since the true taste is stored for each."""
NOISE = 0.5
"""Standard deviation of the noise by which one person rates the same film differently on two days."""
SKEW, HEAD = 3.0, 0.075
"""Parameters of item popularity by rank, (rank + head)^-skew (Mandelbrot 1953), with the head as a share of
the items. A fifth of the items then gets some 64 % of the ratings, as in MovieLens 1M (65 %)."""
LIKES = (1.0, 0.3, 0.35)
"""Weights of the parts of a user's liking of a genre: the group's, the user's own, and the age's."""
PARTS = (0.9, 0.15, 0.5)
"""Weights of the parts of the match between user and item: genres, director, and moods (pace, tone and
scale)."""
PULL = 2.2
"""Effect of the match on which items users choose to rate, in log-odds for each standard deviation."""


@dataclass(frozen=True, eq=False)
class KnownTastes:
    """A synthetic data set with the true tastes from which it was generated."""

    data: DataSet
    utilities: Floats
    """(users, genres in the order of `films.GENRES`) liking of each genre; mean near 0, deviation near 1."""
    match: Floats
    """(users, items) match of an item with the user's taste in genres, people and moods; deviation 1."""
    expected: Floats
    """(users, items) true expected rating, 1 to 5, had the user rated the item."""


def known_tastes(users: int = 300, items: int = 400, seed: int = 0) -> KnownTastes:
    """Generate users with known tastes who rate invented films.

    Shares of ratings and item popularity are those of MovieLens. Taste has three parts: genres (shared within
    six groups, shifted by age), directors, and pace, tone and scale, which descriptions tell and attributes
    do not. It drives both who rates what (popularity times taste) and how (an ordered probit of taste,
    quality and the user's mildness, cut so that the shares of 1 to 5 are those of MovieLens 1M). Raises
    InputError for fewer than 2 users or 20 items, and for more than `MOST` pairs.
    """
    if users < 2 or items < 20 or users * items > MOST:
        raise InputError(
            f"{users} users and {items} items: a synthetic data set has at least 2 users and 20 items, "
            f"and at most {MOST:,} pairs of the two"
        )
    draw = Draw(seed, "known-tastes")
    who, what = np.arange(users), np.arange(items)
    genres, directors, actors = _draw_makers(draw, what)
    moods = np.stack([draw.normal(item=what, agent=n) for n in range(len(MOODS))], axis=1)
    films = _films(draw, genres, directors, actors, moods)
    age = draw.at("age").below(len(AGES), agent=who)
    utilities = _draw_utilities(draw, who, age)
    match = _compute_match(draw, who, utilities, genres, directors, moods)
    quality = draw.at("quality").normal(item=what) + 0.5 * draw.at("craft").normal(item=directors)
    mildness = draw.at("mildness").normal(agent=who)
    score = quantise(match + 0.5 * quality / np.std(quality) + 0.45 * mildness[:, None])
    user, item = _choose_ratings(draw, match, quality)
    noisy = score[user, item] + draw.at("day").normal(0, NOISE, agent=user, item=item)
    cuts = np.quantile(noisy, np.cumsum(MARGINALS)[:-1])
    value = 1.0 + np.searchsorted(cuts, noisy)
    collection = _collection(films)
    ratings = Ratings(users, items, user, item, value.astype(np.float64))
    data = DataSet(
        name="synthetic",
        collection=collection,
        ratings=ratings,
        users=tuple(f"u{n + 1:0{len(str(users))}}" for n in range(users)),
        demographics={
            "age": tuple(AGES[n] for n in age.tolist()),
            "occupation": tuple(map(str, draw.at("occupation").below(21, agent=who).tolist())),
        },
        digest=_hash_data(collection, ratings),
        licence="made by openiir's own code; free of any",
    )
    return KnownTastes(data, utilities, match, _expected_ratings(score, cuts))


def _draw_makers(draw: Draw, what: Ints) -> tuple[Floats, Ints, Ints]:
    """Draw genres (items, genres), the director (items,) and three actors (items, 3) of each film.

    Directors keep to a main genre, so that people tell something of taste.
    """
    people = max(4, len(what) // 6)
    directors = draw.at("director").below(people, item=what)
    main = draw.at("main genre").below(len(GENRES), item=np.arange(people))
    first = np.where(
        draw.at("strays").chance(0.25, item=what),
        draw.at("genre").below(len(GENRES), item=what),
        main[directors],
    )
    genres = np.zeros((len(what), len(GENRES)))
    genres[what, first] = 1.0
    for n, share in ((1, 0.7), (2, 0.3)):
        more = draw.at("more").chance(share, item=what, step=n)
        genres[what[more], draw.at("genre").below(len(GENRES), item=what, step=n)[more]] = 1.0
    actors = np.stack([(draw.at("actor").below(people, item=what) * 3 + n) for n in range(3)], axis=1)
    return genres, directors, actors + people


def _films(draw: Draw, genres: Floats, directors: Ints, actors: Ints, moods: Floats) -> list[Film]:
    # More films are recent than old, as in any catalogue.
    years = 2020 - np.floor(45 * draw.at("year").uniform(item=np.arange(len(genres))) ** 2).astype(np.int64)
    return [
        Film(
            genres=[name for name, has in zip(GENRES, row, strict=True) if has],
            director=invent_person(int(directors[n])),
            actors=[invent_person(int(a)) for a in actors[n]],
            year=int(years[n]),
            moods=moods[n].tolist(),
        )
        for n, row in enumerate(genres)
    ]


def _collection(films: list[Film]) -> Collection:
    return Collection(
        kind="movie",
        ids=tuple(f"f{n + 1:0{len(str(len(films)))}}" for n in range(len(films))),
        titles=film_titles(films),
        attributes={
            "genre": tuple(tuple(film.genres) for film in films),
            "director": tuple((film.director,) for film in films),
            "actor": tuple(tuple(film.actors) for film in films),
            "year": tuple((str(film.year),) for film in films),
        },
        summaries=tuple(film_summary(film, n) for n, film in enumerate(films)),
        descriptions=tuple(film_description(film, n) for n, film in enumerate(films)),
    )


def _draw_utilities(draw: Draw, who: Ints, age: Ints) -> Floats:
    """Draw each user's liking of each genre, (users, genres).

    It adds the group's liking, the user's own, and a shift that grows or falls with age.
    """
    group = draw.at("group").below(GROUPS, agent=who)
    each = np.arange(len(GENRES))
    of_group = draw.at("group taste").normal(agent=group[:, None], item=each)
    own = draw.at("own taste").normal(agent=who[:, None], item=each)
    ageing = draw.at("ageing").normal(item=each) * (age[:, None] - 3) / 2
    return np.asarray(quantise(LIKES[0] * of_group + LIKES[1] * own + LIKES[2] * ageing))


def _compute_match(
    draw: Draw, who: Ints, utilities: Floats, genres: Floats, directors: Ints, moods: Floats
) -> Floats:
    """Compute the match of users and items, (users, items), standardised over all cells."""
    by_genre = np.einsum("ug,ig->ui", utilities, genres) / np.sqrt(genres.sum(axis=1))
    by_director = draw.at("director taste").normal(agent=who[:, None], item=directors)
    wished = np.stack(
        [draw.at("mood taste").normal(agent=who, item=n) for n in range(moods.shape[1])], axis=1
    )
    by_mood = np.einsum("um,im->ui", wished, moods) / np.sqrt(moods.shape[1])
    whole: Any = (
        PARTS[0] * by_genre / by_genre.std() + PARTS[1] * by_director + PARTS[2] * by_mood / by_mood.std()
    )
    return np.asarray(quantise((whole - whole.mean()) / whole.std()))


def _choose_ratings(draw: Draw, match: Floats, quality: Floats) -> tuple[Ints, Ints]:
    """Draw which items each user rates, as (user, item) rows in the order of rating."""
    users, items = match.shape
    noise = draw.at("fame").normal(item=np.arange(items))
    rank = order_by(order_by(quantise(-(noise + 0.5 * quality / np.std(quality)))))
    fame = -SKEW * np.log(1.0 + HEAD * items + rank)
    came = draw.at("choice").gumbel(agent=np.arange(users)[:, None], item=np.arange(items))
    order = order_by(quantise(-(fame + PULL * match + came)), axis=1)
    spread = np.exp(0.6 * draw.at("activity").normal(agent=np.arange(users)) - 0.18)
    most = np.clip(np.round(RATINGS * spread).astype(np.int64), FEWEST, items // 2)
    taken = np.arange(items) < most[:, None]
    return np.repeat(np.arange(users), most), order[taken].astype(np.int64)


def _hash_data(collection: Collection, ratings: Ratings) -> str:
    """Hash the generated data set, in place of a hash of its files."""
    words = "\n".join([*collection.titles, *collection.descriptions])
    columns = (column.astype("<i8").tobytes() for column in (ratings.pairs, ratings.value))
    return sha256(b"".join([words.encode(), *columns])).hexdigest()


def _expected_ratings(score: Floats, cuts: Floats) -> Floats:
    """Compute the mean rating under the ordered probit: 1 plus the probabilities to exceed each cut."""
    from scipy.special import ndtr

    return np.asarray(1.0 + np.sum([ndtr((score - cut) / NOISE) for cut in cuts], axis=0))
