"""Group users with similar personas by k-means on age, occupation and personality (SimUSER, appendix F.3)."""

from collections.abc import Sequence

import numpy as np

from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError, first_largest, first_smallest, order_by, quantise
from openiir.scenarios.recommender.model.persona.traits import (
    AGES,
    FACTORS,
    LEVELS,
    OFFICE,
    STUDENTS,
    PersonaCandidate,
)

OCCUPATION_GROUPS = ("student", "office worker", "other")
ROUNDS = 100


def occupation_group(occupation: str) -> int:
    """Look up an occupation's index in OCCUPATION_GROUPS.

    Which occupations are office work is our choice (`traits.OFFICE`).
    """
    return 0 if occupation in STUDENTS else 1 if occupation in OFFICE else 2


def one_hot(personas: Sequence[PersonaCandidate]) -> Floats:
    """Encode personas one-hot, (personas, 25): age band, occupation group and each factor's level."""
    columns = [(len(AGES), [p.codes[0] for p in personas])]
    columns.append((len(OCCUPATION_GROUPS), [occupation_group(p.occupation) for p in personas]))
    columns += [(len(LEVELS), [p.levels[n] - 1 for p in personas]) for n in range(len(FACTORS))]
    return np.hstack([np.eye(size)[np.array(codes, dtype=np.int64)] for size, codes in columns])


def group_personas(personas: Sequence[PersonaCandidate], k: int = 3) -> Ints:
    """Group personas by k-means; returns the group numbers, (personas,), youngest group first.

    Lloyd's algorithm from centres that are put as far apart as can be, beginning with the persona next to the
    mean (Gonzalez, Theoretical Computer Science 1985): nothing is random, and ties go to the first.
    """
    points = one_hot(personas)
    distinct = len(np.unique(points, axis=0)) if len(points) else 0
    if not 1 <= k <= distinct:
        raise InputError(f"{k} groups of {distinct} distinct personas; ask for 1 to {distinct}")
    centres = _far_apart(points, k)
    group = _nearest(points, centres)
    for _ in range(ROUNDS):
        centres = np.array(
            [points[group == n].mean(axis=0) if (group == n).any() else c for n, c in enumerate(centres)]
        )
        moved = _nearest(points, centres)
        if (moved == group).all():
            break
        group = moved
    ages = np.array([p.codes[0] for p in personas])
    mean = [ages[group == n].mean() if (group == n).any() else np.inf for n in range(k)]
    return order_by(order_by(mean))[group]


def _far_apart(points: Floats, k: int) -> Floats:
    chosen = [int(first_smallest(_distances(points, points.mean(axis=0, keepdims=True))[:, 0]))]
    while len(chosen) < k:
        chosen.append(int(first_largest(_distances(points, points[chosen]).min(axis=1))))
    return points[chosen]


def _nearest(points: Floats, centres: Floats) -> Ints:
    return first_smallest(_distances(points, centres), axis=1)


def _distances(points: Floats, centres: Floats) -> Floats:
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :]
    return np.asarray(quantise(squares - 2 * np.einsum("nf,cf->nc", points, centres)))
