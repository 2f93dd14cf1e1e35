"""The leak guard: one leak planted in each place where held-out ratings must not be."""

import numpy as np
import pytest

from openiir.kit.items import known_tastes, split
from openiir.scenarios.recommender.model.guard import Guard, Leak


@pytest.fixture(scope="module")
def data():
    return known_tastes(40, 60).data


@pytest.fixture(scope="module")
def folds(data):
    return split(data.ratings, 7)


@pytest.fixture(scope="module")
def guard(data, folds):
    return Guard(data, folds)


def planted(folds, fold="test", n=3):
    """Training pairs with one held-out pair among them, and that pair."""
    held = getattr(folds, fold)
    pair = int(held.user[n]), int(held.item[n])
    user, item = np.insert(folds.train.user, 11, pair[0]), np.insert(folds.train.item, 11, pair[1])
    return user, item, pair


class TestWhatIsHeldOut:
    def test_as_a_set_of_pairs_says(self, guard, folds):
        held = {*zip(folds.test.user.tolist(), folds.test.item.tolist(), strict=True)}
        held |= {*zip(folds.validation.user.tolist(), folds.validation.item.tolist(), strict=True)}
        users, items = np.meshgrid(np.arange(40), np.arange(60), indexing="ij")
        naive = [[(u, i) in held for i in range(60)] for u in range(40)]
        assert guard.holds(users, items).tolist() == naive

    def test_nothing_where_nothing_is_held_out(self, data):
        assert not Guard(data, split(data.ratings, 1, 0, 0)).holds(np.array([0]), np.array([0])).any()


@pytest.mark.parametrize("fold", ["test", "validation"])
class TestALeak:
    def named(self, guard, folds, fold, check):
        user, item, (u, i) = planted(folds, fold)
        with pytest.raises(Leak) as told:
            check(user, item, u)
        said = str(told.value)
        assert repr(guard.data.users[u]) in said and repr(guard.data.collection.ids[i]) in said
        assert told.value.exit_code == 1
        return said

    def test_in_a_graph(self, guard, folds, fold):
        said = self.named(guard, folds, fold, lambda user, item, _: guard.check_edges(user, item))
        assert said.startswith("the knowledge graph holds") and "1 of its" in said

    def test_in_a_memory(self, guard, folds, fold):
        self.named(guard, folds, fold, lambda user, item, _: guard.check_memory(zip(user, item, strict=True)))

    def test_in_a_prompt(self, guard, folds, fold):
        said = self.named(
            guard,
            folds,
            fold,
            lambda user, item, u: guard.check_prompt(u, item[user == u], "the rating prompt"),
        )
        assert said.startswith("the rating prompt")

    def test_in_what_a_system_is_fitted_to(self, guard, folds, fold):
        held = getattr(folds, fold)
        leaky = folds.train.with_rows(held.user[:1], held.item[:1], held.value[:1])
        with pytest.raises(Leak, match="ease holds"):
            guard.check_ratings(leaky, "ease")

    def test_in_a_mean(self, guard, folds, fold):
        held = getattr(folds, fold)
        at = next(n for n in range(len(held)) if held.value[n] != folds.train.item_means[held.item[n]])
        leaky = folds.train.with_rows(held.user[at : at + 1], held.item[at : at + 1], held.value[at : at + 1])
        with pytest.raises(Leak, match="the mean ratings: item .* where the training ratings give") as told:
            guard.check_means(leaky.item_means, "the mean ratings")
        assert repr(guard.data.collection.ids[held.item[at]]) in str(told.value) and "1 items differ" in str(
            told.value
        )


class TestNoLeak:
    def test_training_ratings_pass_everywhere(self, guard, folds):
        train = folds.train
        guard.check_edges(train.user, train.item)
        guard.check_ratings(train, "als")
        guard.check_memory(zip(train.user, train.item, strict=True))
        guard.check_memory([])
        guard.check_prompt(0, train.of(0)[0], "a prompt")
        guard.check_means(train.item_means, "a page")
        guard.check_means(np.round(train.item_means * 2**20) / 2**20, "a page")
