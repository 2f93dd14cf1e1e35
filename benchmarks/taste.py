"""Accuracy of agents' taste on MovieLens 1M, compared with baselines and ablations: ratings and item
discrimination.

    python benchmarks/taste.py FOLDER [--seed 42] [--without] [--only ratings|picks]

FOLDER holds movies.dat, ratings.dat and users.dat. Every user's ratings are split by the seed into training,
validation and test (8:1:1); models see training, blends and weights validation, and the tables are of test.
Taste is asked as in SimUSER (Table 1): 1,000 users with at least 10 test items, 20 items each, one picked to
m others; yes from a percentile of the user's scores on, fitted on validation tasks of 1,000 other users.
Seconds are processor time. --without adds a row for each part left out. Exits with 1 where a goal is missed,
or an error is too good to be true.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items import Collection, Ratings, Split, split
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.kit.measures import jensen_shannon
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.taste.discrimination import (
    AGAINST,
    auc,
    drawn_users,
    percentiles,
    score_answers,
    tasks,
    threshold,
)
from openiir.scenarios.recommender.model.taste.interest import Interest
from openiir.scenarios.recommender.model.taste.probit import Probit
from openiir.scenarios.recommender.model.taste.rating import RatingModel

Floats = NDArray[np.float64]
RATIOS = (1, 2, 3, 9)
TOO_GOOD = 0.82
"""RMSE below which test ratings of a random split have almost certainly leaked."""
GOALS = {"float": 0.84, "integer": 0.90, "matched": 0.95, "bits": 0.01, "uniform": 0.85, "popular": 0.78}
BLOCK = 200
missed: list[str] = []


def check_goal(name: str, value: float, most: bool) -> None:
    """Record a missed goal; with `most`, the goal is an upper bound."""
    if (value > GOALS[name]) if most else (value < GOALS[name]):
        missed.append(f"{name}: {value:.4f}, goal {GOALS[name]}")


def rmse(predicted: Floats, test: Ratings) -> float:
    return float(np.sqrt(((predicted - test.value) ** 2).mean()))


def rating_row(name: str, predicted: Floats, test: Ratings) -> None:
    """Print a table row with the errors of predictions, exact (with standard error over users) and
    rounded."""
    predicted = np.clip(predicted, 1, 5)
    squares = (predicted - test.value) ** 2
    rated = np.bincount(test.user, minlength=test.users)
    excess = np.bincount(test.user, squares - squares.mean(), test.users)
    error = np.sqrt((excess**2).sum()) / rated.sum() / 2 / np.sqrt(squares.mean())
    whole = np.floor(predicted + 0.5)
    cells = (rmse(predicted, test), error, np.abs(predicted - test.value).mean())
    integer = (rmse(whole, test), np.abs(whole - test.value).mean(), (whole == test.value).mean())
    print(
        f"| {name} | {cells[0]:.4f} | {cells[1]:.4f} | {cells[2]:.4f} | "
        f"{' | '.join(f'{v:.4f}' for v in integer)} |"
    )


def ratings_table(model: RatingModel, folds: Split, without: bool) -> None:
    train, validation, test = folds.train, folds.validation, folds.test
    print("\n| model | RMSE | s.e. | MAE | rounded: RMSE | MAE | exact |\n|---|---|---|---|---|---|---|")
    means = np.bincount(train.user, train.value, train.users) / np.bincount(train.user, minlength=train.users)
    rating_row("mean of all", np.full(len(test), train.mean), test)
    rating_row("user's mean", means[test.user], test)
    rating_row("item's mean", np.where(train.counts, train.item_means, train.mean)[test.item], test)
    said, rehearsed = model.said(test.user, test.item), model.said(validation.user, validation.item)
    for name, column in zip(model.parts, said.T, strict=True):
        rating_row(name, column, test)
    blend = model.predict(test.user, test.item)
    rating_row("**blend**", blend, test)
    check_goal("float", rmse(blend, test), most=True)
    check_goal("integer", rmse(np.floor(blend + 0.5), test), most=True)
    if rmse(blend, test) < TOO_GOOD:
        missed.append(f"an error of {rmse(blend, test):.4f} is too good to be true: look for the leak")
    if without:
        for name in model.parts:
            fewer = model.only(tuple(n for n in model.parts if n != name), validation, rehearsed)
            weights = np.array([fewer.weights.get(n, 0.0) for n in model.parts])
            rating_row(f"without {name}", (said - model.mean) @ weights + model.mean + fewer.intercept, test)
    whole_ratings(model, blend, folds)


def whole_ratings(model: RatingModel, blend: Floats, folds: Split) -> None:
    """Print errors of whole ratings, and the divergence of their distribution from the real one."""
    rehearsal = model.predict(folds.validation.user, folds.validation.item)
    probit = Probit.fit(folds.train, rehearsal, folds.validation)
    rows = {
        "rounded": np.floor(blend + 0.5),
        "most likely": probit.likeliest(blend),
    }
    real = np.bincount(folds.test.value.astype(np.int64), minlength=6)[1:]
    print(f"\nOrdered probit: r2 = {probit.r2:.3f}, cut points {probit.cuts.round(3).tolist()}")
    print("\n| whole ratings | RMSE | MAE | exact | Jensen-Shannon, bits |\n|---|---|---|---|---|")
    for name, found in rows.items():
        counts = np.bincount(np.floor(found + 0.5).astype(np.int64), minlength=6)[1:]
        bits = jensen_shannon(counts, real) / np.log(2)
        errors = (
            rmse(found, folds.test),
            np.abs(found - folds.test.value).mean(),
            (found == folds.test.value).mean(),
        )
        print(f"| {name} | {' | '.join(f'{v:.4f}' for v in errors)} | {bits:.5f} |")
        if name == "quantile-matched":
            check_goal("matched", errors[0], most=True)
            check_goal("bits", bits, most=True)


def rank_task_items(
    score: Callable[..., Floats], fold: Ratings, folds: Split, users: NDArray[np.int64], against: str
) -> list[tuple]:
    """Return, for each ratio, percentiles and scores of the tasks' items, and which are positive."""
    asked = [tasks(fold, (folds.train, folds.validation, folds.test), users, m, against, 11) for m in RATIOS]
    found = [([], []) for _ in RATIOS]
    for start in range(0, len(users), BLOCK):
        some = users[start : start + BLOCK]
        scores = score(some)
        among = (folds.train.counts > 0) & ~folds.train.seen[some].toarray().astype(bool)
        for (places, kept), task in zip(found, asked, strict=True):
            items = task.items[start : start + BLOCK]
            places.append(percentiles(scores, among, items))
            kept.append(np.take_along_axis(scores, items, axis=1))
    return [(np.vstack(p), np.vstack(s), t.truth) for (p, s), t in zip(found, asked, strict=True)]


