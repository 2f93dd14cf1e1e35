import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings, split

GENRES = ("comedy", "drama", "horror")


@pytest.fixture(scope="package")
def recommender_world():
    """Ratings of 60 films, split, by 120 users who each like one of three genres and see more of it; the
    films."""
    generator = np.random.default_rng(3)
    genre, favourite = np.arange(60) % 3, np.arange(120) % 3
    liked = favourite[:, None] == genre
    user, item = np.nonzero(generator.random((120, 60)) < np.where(liked, 0.6, 0.15))
    value = np.where(liked[user, item], 4.3, 2.2) + generator.normal(0, 0.6, len(user))
    ratings = Ratings(120, 60, user, item, np.clip(np.round(value), 1, 5))
    names = tuple(str(n) for n in range(60))
    return split(ratings, 1), Collection(
        "movie", names, names, {"genre": tuple((GENRES[g],) for g in genre.tolist())}
    )
