"""Catalogues: the draws' laws, the distributions, and what may not be built."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaincinv

from openiir.kit.items import INJECTED, Catalogue, share_rows, synthetic
from openiir.plugin import Draw, InputError
from openiir.scenarios.curated_feed.model.items.item_text import describe

DRAW = Draw(7, "items")
EIGHT = tuple("abcdefgh")


def test_the_reference_catalogue_arrives_week_by_week() -> None:
    made = synthetic(DRAW, 2_400, EIGHT, per_week=200)
    assert [made.count_arrived(week) for week in (0, 1, 2, 12, 13)] == [0, 200, 400, 2_400, 2_400]
    assert made.theta.shape == made.x.shape == (2_400, 8)
    assert (made.theta.sum(axis=1) == 1).all() and (made.theta >= 0).all()


def test_the_columns_follow_their_distributions() -> None:
    made = synthetic(DRAW, 20_000, EIGHT)
    # The marginal of a symmetric Dirichlet(a) of k topics is Beta(a, (k - 1) a).
    for at in (0.001, 0.03, 0.3, 0.9):
        assert (made.theta[:, 3] > at).mean() == pytest.approx(stats.beta(0.2, 1.4).sf(at), abs=0.01)
    assert stats.kstest(made.valence, stats.uniform(-1, 2).cdf).pvalue > 1e-3
    assert stats.kstest(made.quality, stats.norm(0, 0.5).cdf).pvalue > 1e-3
    assert abs(np.corrcoef(made.theta[:, 0], made.theta[:, 1])[0, 1] + 1 / 7) < 0.03


def test_an_item_is_the_scalar_draws_of_its_index() -> None:
    made = synthetic(DRAW, 50, EIGHT)
    weights = [gammaincinv(0.2, DRAW.at("theta").uniform(item=17, agent=topic)) for topic in range(8)]
    assert np.abs(made.theta[17] - np.array(weights) / sum(weights)).max() < 2e-6
    assert made.valence[17] == pytest.approx(2 * DRAW.at("valence").uniform(item=17) - 1, abs=1e-6)
    assert made.quality[17] == pytest.approx(DRAW.at("quality").normal(0, 0.5, item=17), abs=1e-6)


def test_more_items_change_no_other() -> None:
    few, many = synthetic(DRAW, 100, EIGHT), synthetic(DRAW, 70_000, EIGHT)
    for column in ("theta", "valence", "quality"):
        assert (getattr(few, column) == getattr(many, column)[:100]).all()


def test_a_concentration_that_underflows_gives_items_of_one_topic() -> None:
    made = synthetic(DRAW, 500, ("a", "b"), concentration=1e-4)
    assert (made.theta.max(axis=1) > 0.99).mean() > 0.98
    assert 0.4 < made.theta[:, 0].mean() < 0.6


def test_shares_sum_to_one_on_the_grid() -> None:
    made = share_rows([[1, 1, 1], [0, 0, 0], [5, 0, 2]])
    assert (made.sum(axis=1) == 1).all() and (made * 2**20 == np.round(made * 2**20)).all()
    assert made[2, 1] == 0 and made[1] == pytest.approx([1 / 3] * 3, abs=2e-6)


def test_columns_cannot_be_written_to() -> None:
    made = synthetic(DRAW, 5, EIGHT)
    with pytest.raises(ValueError, match="read-only"):
        made.theta[0, 0] = 1.0


def test_items_can_be_injected_after_the_last() -> None:
    first, more = synthetic(DRAW, 4, EIGHT, per_week=2), synthetic(DRAW.at("more"), 2, EIGHT)
    with pytest.raises(InputError, match="week 1, before the catalogue's last one"):
        first.concatenate(more)
    late = Catalogue(EIGHT, more.theta, more.valence, more.quality, np.full(2, 3))
    both = first.concatenate(late)
    assert (
        both.ids[4:] == ("i0000005", "i0000006") and both.count_arrived(2) == 4 and both.count_arrived(3) == 6
    )
    named = Catalogue(EIGHT, more.theta, more.valence, more.quality, np.full(2, 3), names=("i0000001", "z"))
    with pytest.raises(InputError, match="has the id of one"):
        first.concatenate(named)


def test_items_can_be_chosen_with_all_their_columns() -> None:
    made = synthetic(DRAW, 6, EIGHT, per_week=2)
    own = Catalogue(EIGHT, made.theta, made.valence, made.quality, made.arrival, names=tuple("uvwxyz"))
    few = own.select(np.array([1, 4]))
    assert few.ids == ("v", "y") and few.arrival.tolist() == [1, 3]
    assert (few.x == made.x[[1, 4]]).all() and (few.quality == made.quality[[1, 4]]).all()
    assert made.select(np.arange(0)).ids == () and len(made.select(np.arange(0)).concatenate(made)) == 6


@pytest.mark.parametrize(
    "items, topics, kept", [(0, EIGHT, {}), (5, (), {}), (5, EIGHT, {"concentration": 0})]
)
def test_an_empty_or_impossible_catalogue_is_refused(items: int, topics: tuple[str, ...], kept: dict) -> None:
    with pytest.raises(InputError, match="needs"):
        synthetic(DRAW, items, topics, **kept)


def test_columns_that_do_not_fit_are_refused() -> None:
    made = synthetic(DRAW, 3, EIGHT)
    with pytest.raises(ValueError, match="in order of arrival"):
        Catalogue(EIGHT, made.theta, made.valence, made.quality, np.array([2, 1, 3]))
    with pytest.raises(ValueError, match="need 7|need 8"):
        Catalogue(EIGHT[:7], made.theta, made.valence, made.quality, made.arrival)


def injected(made: Catalogue, week: int, first: int, items: int = 2) -> Catalogue:
    numbers = INJECTED + first + np.arange(items)
    few = made.select(np.arange(items))
    return Catalogue(EIGHT, few.theta, few.valence, few.quality, np.full(items, week), numbers=numbers)


def test_an_injection_changes_no_other_items_id_number_or_words() -> None:
    made = synthetic(DRAW, 12, EIGHT, per_week=4)
    plain = pushed = made.select(np.arange(0))
    for week in (1, 2, 3):
        arrivals = made.select(np.arange(4 * week - 4, 4 * week))
        plain, pushed = plain.concatenate(arrivals), pushed.concatenate(arrivals)
        if week < 3:
            pushed = pushed.concatenate(injected(made, week, 2 * (week - 1)))
    assert plain.numbers is None and plain.ids == made.ids
    assert pushed.ids[4:6] == ("x0000001", "x0000002") and pushed.ids[10:12] == ("x0000003", "x0000004")
    own = [at for at, id in enumerate(pushed.ids) if not id.startswith("x")]
    assert [pushed.ids[at] for at in own] == list(made.ids)
    assert pushed.numbers_of(np.array(own)).tolist() == list(range(12))
    assert [describe(pushed, at) for at in own] == [describe(made, at) for at in range(12)]
    assert pushed.select(np.array([3, 5, 11])).ids == ("i0000004", "x0000002", "x0000004")


def test_injected_items_join_those_with_names() -> None:
    made = synthetic(DRAW, 3, EIGHT)
    own = Catalogue(EIGHT, made.theta, made.valence, made.quality, made.arrival, names=("a", "b", "c"))
    assert own.concatenate(injected(made, 1, 0)).ids == ("a", "b", "c", "x0000001", "x0000002")
    with pytest.raises(InputError, match="has the number of one"):
        own.concatenate(injected(made, 1, 0)).concatenate(injected(made, 1, 1))