def picks_row(name: str, score: Callable[..., Floats], folds: Split, who: tuple, against: str) -> float:
    """Print a row with AUC, accuracy/precision/recall/F1 at each ratio, and F1 if the ratio is known."""
    others, judged = who
    rehearsed = rank_task_items(score, folds.validation, folds, others, against)
    real = rank_task_items(score, folds.test, folds, judged, against)
    blind = threshold(rehearsed[0][0], rehearsed[0][2], "accuracy")
    cells = []
    for (places, _, truth), (before, _, _), m in zip(real, rehearsed, RATIOS, strict=True):
        found = {key: values.mean() for key, values in score_answers(places >= blind, truth).items()}
        aware = score_answers(places >= threshold(before, truth, "f1"), truth)["f1"].mean()
        told = "/".join(f"{found[key]:.3f}" for key in ("accuracy", "precision", "recall", "f1"))
        cells.append(told + (f" | {found['balanced']:.3f} | {aware:.3f}" if m == RATIOS[-1] else ""))
    first = score_answers(real[0][0] >= blind, real[0][2])["accuracy"]
    areas = auc(real[0][1], int(real[0][2].sum()))
    error = first.std(ddof=1) / np.sqrt(len(first))
    print(f"| {name} | {areas.mean():.3f} | {error:.4f} | {' | '.join(cells)} |", flush=True)
    return float(first.mean())


def picks_tables(model: RatingModel, folds: Split, collection: Collection, without: bool) -> None:
    judged = drawn_users(folds.test, 7)
    others = drawn_users(folds.validation, 8, besides=judged)
    apart = ~np.isin(folds.validation.user, np.concatenate([judged, others]))
    fitting = folds.validation.select(apart)
    begun = time.process_time()
    interest = Interest.fit(folds.train, fitting, collection, 1, model)
    print(
        f"\nInterest fitted in {time.process_time() - begun:.1f} s on {len(np.unique(fitting.user))} users' "
        f"picks"
    )
    baselines = {name: recommender(name, {}, collection, 42) for name in ("popularity", "itemknn", "ease")}
    for one in baselines.values():
        one.fit(folds.train)
    for against in AGAINST:
        weights = dict(
            zip([*interest.signals, "constant"], interest.weights[against].round(2).tolist(), strict=True)
        )
        print(f"\nOthers drawn: {against}; weights {weights}\n")
        print(
            "| scorer | AUC | s.e. of 1:1 | 1:1 acc/prec/rec/F1 | 1:2 | 1:3 | 1:9 blind | balanced | 1:9 "
            "aware F1 |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        who = (others, judged)
        for name, one in baselines.items():
            picks_row(name, lambda users, one=one: np.round(one.scores(users), 9), folds, who, against)
        for name, part in interest.signals.items():
            picks_row(
                f"{name} alone", lambda users, part=part: np.round(part.block(users), 9), folds, who, against
            )
        full = picks_row(
            "**interest**", lambda users, a=against: interest.block(users, a), folds, who, against
        )
        check_goal(against, full, most=False)
        for name in interest.signals if without else ():
            fewer = interest.only(tuple(n for n in interest.signals if n != name)).reweigh(
                folds.train, fitting, 1
            )
            picks_row(f"without {name}", lambda u, f=fewer, a=against: f.block(u, a), folds, who, against)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--only", choices=("ratings", "picks"))
    options = parser.parse_args()
    data = movielens_1m(options.folder)
    folds = split(data.ratings, options.seed)
    begun, clock = time.process_time(), time.time()
    model = RatingModel.fit(folds.train, folds.validation, data.collection, 1)
    weights = {name: round(weight, 3) for name, weight in model.weights.items()}
    print(
        f"Rating model fitted in {time.process_time() - begun:.1f} s ({time.time() - clock:.1f} s of wall "
        f"time): {weights}"
    )
    if options.only != "picks":
        ratings_table(model, folds, options.without)
    if options.only != "ratings":
        picks_tables(model, folds, data.collection, options.without)
    print(f"\nPeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    if missed:
        sys.exit("\n".join(missed))


if __name__ == "__main__":
    main()
