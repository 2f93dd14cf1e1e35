"""A recommender written in Python by the study's author."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Collection, Ratings
from openiir.kit.rankers.serving import read_scores
from openiir.plugin import InputError, call_own, load_callable


class OwnRecommender:
    """Recommender that wraps a callable of the study, `package.module:name`.

    It is called at each fit as `name(train, collection, seed, **options)`. What it returns is called with an
    array of user indices and gives their scores, (users, items); a class whose instances can be called so
    will do. Every array that it gives is checked.
    """

    def __init__(self, name: str, options: Mapping[str, Any], collection: Collection, seed: int) -> None:
        self.name = name
        self._whose = f"recommender {name!r}"
        self._make = load_callable(name)
        self._options = options
        self._collection = collection
        self._seed = seed
        self._model: Any = None

    def fit(self, train: Ratings) -> None:
        # A copy without what the platform has worked out from it, so that nothing of the platform's can be
        # changed.
        self._model = call_own(
            self._whose, self._make, replace(train), self._collection, self._seed, **self._options
        )
        if not callable(self._model):
            raise InputError(
                f"{self._whose} returned a {type(self._model).__name__} when it was fitted; return what "
                "can be called with user indices and gives their scores"
            )

    def scores(self, users: Ints) -> Floats:
        found = call_own(self._whose, self._model, np.array(users))
        return read_scores(self._whose, found, (len(users), len(self._collection)))
