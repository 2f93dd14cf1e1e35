"""Accuracy of persona inference on MovieLens 1M and Personality 2018, compared with baselines and supervised
models.

    python benchmarks/personas.py [--fit FILE]

Reads ml-100k, ml-1m and persona-personality2018 under $OPENIIR_DATA. --fit writes the coefficients that the
package brings anew, from MovieLens 100K and Personality 2018; no ML-1M user is looked at for it.
"""

from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict

import persona_fits
from measuring import data_folder, print_table, read_clocks, run_command, since
from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.loaders.movielens import movielens_1m, movielens_100k
from openiir.kit.items.ratings import Ratings
from openiir.kit.items.splits import split
from openiir.plugin import Draw
from openiir.scenarios.recommender.behaviour.matching import match_offline
from openiir.scenarios.recommender.model.persona.accuracy import class_agreement, self_reports
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.inference import Coefficients, shipped_coefficients
from openiir.scenarios.recommender.model.persona.profile import LABELS, profiles
from openiir.scenarios.recommender.model.persona.traits import AGES, FACTORS, OCCUPATIONS
from openiir.scenarios.recommender.questions.matching import Guess

PERSONALITY = "persona-personality2018/2018-personality-data.csv"
SEED = 42
SEEDS = range(1, 6)
"""Random seeds of the draws in the comparison of candidates, all on the split of SEED."""
SAMPLES = 5
"""Number of samples of each MovieLens 100K user's ratings for fitting."""
PROVENANCE = {
    "age and occupation": "multinomial logistic regressions (C by 5-fold cross-validated log loss over "
    "users) on five samples of up to 50 ratings of each of the 943 users of MovieLens 100K (Harper & "
    "Konstan, TiiS 2015)",
    "big five": "ridge regression (penalty by 5-fold cross-validation over people) on the films recommended "
    "to each of 1,820 people of Personality 2018 (Nguyen et al., Information Systems Frontiers 2018), joined "
    "to MovieLens 1M's genres and years by id",
    "made by": "python benchmarks/personas.py --fit FILE",
    "licence": "coefficients only; the data may be used for research and not handed on without permission",
}


def fit_coefficients(data: Path, films: Collection, out: Path) -> None:
    ml100k = movielens_100k(data / "ml-100k")
    drawn = [Histories(ml100k.ratings, ml100k.collection, Draw(n, "fit")) for n in range(SAMPLES)]
    features, (band, occupation) = np.vstack([one.features() for one in drawn]), self_reports(ml100k)
    person = np.tile(np.arange(len(band)), SAMPLES)
    found, strengths = persona_fits.demographics(features, band[person], occupation[person], person)
    shares, traits = persona_fits.personality_2018(data / PERSONALITY, films)
    weights, penalty = persona_fits.big_five(shares, traits)
    print(f"C of age {strengths[0]:g}, of occupation {strengths[1]:g}; ridge penalty {penalty:g}")
    persona_fits.write(out, Coefficients(**found, big_five=weights), PROVENANCE)


def big_five_table(data: Path, films: Collection) -> None:
    shares, traits = persona_fits.personality_2018(data / PERSONALITY, films)
    known = ~np.isnan(shares).all(axis=1)
    print(f"\nBig Five on Personality 2018, mean absolute error on 0..1, 5 folds ({len(traits):,} people)\n")
    known_shares, known_traits, most = shares[known], traits[known], persona_fits.PENALTIES[-1]
    whole = {f"ridge, penalty {p:,.0f}": p for p in persona_fits.PENALTIES}
    few = {
        f"median, the {known.sum():,} with a known film": None,
        f"ridge of these, penalty {most:,.0f}": most,
    }
    parts = (shares, traits, {"everybody else's median": None} | whole), (known_shares, known_traits, few)
    rows = []
    for features, truth, penalties in parts:
        for name, penalty in penalties.items():
            errors = np.abs(persona_fits.predicted(features, truth, penalty) - truth).mean(axis=0)
            rows.append((name, *(f"{error:.4f}" for error in (*errors, errors.mean()))))
    print_table(f"predicted by | {' | '.join(FACTORS)} | mean", rows)


