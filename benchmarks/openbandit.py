"""Off-policy estimates on Open Bandit data: each policy's value from the other policy's log, and its true
value.

    python benchmarks/openbandit.py FOLDER

FOLDER holds `random/men/men.csv` and `bts/men/men.csv`, as in the sample that comes with the Open Bandit
Pipeline (github.com/st-tech/zr-obp, folder `obd`). Values are clicks in a thousand impressions, with 95 %
intervals by resampling user profiles. Exits with 1 where an interval misses the value earned.
"""

import argparse
import sys
from pathlib import Path

from openbandit_log import Impressions, read_openbandit
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.scenarios.curated_feed.model.off_policy.estimators import OffPolicyRules, estimate
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

ITEMS = 34
DRAW = Draw(2_026, "benchmark.openbandit")


def row(
    what: str, estimator: str, log: Logged, target: Target, clip: float | None = None
) -> tuple[float, float, float]:
    found = estimate(estimator, log, target, DRAW, OffPolicyRules(clip=clip))
    value, low, high = (1_000 * x for x in (found.value.value, found.low, found.high))
    print(
        f"| {what} | {value:.2f} | {low:.2f} to {high:.2f} | {found.ess:,.0f} | {found.largest_share:.4f} "
        f"| {found.mean_weight:.3f} | {found.clipped:.3f} |"
    )
    return value, low, high


def direction(of: str, earned: Impressions, log: Impressions, target: Target) -> bool:
    value, _, _ = row(f"{of}, earned", "iips", earned.logged(), earned.as_served())
    held = True
    for name, estimator, clip in (
        ("IPS", "iips", None),
        ("SNIPS", "snips", None),
        ("IPS, weights up to 20", "iips", 20.0),
    ):
        _, low, high = row(f"{of}, {name}", estimator, log.logged(), target, clip)
        held &= low <= value <= high
    return held


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    try:
        random, bts = (read_openbandit(folder / policy / "men" / "men.csv") for policy in ("random", "bts"))
    except InputError as why:
        sys.exit(str(why))
    print("| value of, by | clicks in 1,000 | 95 % interval | ESS | largest share | mean weight | clipped |")
    print("|---|---|---|---|---|---|---|")
    held = [
        direction("uniform", random, bts, bts.uniform(ITEMS)),
        direction("Thompson", bts, random, random.averaged(bts)),
    ]
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
