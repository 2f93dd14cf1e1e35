"""Accuracy of persona inference on MovieLens 1M and Personality 2018, compared with baselines and supervised
models.

    python benchmarks/personas.py [--fit FILE]

Reads ml-100k, ml-1m and persona-personality2018 under $OPENIIR_DATA. --fit writes the coefficients that the
package brings anew, from MovieLens 100K and Personality 2018; no ML-1M user is looked at for it.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import persona_fits
from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.kit.items.ratings import Ratings
from openiir.kit.items.splits import split
from openiir.plugin import Draw
from openiir.scenarios.recommender.behaviour.matching import PersonaMatch, match_offline
from openiir.scenarios.recommender.model.persona.accuracy import class_agreement, self_reports
from openiir.scenarios.recommender.model.persona.groups import group_personas, occupation_group
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.inference import Coefficients, shipped_coefficients
from openiir.scenarios.recommender.model.persona.profile import LABELS, profiles
from openiir.scenarios.recommender.model.persona.traits import (
    AGES,
    FACTORS,
    OCCUPATIONS,
    age_band,
    occupation_index,
)
from openiir.scenarios.recommender.questions.matching import Guess

SEED = 42
SEEDS = range(1, 6)
"""Random seeds of the draws in the comparison of candidates, all on the split of SEED."""
SAMPLES = 5
"""Number of samples of each MovieLens 100K user's ratings for fitting."""
PROVENANCE = {
    "age and occupation": "multinomial logistic regressions (C by 5-fold cross-validated log loss over "
    "users) on five "
    "samples of up to 50 ratings of each of the 943 users of MovieLens 100K (Harper & Konstan, TiiS 2015)",
    "big five": "ridge regression (penalty by 5-fold cross-validation over people) on the films recommended "
    "to each of "
    "1,820 people of Personality 2018 (Nguyen et al., Information Systems Frontiers 2018), joined to "
    "MovieLens 1M's genres and years by id",
    "made by": "python benchmarks/personas.py --fit FILE",
    "licence": "coefficients only; the data may be used for research and not handed on without permission",
}


def movielens_100k(folder: Path) -> tuple[Collection, Ratings, list[list[str]]]:
    """Load films, ratings and the rows of u.user."""
    genres = [line.split("|")[0] for line in (folder / "u.genre").read_text().splitlines() if line]
    films = [line.split("|") for line in (folder / "u.item").read_text("latin-1").splitlines()]
    rows = np.loadtxt(folder / "u.data", dtype=np.int64)
    collection = Collection(
        "movie",
        tuple(film[0] for film in films),
        tuple(film[1] for film in films),
        {
            "genre": tuple(
                tuple(g for g, has in zip(genres, film[5:], strict=True) if has == "1") for film in films
            ),
            "year": tuple((film[1].strip()[-5:-1],) for film in films),
        },
    )
    people = [line.split("|") for line in (folder / "u.user").read_text().splitlines()]
    ratings = Ratings(len(people), len(films), rows[:, 0] - 1, rows[:, 1] - 1, rows[:, 2].astype(np.float64))
    return collection, ratings, people


def fit(data: Path, films: Collection, out: Path) -> None:
    collection, ratings, people = movielens_100k(data / "ml-100k")
    features = np.vstack([Histories(ratings, collection, Draw(n, "fit")).features() for n in range(SAMPLES)])
    band = np.array([age_band(int(one[1])) for one in people])
    occupation = np.array([occupation_index(one[3], int(one[1])) for one in people])
    person = np.tile(np.arange(len(people)), SAMPLES)
    found, strengths = persona_fits.demographics(features, band[person], occupation[person], person)
    shares, traits = persona_fits.personality_2018(
        data / "persona-personality2018" / "2018-personality-data.csv", films
    )
    weights, penalty = persona_fits.big_five(shares, traits)
    print(f"C of age {strengths[0]:g}, of occupation {strengths[1]:g}; ridge penalty {penalty:g}")
    persona_fits.write(out, Coefficients(**found, big_five=weights), PROVENANCE)


