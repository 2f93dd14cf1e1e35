"""Load and split the data of a study, and choose the users who visit."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from openiir.kit.items import DataSet, Split, load, split
from openiir.kit.items.ratings import Ints
from openiir.plugin import Draw, InputError, Stage, order_by
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.model.attraction import (
    whole_stars,
)
from openiir.scenarios.recommender.run.actions import DataRead

LEAST = 5
"""Smallest number of training ratings of a user who is chosen as a visitor."""


def load_data(config: RecommenderConfig, folder: Path, newcomers: int) -> tuple[DataSet, Split]:
    """Load the data set and split it, with `newcomers` further users without ratings."""
    data = load(config.data, folder)
    if not len(data.ratings):
        raise InputError(
            f"{data.name} has {len(data.collection)} items and no ratings, but a recommender study "
            "takes its visitors and what "
            "recommenders learn from ratings; name a file of them in config.data.ratings"
        )
    return data, _split(data, config.data_seed, config.held_out, config.published_split, newcomers)


@lru_cache(maxsize=4)
def _split(data: DataSet, seed: int, held_out: float, published: bool, newcomers: int) -> Split:
    if published and data.published is None:
        raise InputError(
            f"config.published_split = true, but {data.name} comes without a split; leave it out"
        )
    own = data.published if published else None
    folds = own or split(data.ratings, seed, held_out, held_out)
    if not newcomers:
        return folds
    return Split(
        *(replace(fold, users=fold.users + newcomers) for fold in (folds.train, folds.validation, folds.test))
    )


def choose_users(config: RecommenderConfig, data: DataSet, split: Split, own: int) -> Ints:
    """Draw the users who visit, as ascending indices (visitors,).

    `own` personas of the study take places of theirs. They are drawn by `data_seed`, each user's place by its
    own id, so that a larger number includes the smaller one's. Raises InputError where too few users have
    enough ratings.
    """
    enough = np.bincount(split.train.user, minlength=data.ratings.users) >= LEAST
    asked = f"at least {LEAST} training ratings"
    if config.experiment == "discrimination":
        least = config.discrimination.least
        enough &= np.bincount(split.test.user, minlength=data.ratings.users) >= least
        asked += f" and {least} in the test fold (config.discrimination.least)"
    fit = np.flatnonzero(enough)
    wanted = max(0, config.users - own)
    if len(fit) < wanted:
        raise InputError(
            f"config.users = {config.users}, but of {data.ratings.users} users of {data.name} {len(fit)} "
            f"have {asked}; take at most {len(fit) + own}"
        )
    keys = Draw(config.data_seed, "recommender.visitors").bits(agent=fit)
    return np.sort(fit[order_by(keys)[:wanted]])


def log_data(stage: Stage, data: DataSet, folds: Split) -> None:
    """Log the data set of a run and the sizes of its folds."""
    noted = DataRead(
        name=data.name,
        noun=data.collection.kind,
        digest=data.digest,
        licence=data.licence,
        users=data.ratings.users,
        items=len(data.collection),
        ratings=len(data.ratings),
        train=len(folds.train),
        validation=len(folds.validation),
        test=len(folds.test),
        skipped=data.skipped,
        notes=data.notes,
        shares=tuple(np.bincount(whole_stars(folds.train).value.astype(np.int64), minlength=6)[1:].tolist()),
        duplicates=stage.config.data.rules.duplicates,
        strict=stage.config.data.rules.strict,
    )
    stage.act(None, noted)
