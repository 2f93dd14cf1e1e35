import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.kit.items.splits import split
from openiir.plugin import Draw, InputError
from openiir.scenarios.recommender.behaviour.matching import match_offline
from openiir.scenarios.recommender.model.persona.accuracy import class_agreement, self_reports
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.inference import (
    FILE,
    Coefficients,
    read_coefficients,
    shipped_coefficients,
)
from openiir.scenarios.recommender.model.persona.samples import FEATURES
from openiir.scenarios.recommender.model.persona.traits import (
    OCCUPATIONS,
    candidate_of_codes,
    occupation_index,
)
from openiir.scenarios.recommender.questions.matching import draw_candidates


@pytest.fixture(scope="module")
def persona_fits():
    """The benchmark module that fits the shipped coefficients."""
    file = Path(__file__).parents[5] / "benchmarks" / "persona_fits.py"
    spec = spec_from_file_location("persona_fits", file)
    module = module_from_spec(spec)
    sys.modules["persona_fits"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["persona_fits"]


def some_features(n):
    generator = np.random.default_rng(2)
    return np.abs(
        shipped_coefficients().mean + shipped_coefficients().sd * generator.normal(size=(n, len(FEATURES)))
    )


def test_probabilities_add_up_to_one():
    posterior = shipped_coefficients().posterior(some_features(20))
    for log_p in (posterior.age, posterior.occupation, posterior.levels, posterior.occupations):
        np.testing.assert_allclose(np.exp(log_p).sum(axis=-1), 1, atol=1e-4)
    np.testing.assert_allclose(np.exp(shipped_coefficients().unknown.levels), 1 / 3, atol=1e-5)


def test_many_histories_are_judged_as_one_by_one():
    features = some_features(300)
    together = shipped_coefficients().posterior(features)
    for n in (0, 137, 299):
        alone = shipped_coefficients().posterior(features[n])
        assert (alone.age[0] == together.age[n]).all() and (
            alone.occupation[0] == together.occupation[n]
        ).all()


def test_a_persona_is_rated_by_how_much_likelier_the_history_makes_it():
    posterior, unknown = shipped_coefficients().posterior(some_features(4)), shipped_coefficients().unknown
    rows, codes = (
        np.arange(4),
        np.array(
            [[2, 4, 0, 1, 2, 1, 0], [0, 10, 2, 2, 2, 2, 2], [6, 13, 1, 1, 1, 1, 1], [3, 7, 0, 0, 0, 0, 0]]
        ),
    )
    for row, code, rating in zip(
        rows, codes, shipped_coefficients().rating(posterior, rows, codes), strict=True
    ):
        gain = posterior.age[row, code[0]] - unknown.age[0, code[0]]
        gain += posterior.occupation[row, code[0], code[1]] - unknown.occupation[0, code[0], code[1]]
        gain += sum(
            posterior.levels[row, n, code[2 + n]] - unknown.levels[0, n, code[2 + n]] for n in range(5)
        )
        assert abs(rating - np.clip(5.5 + 1.5 * gain, 1, 10)) <= 0.5 + 1e-9
    assert shipped_coefficients().rating(unknown, np.zeros(1, dtype=int), codes[:1])[0] == 6


def test_candidates_are_drawn_from_the_posterior():
    features = np.repeat(some_features(1), 4_000, axis=0)
    posterior = shipped_coefficients().posterior(features)
    codes = draw_candidates(posterior, np.arange(4_000), np.random.default_rng(1).uniform(size=(4_000, 7)))
    np.testing.assert_allclose(
        np.bincount(codes[:, 0], minlength=7) / 4_000, np.exp(posterior.age[0]), atol=0.03
    )
    np.testing.assert_allclose(
        np.bincount(codes[:, 1], minlength=21) / 4_000, np.exp(posterior.occupations[0]), atol=0.03
    )
    assert candidate_of_codes(codes[0]).codes == tuple(codes[0].tolist())


def test_no_persona_is_impossible():
    assert np.isfinite(shipped_coefficients().unknown.occupation).all()
    ends = np.array([[1e-13] * 7, [1 - 1e-13] * 7])
    for code in draw_candidates(shipped_coefficients().posterior(some_features(2)), np.arange(2), ends):
        candidate_of_codes(code)


def test_a_regression_finds_what_is_there_and_smooths_what_is_not(persona_fits):
    generator = np.random.default_rng(4)
    person = np.repeat(np.arange(60), 2)
    inputs = generator.normal(size=(120, 2))
    truth = np.where(inputs[:, 0] > 0, 1, 0)
    found = persona_fits.logistic(inputs, truth, 3, person)
    assert found.coef_.shape == (3, 2) and found.get_params()["C"] == max(persona_fits.STRENGTHS)
    assert (found.predict(inputs) == truth).mean() > 0.95
    assert -9 < found.predict_log_proba(inputs)[:, 2].mean() < -3


def test_ridge_against_its_normal_equations(persona_fits):
    generator = np.random.default_rng(6)
    features, traits = generator.normal(size=(60, len(FEATURES))), generator.uniform(size=(60, 5))
    features[:, -1] = np.nan
    with np.errstate(invalid="ignore"):
        weights = persona_fits.make_ridge(10.0).fit(features, traits)[-1].coef_
    z = np.column_stack([(c - c.mean()) / c.std() for c in features[:, :-1].T])
    by_hand = np.linalg.inv(z.T @ z + 10 * np.eye(z.shape[1])) @ z.T @ (traits - traits.mean(axis=0))
    np.testing.assert_allclose(weights[:, :-1], by_hand.T, atol=1e-9)
    assert (weights[:, -1] == 0).all()
    middle = persona_fits.predicted(features, traits, None)
    np.testing.assert_allclose(middle[5], np.median(traits[np.arange(60) % 5 != 0], axis=0))


def test_personality_rows_become_shares_and_traits(tmp_path, collection, persona_fits):
    names = [
        "userid",
        "openness",
        "agreeableness",
        "emotional_stability",
        "conscientiousness",
        "extraversion",
    ]
    header = ", ".join(names + [f"movie_{n}" for n in range(1, 13)])
    films = ["m0", "m37"] + ["elsewhere"] * 10
    first = ", ".join(["a", "7", "4", "7", "1", "2.5", *films])
    second = ", ".join(["b", "1", "1", "1", "1", "1", *["elsewhere"] * 12])
    file = tmp_path / "p.csv"
    file.write_text(f"{header}\n{first}\n{second}\n{second}\n")
    shares, traits = persona_fits.personality_2018(file, collection)
    assert traits.tolist() == [[1, 0, 0.25, 0.5, 0], [0, 0, 0, 0, 1]]
    assert shares[0, FEATURES.index("action")] == 0.5 and np.isnan(shares[0, -2:]).all()
    assert np.isnan(shares[1]).all()
    file.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="movie_12"):
        persona_fits.personality_2018(file, collection)


