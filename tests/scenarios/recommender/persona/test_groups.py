import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.persona import AGES, Candidate, groups
from openiir.scenarios.recommender.persona.groups import occupation_group, one_hot
from openiir.scenarios.recommender.persona.traits import FACTORS, OCCUPATIONS


def one(age, occupation, level):
    return Candidate.model_validate({"age": age, "occupation": occupation, **dict.fromkeys(FACTORS, level)})


def test_what_is_apart_is_grouped_apart_the_youngest_first():
    kinds = [
        one("56 or over", "retired", 3),
        one("18-24", "college or graduate student", 1),
        one("35-44", "lawyer", 2),
    ]
    found = groups([kinds[n % 3] for n in range(30)])
    assert found.tolist() == [2, 0, 1] * 10


def anybody(generator):
    """A persona whose traits are drawn apart from each other."""
    levels = dict(zip(FACTORS, generator.integers(1, 4, len(FACTORS)).tolist(), strict=True))
    return Candidate.model_validate(
        {"age": generator.choice(AGES), "occupation": generator.choice(OCCUPATIONS), **levels}
    )


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_no_group_can_be_bettered_by_moving_one_persona(seed):
    generator = np.random.default_rng(seed)
    people = [anybody(generator) for _ in range(60)]
    points, found = one_hot(people), groups(people)
    assert points.shape == (60, 25) and (points.sum(axis=1) == 7).all()
    centres = np.array([points[found == n].mean(axis=0) for n in range(3)])
    for point, group in zip(points, found, strict=True):
        distances = ((point - centres) ** 2).sum(axis=1)
        assert distances[group] == pytest.approx(distances.min(), abs=1e-5)
    ages = np.array([p.codes[0] for p in people])
    assert [ages[found == n].mean() for n in range(3)] == sorted(ages[found == n].mean() for n in range(3))


def test_occupation_groups():
    assert [occupation_group(o) for o in ("school pupil", "programmer", "farmer")] == [0, 1, 2]


def test_bad_input_is_told():
    with pytest.raises(InputError, match="2 distinct"):
        groups([one("18-24", "lawyer", 1), one("18-24", "lawyer", 2)], 3)
    with pytest.raises(InputError, match="0 distinct"):
        groups([])
