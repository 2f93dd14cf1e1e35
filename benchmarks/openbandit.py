"""Off-policy estimates on Open Bandit data: each policy's value from the other policy's log, and its true
value.

    python benchmarks/openbandit.py FOLDER

FOLDER holds `random/men/men.csv` and `bts/men/men.csv`, as in the sample that comes with the Open Bandit
Pipeline (github.com/st-tech/zr-obp, folder `obd`): a fashion shop's impressions under two policies, with true
propensities (Saito, Aihara, Matsutani & Narita, NeurIPS Datasets and Benchmarks 2021). A row is one item at
one position; whole slates are not marked, so only item-position estimates can be had, in clicks an
impression. Values are clicks in a thousand impressions, with 95 % intervals by resampling user profiles.
Exits with 1 where an interval misses the value earned.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pyarrow import csv

from measuring import print_table, run_command
from openiir.core.seeds import Draw
from openiir.scenarios.curated_feed.model.off_policy.estimators import OffPolicyRules, estimate
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

ITEMS = 34
DRAW = Draw(2_026, "benchmark.openbandit")
PROFILE = [f"user_feature_{n}" for n in range(4)]
ESTIMATORS = (("IPS", "iips", None), ("SNIPS", "snips", None), ("IPS, weights up to 20", "iips", 20.0))


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


def read_openbandit(path: Path) -> Impressions:
    """Read one log, such as `random/men/men.csv`."""
    columns = ["item_id", "position", "click", "propensity_score", *PROFILE]
    table = csv.read_csv(path, convert_options=csv.ConvertOptions(include_columns=columns)).to_pydict()
    item, position, click, propensity = (np.array(table[name], dtype=np.float64) for name in columns[:4])
    keys = np.stack([np.array(table[name], dtype=str) for name in PROFILE], axis=1)
    profile = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    return Impressions(item.astype(np.int64), position.astype(np.int64), click, propensity, profile)


def _target(p: NDArray[np.float64]) -> Target:
    column = p[:, None]
    return Target(position=column, prefix=column, unsupported=np.zeros_like(column))


def main(folder: Path) -> None:
    random, bts = (read_openbandit(folder / policy / "men" / "men.csv") for policy in ("random", "bts"))
    rows, held = [], True
    for of, earned, log, target in (
        ("uniform", random, bts, bts.uniform(ITEMS)),
        ("Thompson", bts, random, random.averaged(bts)),
    ):
        true = estimate("iips", earned.logged(), earned.as_served(), DRAW, OffPolicyRules())
        found = {f"{of}, earned": true}
        for name, estimator, clip in ESTIMATORS:
            one = estimate(estimator, log.logged(), target, DRAW, OffPolicyRules(clip=clip))
            held &= one.low <= true.value.value <= one.high
            found[f"{of}, {name}"] = one
        for what, one in found.items():
            value, low, high = (f"{1_000 * x:.2f}" for x in (one.value.value, one.low, one.high))
            weights = f"{one.largest_share:.4f}", f"{one.mean_weight:.3f}", f"{one.clipped:.3f}"
            rows.append((what, value, f"{low} to {high}", f"{one.ess:,.0f}", *weights))
    head = "value of, by | clicks in 1,000 | 95 % interval | ESS | largest share | mean weight | clipped"
    print_table(head, rows)
    sys.exit(not held)


if __name__ == "__main__":
    run_command(main)
