"""Top-N accuracy of the recommenders on MovieLens 1M, compared with reference values for the same split.

    python benchmarks/recommenders.py FOLDER [NAME ...]

FOLDER holds movies.dat, ratings.dat and users.dat; NAMES are recommenders (all built-in ones by default).
Every user's ratings are split by seed 42 into training, validation and test (8:1:1). Ranked are the items
with a training rating that the user has in neither training nor validation; relevant are all test items, or
those rated 4 or more. Seconds are processor time of fitting, which takes one thread. Exits with 1 where EASE
> ALS > Popularity > Random does not hold.
"""

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from scipy.sparse import csr_array

from measuring import print_table, read_clocks, run_command, since
from openiir.kit.items import DataSet, Split, split
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.listing import list_top_items
from openiir.scenarios.recommender.model.recommenders.named import RECOMMENDERS
from openiir.scenarios.recommender.model.topn import top_n

REFERENCE = {
    "random": ".006 .003 .003 .004 .002",
    "popularity": ".132 .069 .073 .118 .073",
    "itemknn": ".263 .147 .164 .228 .141",
    "als": ".290 .168 .195 .254 .159",
    "multvae": ".267 .161 .191 .237 .153",
    "ease": ".321 .180 .207 .287 .175",
}
"""Reference nDCG@10, F1@10 and Recall@10 of all test items, then nDCG@10 and F1@10 of liked test items."""
ORDER = ("ease", "als", "popularity", "random")
LIKED = 4
K = 10


def build_exclusion_mask(folds: Split) -> csr_array:
    """Build the mask of items not ranked: training and validation items, and items without a training
    rating."""
    users = folds.train.users
    never = np.flatnonzero(folds.train.counts == 0)
    at = (np.repeat(np.arange(users), len(never)), np.tile(never, users))
    without = csr_array((np.ones(len(at[0])), at), shape=folds.train.seen.shape)
    return csr_array(folds.train.seen + folds.validation.seen + without)


def measure_recommender(
    name: str, data: DataSet, folds: Split, exclude: csr_array
) -> tuple[list[float], float]:
    """Fit a recommender; return its accuracy in the order of REFERENCE, and CPU seconds of fitting."""
    one = recommender(name, {}, data.collection, 42, data.users)
    start = read_clocks()
    one.fit(folds.train)
    seconds = since(start).cpu
    shown = list_top_items(one, np.arange(folds.test.users), K, exclude).items
    every = top_n(shown, folds.test.matrix)
    liked = top_n(shown, folds.test.select(folds.test.value >= LIKED).matrix)
    columns = (every.ndcg, every.f1, every.recall, liked.ndcg, liked.f1)
    return [float(np.nanmean(column)) for column in columns], seconds


def main(folder: Path, names: Annotated[list[str], typer.Argument()] = tuple(RECOMMENDERS)) -> None:
    data = movielens_1m(folder)
    folds = split(data.ratings, 42)
    exclude, found = build_exclusion_mask(folds), {}

    def measure(name: str) -> tuple[str, ...]:
        means, seconds = measure_recommender(name, data, folds, exclude)
        found[name] = means[0]
        known = REFERENCE.get(name, "- - - - -").split()
        return name, *(f"{m:.4f} ({k})" for m, k in zip(means, known, strict=True)), f"{seconds:.1f}"

    head = "recommender (reference) | nDCG@10 | F1@10 | Recall@10 | nDCG@10 liked | F1@10 liked | seconds"
    print_table(head, map(measure, names))
    figures = [found[name] for name in ORDER if name in found]
    sys.exit(figures != sorted(figures, reverse=True))


if __name__ == "__main__":
    run_command(main)
