"""Ratings with two tastes: even users rate even items, odd users odd ones, with some noise."""

from collections.abc import Callable

import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings


def tastes(users: int = 40, items: int = 24, seed: int = 0) -> Ratings:
    """The last user and the last item have no rating."""
    generator = np.random.default_rng(seed)
    alike = np.arange(users)[:, None] % 2 == np.arange(items)[None, :] % 2
    seen = generator.random((users, items)) < np.where(alike, 0.6, 0.06)
    seen[-1] = seen[:, -1] = False
    user, item = np.nonzero(seen)
    return Ratings(users, items, user, item, generator.integers(1, 6, len(user)).astype(np.float64))


@pytest.fixture(scope="session")
def train() -> Ratings:
    return tastes()


@pytest.fixture(scope="session")
def collection(train: Ratings) -> Collection:
    ids = tuple(f"m{n}" for n in range(train.items))
    return Collection("movie", ids, ids)


@pytest.fixture(scope="session")
def of_tastes() -> Callable[..., Ratings]:
    return tastes


@pytest.fixture(autouse=True)
def callables_are_trusted(every_callable):
    """What is tested here is what becomes of callables once they are."""
