"""How well matched personas agree with what users said of themselves (SimUSER, appendix F.10.2)."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.dataset import DataSet
from openiir.kit.items.ratings import Ints
from openiir.kit.statistics.statistic import Statistic, Undefined
from openiir.plugin import InputError
from openiir.scenarios.recommender.persona.traits import (
    age_band,
    occupation_index,
)


class ClassAgreement(NamedTuple):
    """Agreement of matched with reported classes, beside that of naming the commonest class for every user."""

    accuracy: float
    macro_f1: float
    within_one: float
    """At most one class off; says nothing of occupations, which have no order."""
    majority: float
    """Accuracy of the commonest class."""
    majority_macro_f1: float


def self_reports(data: DataSet) -> tuple[Ints, Ints]:
    """Read the ages and occupations that users of MovieLens 1M or 100K reported: (users,) indices of AGES and OCCUPATIONS.

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
    """Convert one user's reported `age` and `occupation` (code or name) to indices of AGES and OCCUPATIONS."""
    years, work = int(demographics["age"]), demographics["occupation"]
    return age_band(years), int(work) if work.isdigit() else occupation_index(work, years)


def class_agreement(found: Ints, truth: Ints, classes: int) -> ClassAgreement:
    """Compare found with true classes, both (users,); NaN without users."""
    commonest = np.full_like(truth, np.bincount(truth, minlength=classes).argmax())
    return ClassAgreement(
        _share(found == truth),
        macro_f1(found, truth),
        _share(np.abs(found - truth) <= 1),
        _share(commonest == truth),
        macro_f1(commonest, truth),
    )


@Statistic
def macro_f1(found: Ints, truth: Ints) -> float:
    """Average F1 over the classes that are found or true of at least one user."""
    if not len(truth):
        raise Undefined("there is nobody to agree with")
    scores = []
    for one in np.union1d(found, truth):
        both = np.count_nonzero((found == one) & (truth == one))
        scores.append(2 * both / (np.count_nonzero(found == one) + np.count_nonzero(truth == one)))
    return float(np.mean(scores))


@Statistic
def _share(held: NDArray[np.bool_]) -> float:
    if not len(held):
        raise Undefined("there is nobody to agree with")
    return float(np.mean(held))
