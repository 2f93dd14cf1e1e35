import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings
from openiir.scenarios.recommender.model.taste.content import ContentRegression, content_features

IDS = ("a", "b", "c", "d")


def films(**more):
    return Collection("movie", IDS, IDS, **more)


def test_genres_keep_a_dimension_each():
    about = content_features(films(attributes={"genre": (("War",), ("War", "Noir"), ("Noir",), ())}))
    assert about.shape == (4, 2)
    assert (about**2).sum(axis=1) == pytest.approx([1, 1, 1, 0])
    assert about[1, 0] == pytest.approx(about[1, 1])


def test_years_count_as_decades():
    about = content_features(films(attributes={"year": (("1994",), ("1999",), ("2003",), ("2001",))}))
    assert about.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]


def test_texts_in_few_dimensions_keep_what_is_alike():
    plots = ("a spy hunts a spy", "a spy in Berlin", "lovers meet in Berlin", "two lovers")
    about = content_features(films(descriptions=plots), rank=3)
    assert about.shape == (4, 2)
    assert about[0] @ about[1] > about[0] @ about[3] + 0.1


def test_nothing_known_is_no_dimension():
    assert content_features(films()).shape == (4, 0)
    assert content_features(films(descriptions=("one", "two", "three", "four"))).shape == (4, 0)


def test_a_users_weights_are_a_ridge_regression():
    about = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    own = Ratings(2, 4, np.array([0, 0, 0, 1]), np.array([0, 1, 2, 3]), np.array([5.0, 4.0, 1.0, 2.0]))
    model = ContentRegression.fit(own, about, prior=0.5, shrink=3.0)
    mean = 3.0 + (10 / 3 - 3.0) * 3 / 6
    x, y = about[[0, 1, 2]], np.array([5.0, 4.0, 1.0]) - mean
    expected = np.linalg.solve(x.T @ x + 2 * np.eye(2), x.T @ y)
    assert model.users[0] == pytest.approx(expected)
    assert model.block(np.array([0]))[0] == pytest.approx(mean + about @ expected)
