"""Fitting of the persona coefficients that the package ships, on people with known age, occupation or
personality.

What is written is the coefficients alone, no row of the data: MovieLens and Personality 2018 may be used for
research, but not handed on.
"""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from openiir.kit.items.collection import Collection
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.persona.inference import Coefficients
from openiir.scenarios.recommender.model.persona.samples import FEATURES, encode_item
from openiir.scenarios.recommender.model.persona.traits import AGES, FACTORS, OCCUPATIONS

STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3)
"""Candidate values of the logistic regressions' C (scikit-learn), with one sample weight per user."""
PENALTIES = (100.0, 300.0, 1_000.0, 3_000.0)
"""Candidate penalties of the ridge regression."""
LOUD = 5.0
"""Weight of age in the regression of occupation, high enough that regularisation keeps occupations impossible
for an age (pupils of 56) excluded."""
FOLDS = 5


def logistic(inputs: Floats, of: Ints, classes: int, person: Ints) -> LogisticRegression:
    """Fit a regression on rows grouped by person, each person with the same total weight.

    One more person is put into each class, typical in everything, so that no class is impossible. Folds of
    the cross-validation are by person (index modulo 5), and C is the one with the least log loss.
    """
    losses = []
    for strength in STRENGTHS:
        loss = 0.0
        for fold in range(FOLDS):
            held = person % FOLDS == fold
            fitted = _logistic(inputs[~held], of[~held], classes, person[~held], strength)
            loss -= fitted.predict_log_proba(inputs[held])[np.arange(held.sum()), of[held]].sum()
        losses.append(loss)
    return _logistic(inputs, of, classes, person, STRENGTHS[int(np.argmin(losses))])


def _logistic(inputs: Floats, of: Ints, classes: int, person: Ints, strength: float) -> LogisticRegression:
    weight = 1 / np.bincount(person)[person]
    typical = np.repeat((weight @ inputs / weight.sum())[None, :], classes, axis=0)
    return LogisticRegression(C=strength, max_iter=2_000).fit(
        np.vstack([inputs, typical]),
        np.concatenate([of, np.arange(classes)]),
        sample_weight=np.concatenate([weight, np.ones(classes)]),
    )


def demographics(
    features: Floats, band: Ints, occupation: Ints, person: Ints
) -> tuple[dict[str, Floats], tuple[float, float]]:
    """Fit age band and occupation; return coefficients by the fields of `Coefficients`, and the C of each."""
    mean, sd = features.mean(axis=0), features.std(axis=0)
    z = (features - mean) / sd
    age = logistic(z, band, len(AGES), person)
    work = logistic(np.hstack([z, LOUD * np.eye(len(AGES))[band]]), occupation, len(OCCUPATIONS), person)
    found = {
        "mean": mean,
        "sd": sd,
        "age_intercept": age.intercept_,
        "age": age.coef_,
        "occupation_intercept": work.intercept_,
        "occupation": work.coef_[:, : len(FEATURES)],
        "occupation_by_age": LOUD * work.coef_[:, len(FEATURES) :],
    }
    return found, (age.C, work.C)


def personality_2018(file: Path, collection: Collection) -> tuple[Floats, Floats]:
    """Load features (people, FEATURES) of recommended films and traits (people, 5) on 0 to 1.

    Films are joined by MovieLens id; what the collection does not have is unknown, and a person without any
    known film has NaN. Mean rating and share liked are unknown of everybody, since ratings are a
    recommender's there. Neuroticism is emotional stability reversed. A person's last row counts. Raises
    InputError for another file.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, skipinitialspace=True)
        people = {row["userid"]: row for row in rows if "movie_12" in row}
    if not people:
        raise InputError(f"{file} has no column movie_12; give 2018-personality-data.csv of Personality 2018")
    shares, known = np.full((len(people), len(FEATURES)), np.nan), len(FEATURES) - 2
    for share, row in zip(shares, people.values(), strict=True):
        films = [collection.index.get(row[f"movie_{n}"]) for n in range(1, 13)]
        found = [
            encode_item(collection.values("genre", i), _year(collection, i)) for i in films if i is not None
        ]
        if found:
            share[:known] = np.mean(found, axis=0)[:known]
    columns = [*FACTORS[:4], "emotional_stability"]
    traits = np.array([[(float(row[name]) - 1) / 6 for name in columns] for row in people.values()])
    traits[:, 4] = 1 - traits[:, 4]
    return shares, traits


def _year(collection: Collection, item: int) -> int | None:
    years = collection.values("year", item)
    return int(years[0]) if years else None


def make_ridge(penalty: float) -> Pipeline:
    """Make a ridge regression of standardised features; unknown ones count as 0, the mean."""
    known = SimpleImputer(strategy="constant", fill_value=0.0, keep_empty_features=True)
    return make_pipeline(StandardScaler(), known, Ridge(penalty))


@np.errstate(invalid="ignore")  # where a feature is unknown of everybody
def predicted(features: Floats, traits: Floats, penalty: float | None) -> Floats:
    """Predict each person's traits by 5-fold cross-validation; by the median without a penalty."""
    model = DummyRegressor(strategy="median") if penalty is None else make_ridge(penalty)
    folds = PredefinedSplit(np.arange(len(traits)) % FOLDS)
    return np.asarray(cross_val_predict(model, features, traits, cv=folds))


@np.errstate(invalid="ignore")
def big_five(features: Floats, traits: Floats) -> tuple[Floats, float]:
    """Fit weights (5, FEATURES) in standard deviations of each factor; return them and the chosen penalty."""
    errors = [float(((predicted(features, traits, penalty) - traits) ** 2).sum()) for penalty in PENALTIES]
    penalty = PENALTIES[int(np.argmin(errors))]
    weights = make_ridge(penalty).fit(features, traits)[-1].coef_
    return weights / traits.std(axis=0)[:, None], penalty


def write(path: Path, coefficients: Coefficients, provenance: Mapping[str, str | Sequence[str]]) -> None:
    """Write the coefficients, rounded to 4 decimals, in the format of `inference.read`."""
    numbers = {name: np.round(values, 4).tolist() for name, values in asdict(coefficients).items()}
    stored = {"provenance": dict(provenance), "features": list(FEATURES), "coefficients": numbers}
    text = json.dumps(stored, indent=1)
    # Innermost lists of numbers stand on one line.
    text = re.sub(r"\[[^\[\]{}\"]+\]", lambda found: " ".join(found[0].split()), text)
    path.write_text(text + "\n", encoding="utf-8")
