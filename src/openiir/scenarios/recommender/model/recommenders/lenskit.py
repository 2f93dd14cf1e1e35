"""LensKit pipelines as recommenders (Ekstrand, "LensKit for Python", CIKM 2020).

Needs the extra `lenskit`.
"""

from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Collection, Ratings
from openiir.plugin import (
    InputError,
    OwnCodeFailed,
    Record,
    call_own,
    check_trusted,
    load_callable,
    time_own_code,
)

FILES = (".toml", ".yaml", ".yml", ".json")


class LensKitOptions(Record):
    """Options of the recommender `lenskit:PIPELINE`."""

    component: str = "scorer"
    """Name of the pipeline's component that scores items."""


class LensKit:
    """Recommender that trains a LensKit pipeline.

    It is declared in a file, or built by `package.module:function`, which takes no arguments. It is made and
    trained anew at each fit, on ratings by our indices, seeded by ours. An item that it gives no score is
    never recommended. How far its results repeat on another machine is up to its components.
    """

    def __init__(self, pipeline: str, options: LensKitOptions, collection: Collection, seed: int) -> None:
        try:
            import lenskit  # noqa: F401
        except ImportError:
            raise InputError(
                f"recommender 'lenskit:{pipeline}' needs LensKit, which is not installed; "
                "run: pip install 'openiir[lenskit]'"
            ) from None
        self.name = f"lenskit:{pipeline}"
        self._source = pipeline
        self._component = options.component
        self._seed = seed
        self._items = len(collection)
        self._pipeline: Any = None
        self._make_pipeline()

    def fit(self, train: Ratings) -> None:
        import torch
        from lenskit.training import TrainingOptions

        pipeline = self._make_pipeline()
        try:
            # Some components draw from torch's own generator, whatever seed they are given.
            with time_own_code(f"recommender {self.name!r}"), torch.random.fork_rng(devices=[]):
                torch.manual_seed(self._seed)
                pipeline.train(_data(train), TrainingOptions(rng=self._seed))
        except Exception as error:
            raise InputError(
                f"recommender {self.name!r} cannot be trained ({type(error).__name__}: {error})"
            ) from error
        self._pipeline = pipeline

    def scores(self, users: Ints) -> Floats:
        from lenskit import score
        from lenskit.data import ItemList

        items = ItemList(item_ids=np.arange(self._items))
        found = np.empty((len(users), self._items))
        for row, user in enumerate(users.tolist()):
            try:
                answer = score(self._pipeline, user, items, component=self._component).scores()
            except Exception as error:
                raise InputError(
                    f"recommender {self.name!r} cannot score for user {user} ({type(error).__name__}: "
                    f"{error})"
                ) from error
            found[row] = np.nan if answer is None else answer
        found[np.isnan(found)] = -np.inf
        return found

    def _make_pipeline(self) -> Any:
        from lenskit.pipeline import Pipeline

        try:
            whole = f"pipeline {self._source!r}"
            made = (
                self._read() if self._source.endswith(FILES) else call_own(whole, load_callable(self._source))
            )
        except (InputError, OwnCodeFailed):
            raise
        except Exception as error:
            raise InputError(
                f"recommender {self.name!r}: no pipeline ({type(error).__name__}: {error})"
            ) from error
        if not isinstance(made, Pipeline):
            raise InputError(
                f"recommender {self.name!r} makes a {type(made).__name__}; return a lenskit.pipeline.Pipeline"
            )
        return made

    def _read(self) -> Any:
        from lenskit.pipeline import Pipeline

        path = Path(self._source)
        if not path.is_file():
            raise InputError(f"{path}: there is no such pipeline file")
        check_trusted(self._source)  # it names the classes it is made of
        return Pipeline.load_config(path)


def _data(train: Ratings) -> Any:
    """Convert ratings to a LensKit data set; users and items without a rating are included."""
    import pyarrow as pa
    from lenskit.data import DatasetBuilder

    builder = DatasetBuilder()
    builder.add_entities("user", np.arange(train.users))
    builder.add_entities("item", np.arange(train.items))
    table = pa.table({"user_id": train.user, "item_id": train.item, "rating": train.value})
    builder.add_interactions("rating", table, entities=["user", "item"], missing="error", default=True)
    return builder.build()
