from dataclasses import replace

import numpy as np
import pytest

from openiir.kit.items.ratings import Ratings
from openiir.plugin import Draw, InputError
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.samples import FEATURES, RatedItem, RatingSample


def rated(histories, user):
    items, values = histories.train.of(user)
    return {(histories.collection.titles[i], v) for i, v in zip(items.tolist(), values.tolist(), strict=True)}


def test_samples_are_of_the_users_own_training_ratings(histories):
    for user in range(12):
        own = rated(histories, user)
        for shown, size in (
            (histories.sample(user), len(own)),
            *((histories.sample(user, n), (len(own) + 1) // 2) for n in range(3)),
        ):
            found = {(item.title, item.rating) for item in shown.items}
            assert len(shown.items) == len(found) == size
            assert found <= own


def test_a_sample_is_at_most_fifty():
    train = Ratings(1, 120, np.zeros(120, dtype=np.int64), np.arange(120), np.full(120, 4.0))
    from openiir.kit.items.collection import Collection

    items = Collection("item", tuple(map(str, range(120))), tuple(f"Thing {i}" for i in range(120)))
    many = Histories(train, items, Draw(1, "h"))
    assert len(many.sample(0).items) == len(many.sample(0, 2).items) == 50
    assert {i.title for i in many.sample(0, 0).items} != {i.title for i in many.sample(0, 1).items}


def test_features_in_columns_are_those_of_what_is_shown(histories):
    for number in (None, 0, 1, 2):
        columns = histories.features(number)
        for user in range(12):
            shown = histories.sample(user, number)
            np.testing.assert_array_equal(columns[user], shown.features)
    assert np.isnan(histories.features()[12]).all()


def test_features_are_shares_counted_by_hand():
    items = (
        RatedItem("A", ("Comedy", "Children's"), 1955, (), 5.0),
        RatedItem("B", ("Comedy",), 1999, (), 2.0),
        RatedItem("C", (), None, (), 3.0),
        RatedItem("D", ("Reality",), 1969, (), 4.0),
    )
    shown = RatingSample("movie", items, Ratings(1, 1, *[np.zeros(0)] * 3).scale)
    found = dict(zip(FEATURES, shown.features.tolist(), strict=True))
    named = {
        "comedy": 1.0,
        "children": 0.5,
        "before 1960": 1 / 3,
        "1960s": 1 / 3,
        "mean rating": 2.5 / 4,
        "share liked": 0.5,
    }
    for name, value in found.items():
        assert value == pytest.approx(named.get(name, 0.0), abs=2**-20)
    assert [i.title for i in shown.liked] == ["A", "D"]
    assert [i.title for i in shown.disliked] == ["B"]
    assert [i.title for i in shown.neither] == ["C"]


def test_a_sample_does_not_depend_on_other_users(histories):
    alone = replace(histories, train=histories.train.select(histories.train.user == 5))
    assert alone.sample(5) == histories.sample(5)
    assert alone.sample(5, 1) == histories.sample(5, 1)


def test_other_users_have_ratings_and_are_others(histories):
    for user in range(12):
        others = histories.other_users(user)
        assert len(set(others)) == 5 and user not in others and 12 not in others
    assert histories.scored_subsets == 8
    few = replace(histories, others=100)
    assert few.other_users(0) == list(range(1, 12))
    assert few.scored_subsets == 14


def test_a_user_without_ratings_has_no_sample(histories):
    with pytest.raises(InputError, match="no training ratings"):
        histories.sample(12)