def big_five_table(data: Path, films: Collection) -> None:
    shares, traits = persona_fits.personality_2018(
        data / "persona-personality2018" / "2018-personality-data.csv", films
    )
    known = ~np.isnan(shares).all(axis=1)
    print(f"\nBig Five on Personality 2018, mean absolute error on 0..1, 5 folds ({len(traits):,} people)\n")
    print("| predicted by |", " | ".join(FACTORS), "| mean |")
    print("|---|" + "---|" * (len(FACTORS) + 1))
    rows = [("everybody else's median", traits, persona_fits.predicted(shares, traits, None))]
    rows += [
        (f"ridge, penalty {p:,.0f}", traits, persona_fits.predicted(shares, traits, p))
        for p in persona_fits.PENALTIES
    ]
    rows += [
        (
            f"median, the {known.sum():,} with a known film",
            traits[known],
            persona_fits.predicted(shares[known], traits[known], None),
        ),
        (
            f"ridge of these, penalty {persona_fits.PENALTIES[-1]:,.0f}",
            traits[known],
            persona_fits.predicted(shares[known], traits[known], persona_fits.PENALTIES[-1]),
        ),
    ]
    for name, truth, found in rows:
        errors = np.abs(found - truth).mean(axis=0)
        print(f"| {name} |", " | ".join(f"{e:.4f}" for e in errors), f"| {errors.mean():.4f} |")


