"""Where needs come from: satisfiable, within bounds, the same for the same seed, and clear where there is
none."""

from math import log
from typing import Any

import pytest
from small_catalogue import FACETS, FILMS, RATINGS, TASTES

from openiir.kit.items import known_tastes, split
from openiir.plugin import InputError
from openiir.scenarios.conversational.behaviour.needs import NeedSampler, UserNeed
from openiir.scenarios.conversational.config import ConversationalConfig
from openiir.scenarios.conversational.model.dialogue import Need
from openiir.scenarios.conversational.model.taste import TasteModel
from openiir.scenarios.conversational.model.titles.facets import Facets

DATA = known_tastes(60, 120, 3).data
FOLDS = split(DATA.ratings, 5, 0.0, 0.2)
LARGE = Facets(DATA.collection)
NOTHING = RATINGS.select(RATINGS.value > 9)
NOTHING_HELD_OUT = TasteModel(FILMS, RATINGS, NOTHING)


def drawn(**config: Any) -> list[UserNeed]:
    made = ConversationalConfig.model_validate({"dialogues": 60, **config})
    return NeedSampler(made, LARGE, TasteModel(DATA.collection, FOLDS.train, FOLDS.test)).all()


def small(**config: Any) -> list[UserNeed]:
    made = ConversationalConfig.model_validate({"dialogues": 1, **config})
    return NeedSampler(made, FACETS, NOTHING_HELD_OUT).all()


@pytest.mark.parametrize("source", ["catalogue", "ratings"])
def test_targets_are_the_items_that_satisfy_a_need_and_are_new_to_the_user(source: str) -> None:
    for wish in drawn(needs={"source": source, "targets": {"least": 1, "most": 5}}):
        have = {
            id
            for n, id in enumerate(DATA.collection.ids)
            if all(value in DATA.collection.values(slot, n) for slot, value in wish.need.constraints)
        }
        had = {DATA.collection.ids[item] for item in wish.taste.consumed}
        items, values = FOLDS.test.of(wish.taste.user)
        bad = {DATA.collection.ids[i] for i, v in zip(items.tolist(), values.tolist(), strict=True) if v < 3}
        assert set(wish.need.targets) == have - had - bad
        assert 1 <= len(wish.need.targets) <= 5
        assert 2 <= len(wish.need.constraints) <= 3
        assert wish.difficulty == round(log(120 / len(wish.need.targets)) / log(120), 3)


def test_needs_from_ratings_are_about_something_that_the_user_liked_and_that_is_held_out() -> None:
    index = DATA.collection.index
    for wish in drawn(needs={"source": "ratings"}):
        items, values = FOLDS.test.of(wish.taste.user)
        liked = {item for item, value in zip(items.tolist(), values.tolist(), strict=True) if value >= 4}
        assert liked & {index[id] for id in wish.need.targets}


def test_a_need_does_not_depend_on_how_many_there_are() -> None:
    few, many = drawn(dialogues=10), drawn(dialogues=60)
    assert [wish.need for wish in few] == [wish.need for wish in many[:10]]
    assert [wish.taste.user for wish in few] == [wish.taste.user for wish in many[:10]]


def test_another_seed_gives_other_needs_and_the_same_seed_the_same() -> None:
    assert [w.need for w in drawn()] == [w.need for w in drawn()]
    assert [w.need for w in drawn()] != [w.need for w in drawn(data_seed=7)]


def test_slots_and_numbers_are_as_declared() -> None:
    needs = {
        "informable": ["genre"],
        "requestable": ["director", "year"],
        "constraints": {"least": 1, "most": 1},
        "requests": {"least": 2, "most": 2},
        "targets": {"least": 1, "most": 100},
    }
    for wish in drawn(needs=needs):
        assert [slot for slot, _ in wish.need.constraints] == ["genre"]
        assert sorted(wish.need.requests) == ["director", "year"]


def test_needs_by_hand_come_first() -> None:
    given = [{"constraints": {"genre": ["crime", "drama"], "director": "Mann"}, "requests": ["year"]}]
    (wish,) = small(needs={"given": given})
    assert wish.need.constraints == (("genre", "crime"), ("genre", "drama"), ("director", "Mann"))
    assert wish.need.targets == ("heat",)
    assert FILMS.index["heat"] not in wish.taste.consumed


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        ({"given": [{"constraints": {"genre": "crme"}}]}, "near it: crime"),
        (
            {"given": [{"constraints": {"genre": "comedy", "director": "Mann"}}]},
            "no item satisfies genre = comedy",
        ),
        ({"given": [{"constraints": {"colour": "red"}}]}, "the catalogue has director, genre, year"),
        ({"given": [{"constraints": {"genre": "crime"}, "requests": ["plot"]}]}, "names the slot 'plot'"),
        ({"informable": ["actor"]}, "config.needs.informable names the slot 'actor'"),
        ({"targets": {"least": 5, "most": 6}}, "widen config.needs.targets"),
        ({"source": "ratings"}, "nobody has a held-out item that was liked"),
    ],
)
def test_a_need_that_nothing_satisfies_is_refused_with_the_remedy(needs: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        small(needs=needs)


def test_a_catalogue_without_attributes_says_so() -> None:
    from openiir.kit.items import Collection

    bare = Collection(kind="item", ids=FILMS.ids, titles=FILMS.titles)
    config = ConversationalConfig(dialogues=1)
    with pytest.raises(InputError, match=r"config\.data\.items\.attributes"):
        NeedSampler(config, Facets(bare), TasteModel(bare, RATINGS, NOTHING)).all()


def test_needs_of_people_come_after_those_by_hand_as_far_as_the_catalogue_has_them() -> None:
    told = [
        Need(constraints=(("genre", "crime"), ("mood", "dark")), requests=("year", "plot")),
        Need(constraints=(("genre", "comedy"), ("director", "Mann"))),
        Need(constraints=(("genre", "western"),)),
        Need(constraints=(("genre", "horror"), ("genre", "drama"))),
    ]
    given = {"given": [{"constraints": {"genre": "comedy"}}]}
    config = ConversationalConfig.model_validate({"dialogues": 3, "needs": given})
    found = NeedSampler(config, FACETS, TASTES, told).all()
    assert [wish.need.constraints for wish in found] == [
        (("genre", "comedy"),),
        (("genre", "crime"),),
        (("genre", "horror"), ("genre", "drama")),
    ]
    assert found[1].need.requests == ("year",)
