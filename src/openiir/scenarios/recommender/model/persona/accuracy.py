"""Agreement of matched personas with the users' self-reports (SimUSER, appendix F.10.2)."""

from collections.abc import Mapping
from math import nan
from typing import NamedTuple

import numpy as np

from openiir.kit.arrays import Bools
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.ratings import Ints
from openiir.plugin import InputError, first_largest
from openiir.scenarios.recommender.model.persona.traits import age_band, occupation_index


class ClassAgreement(NamedTuple):
    """Agreement of matched with self-reported classes, beside a majority-class baseline."""

    accuracy: float
    macro_f1: float
    within_one: float
    """Share of users at most one class off. It means nothing for occupations, which have no order."""
    majority: float
    """Accuracy of naming the commonest class for every user."""
    majority_macro_f1: float


def self_reports(data: DataSet) -> tuple[Ints, Ints]:
    """Read the self-reported ages and occupations of users of MovieLens 1M or 100K.

    Returns (users,) indices of AGES and OCCUPATIONS.
    Only to measure by: no persona is made from it. Raises InputError for a data set that says neither.
    """
    if missing := sorted({"age", "occupation"} - set(data.demographics)):
        raise InputError(
            f"{data.name} does not say its users' {missing[0]}; there is nothing to check personas against"
        )
    columns = zip(data.demographics["age"], data.demographics["occupation"], strict=True)
    said = np.array(
        [reported_classes({"age": age, "occupation": work}) for age, work in columns], dtype=np.int64
    )
    return said[:, 0], said[:, 1]


def reported_classes(demographics: Mapping[str, str]) -> tuple[int, int]:
    """Convert a user's reported `age` and `occupation` to indices of AGES and OCCUPATIONS.

    The occupation is a code or a name.
    """
    years, work = int(demographics["age"]), demographics["occupation"]
    return age_band(years), int(work) if work.isdigit() else occupation_index(work, years)


def class_agreement(found: Ints, truth: Ints, classes: int) -> ClassAgreement:
    """Compute how well users' found and true classes agree, both (users,); NaN without users."""
    commonest = np.full_like(truth, first_largest(np.bincount(truth, minlength=classes)))
    return ClassAgreement(
        _share(found == truth),
        macro_f1(found, truth),
        _share(np.abs(found - truth) <= 1),
        _share(commonest == truth),
        macro_f1(commonest, truth),
    )


def macro_f1(found: Ints, truth: Ints) -> float:
    """Compute the macro-averaged F1 over the classes that occur; NaN without users."""
    scores = []
    for one in np.union1d(found, truth):
        both = np.count_nonzero((found == one) & (truth == one))
        scores.append(2 * both / (np.count_nonzero(found == one) + np.count_nonzero(truth == one)))
    return float(np.mean(scores)) if scores else nan


def _share(held: Bools) -> float:
    return float(np.mean(held)) if len(held) else nan
