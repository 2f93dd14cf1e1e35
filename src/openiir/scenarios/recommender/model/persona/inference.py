"""Posterior probability of personas given a rating history: the offline model of persona matching.

Age band: multinomial logistic regression. Occupation: the same, given the age band as well. Big Five: each
factor normal about a ridge regression, its three levels being thirds of the population. The coefficients were
fitted by `benchmarks/persona_fits.py`; `coefficients.json` says on what. They are weak by what was measured
(docs/reference/persona-matching.md).
"""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError, quantise
from openiir.scenarios.recommender.model.persona.samples import FEATURES

FILE = Path(__file__).with_name("coefficients.json")
CUT = 0.4307272992954576
"""Standard normal quantile of 2/3, the limit of the upper third."""
MIDDLE, STRETCH = 5.5, 1.5
"""Rating, of 10, of a persona as likely as before, and points added when the likelihood grows e-fold (our
choice)."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Log probabilities of age, occupation and Big Five levels, one row for each history."""

    age: Floats
    """(n, 7) age bands."""
    occupation: Floats
    """(n, 7, 21) occupations given each age band."""
    levels: Floats
    """(n, 5, 3) levels of each factor."""

    def of(self, rows: Ints, codes: Ints) -> Floats:
        """Look up the log probability of candidate personas, each given the history of its row.

        Personas are `PersonaCandidate.codes`.
        """
        age, occupation = codes[..., 0], codes[..., 1]
        found = self.age[rows, age] + self.occupation[rows, age, occupation]
        for factor in range(self.levels.shape[1]):
            found = found + self.levels[rows, factor, codes[..., 2 + factor]]
        return np.asarray(found)

    @property
    def occupations(self) -> Floats:
        """(n, 21) log probability of each occupation at any age."""
        return np.asarray(np.log(np.einsum("na,nao->no", np.exp(self.age), np.exp(self.occupation))))


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Coefficients of the three regressions on standardised features."""

    mean: Floats
    """(FEATURES,) mean of each feature in the fit of age and occupation."""
    sd: Floats
    age_intercept: Floats
    age: Floats
    """(7, FEATURES) weights for each age band."""
    occupation_intercept: Floats
    occupation: Floats
    """(21, FEATURES) weights for each occupation."""
    occupation_by_age: Floats
    """(21, 7) effect of each age band on each occupation."""
    big_five: Floats
    """(5, FEATURES) weights in standard deviations of each factor."""

    def standardise(self, features: Floats) -> Floats:
        """Standardise features, (n, FEATURES); missing ones become 0."""
        return np.where(np.isnan(features), 0.0, (features - self.mean) / self.sd)

    def posterior(self, features: Floats) -> Posterior:
        """Compute the posterior of personas given `RatingSample.features`.

        It is quantised, so that a row does not depend on other rows.
        """
        from scipy.special import log_ndtr, log_softmax

        z = self.standardise(np.atleast_2d(features))
        age = _linear(z, self.age) + self.age_intercept
        occupation = (_linear(z, self.occupation) + self.occupation_intercept)[
            :, None, :
        ] + self.occupation_by_age.T
        score = _linear(z, self.big_five)
        low, high = log_ndtr(-CUT - score), log_ndtr(score - CUT)
        medium = np.log1p(-np.exp(low) - np.exp(high))
        return Posterior(
            *(
                np.asarray(quantise(log_p))
                for log_p in (
                    log_softmax(age, axis=1),
                    log_softmax(occupation, axis=2),
                    np.stack([low, medium, high], axis=2),
                )
            )
        )

    @cached_property
    def unknown(self) -> Posterior:
        """Prior over personas: the posterior with every feature missing."""
        return self.posterior(np.full((1, len(FEATURES)), np.nan))

    def rating(self, posterior: Posterior, rows: Ints, codes: Ints) -> Ints:
        """Rate the fit of each persona to its history from 1 to 10.

        By their pointwise mutual information, log p(persona | history) / p(persona): equally, how much
        likelier the persona makes the history than it is of just anybody.
        """
        gain = posterior.of(rows, codes) - self.unknown.of(np.zeros_like(rows), codes)
        return np.clip(np.floor(MIDDLE + STRETCH * quantise(gain) + 0.5), 1, 10).astype(np.int64)


def _linear(z: Floats, weights: Floats) -> Floats:
    return np.asarray(np.einsum("nf,kf->nk", z, weights))


def read_coefficients(path: Path) -> Coefficients:
    """Read a file of coefficients. Raises InputError if its features differ.

    `benchmarks/personas.py --fit` writes such files.
    """
    stored = json.loads(path.read_text(encoding="utf-8"))
    if stored["features"] != list(FEATURES):
        raise InputError(
            f"{path} has coefficients of other features than these: {', '.join(FEATURES)}; fit them anew"
        )
    return Coefficients(**{name: np.array(values) for name, values in stored["coefficients"].items()})


@cache
def shipped_coefficients() -> Coefficients:
    """Read the coefficients that come with the package."""
    return read_coefficients(FILE)