def predict_supervised(features: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Predict each user's class by a regression trained on the other users of the same data set."""
    z, folds = shipped_coefficients().standardise(features), np.arange(len(truth)) % persona_fits.FOLDS
    model = LogisticRegression(C=0.1, max_iter=1_000)
    return cross_val_predict(model, z, truth, cv=PredefinedSplit(folds))


def inference_table(ml1m: DataSet, histories: Histories) -> None:
    """Print the agreement of inferred personas with users' self-reports."""
    age, occupation = self_reports(ml1m)
    users, start = dict(enumerate(ml1m.users)), read_clocks()
    matched = match_offline(users, histories, Draw(SEED, Guess.kind, agent="matcher", step=1))
    took = since(start).cpu
    features = histories.features()
    posterior = shipped_coefficients().posterior(features)
    first = np.array([one.candidates[0].persona.codes for one in matched])
    chosen = np.array([one.persona.codes for one in matched if one.persona])
    truths = (age, occupation)
    shuffled = chosen[np.random.default_rng(SEED).permutation(len(chosen))]
    rows = {
        "commonest on ML-1M": [np.full_like(of, np.bincount(of).argmax()) for of in truths],
        "likeliest by the posterior": [of.argmax(axis=1) for of in (posterior.age, posterior.occupations)],
        "first candidate": first[:, :2].T,
        "chosen by equation 2": chosen[:, :2].T,
        "chosen for another user": shuffled[:, :2].T,
        "taught on ML-1M, same features": [predict_supervised(features, of) for of in truths],
    }
    print(f"\nMovieLens 1M, {len(age):,} users, up to 50 training ratings each\n")
    table = []
    for name, (a, o) in rows.items():
        by_age, by_work = class_agreement(a, age, len(AGES)), class_agreement(o, occupation, len(OCCUPATIONS))
        cells = by_age.accuracy, by_age.macro_f1, by_age.within_one, by_work.accuracy, by_work.macro_f1
        table.append((name, *(f"{cell:.3f}" for cell in cells)))
    among = [
        np.mean(
            [any(c.persona.codes[n] == t for c in one.candidates) for one, t in zip(matched, of, strict=True)]
        )
        for n, of in enumerate(truths)
    ]
    table.append(("(among the ten candidates)", f"{among[0]:.3f}", "", "", f"{among[1]:.3f}", ""))
    print_table("persona | age | macro-F1 | within one band | occupation | macro-F1", table)
    own = posterior.age[np.arange(len(age)), age].mean()
    usual = np.log(np.bincount(age) / len(age))[age].mean()
    print(f"\nmean log p of the true age: {own:.3f}; of its share among these users: {usual:.3f}")
    calls = np.array([one.calls for one in matched])
    print(
        f"calls a user by model: {calls.mean():.1f} on average, {calls.max()} at most; offline:",
        f"{1_000 * took / len(users):.2f} s of processor time for 1,000 users",
    )


def choice_table(ml1m: DataSet, train: Ratings) -> None:
    """Print whether the candidate chosen by equation 2 is right more often than the first, over seeds."""
    truth = self_reports(ml1m)
    users = dict(enumerate(ml1m.users))
    gains = []
    for seed in SEEDS:
        histories = Histories(train, ml1m.collection, Draw(seed, "recommender.history"))
        matched = match_offline(users, histories, Draw(seed, Guess.kind, agent="matcher", step=1))
        first = np.array([one.candidates[0].persona.codes for one in matched])
        chosen = np.array([one.persona.codes for one in matched if one.persona])
        gains.append([(chosen[:, n] == of).mean() - (first[:, n] == of).mean() for n, of in enumerate(truth)])
    print()
    ends = ((gain.mean(), gain.min(), gain.max()) for gain in np.array(gains).T)
    rows = zip(("age", "occupation"), ends, strict=True)
    head = "chosen minus first candidate | mean over seeds | least | most"
    print_table(head, ((what, *(f"{one:+.4f}" for one in gain)) for what, gain in rows))


def profile_table(train: Ratings, films: Collection) -> None:
    levels = profiles(train, films).levels.T
    shares = ([f"{n:.3f}" for n in np.bincount(one, minlength=3) / len(one)] for one in levels)
    print_table("habit | level 0 | level 1 | level 2", ((n, *s) for n, s in zip(LABELS, shares, strict=True)))


def main(fit: Path | None = None) -> None:
    data = data_folder()
    ml1m = movielens_1m(data / "ml-1m")
    if fit:
        fit_coefficients(data, ml1m.collection, fit)
        return
    train = split(ml1m.ratings, SEED).train
    profile_table(train, ml1m.collection)
    big_five_table(data, ml1m.collection)
    inference_table(ml1m, Histories(train, ml1m.collection, Draw(SEED, "recommender.history")))
    choice_table(ml1m, train)


if __name__ == "__main__":
    run_command(main)
