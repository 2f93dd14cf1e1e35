"""Measures of the reference feed under four rankers, compared with an independent implementation of the
model.

Those are means and standard deviations over ten seeds (1 seed a row of draws) of a prototype that shares no
code with this one. A mean over n seeds is accepted within 3 SD / sqrt(n) x 1.5 of the prototype's. Exits with
1 where an ordering of the rankers does not hold, or a mean lies outside.

    python benchmarks/reference_feed.py [--seeds 10] [--first 1]
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from measuring import run_command, run_study
from openiir.core.storage import Log, RunFile
from openiir.scenarios.curated_feed import CuratedFeed

MEASURES = ("opinion_variance", "click_rate", "oracle_tau", "exposure_entropy.per_user", "item_gini", "drift")
PROTOTYPE = {
    "random": "0.0680 0.0021  0.0869 0.0015  -0.004 0.017  0.9983 0.0001  0.107 0.001  0.311 0.005",
    "popularity": "0.0641 0.0019  0.0983 0.0020  0.006 0.020  0.9982 0.0008  0.833 0.002  0.342 0.014",
    "history": "0.1041 0.0019  0.1281 0.0028  0.441 0.022  0.9014 0.0008  0.277 0.015  0.597 0.010",
    "similarity": "0.1137 0.0022  0.1583 0.0021  1.0 0.0  0.9063 0.0021  0.139 0.009  0.389 0.008",
}
"""Mean and SD of each measure in the independent implementation."""
ORDERINGS = (
    ("opinion_variance", ("popularity", "random", "history", "similarity", "none")),
    ("click_rate", ("random", "popularity", "history", "similarity")),
    ("item_gini", ("random", "similarity", "history", "popularity")),
    ("drift", ("random", "popularity", "similarity", "history")),
)
"""Expected orderings of the rankers by each measure, ascending."""


def measured(seeds):
    """Run the study with these seeds; return {(ranker, measure): values}."""
    found = {}
    for seed in seeds:
        sets = [f"seed={seed}", "config.kept=0.0", "config.evaluate=[]"]
        with (
            TemporaryDirectory() as scratch,
            RunFile.open(run_study("curated_feed", Path(scratch) / "run", sets=sets)) as run,
        ):
            for name, measure in CuratedFeed().metrics(Log(run)).items():
                feed, _, of = name.rpartition("/")
                found.setdefault((feed or "similarity", of), []).append(measure.value)
    return {key: np.array(values) for key, values in found.items()}


def compared(found):
    """Yield (ranker, measure, mean, SD, reference mean, reference SD, tolerance, whether within it)."""
    for ranker, values in PROTOTYPE.items():
        pairs = np.array(values.split(), dtype=np.float64).reshape(-1, 2)
        for name, (mean, sd) in zip(MEASURES, pairs, strict=True):
            ours = found[ranker, name]
            band = 4.5 * sd / np.sqrt(len(ours))
            spread = ours.std(ddof=1) if len(ours) > 1 else np.nan
            yield ranker, name, ours.mean(), spread, mean, sd, band, abs(ours.mean() - mean) <= band + 1e-9


def ordered(found):
    """Yield each expected ordering and whether it holds."""
    for name, rankers in ORDERINGS:
        means = [found[ranker, name].mean() for ranker in rankers]
        yield f"{name}: {' < '.join(rankers)}", means == sorted(means)


def main(seeds: int = 10, first: int = 1) -> None:
    found = measured(range(first, first + seeds))
    print(f"seeds {first} to {first + seeds - 1}")
    print(f"{'ranker':11} {'measure':26} {'mean':>8} {'SD':>7}  {'prototype':>9} {'SD':>7} {'band ±':>7}")
    good = True
    for ranker, name, mean, sd, theirs, their_sd, band, within in compared(found):
        good &= within
        row = f"{ranker:11} {name:26} {mean:8.4f} {sd:7.4f}  {theirs:9.4f} {their_sd:7.4f} {band:7.4f}"
        print(row, "" if within else " outside")
    for words, holds in ordered(found):
        good &= holds
        print(words, "holds" if holds else "does NOT hold")
    start = found["none", "opinion_variance"]
    variance = f"{start.mean():.4f}, SD {start.std(ddof=1):.4f}"
    print(f"variance without a feed: {variance} (prototype: 0.119, SD 0.004)")
    sys.exit(not good)


if __name__ == "__main__":
    run_command(main)