def predict_supervised(features: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Predict each user's class by a regression trained on the other users of the same data set."""
    coefficients = shipped_coefficients()
    z, found = coefficients.standardise(features), np.empty_like(truth)
    for fold in range(persona_fits.FOLDS):
        held = np.arange(len(truth)) % persona_fits.FOLDS == fold
        found[held] = LogisticRegression(C=0.1, max_iter=1_000).fit(z[~held], truth[~held]).predict(z[held])
    return found


def inference_table(ml1m: DataSet, histories: Histories) -> list[PersonaMatch]:
    """Print the agreement of inferred personas with users' self-reports; return the personas."""
    age, occupation = self_reports(ml1m)
    began = time.process_time()
    users = dict(enumerate(ml1m.users))
    matched = match_offline(users, histories, Draw(SEED, Guess.kind, agent="matcher", step=1))
    took = time.process_time() - began
    features = histories.features()
    posterior = shipped_coefficients().posterior(features)
    first = np.array([one.candidates[0].persona.codes for one in matched])
    chosen = np.array([one.persona.codes for one in matched if one.persona])
    any_of = [
        np.array(
            [
                any(c.persona.codes[n] == t for c in one.candidates)
                for one, t in zip(matched, truth, strict=True)
            ]
        )
        for n, truth in ((0, age), (1, occupation))
    ]
    shuffled = chosen[np.random.default_rng(SEED).permutation(len(chosen))]
    rows = [
        (
            "commonest on ML-1M",
            np.full_like(age, np.bincount(age).argmax()),
            np.full_like(age, np.bincount(occupation).argmax()),
        ),
        ("likeliest by the posterior", posterior.age.argmax(axis=1), posterior.occupations.argmax(axis=1)),
        ("first candidate", first[:, 0], first[:, 1]),
        ("chosen by equation 2", chosen[:, 0], chosen[:, 1]),
        ("chosen for another user", shuffled[:, 0], shuffled[:, 1]),
        (
            "taught on ML-1M, same features",
            predict_supervised(features, age),
            predict_supervised(features, occupation),
        ),
    ]
    print(f"\nMovieLens 1M, {len(age):,} users, up to 50 training ratings each\n")
    print("| persona | age | macro-F1 | within one band | occupation | macro-F1 |\n|---|---|---|---|---|---|")
    for name, a, o in rows:
        by_age, by_work = class_agreement(a, age, len(AGES)), class_agreement(o, occupation, len(OCCUPATIONS))
        print(
            f"| {name} | {by_age.accuracy:.3f} | {by_age.macro_f1:.3f} | {by_age.within_one:.3f} | "
            f"{by_work.accuracy:.3f} | {by_work.macro_f1:.3f} |"
        )
    print(f"| (among the ten candidates) | {any_of[0].mean():.3f} | | | {any_of[1].mean():.3f} | |")
    print(
        f"\nmean log p of the true age: {posterior.age[np.arange(len(age)), age].mean():.3f}; of its share "
        f"among these users: {np.log(np.bincount(age) / len(age))[age].mean():.3f}"
    )
    calls = np.array([one.calls for one in matched])
    print(
        f"calls a user by model: {calls.mean():.1f} on average, {calls.max()} at most; offline: "
        f"{1_000 * took / len(users):.2f} s of processor time for 1,000 users"
    )
    return matched


def choice_table(ml1m: DataSet, train: Ratings) -> None:
    """Print whether the candidate chosen by equation 2 is right more often than the first, over several
    seeds."""
    truth = self_reports(ml1m)
    users = dict(enumerate(ml1m.users))
    gains = []
    for seed in SEEDS:
        histories = Histories(train, ml1m.collection, Draw(seed, "recommender.history"))
        matched = match_offline(users, histories, Draw(seed, Guess.kind, agent="matcher", step=1))
        first = np.array([one.candidates[0].persona.codes for one in matched])
        chosen = np.array([one.persona.codes for one in matched if one.persona])
        gains.append([(chosen[:, n] == of).mean() - (first[:, n] == of).mean() for n, of in enumerate(truth)])
    print("\n| chosen minus first candidate | mean over seeds | least | most |\n|---|---|---|---|")
    for what, gain in zip(("age", "occupation"), np.array(gains).T, strict=True):
        print(f"| {what} | {gain.mean():+.4f} | {gain.min():+.4f} | {gain.max():+.4f} |")


def profile_table(train: Ratings, films: Collection) -> None:
    print("\n| habit | level 0 | level 1 | level 2 |\n|---|---|---|---|")
    found = profiles(train, films)
    for name, levels in zip(LABELS, found.levels.T, strict=True):
        shares = np.bincount(levels, minlength=3) / len(levels)
        print(f"| {name} |", " | ".join(f"{share:.3f}" for share in shares), "|")


def group_table(matched: list[PersonaMatch], train: Ratings) -> None:
    personas = [one.persona for one in matched if one.persona]
    found = group_personas(personas)
    counts = np.bincount(train.user, minlength=train.users)
    means = np.bincount(train.user, weights=train.value, minlength=train.users) / counts
    print(
        "\n| group | users | commonest age | students | office workers | ratings a user | mean rating "
        "|\n|---|---|---|---|---|---|---|"
    )
    for group in range(3):
        members = np.flatnonzero(found == group)
        work = np.bincount([occupation_group(personas[m].occupation) for m in members], minlength=3) / len(
            members
        )
        age = AGES[np.bincount([personas[m].codes[0] for m in members]).argmax()]
        print(
            f"| {group} | {len(members)} | {age} | {work[0]:.2f} | {work[1]:.2f} | "
            f"{counts[members].mean():.1f} | {means[members].mean():.3f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fit", type=Path)
    out = parser.parse_args().fit
    if "OPENIIR_DATA" not in os.environ:
        sys.exit("set OPENIIR_DATA to the folder with ml-100k, ml-1m and persona-personality2018")
    data = Path(os.environ["OPENIIR_DATA"])
    ml1m = movielens_1m(data / "ml-1m")
    if out:
        fit(data, ml1m.collection, out)
        return
    train = split(ml1m.ratings, SEED).train
    profile_table(train, ml1m.collection)
    big_five_table(data, ml1m.collection)
    matched = inference_table(ml1m, Histories(train, ml1m.collection, Draw(SEED, "recommender.history")))
    choice_table(ml1m, train)
    group_table(matched, train)


if __name__ == "__main__":
    main()
