"""From values to items, against a loop."""

from itertools import combinations

import pytest

from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.titles.facets import Facets

FILMS = Collection(
    kind="movie",
    ids=("a", "b", "c", "d"),
    titles=("A", "B", "C", "D"),
    attributes={
        "genre": (("drama", "crime"), ("drama",), (), ("crime", "drama", "crime")),
        "year": (("1999",), ("2001",), ("1999",), ("1999",)),
    },
)
FACETS = Facets(FILMS)
PAIRS = [
    ("genre", "drama"),
    ("genre", "crime"),
    ("year", "1999"),
    ("year", "2001"),
    ("year", "1900"),
    ("actor", "x"),
]


@pytest.mark.parametrize("pairs", [c for n in range(4) for c in combinations(PAIRS, n)])
def test_items_that_satisfy_constraints_are_those_that_a_loop_finds(
    pairs: tuple[tuple[str, str], ...],
) -> None:
    naive = [n for n in range(4) if all(value in FILMS.values(slot, n) for slot, value in pairs)]
    assert FACETS.satisfying(pairs).tolist() == naive


def test_slots_and_values_are_those_of_the_collection() -> None:
    assert FACETS.slots == ("genre", "year")
    assert FACETS.values("genre") == ("drama", "crime")
    assert FACETS.values("actor") == ()


def test_what_is_found_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        FACETS.having("genre", "drama")[0] = 3
