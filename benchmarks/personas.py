"""Persona inference on MovieLens 1M and Personality 2018, beside what knows nothing and what was taught.

    python benchmarks/personas.py [--fit FILE]

Reads ml-100k, ml-1m and persona-personality2018 under $OPENIIR_DATA. --fit writes the coefficients that the package
brings anew, from MovieLens 100K and Personality 2018; no ML-1M user is looked at for it.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np

from openiir.kit.items.collection import Collection
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.kit.items.ratings import Ratings
from openiir.plugin import Draw
from openiir.scenarios.recommender.persona import fitting
from openiir.scenarios.recommender.persona.histories import Histories
from openiir.scenarios.recommender.persona.inference import Coefficients
from openiir.scenarios.recommender.persona.traits import age_band

SAMPLES = 5
"""Of each MovieLens 100K user, to fit on."""
PROVENANCE = {
    "age and occupation": "multinomial logistic regressions (C by 5-fold cross-validated log loss over users) on five "
    "samples of up to 50 ratings of each of the 943 users of MovieLens 100K (Harper & Konstan, TiiS 2015)",
    "big five": "ridge regression (penalty by 5-fold cross-validation over people) on the films recommended to each of "
    "1,820 people of Personality 2018 (Nguyen et al., Information Systems Frontiers 2018), joined to MovieLens 1M's genres and years by id",
    "made by": "python benchmarks/personas.py --fit FILE",
    "licence": "coefficients only; the data may be used for research and not handed on without permission",
}


def movielens_100k(folder: Path) -> tuple[Collection, Ratings, list[list[str]]]:
    """Films, ratings, and the rows of u.user."""
    genres = [line.split("|")[0] for line in (folder / "u.genre").read_text().splitlines() if line]
    films = [line.split("|") for line in (folder / "u.item").read_text("latin-1").splitlines()]
    rows = np.loadtxt(folder / "u.data", dtype=np.int64)
    collection = Collection(
        "movie",
        tuple(film[0] for film in films),
        tuple(film[1] for film in films),
        {
            "genre": tuple(tuple(g for g, has in zip(genres, film[5:], strict=True) if has == "1") for film in films),
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
    occupation = np.array([fitting.occupation_100k(one[3], int(one[1])) for one in people])
    person = np.tile(np.arange(len(people)), SAMPLES)
    found, strengths = fitting.demographics(features, band[person], occupation[person], person)
    shares, traits = fitting.personality_2018(data / "persona-personality2018" / "2018-personality-data.csv", films)
    weights, penalty = fitting.big_five(shares, traits)
    print(f"C of age {strengths[0]:g}, of occupation {strengths[1]:g}; ridge penalty {penalty:g}")
    fitting.write(out, Coefficients(**found, big_five=weights), PROVENANCE)


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


if __name__ == "__main__":
    main()
