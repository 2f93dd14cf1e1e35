"""Test the contract that every type keeps, and what is particular to this one."""

from statistics import fmean

from new_type import NewTypeStudy
from new_type.questions import RatePassage

from openiir.plugin import Draw
from openiir.testing import ScenarioContract, run_offline


class TestContract(ScenarioContract):
    type = NewTypeStudy


def test_each_reviewer_rates_each_passage_once(tmp_path):
    finished = run_offline("new-type", tmp_path, "config.passages=2")
    rated = [(row["reviewer"], row["passage"]) for row in finished.log.table("ratings")]
    assert len(rated) == len(set(rated)) == 2 * len(finished.log.personas)


def test_reviewers_favour_what_agrees_with_them():
    statement, passage = (
        "Libraries should lend recommendations",
        "Recommendations of libraries are effective and good.",
    )
    scores = []
    for view in ("firmly against", "undecided", "firmly in favour"):
        question = RatePassage(statement, "c1", passage, view, 2.5)
        scores.append(fmean(question.offline(Draw(seed, "new-type.rate")).score for seed in range(50)))
    assert scores[0] < scores[1] < scores[2]
