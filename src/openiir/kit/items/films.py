"""Texts of invented films: titles, one-sentence summaries and longer descriptions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from openiir.kit.prompting import join_words
from openiir.plugin import Draw

_DRAW = Draw(0, "films")
"""Source of random choices, keyed by the film's number alone and not by the seed of a data set."""
_GENRES = "Action Adventure Animation Comedy Crime Documentary Drama Fantasy Horror Musical Romance Thriller"
GENRES = tuple(_GENRES.split())
MOODS = (("slow", "fast"), ("light", "dark"), ("intimate", "grand"))
"""Opposite ends of pace, tone and scale, which only descriptions tell and no attribute does."""
_HEROES = {
    "Action": ("a retired bodyguard", "a stubborn pilot", "a lone courier"),
    "Adventure": ("a map maker", "a young sailor", "a team of climbers"),
    "Animation": ("a clockwork fox", "a timid cloud", "a curious snail"),
    "Comedy": ("a hopeless wedding planner", "a hotel clerk", "a bad cook"),
    "Crime": ("a tired inspector", "a careful forger", "a getaway driver"),
    "Documentary": ("a village choir", "a family of beekeepers", "a river pilot"),
    "Drama": ("a widowed teacher", "an estranged brother", "a night nurse"),
    "Fantasy": ("an apprentice witch", "a prince without a shadow", "a dragon's librarian"),
    "Horror": ("a house sitter", "a lighthouse crew", "a lost school class"),
    "Musical": ("a street singer", "a failing dance troupe", "a shy pianist"),
    "Romance": ("a letter carrier", "a florist", "a rival baker"),
    "Thriller": ("a court interpreter", "a wrongly accused clerk", "a radio operator"),
}
_DEEDS = {
    "Action": ("has one night to stop a stolen train", "fights through a besieged tower"),
    "Adventure": ("searches for an island that is on no chart", "crosses a desert that nobody has crossed"),
    "Animation": ("sets out to return a lost star", "learns what the forest does at night"),
    "Comedy": ("must pass for somebody famous", "makes one small lie much larger"),
    "Crime": ("plans a last robbery that nobody wanted", "finds that an old case was never closed"),
    "Documentary": ("is followed through a year of work", "tells what changed and what did not"),
    "Drama": ("returns to the town that was left behind", "must decide what to forgive"),
    "Fantasy": ("bargains with the keeper of winter", "opens a door that should stay shut"),
    "Horror": ("hears footsteps in the locked cellar", "counts one more guest than there should be"),
    "Musical": ("puts on a show against all advice", "writes the song that a city needs"),
    "Romance": ("falls in love by mistaken letters", "has a week to say what was never said"),
    "Thriller": ("overhears a plan and is hunted for it", "trusts the one person who should not be trusted"),
}
_FIRST = (
    "Silent Golden Broken Distant Crimson Paper Hollow Winter Burning Secret Last Painted Restless "
    "Borrowed Velvet Frozen Wandering Second Glass Midnight Quiet Northern Bitter Gentle Iron Hidden "
    "Electric Forgotten Salted Common"
).split()
_SECOND = (
    "Harbour Garden Letters River Promise Mirror Orchard Station Crown Shadow Waltz Fever Bridge Season "
    "Island Engine Verdict Lantern Tide Stranger Carnival Road Summer Tower Compass Ransom Parade Window "
    "Forest Signal"
).split()
_PEOPLE_FIRST = (
    "Ada Bruno Celia Dario Elena Farid Greta Hugo Ines Jonas Kaya Leo Mira Nils Olga Pavel Quinn Rosa Sami "
    "Tilda Ugo Vera Wanda Yusuf Zora"
).split()
_PEOPLE_LAST = (
    "Abara Brandt Castell Dorn Elmi Fontaine Grau Holm Ivers Jansky Keller Lindqvist Marek Novak Okoro "
    "Petri Quist Rahimi Santoro Tamm Ullman Varga Weiss Yilmaz Zeller"
).split()


@dataclass(frozen=True)
class Film:
    """Attributes from which a film's title and texts are generated."""

    genres: Sequence[str]
    director: str
    actors: Sequence[str]
    year: int
    moods: Sequence[float]
    """Position between the two ends of each of MOODS: negative for the first, positive for the second."""


def invent_person(number: int) -> str:
    """Invent a person's name from a number.

    The first 625 names differ; later ones get a middle initial.
    """
    first, last = _PEOPLE_FIRST[number % 25], _PEOPLE_LAST[(number // 25 + number) % 25]
    again = number // 625
    return f"{first} {chr(ord('A') + (again - 1) % 26)}. {last}" if again else f"{first} {last}"


def film_titles(films: Sequence[Film]) -> tuple[str, ...]:
    """Generate a title with a year for each film.

    A title that occurs again is numbered as a sequel.
    """
    taken: Counter[str] = Counter()
    found = []
    for n, film in enumerate(films):
        draw = _DRAW.at("title", item=n)
        first, second = (
            words[draw.at(part).below(30)] for part, words in (("first", _FIRST), ("second", _SECOND))
        )
        name = (f"The {first} {second}", f"{first} {second}", f"{second} of the {first} Ones")[
            draw.at("form").below(3)
        ]
        taken[name] += 1
        found.append(f"{name}{f' {taken[name]}' if taken[name] > 1 else ''} ({film.year})")
    return tuple(found)


def film_summary(film: Film, number: int) -> str:
    """Generate a one-sentence summary from a film's first and last genre."""
    draw = _DRAW.at("summary", item=number)
    hero = _HEROES[film.genres[0]][draw.at("hero").below(3)]
    return f"{hero[0].upper()}{hero[1:]} {_DEEDS[film.genres[-1]][draw.at('deed').below(2)]}."


def film_description(film: Film, number: int) -> str:
    """Generate a description in three sentences: the summary, the makers, and pace, tone and scale."""
    told = [ends[mood > 0] for mood, ends in zip(film.moods, MOODS, strict=True) if abs(mood) > 0.35]
    manner = f"It is {join_words(told)}." if told else "It keeps to the middle in pace, tone and scale."
    kind = " and ".join(genre.lower() for genre in film.genres)
    makers = f"{film.director}'s film of {kind}, with {join_words(film.actors)}"
    return f"{film_summary(film, number)} {makers}. {manner}"