def test_coefficients_survive_writing(tmp_path, persona_fits):
    file = tmp_path / "c.json"
    persona_fits.write(file, shipped_coefficients(), {"made by": "a test"})
    again = read_coefficients(file)
    assert all(
        (getattr(again, name) == getattr(shipped_coefficients(), name)).all()
        for name in Coefficients.__dataclass_fields__
    )
    file.write_text(FILE.read_text().replace('"western"', '"eastern"'))
    with pytest.raises(InputError, match="other features"):
        read_coefficients(file)


def test_occupations_of_movielens_100k():
    assert OCCUPATIONS[occupation_index("student", 15)] == "school pupil"
    assert OCCUPATIONS[occupation_index("student", 21)] == "college or graduate student"
    with pytest.raises(InputError, match="pirate"):
        occupation_index("pirate", 30)


def test_agreement_against_scikit_learn():
    from sklearn.metrics import accuracy_score, f1_score

    generator = np.random.default_rng(8)
    truth, found = generator.integers(0, 7, (2, 90))
    one = class_agreement(found, truth, 7)
    assert one.accuracy == pytest.approx(accuracy_score(truth, found))
    assert one.macro_f1 == pytest.approx(f1_score(truth, found, average="macro"))
    assert one.within_one == pytest.approx(
        np.mean([abs(a - b) <= 1 for a, b in zip(truth, found, strict=True)])
    )
    assert one.majority == np.bincount(truth).max() / 90
    assert np.isnan(class_agreement(found[:0], truth[:0], 7).accuracy)


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA names no folder with ml-1m")
def test_on_movielens_1m_age_is_known_better_than_by_chance():
    data = movielens_1m(Path(os.environ["OPENIIR_DATA"]) / "ml-1m")
    ratings = data.ratings.select(data.ratings.user < 1_000)
    histories = Histories(split(ratings, 42).train, data.collection, Draw(42, "recommender.history"))
    users = dict(enumerate(data.users[:1_000]))
    found = match_offline(users, histories, Draw(42, "recommender.persona", agent="matcher", step=1))
    chosen, truth = np.array([one.persona.codes[0] for one in found]), self_reports(data)[0][:1_000]
    assert (
        class_agreement(chosen, truth, 7).macro_f1
        > class_agreement(np.roll(chosen, 1), truth, 7).macro_f1 + 0.03
    )
