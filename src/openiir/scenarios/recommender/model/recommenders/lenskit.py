"""LensKit pipelines as recommenders (Ekstrand, "LensKit for Python", CIKM 2020).

Needs the extra `lenskit`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
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
        self._source, self._component, self._seed = pipeline, options.component, seed
        self._items = len(collection)
        self._pipeline = self._make_pipeline()

    def fit(self, train: Ratings) -> None:
        import torch
        from lenskit.training import TrainingOptions

        self._pipeline = self._make_pipeline()
        # Some components draw from torch's own generator, whatever seed they are given.
        with (
            self._explain("cannot be trained"),
            time_own_code(f"recommender {self.name!r}"),
            torch.random.fork_rng(devices=[]),
        ):
            torch.manual_seed(self._seed)
            self._pipeline.train(_data(train), TrainingOptions(rng=self._seed))

    def scores(self, users: Ints) -> Floats:
        from lenskit import score
        from lenskit.data import ItemList

        items = ItemList(item_ids=np.arange(self._items))
        found = np.empty((len(users), self._items))
        for row, user in enumerate(users.tolist()):
            with self._explain(f"cannot score for user {user}"):
                answer = score(self._pipeline, user, items, component=self._component).scores()
            found[row] = np.nan if answer is None else answer
        found[np.isnan(found)] = -np.inf
        return found

    @contextmanager
    def _explain(self, what: str) -> Iterator[None]:
        """Turn an exception of LensKit or of a component into an InputError that says what failed."""
        try:
            yield
        except (InputError, OwnCodeFailed):
            raise
        except Exception as error:
            raise InputError(f"recommender {self.name!r} {what} ({type(error).__name__}: {error})") from error

    def _make_pipeline(self) -> Any:
        from lenskit.pipeline import Pipeline

        with self._explain("has no pipeline"):
            if not self._source.endswith(FILES):
                made = call_own(f"pipeline {self._source!r}", load_callable(self._source))
            elif not Path(self._source).is_file():
                raise InputError(f"{self._source}: there is no such pipeline file")
            else:
                check_trusted(self._source)  # it names the classes it is made of
                made = Pipeline.load_config(Path(self._source))
        if not isinstance(made, Pipeline):
            raise InputError(
                f"recommender {self.name!r} makes a {type(made).__name__}; return a lenskit.pipeline.Pipeline"
            )
        return made


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
