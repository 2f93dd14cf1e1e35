"""Checkpoints between weeks: write the state of a run as arrays, and restore a run from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items import INJECTED, Catalogue
from openiir.plugin import Log
from openiir.scenarios.curated_feed.behaviour.feed_state import COLUMNS, FeedState
from openiir.scenarios.curated_feed.behaviour.members import FeedCast
from openiir.scenarios.curated_feed.behaviour.platform import Platform

Arrays = Mapping[str, NDArray[Any]]


def checkpoint_arrays(
    platform: Platform, feeds: Sequence[FeedState], casts: Sequence[FeedCast]
) -> dict[str, NDArray[Any]]:
    """Collect the state of a run between two weeks as arrays; the catalogue is in the log."""
    arrays: dict[str, NDArray[Any]] = {"clock": np.array([platform.week, platform.sessions])}
    for n, (population, cast) in enumerate(zip(feeds, casts, strict=True)):
        arrays |= {f"feed{n}_{name}": getattr(population, name) for name in COLUMNS}
        arrays |= {f"feed{n}_start": population.start} if population.start.flags.writeable else {}
        arrays |= {f"feed{n}_{name}": array for name, array in cast.state.items()}
    return arrays


def restore_checkpoint(
    arrays: Arrays, log: Log, platform: Platform, feeds: Sequence[FeedState], casts: Sequence[FeedCast]
) -> None:
    """Restore platform, feeds and casts to the state that the arrays hold."""
    week, platform.sessions = (int(number) for number in arrays["clock"])
    platform.restore(week, _catalogue(log, platform.coming))
    for n, (population, cast) in enumerate(zip(feeds, casts, strict=True)):
        for name in COLUMNS:
            setattr(population, name, arrays[f"feed{n}_{name}"].copy())
        if f"feed{n}_start" in arrays:
            population.start = arrays[f"feed{n}_start"].copy()
        cast.restore({name: arrays[f"feed{n}_{name}"] for name in cast.state}, log)


def _catalogue(log: Log, coming: Catalogue) -> Catalogue:
    """Rebuild the catalogue from the log, injected items included."""
    rows = log.columns("catalogue")
    theta = np.stack([rows[f"topic_{topic + 1}"] for topic in range(coming.k)], axis=1)
    names = None if coming.names is None else tuple(rows["id"])
    injected, week = rows["injected"], rows["week"].astype(np.int64)
    numbers = np.where(injected, INJECTED + np.cumsum(injected), np.cumsum(~injected)) - 1
    return Catalogue(coming.topics, theta, rows["valence"], rows["quality"], week, names, numbers)
