"""The data set with known tastes: like MovieLens in its shares, and systems differ on it as they should."""

import numpy as np
import pytest

from openiir.kit.items import known_tastes, split
from openiir.kit.items.films import GENRES, invent_person
from openiir.kit.items.tastes import FEWEST, MARGINALS
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.recommenders import recommender


@pytest.fixture(scope="module")
def made():
    return known_tastes(seed=3)


@pytest.fixture(scope="module")
def folds(made):
    return split(made.data.ratings, 42)


class TestTheData:
    def test_the_same_seed_makes_the_same(self, made):
        again, other = known_tastes(seed=3), known_tastes(seed=4)
        assert again.data.ratings.pairs.tolist() == made.data.ratings.pairs.tolist()
        assert again.data.ratings.value.tolist() == made.data.ratings.value.tolist()
        assert again.data.collection.descriptions == made.data.collection.descriptions
        assert other.data.ratings.pairs.tolist() != made.data.ratings.pairs.tolist()

    def test_ratings_have_the_shares_of_movielens(self, made):
        values = made.data.ratings.value
        shares = np.bincount(values.astype(int), minlength=6)[1:] / len(values)
        assert shares == pytest.approx(MARGINALS, abs=0.001) and 13_000 < len(values) < 18_000

    def test_few_items_have_most_ratings(self, made):
        counts = np.sort(made.data.ratings.counts)[::-1]
        assert 0.6 < counts[:80].sum() / counts.sum() < 0.7
        assert np.bincount(made.data.ratings.user).min() >= FEWEST

    def test_a_fifth_of_the_items_has_the_share_that_its_parameters_say(self):
        shares = []
        for seed in range(4):
            counts = np.sort(known_tastes(seed=seed).data.ratings.counts)[::-1]
            shares.append(counts[:80].sum() / counts.sum())
        assert np.mean(shares) == pytest.approx(0.649, abs=0.005)

    def test_every_item_is_told_in_words(self, made):
        films = made.data.collection
        assert len(set(films.titles)) == len(films) and made.data.notes.keys() <= {"items nobody rated"}
        assert all(film.endswith(".") for film in films.summaries)
        for n in (0, 7, 399):
            assert (
                films.descriptions[n].startswith(films.summaries[n])
                and films.values("director", n)[0] in films.descriptions[n]
            )
            assert (
                set(films.values("genre", n)) <= set(GENRES) and films.values("year", n)[0] in films.titles[n]
            )

    def test_people_have_names_of_their_own(self):
        assert len({invent_person(n) for n in range(5_000)}) == 5_000

    @pytest.mark.parametrize(("users", "items"), [(1, 50), (50, 19), (4_000, 1_001)])
    def test_of_no_size(self, users, items):
        with pytest.raises(InputError, match="at least 2 users and 20 items"):
            known_tastes(users, items)

    def test_the_smallest(self):
        assert len(known_tastes(2, 20).data.ratings) == 20


class TestTheTruth:
    def test_expected_ratings_are_what_is_rated_on_average(self, made):
        given = made.data.ratings
        expected = made.expected[given.user, given.item]
        assert expected.min() >= 1 and expected.max() <= 5
        for low, high in ((1, 2.5), (2.5, 3.5), (3.5, 4.5), (4.5, 5)):
            these = (expected > low) & (expected <= high)
            assert given.value[these].mean() == pytest.approx(expected[these].mean(), abs=0.06)

    def test_taste_drives_who_rates_what(self, made):
        given = made.data.ratings
        assert made.match[given.user, given.item].mean() > 0.7 > abs(made.match.mean())

    def test_genre_utilities_show_in_what_is_rated(self, made):
        has = np.array(
            [[genre in found for genre in GENRES] for found in made.data.collection.attributes["genre"]]
        )
        shares = (
            made.data.ratings.seen @ has / (made.data.ratings.seen.sum(axis=1)[:, None] * has.mean(axis=0))
        )
        assert np.corrcoef(shares.ravel(), made.utilities.ravel())[0, 1] > 0.4


class TestWhatSystemsMakeOfIt:
    def ndcg(self, made, folds, name, **options):
        system = recommender(name, options, made.data.collection, 1)
        system.fit(folds.train)
        scores = system.scores(np.arange(folds.train.users))
        scores[folds.train.user, folds.train.item] = -np.inf
        gains = folds.test.seen.toarray()
        shown = np.take_along_axis(gains, np.argsort(-scores, axis=1, kind="stable")[:, :10], axis=1)
        weights = 1 / np.log2(np.arange(2, 12))
        best = np.cumsum(weights)[np.minimum(gains.sum(axis=1).astype(int), 10) - 1]
        return float(np.mean(shown @ weights / best))

    def test_their_order(self, made, folds):
        random, popular = (self.ndcg(made, folds, name) for name in ("random", "popularity"))
        ease, als = self.ndcg(made, folds, "ease"), self.ndcg(made, folds, "als", factors=8)
        assert random < 0.05 and popular > random + 0.1 and ease > popular + 0.05 and als > popular + 0.05

    def test_taste_adds_to_biases(self, made, folds):
        """Genres, by a ridge regression a user on residuals; and the truth, which no model reaches."""
        train, test = folds.train, folds.test
        user, item = np.zeros(train.users), np.zeros(train.items)
        for _ in range(5):
            item = np.bincount(train.item, train.value - train.mean - user[train.user], train.items) / (
                train.counts + 3
            )
            user = np.bincount(train.user, train.value - train.mean - item[train.item]) / (
                np.bincount(train.user) + 3
            )
        bias = train.mean + user[test.user] + item[test.item]
        has = np.array(
            [[genre in found for genre in GENRES] for found in made.data.collection.attributes["genre"]],
            dtype=float,
        )
        has -= has.mean(axis=0)
        left = train.value - train.mean - user[train.user] - item[train.item]
        taste = np.zeros(len(test))
        for one in range(train.users):
            own, to = train.user == one, test.user == one
            x = has[train.item[own]]
            taste[to] = has[test.item[to]] @ np.linalg.solve(
                x.T @ x + 8 * np.eye(len(GENRES)), x.T @ left[own]
            )
        errors = [
            np.sqrt(np.mean((predicted - test.value) ** 2))
            for predicted in (
                np.full(len(test), train.mean),
                bias,
                bias + taste,
                made.expected[test.user, test.item],
            )
        ]
        assert errors[0] > errors[1] + 0.15 and errors[1] > errors[2] + 0.015 and errors[2] > errors[3] + 0.1
