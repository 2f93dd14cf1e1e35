import numpy as np
import pytest

from openiir.kit.items.collection import Collection
from openiir.kit.items.ratings import Ratings
from openiir.plugin import Draw
from openiir.scenarios.recommender.model.persona.histories import Histories

GENRES = ("Action", "Children's", "Comedy", "Drama", "Horror", "Sci-Fi")


@pytest.fixture(scope="session")
def collection() -> Collection:
    """Forty films; the last three of no known genre, the last of no known year."""
    n = 40
    return Collection(
        "movie",
        tuple(f"m{i}" for i in range(n)),
        tuple(f"Film {i} ({1950 + i})" for i in range(n)),
        {
            "genre": tuple(
                (GENRES[i % 6], GENRES[(i // 6) % 6])[: 1 + (i % 6 != i // 6 % 6)] if i < n - 3 else ()
                for i in range(n)
            ),
            "year": tuple((str(1950 + i),) if i < n - 1 else () for i in range(n)),
            "director": tuple((f"Director {i % 5}",) for i in range(n)),
        },
    )


@pytest.fixture(scope="session")
def train() -> Ratings:
    """Thirteen users with 1, 4, 7, ... ratings; the last has none."""
    generator = np.random.default_rng(3)
    user, item, value = [], [], []
    for u in range(12):
        for i in generator.permutation(40)[: 1 + 3 * u].tolist():
            user.append(u)
            item.append(i)
            value.append(float(np.clip(round(3.4 + (i % 3 - 1) * (u % 4 - 1) + generator.normal()), 1, 5)))
    return Ratings(13, 40, np.array(user), np.array(item), np.array(value))


@pytest.fixture(scope="session")
def histories(train: Ratings, collection: Collection) -> Histories:
    return Histories(train, collection, Draw(7, "recommender.history"), subsets=3, others=5)
