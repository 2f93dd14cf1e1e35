"""Test the contract that every type keeps, and what is particular to this one."""

from statistics import fmean

from new_type import NewTypeStudy
from new_type.questions import RatePassage, Revise

from openiir.plugin import Draw
from openiir.testing import ScenarioContract, run_offline


class TestContract(ScenarioContract):
    type = NewTypeStudy


def test_without_talk_nobody_argues(tmp_path):
    silent = run_offline("new-type", tmp_path, "config.talk=false")
    assert list(silent.log.events("new-type.rated"))
    assert not list(silent.log.events("new-type.argued"))


def test_reviewers_favour_what_agrees_with_them():
    statement, passage = (
        "Libraries should lend recommendations",
        "Recommendations of libraries are effective and good.",
    )
    scores = []
    for view in ("firmly against", "undecided", "firmly in favour"):
        question = RatePassage(statement, "c1", passage, view)
        scores.append(fmean(question.offline(Draw(seed, "new-type.rate")).score for seed in range(50)))
    assert scores[0] < scores[1] < scores[2]


def test_a_revision_lies_between_ones_own_rating_and_the_others():
    question = Revise("s", "c1", "p", 2, 8, "", "", 0.7)
    scores = [question.offline(Draw(seed, "new-type.revise")).score for seed in range(200)]
    assert set(scores) == {3, 4}
    assert abs(fmean(scores) - 3.8) < 0.15
