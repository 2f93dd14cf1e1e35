"""MovieLens 1M (Harper & Konstan, TiiS 2015) in its `.dat` form."""

import hashlib
from pathlib import Path

import numpy as np

from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.ratings import Ratings

FILES = ("movies.dat", "ratings.dat", "users.dat")


def movielens_1m(folder: Path) -> DataSet:
    """The data set in a folder with movies.dat, ratings.dat and users.dat; all 3,883 films, rated or not."""
    movies = [line.split("::") for line in (folder / "movies.dat").read_text("latin-1").splitlines()]
    people = [line.split("::") for line in (folder / "users.dat").read_text("latin-1").splitlines()]
    raw = (folder / "ratings.dat").read_text("ascii").replace("::", " ")
    rows = np.array(raw.split(), dtype=np.int64).reshape(-1, 4)
    collection = Collection(
        kind="movie",
        ids=tuple(m[0] for m in movies),
        titles=tuple(m[1] for m in movies),
        attributes={
            "genre": tuple(tuple(m[2].split("|")) for m in movies),
            "year": tuple((m[1][-5:-1],) for m in movies),
        },
    )
    item_of = np.zeros(max(map(int, collection.ids)) + 1, dtype=np.int64)
    item_of[[int(i) for i in collection.ids]] = np.arange(len(collection))
    user_of = {int(p[0]): n for n, p in enumerate(people)}
    ratings = Ratings(
        len(people),
        len(collection),
        np.array([user_of[u] for u in rows[:, 0].tolist()]),
        item_of[rows[:, 1]],
        rows[:, 2].astype(np.float64),
    )
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in FILES)).hexdigest()
    return DataSet(
        name="movielens-1m",
        collection=collection,
        ratings=ratings,
        users=tuple(p[0] for p in people),
        demographics={"age": tuple(p[2] for p in people), "occupation": tuple(p[3] for p in people)},
        digest=digest,
        licence="GroupLens: research use, no redistribution without permission, no commercial use",
    )
