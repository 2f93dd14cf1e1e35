"""Reader of the Open Bandit logs: a fashion shop's impressions under two policies, with true propensities.

Data and paper: Saito, Aihara, Matsutani & Narita, "Open Bandit Dataset and Pipeline", NeurIPS Datasets and
Benchmarks 2021. A row is one item at one position; whole slates are not marked, so only item-position
estimates can be had, in clicks an impression.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

_PROFILE = [f"user_feature_{n}" for n in range(4)]
_COLUMNS = ["item_id", "position", "click", "propensity_score", *_PROFILE]


@dataclass(frozen=True)
class Impressions:
    """Impressions of one Open Bandit log; all arrays are (n,).

    The data names no users. `profile` numbers the combinations of the four hashed user features, the nearest
    to a user that there is: what is resampled for intervals.
    """

    item: NDArray[np.int64]
    position: NDArray[np.int64]
    """Position on the page: 1 left, 2 centre, 3 right."""
    click: NDArray[np.float64]
    propensity: NDArray[np.float64]
    """Probability of showing this item at this position at that time."""
    profile: NDArray[np.int64]

    def logged(self) -> Logged:
        """Return the log as slates of one position each."""
        p = self.propensity[:, None]
        return Logged(clicks=self.click[:, None], user=self.profile, item_position=p, prefix=p)

    def as_served(self) -> Target:
        """Return the logging policy as target; its value is the click rate."""
        return _target(self.propensity)

    def uniform(self, items: int) -> Target:
        """Return the policy that shows all items equally often as target."""
        return _target(np.full(len(self.item), 1 / items))

    def averaged(self, other: "Impressions") -> Target:
        """Return the other log's policy, averaged over time, as target.

        Its true propensities are known only for what it showed when it did. The shares estimate their
        average; the mean of its logged propensities would not, because what was likely was logged more often.
        """
        items = int(max(self.item.max(), other.item.max())) + 1
        cells = other.position * items + other.item
        shown = np.bincount(cells, minlength=(int(self.position.max()) + 1) * items)
        at = np.bincount(other.position, minlength=int(self.position.max()) + 1)
        share = shown[self.position * items + self.item] / np.maximum(at[self.position], 1)
        return _target(share)


def read_openbandit(path: Path | str) -> Impressions:
    """Read one log, such as `random/men/men.csv`. Raises InputError for any other file."""
    from pyarrow import ArrowException
    from pyarrow import csv as arrow

    try:
        table = arrow.read_csv(Path(path), convert_options=arrow.ConvertOptions(include_columns=_COLUMNS))
    except FileNotFoundError:
        raise InputError(
            f"there is no file {path}; an Open Bandit log is a CSV such as random/men/men.csv"
        ) from None
    except (ArrowException, KeyError, OSError) as why:
        raise InputError(f"{path} is no Open Bandit log (columns {', '.join(_COLUMNS)}): {why}") from None
    if not table.num_rows:
        raise InputError(f"{path} holds no impressions")
    try:
        numbers = {name: _numbers(table, name) for name in _COLUMNS[:4]}
    except (ValueError, TypeError) as why:
        raise InputError(
            f"{path} holds what is no number, in one of {', '.join(_COLUMNS[:4])}: {why}"
        ) from None
    keys = np.stack(
        [table.column(name).to_numpy(zero_copy_only=False).astype(str) for name in _PROFILE], axis=1
    )
    profile = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    return Impressions(
        item=numbers["item_id"].astype(np.int64),
        position=numbers["position"].astype(np.int64),
        click=numbers["click"],
        propensity=numbers["propensity_score"],
        profile=profile.astype(np.int64),
    )


def _numbers(table: Any, name: str) -> NDArray[np.float64]:
    column = table.column(name).to_numpy(zero_copy_only=False).astype(np.float64)
    if not np.isfinite(column).all():
        raise ValueError(f"{name} has missing values")
    return np.asarray(column)


def _target(p: NDArray[np.float64]) -> Target:
    column = p[:, None]
    return Target(position=column, prefix=column, unsupported=np.zeros_like(column))
