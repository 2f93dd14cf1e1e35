"""Measures of matched personas: agreement with self-reports, and groups of similar personas."""

import math
from typing import NamedTuple

import numpy as np

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.statistics.resampling import divide_arrays
from openiir.plugin import InputError, Log, Measure
from openiir.scenarios.recommender.measures.systems import read_visits
from openiir.scenarios.recommender.model.persona.accuracy import (
    ClassAgreement,
    class_agreement,
    reported_classes,
)
from openiir.scenarios.recommender.model.persona.groups import group_personas
from openiir.scenarios.recommender.model.persona.traits import AGES, OCCUPATIONS
from openiir.scenarios.recommender.run.actions import VisitorReady

K = 3
"""Number of persona groups (SimUSER, appendix F.3)."""
NOBODY = "no visitor has both a matched persona and a report of its own"


class PersonaGroup(NamedTuple):
    """A group of similar personas, with their behaviour over all systems."""

    visitors: int
    age: str
    """Commonest age band of the group."""
    occupation: str
    shown: UserMean
    rating: UserMean


def persona_measures(log: Log) -> dict[str, Measure]:
    """Compute `persona.age.NAME` and `persona.occupation.NAME`: agreement with self-reports."""
    return {
        f"persona.{what}.{name}": Measure(value, None if value == value else NOBODY)
        for what, scores in persona_agreement(log).items()
        for name, value in scores._asdict().items()
    }


def persona_agreement(log: Log) -> dict[str, ClassAgreement]:
    """Compare matched ages and occupations with self-reports; empty for other experiments."""
    if log.study["config"]["experiment"] != "personas":
        return {}
    ready = [one for _, one in VisitorReady.read(log)]
    pairs = [
        (*one.persona.codes[:2], *reported_classes(one.truth)) for one in ready if one.persona and one.truth
    ]
    age, occupation, own_age, own_occupation = np.array(pairs, dtype=np.int64).reshape(-1, 4).T
    return {
        "age": class_agreement(age, own_age, len(AGES)),
        "occupation": class_agreement(occupation, own_occupation, len(OCCUPATIONS)),
    }


def persona_groups(log: Log) -> dict[int, PersonaGroup]:
    """Group visitors by persona, the youngest group first, with titles seen and mean ratings."""
    ready = VisitorReady.read(log)
    personas = {event.actor: one.persona for event, one in ready if event.actor and one.persona}
    visits = read_visits(log)
    if not personas or not visits:
        return {}
    try:
        of = dict(zip(personas, group_personas(list(personas.values()), K).tolist(), strict=True))
    except InputError:
        return {}
    totals = {who: np.zeros(3) for who in of}
    for columns in visits.values():
        rows = np.column_stack([columns[name] for name in ("shown", "rating_sum", "watched")])
        for who, row in zip(columns["visitor"], rows, strict=True):
            if who in totals:
                totals[who] += row
    found = {}
    for number in range(K):
        members = [who for who, group in of.items() if group == number]
        shown, stars, taken = np.array([totals[who] for who in members]).reshape(-1, 3).T
        found[number] = PersonaGroup(
            len(members),
            _most_common([personas[who].age for who in members]),
            _most_common([personas[who].occupation for who in members]),
            over_users(shown / len(visits), "nothing was shown", bounds=(0.0, math.inf)),
            over_users(divide_arrays(stars, taken), "nothing was taken", bounds=(1.0, 5.0)),
        )
    return found


def _most_common(values: list[str]) -> str:
    return max(sorted(set(values)), key=values.count) if values else ""
