"""What a run starts from: the data, split, and everything that visitors know before they come."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.items import DataSet, Guard, Ratings, Split, load, split
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.minds import Fitted, of_five
from openiir.scenarios.recommender.visitor import Common, Visitor


@dataclass(frozen=True, eq=False)
class Ground:
    """What all experiments stand on."""

    data: DataSet
    split: Split
    guard: Guard
    common: Common
    visitors: tuple[Visitor, ...]
    fitted: Fitted
    folder: Path
    """The study's, from which relative paths start."""

    def baselines(self, users: Ints, items: Ints) -> dict[str, Floats]:
        """What simple models say of (user, item) pairs, on 1 to 5: the item's mean, and user and item bias."""
        train, bias = self.split.train, self.fitted.bias
        low, high = train.scale.low, train.scale.high
        said = bias.mean + bias.users[users] + bias.items[items]
        means = np.where(np.isnan(train.item_means), train.mean, train.item_means)[items]
        return {"item_mean": of_five(means, low, high), "bias": np.clip(of_five(said, low, high), 1, 5)}

    @property
    def users(self) -> Ints:
        """(visitors,): their indices in the data; personas of the study come last."""
        return np.array([visitor.user for visitor in self.visitors], dtype=np.int64)

    @property
    def ids(self) -> tuple[str, ...]:
        """What each user is called: as in the data, and newcomers by their persona."""
        newcomers = (v.persona.id for v in self.visitors if v.user >= self.data.ratings.users)
        return (*self.data.users, *newcomers)

    @cached_property
    def known(self) -> Any:
        """CSR (users, items): what is never recommended, since a user has it in training or validation."""
        return self.split.train.seen + self.split.validation.seen

    @property
    def known_or_held_out(self) -> Any:
        """As `known`, with what is held out for the test."""
        return self.known + self.split.test.seen


def data_of(config: RecommenderConfig, folder: Path, newcomers: int) -> tuple[DataSet, Split]:
    """The data set and its split, with room for so many users who have rated nothing."""
    data = load(config.data, folder)
    if not len(data.ratings):
        raise InputError(
            f"{data.name} has {len(data.collection)} items and no ratings, but a recommender study takes its visitors and what "
            "recommenders learn from ratings; name a file of them in config.data.ratings"
        )
    return data, _folds(data, config.data_seed, config.held_out, config.published_split, newcomers)


@lru_cache(maxsize=4)
def _folds(data: DataSet, seed: int, held_out: float, published: bool, newcomers: int) -> Split:
    if published and data.published is None:
        raise InputError(
            f"config.published_split = true, but {data.name} comes without a split; leave it out"
        )
    own = data.published if published else None
    folds = own or split(data.ratings, seed, held_out, held_out)
    return Split(*(_with_room(fold, newcomers) for fold in (folds.train, folds.validation, folds.test)))


def _with_room(fold: Ratings, newcomers: int) -> Ratings:
    users = fold.users + newcomers
    return Ratings(users, fold.items, fold.user, fold.item, fold.value, fold.scale) if newcomers else fold


def known_by(train: Ratings) -> Floats:
    """(items,): how widely each is known, as the share of items that fewer people rated."""
    from scipy.stats import rankdata

    return np.asarray((rankdata(train.counts, method="min") - 1) / max(1, train.items - 1))
