"""The offline judge beside a crowd: the dialogues of CRSArena-Eval, where they are at hand."""

import os
from pathlib import Path

import pytest

from judge_agreement import judged_talks, spearman
from openiir.kit.items import Collection
from openiir.kit.statistics import order_agreement
from openiir.scenarios.conversational.model.dialogue import Dialogue, Utterance
from openiir.scenarios.conversational.model.formats.crsarena import CROWD, read_crsarena_eval
from openiir.scenarios.conversational.model.grading.heuristic_judge import grade
from openiir.scenarios.conversational.model.grading.judged_dialogue import JudgedDialogue


@pytest.fixture(scope="module")
def dialogues():
    if "OPENIIR_DATA" not in os.environ:
        pytest.skip("OPENIIR_DATA is not set: CRSArena-Eval is not at hand")
    return read_crsarena_eval(Path(os.environ["OPENIIR_DATA"]) / "crs/crsarena/crs_arena_eval.json").dialogues


@pytest.fixture(scope="module")
def overall(dialogues):
    return [float(one.metadata[CROWD]["dialogue_overall"]) for one in dialogues]


def by_system(dialogues, values):
    found = {}
    for one, value in zip(dialogues, values, strict=True):
        found.setdefault(one.system.id, []).append(value)
    return {system: sum(given) / len(given) for system, given in sorted(found.items())}


def test_peoples_means_are_those_counted_before(dialogues, overall):
    found = by_system(dialogues, overall)
    assert len(dialogues) == 467 and len(found) == 9
    stated = {
        "barcor_redial": 1.48,
        "barcor_opendialkg": 1.05,
        "kbrd_redial": 0.51,
        "unicrs_opendialkg": 0.36,
    }
    assert {system: round(found[system], 2) for system in stated} == stated


def test_the_judge_says_more_than_length_alone(dialogues, overall):
    """By words alone; with acts and titles read it says more yet (benchmarks/judge_agreement.py)."""
    talks = [JudgedDialogue(one.utterances) for one in dialogues]
    graded = [grade(talk, "satisfaction").grade for talk in talks]
    own = spearman(graded, overall)
    words = spearman([sum(len(said.text.split()) for said in one.utterances) for one in dialogues], overall)
    turns = spearman([sum(said.speaker == "user" for said in one.utterances) for one in dialogues], overall)
    assert own.low > 0.3 and own.value > words.value + 0.1 > turns.value
    tau = order_agreement(*(list(by_system(dialogues, values).values()) for values in (graded, overall)))
    assert tau.value > 0.5


def test_the_judge_sees_peoples_dialogues_with_the_genres_of_what_was_read():
    films = Collection("movie", ("7",), ("Heat (1995)",), {"genre": (("Drama",),)})
    said = Utterance(speaker="user", text="a drama"), Utterance(speaker="system", text="How about Heat?")
    (talk,) = judged_talks([Dialogue(id="d", utterances=said)], films)
    assert talk.end == "" and talk.need is None
    seen = [(one.turn, one.title, one.facts) for one in talk.shown]
    assert seen == [(2, "Heat (1995)", (("genre", "Drama"),))]
