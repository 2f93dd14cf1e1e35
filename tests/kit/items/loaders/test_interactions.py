"""Rows to ratings: the scale, unknown ids and pairs that come twice."""

import numpy as np
import pyarrow as pa
import pytest

from openiir.kit.items import Scale
from openiir.kit.items.loaders.interactions import Interactions, RowRules, implicit_value, index_ratings
from openiir.plugin import InputError


def rows(*triples, time=None):
    user, item, value = zip(*triples, strict=True)
    when = None if time is None else np.array(time, dtype=np.float64)
    where = "r.csv, row {}".format
    return Interactions(
        pa.array(user), pa.array(item), np.array(value, dtype=np.float64), lambda n: where(n + 2), when
    )


def read(given, users=None, items=None, scale=Scale(1, 5, 1), **rules):  # noqa: B008
    return index_ratings(given, users, items, scale, RowRules(**rules))


def test_users_and_items_are_those_met_in_order_of_row():
    found = read(rows(("z", "b", 3), ("a", "b", 4), ("z", "c", 5)))
    assert found.users == ("z", "a") and found.items == ("b", "c") and not found.skipped
    assert found.ratings.matrix.toarray().tolist() == [[3, 5], [4, 0]]


@pytest.mark.parametrize("value", [0.0, 6.0, 3.5])
def test_a_rating_outside_the_scale(value):
    told = rf"r.csv, row 3: user 'u' rates item 'j' {value:g}, but the scale is 1 to 5 in steps of 1"
    with pytest.raises(InputError, match=told):
        read(rows(("u", "i", 3), ("u", "j", value)))


def test_half_stars():
    half = Scale(0.5, 5.0, 0.5)
    assert read(rows(("u", "i", 3.5)), scale=half).ratings.value.tolist() == [3.5]
    with pytest.raises(InputError, match="in steps of 0.5"):
        read(rows(("u", "i", 3.25)), scale=half)


class TestUnknownIds:
    given = rows(("u", "i", 3), ("x", "i", 4), ("u", "y", 5), ("v", "j", 2))

    def test_they_are_left_out_and_counted(self):
        found = read(self.given, ["v", "u"], ["i", "j", "k"])
        assert found.ratings.user.tolist() == [1, 0] and found.ratings.item.tolist() == [0, 1]
        assert found.skipped == {"ratings of unknown users": 1, "ratings of unknown items": 1}
        assert (found.ratings.users, found.ratings.items) == (2, 3)

    def test_or_refused(self):
        with pytest.raises(InputError, match=r"r.csv, row 3: there is no user 'x'; add it .* strict = false"):
            read(self.given, ["v", "u"], ["i", "j"], strict=True)
        with pytest.raises(InputError, match="r.csv, row 4: there is no item 'y'"):
            read(self.given, ["v", "u", "x"], ["i", "j"], strict=True)


class TestPairsThatComeTwice:
    given = rows(("u", "i", 1), ("u", "j", 2), ("u", "i", 5), ("v", "i", 3))

    def test_both_rows_are_named(self):
        with pytest.raises(
            InputError, match=r"r.csv, row 2 and row 4: user 'u' rates item 'i' twice; keep one, or set"
        ):
            read(self.given)

    @pytest.mark.parametrize(("how", "value"), [("first", 1), ("last", 5), ("mean", 3)])
    def test_one_is_kept_where_it_first_stood(self, how, value):
        found = read(self.given, duplicates=how)
        assert found.ratings.value.tolist() == [value, 2, 3] and found.skipped == {
            "further ratings of a pair": 1
        }

    def test_time_says_which_is_last(self):
        timed = rows(("u", "i", 1), ("u", "i", 5), time=[9, 4])
        assert read(timed, duplicates="last").ratings.value.tolist() == [1]
        assert read(timed, duplicates="first").ratings.value.tolist() == [5]

    @pytest.mark.parametrize("how", ["first", "last", "mean"])
    def test_as_a_dictionary_does(self, how):
        draws = np.random.default_rng(3)
        user, item, value = draws.integers(0, 9, 200), draws.integers(0, 12, 200), draws.integers(1, 6, 200)
        given = rows(*((f"u{u}", f"i{i}", v) for u, i, v in zip(user, item, value, strict=True)))
        naive = {}
        for u, i, v in zip(user.tolist(), item.tolist(), value.tolist(), strict=True):
            naive.setdefault((f"u{u}", f"i{i}"), []).append(v)
        pick = {"first": lambda v: v[0], "last": lambda v: v[-1], "mean": lambda v: sum(v) / len(v)}[how]
        found = read(given, duplicates=how)
        pairs = [
            (found.users[u], found.items[i])
            for u, i in zip(found.ratings.user, found.ratings.item, strict=True)
        ]
        assert dict(zip(pairs, found.ratings.value.tolist(), strict=True)) == {
            pair: pick(v) for pair, v in naive.items()
        }
        assert pairs == [*naive] and found.skipped["further ratings of a pair"] == 200 - len(naive)


def test_what_an_interaction_is_worth():
    assert implicit_value(Scale()) == 4 and implicit_value(Scale(0, 1, 0.25)) == 0.75


def test_nothing_at_all():
    empty = Interactions(pa.array([], pa.string()), pa.array([], pa.string()), np.array([]), str)
    assert len(read(empty, ["u"], ["i"]).ratings) == 0


def test_steps_of_a_scale_count_from_its_lowest():
    scale = Scale(0.2, 5.2, 0.5)
    assert read(rows(("u", "i", 0.7), ("u", "j", 5.2)), scale=scale).ratings.value.tolist() == [0.7, 5.2]
    with pytest.raises(InputError, match="in steps of 0.5"):
        read(rows(("u", "i", 0.5)), scale=scale)
