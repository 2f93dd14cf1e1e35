"""Accuracy of agents' taste on MovieLens 1M, compared with baselines and ablations: ratings and item
discrimination.

    python benchmarks/taste.py FOLDER [--without]

FOLDER holds movies.dat, ratings.dat and users.dat. Every user's ratings are split by seed 42 into training,
validation and test (8:1:1); models see training, blends and weights validation, and the tables are of test.
Taste is asked as in SimUSER (Table 1): 1,000 users with at least 10 test items, 20 items each, one picked to
m others; yes from a percentile of the user's scores on, fitted on validation tasks of 1,000 other users.
Seconds are processor time. --without adds a row for each part left out. Exits with 1 where a goal is missed,
or an error is too good to be true.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from measuring import peak_megabytes, print_table, read_clocks, run_command, since
from openiir.kit.items import Collection, Ratings, Split, split
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.kit.measures import jensen_shannon
from openiir.scenarios.recommender.measures.discrimination import discrimination
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.taste.blocks import at_pairs
from openiir.scenarios.recommender.model.taste.discrimination import (
    AGAINST,
    draw_users,
    percentiles,
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
GOALS = {"float": 0.84, "integer": 0.90, "uniform": 0.85, "popular": 0.78}
BLOCK = 200
missed: list[str] = []


def check_goal(name: str, value: float, most: bool) -> None:
    """Record a missed goal; with `most`, the goal is an upper bound."""
    if (value > GOALS[name]) if most else (value < GOALS[name]):
        missed.append(f"{name}: {value:.4f}, goal {GOALS[name]}")


def rmse(predicted: Floats, test: Ratings) -> float:
    return float(np.sqrt(((predicted - test.value) ** 2).mean()))


def rating_row(name: str, predicted: Floats, test: Ratings) -> tuple[str, ...]:
    """Build a row with the errors of predictions, exact (with standard error over users) and rounded."""
    predicted = np.clip(predicted, 1, 5)
    squares = (predicted - test.value) ** 2
    excess = np.bincount(test.user, squares - squares.mean(), test.users)
    error = np.sqrt((excess**2).sum()) / len(test) / 2 / np.sqrt(squares.mean())
    cells = (rmse(predicted, test), error, np.abs(predicted - test.value).mean())
    return name, *(f"{cell:.4f}" for cell in cells), *whole_errors(np.floor(predicted + 0.5), test)


def whole_errors(whole: Floats, test: Ratings) -> tuple[str, ...]:
    """Compute RMSE, MAE and the share of exact ones of whole ratings."""
    errors = rmse(whole, test), np.abs(whole - test.value).mean(), (whole == test.value).mean()
    return tuple(f"{error:.4f}" for error in errors)


def ratings_table(model: RatingModel, folds: Split, without: bool) -> None:
    train, validation, test = folds.train, folds.validation, folds.test
    means = np.bincount(train.user, train.value, train.users) / np.bincount(train.user, minlength=train.users)
    blend = model.predict(test.user, test.item)
    rows = {
        "mean of all": np.full(len(test), train.mean),
        "user's mean": means[test.user],
        "item's mean": np.where(train.counts, train.item_means, train.mean)[test.item],
        **{name: at_pairs(part.block, test.user, test.item) for name, part in model.parts.items()},
        "**blend**": blend,
    }
    for name in model.parts if without else ():
        fewer = model.only([n for n in model.parts if n != name], validation)
        rows[f"without {name}"] = fewer.predict(test.user, test.item)
    print()
    head = "model | RMSE | s.e. | MAE | rounded: RMSE | MAE | exact"
    print_table(head, (rating_row(name, predicted, test) for name, predicted in rows.items()))
    check_goal("float", rmse(blend, test), most=True)
    check_goal("integer", rmse(np.floor(blend + 0.5), test), most=True)
    if rmse(blend, test) < TOO_GOOD:
        missed.append(f"an error of {rmse(blend, test):.4f} is too good to be true: look for the leak")
    whole_ratings(model, blend, folds)


def whole_ratings(model: RatingModel, blend: Floats, folds: Split) -> None:
    """Print errors of whole ratings, and the divergence of their distribution from the real one."""
    rehearsal = model.predict(folds.validation.user, folds.validation.item)
    probit = Probit.fit(folds.train, rehearsal, folds.validation)
    real, rows = count_stars(folds.test.value), []
    for name, found in (
        ("rounded", np.floor(blend + 0.5)),
        ("most likely", probit.most_likely_rating(blend)),
    ):
        bits = jensen_shannon(count_stars(found), real) / np.log(2)
        rows.append((name, *whole_errors(found, folds.test), f"{bits:.5f}"))
    print(f"\nOrdered probit: r2 = {probit.r2:.3f}, cut points {probit.cuts.round(3).tolist()}\n")
    print_table("whole ratings | RMSE | MAE | exact | Jensen-Shannon, bits", rows)


def count_stars(ratings: Floats) -> NDArray[np.int64]:
    return np.bincount(np.floor(ratings + 0.5).astype(np.int64), minlength=6)[1:]


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


def picks_row(score: Callable[..., Floats], folds: Split, who: tuple, against: str) -> tuple[object, ...]:
    """Measure AUC, accuracy/precision/recall/F1 at each ratio, and F1 if the ratio is known."""
    others, judged = who
    rehearsed = rank_task_items(score, folds.validation, folds, others, against)
    real = rank_task_items(score, folds.test, folds, judged, against)
    blind = threshold(rehearsed[0][0], rehearsed[0][2], "accuracy")
    sure = [blind] * len(RATIOS) + [threshold(rehearsed[-1][0], real[-1][2], "f1")]
    means = []
    for (places, scores, truth), least in zip([*real, real[-1]], sure, strict=True):
        user, positive = np.repeat(np.arange(len(places)), len(truth)), np.tile(truth, len(places))
        means.append(discrimination(user, positive, places.ravel() >= least, scores.ravel()).means())
    told = [[found[key].value for key in ("accuracy", "precision", "recall", "f1")] for found in means[:-1]]
    cells = ["/".join(f"{value:.3f}" for value in row) for row in told]
    first, last, aware = means[0], means[-2]["balanced_accuracy"], means[-1]["f1"]
    error = first["accuracy"].standard_error
    ends = f"{last.value:.3f}", f"{aware.value:.3f}", first["accuracy"].value
    return f"{first['auc'].value:.3f}", f"{error:.4f}", *cells, *ends


def picks_tables(model: RatingModel, folds: Split, collection: Collection, without: bool) -> None:
    judged = draw_users(folds.test, 7)
    others = draw_users(folds.validation, 8, besides=judged)
    fitting = folds.validation.select(~np.isin(folds.validation.user, np.concatenate([judged, others])))
    start = read_clocks()
    interest = Interest.fit(folds.train, fitting, collection, 1, model)
    users = len(np.unique(fitting.user))
    print(f"\nInterest fitted in {since(start).cpu:.1f} s on {users} users' picks")
    scorers = {}
    for name in ("popularity", "itemknn", "ease"):
        one = recommender(name, {}, collection, 42)
        one.fit(folds.train)
        scorers[name] = lambda users, one=one: np.round(one.scores(users), 9)
    for name, part in interest.signals.items():
        scorers[f"{name} alone"] = lambda users, part=part: np.round(part.block(users), 9)
    for against in AGAINST:
        found = scorers | {"**interest**": lambda users, a=against: interest.block(users, a)}
        for name in interest.signals if without else ():
            signals = {n: part for n, part in interest.signals.items() if n != name}
            fewer = replace(interest, signals=signals).reweigh(folds.train, fitting, 1)
            found[f"without {name}"] = lambda users, f=fewer, a=against: f.block(users, a)
        numbers = interest.weights[against].round(2).tolist()
        weights = dict(zip([*interest.signals, "constant"], numbers, strict=True))
        print(f"\nOthers drawn: {against}; weights {weights}\n")

        def measure(name: str, found: dict = found, against: str = against) -> tuple[object, ...]:
            *cells, accuracy = picks_row(found[name], folds, (others, judged), against)
            if name == "**interest**":
                check_goal(against, accuracy, most=False)
            return name, *cells

        head = "scorer | AUC | s.e. of 1:1 | 1:1 acc/prec/rec/F1 | 1:2 | 1:3 | 1:9 blind | balanced"
        print_table(f"{head} | 1:9 aware F1", map(measure, found))


def main(folder: Path, without: bool = False) -> None:
    data = movielens_1m(folder)
    folds = split(data.ratings, 42)
    start = read_clocks()
    model = RatingModel.fit(folds.train, folds.validation, data.collection, 1)
    weights = {name: round(weight, 3) for name, weight in model.weights.items()}
    wall, cpu = since(start)
    print(f"Rating model fitted in {cpu:.1f} s ({wall:.1f} s of wall time): {weights}")
    ratings_table(model, folds, without)
    picks_tables(model, folds, data.collection, without)
    print(f"\nPeak memory {peak_megabytes() / 1024:.2f} GB")
    if missed:
        sys.exit("\n".join(missed))


if __name__ == "__main__":
    run_command(main)
