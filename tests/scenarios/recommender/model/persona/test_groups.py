import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.model.persona.groups import group_personas, occupation_group, one_hot
from openiir.scenarios.recommender.model.persona.traits import AGES, FACTORS, OCCUPATIONS, PersonaCandidate


def one(age, occupation, level):
    return PersonaCandidate.model_validate(
        {"age": age, "occupation": occupation, **dict.fromkeys(FACTORS, level)}
    )


def test_what_is_apart_is_grouped_apart_the_youngest_first():
    kinds = [
        one("56 or over", "retired", 3),
        one("18-24", "college or graduate student", 1),
        one("35-44", "lawyer", 2),
    ]
    found = group_personas([kinds[n % 3] for n in range(30)])
    assert found.tolist() == [2, 0, 1] * 10


@pytest.mark.parametrize(
    ("age", "occupation", "words"),
    [
        ("25-34", "artist", "an artist, between 25 and 34"),
        ("18-24", "other or not said", "between 18 and 24"),
        ("35-44", "retired", "between 35 and 44"),
        ("45-49", "retired", "somebody retired, between 45 and 49"),
        ("18-24", "school pupil", "a school pupil, between 18 and 24"),
        ("56 or over", "school pupil", "56 or over"),
    ],
)
def test_an_occupation_is_left_out_where_it_is_not_said_or_nobody_of_that_age_has_it(age, occupation, words):
    assert one(age, occupation, 2).who() == words


def anybody(generator):
    """A persona whose traits are drawn apart from each other."""
    levels = dict(zip(FACTORS, generator.integers(1, 4, len(FACTORS)).tolist(), strict=True))
    return PersonaCandidate.model_validate(
        {"age": generator.choice(AGES), "occupation": generator.choice(OCCUPATIONS), **levels}
    )


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_no_group_can_be_bettered_by_moving_one_persona(seed):
    generator = np.random.default_rng(seed)
    people = [anybody(generator) for _ in range(60)]
    points, found = one_hot(people), group_personas(people)
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
        group_personas([one("18-24", "lawyer", 1), one("18-24", "lawyer", 2)], 3)
    with pytest.raises(InputError, match="0 distinct"):
        group_personas([])
