"""The contract every type keeps, and what is particular to this one."""

from statistics import fmean

from new_type import NewTypeStudy
from new_type.questions import Rate, Revise

from openiir.plugin import Draw
from openiir.testing import ScenarioContract, run_offline


class TestContract(ScenarioContract):
    type = NewTypeStudy


def test_without_talk_nobody_argues(tmp_path):
    silent = run_offline("new-type", tmp_path, "config.talk=false")
    assert list(silent.log.events("new-type.rated"))
    assert not list(silent.log.events("new-type.argued"))


def test_reviewers_favour_what_agrees_with_them():
    statement, passage = "Libraries should lend recommendations", "Recommendations of libraries are effective and good."
    scores = {}
    for view in (-1.0, 1.0):
        draws = [Draw(seed, "new-type.rate") for seed in range(50)]
        scores[view] = fmean(Rate(statement, "c1", passage, view).offline(draw).score for draw in draws)
    assert scores[1.0] > scores[-1.0]


def test_a_revision_lies_between_ones_own_rating_and_the_others():
    scores = [Revise("s", "c1", 2, 8.0, "").offline(Draw(seed, "new-type.revise")).score for seed in range(200)]
    assert set(scores) == {3, 4}
    assert abs(fmean(scores) - 3.8) < 0.15
