"""A small fixed cast for tests: personas that differ in every field that a type may read."""

from openiir.plugin import Persona

_PEOPLE = (
    ("ada", "Ada Brook", 0.8, "Ada Brook runs a search team and wants results that arrive today."),
    ("ben", "Ben Osei", -0.7, "Ben Osei teaches statistics and trusts no number without its error bar."),
    ("cleo", "Cleo Marsh", 0.0, "Cleo Marsh edits an encyclopedia and weighs one source against the other."),
    ("dov", "Dov Lindt", -0.2, "Dov Lindt mends old databases and has seen every promise before."),
    ("eve", "Eve Tanaka", 0.5, "Eve Tanaka designs interfaces and asks what a reader does next."),
    ("finn", "Finn Aldous", None, "Finn Aldous is a librarian who answers forty questions a day."),
)


def cast(n: int = 4) -> tuple[Persona, ...]:
    """Create `n` personas with distinct ids and with stances of all kinds; the sixth has none.

    Budgets are 400 tokens and one search each, so that an ordinary run neither exhausts nor ignores them. The
    first m of `cast(n)` are `cast(m)`. Beyond six the people return under a numbered id.
    """
    return tuple(_persona(place) for place in range(n))


def _persona(place: int) -> Persona:
    name, full, stance, bio = _PEOPLE[place % len(_PEOPLE)]
    turn = place // len(_PEOPLE)
    level = (place % 5) / 4
    return Persona(
        id=name if turn == 0 else f"{name}-{turn + 1}",
        name=full if turn == 0 else f"{full} {turn + 1}",
        bio=bio,
        stance=stance,
        tokens=400,
        searches=1,
        influence=1.0 + level,
        interests=tuple(bio.rstrip(".").split()[-2:]),
        big_five={"openness": level, "extraversion": 1 - level, "agreeableness": (level + 0.5) % 1},  # type: ignore[arg-type]
    )
