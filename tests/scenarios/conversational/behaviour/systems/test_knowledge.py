"""What systems know of a catalogue, against plain loops over its items."""

import math
import random
from collections import Counter

import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings
from openiir.plugin import quantise
from openiir.scenarios.conversational.behaviour.systems import knowledge as module
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.model.titles.facets import Facets

SLOTS = ("genre", "year")


def made(seed: int, n: int = 30) -> SystemKnowledge:
    rng = random.Random(seed)
    attributes = {
        "genre": tuple(tuple(rng.sample("abcd", rng.randint(0, 3))) for _ in range(n)),
        "year": tuple((str(rng.randint(1990, 1995)),) for _ in range(n)),
    }
    titles = tuple(rng.choice(("", "x" * 400, f"film {at}", f"film {at}")) for at in range(n))
    item = np.array(sorted(rng.sample(range(n), n // 2)))
    ratings = Ratings(1, n, np.zeros(len(item), dtype=np.int64), item, np.full(len(item), 3.0))
    collection = Collection("movie", tuple(f"i{at}" for at in range(n)), titles, attributes)
    return SystemKnowledge(collection, Facets(collection), ratings)


def plainly_ranked(
    known: SystemKnowledge, wanted: set[tuple[str, str]], unwanted: set[tuple[str, str]]
) -> list[int]:
    found = []
    for item, title in enumerate(known.collection.titles):
        has = {(slot, value) for slot in SLOTS for value in known.collection.values(slot, item)}
        if title and len(title) < 300 and wanted <= has and not unwanted & has:
            found.append(item)
    assert known.ratings is not None
    return sorted(found, key=lambda item: (-known.ratings.counts[item], item))


def test_items_with_all_wanted_and_nothing_unwanted_most_rated_first() -> None:
    for seed in range(100):
        known, rng = made(seed), random.Random(-seed)
        pairs = [("genre", v) for v in "abcd?"] + [("year", "1993"), ("colour", "red")]
        for _ in range(5):
            wanted, unwanted = (
                set(rng.sample(pairs, rng.randint(0, 2))),
                set(rng.sample(pairs, rng.randint(0, 2))),
            )
            found = known.rank_items(wanted, unwanted)
            assert found.tolist() == plainly_ranked(known, wanted, unwanted)
            assert known.rank_items(wanted, unwanted) is found, "asked again, it is looked up"


def plain_gain(rows: list[tuple[str, ...]]) -> float:
    """I(item; answer) by its definition, over all pairs of an item and a value."""
    telling = [row for row in rows if row]
    joint = Counter(
        {(n, value): 1 / len(row) / len(telling) for n, row in enumerate(telling) for value in row}
    )
    of_value: Counter[str] = Counter()
    for (_, value), chance in joint.items():
        of_value[value] += chance
    told = sum(p * math.log(p / (of_value[value] / len(telling))) for (_, value), p in joint.items())
    return len(telling) / len(rows) * told if telling else 0.0


def test_what_an_answer_tells_is_the_mutual_information_of_item_and_value() -> None:
    for seed in range(50):
        known = made(seed)
        for wanted in ([], [("genre", "a")], [("genre", "a"), ("year", "1993")]):
            items = known.facets.satisfying(wanted)
            plain = (
                {slot: plain_gain([known.collection.values(slot, item) for item in items]) for slot in SLOTS}
                if len(items)
                else {}
            )
            found = dict(known.gains(wanted))
            assert found == pytest.approx({s: quantise(g) for s, g in plain.items() if g > 1e-6}, abs=2e-6)
            assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_slot_that_parts_nothing_or_whose_values_are_long_is_not_worth_asking() -> None:
    collection = Collection(
        "movie",
        ("a", "b"),
        ("A", "B"),
        {
            "genre": (("x",), ("y",)),
            "country": (("z",), ("z",)),
            "plot": (("p " * 50,), ("q " * 50,)),
            "none": ((), ()),
        },
    )
    known = SystemKnowledge(collection, Facets(collection))
    assert [slot for slot, _ in known.gains([])] == ["genre"]
    assert known.gains([("genre", "there is none such")]) == ()


def test_values_are_spelt_as_in_the_catalogue(known: SystemKnowledge) -> None:
    assert known.pair("GENRE", "sci-FI") == ("genre", "Sci-Fi")
    assert known.pair("genre", "Western") == ("genre", "Western")
    assert known.pair("Mood", "Dark") == ("mood", "Dark")


def test_titles_are_found_as_printed_or_as_people_write_them(known: SystemKnowledge) -> None:
    index = known.collection.index
    assert known.items_titled("Matrix, The (1999)") == known.items_titled("the matrix") == (index["t"],)
    assert known.items_titled("monsters inc") == (index["m"],)
    assert known.items_titled("Solaris") == ()


def test_what_is_kept_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROOM", 40)
    known = made(1)
    for year in range(1990, 1996):
        for genre in "abcd":
            first = known.rank_items([("genre", genre)], [("year", str(year))]).tolist()
            assert first == plainly_ranked(known, {("genre", genre)}, {("year", str(year))})
    assert sum(map(len, known._orders.values())) <= 40
