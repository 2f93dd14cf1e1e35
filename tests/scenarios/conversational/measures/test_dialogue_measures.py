"""Measures and tables of a study of dialogues, from its log alone."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from openiir.core.storage import AnswerCount
from openiir.kit.measures.per_user import over_users
from openiir.kit.statistics import order_agreement, seeds_needed
from openiir.plugin import Event
from openiir.scenarios.conversational.measures import conversational_measures
from openiir.scenarios.conversational.measures.averages import group_rows, means
from openiir.scenarios.conversational.measures.dialogue_rows import SCORES, DialogueRow, RunSetting, rows
from openiir.scenarios.conversational.measures.system_comparison import (
    ALL,
    compare_systems,
    simulator_agreement,
)
from openiir.scenarios.conversational.model.dialogue import Act, Need, Slot, Utterance
from openiir.scenarios.conversational.run.actions import (
    DialogueJudged,
    DialogueLogged,
    DialogueOffer,
    StudyOpened,
)
from openiir.scenarios.conversational.views import SURFACES, series, tables
from openiir.scenarios.conversational.views.dialogue_view import dialogue


def said(speaker, text, *acts, items=()):
    made = tuple(Act(intent=a, slots=tuple(Slot(slot=s, value=v) for s, v in pairs)) for a, *pairs in acts)
    return Utterance(speaker=speaker, text=text, acts=made, items=items)


TALK = (
    said("system", "Which genre?", ("ELICIT", ("genre", None))),
    said("user", "A drama.", ("DISCLOSE", ("genre", "drama"))),
    said("system", "Try Heat.", ("RECOMMEND", ("title", "Heat")), items=("3",)),
    said("user", "Not from 1990.", ("CRITIQUE", ("year", "1990"))),
    said("system", "Try Ran.", ("RECOMMEND", ("title", "Ran")), items=("7",)),
    said("user", "I take it.", ("ACCEPT",)),
)
OFFERS = (
    DialogueOffer(turn=1, items=("3", ""), titles=("Heat", "Nothing"), utilities=(0.4, 0.0), met=((0,), ())),
    DialogueOffer(turn=2, items=("7",), titles=("Ran",), utilities=(0.9,), met=((0, 1),)),
)


def held(
    number=0, simulator="agenda", system="good", end="satisfied", accepted="7", group="everybody", **other
):
    values = {
        "number": number,
        "simulator": simulator,
        "system": system,
        "group": group,
        "end": end,
        "reason": "",
        "informed": (),
        "need": Need(constraints=(("genre", "drama"), ("year", "1990")), targets=("7", "8")),
        "difficulty": 0.5,
        "utterances": TALK,
        "offers": OFFERS,
        "accepted": accepted if end == "satisfied" else None,
    }
    return DialogueLogged(**(values | other))


class Book:
    """A log of what it is given."""

    def __init__(self, *actions, simulators=("agenda", "single"), systems=("good", "bad"), turns=10):
        opened = StudyOpened.model_construct(simulators=simulators, systems=systems, turns=turns)
        self.actions = [opened, *actions]
        self.personas = (SimpleNamespace(id="u", name="Una"),)

    def events(self, kind=None, *, actor=None, since=0):
        for seq, action in enumerate(self.actions):
            if isinstance(action, Event):
                if kind in (None, action.kind):
                    yield action
            elif kind in (None, action.kind) and actor in (None, "u"):
                payload = action.model_dump(mode="json")
                yield Event.model_construct(
                    seq=seq, step=1, lane="main", kind=action.kind, actor="u", payload=payload
                )

    def answer_counts(self):
        return [AnswerCount("u", "conversational.realise", by, 1, 0, 0) for by in ("offline", "human")]

    def repairs(self, since=0):
        return {}


def test_a_dialogue_in_numbers():
    found = rows(Book(held()))[0].values
    expected = {
        "success": 1,
        "success@3": 1,
        "accepted": 1,
        "turns": 3,
        "turns.success": 3,
        "turns.restricted": 3,
        "recall@1": 0.25,
        "recall@5": 0.25,
        "recall.any@10": 0.5,
        "mrr": 1 / 3,
        "rank.target": 3,
        "turns.target": 2,
        "utility": 1.3 / 3,
        "rounds.accepted": 0.5,
        "reward": 13,
        "reward.length": 1 / 6,
        "acts.ratio": 1,
        "coverage": 1,
        "questions.repeated": 0,
        "critiques.ignored": 0,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert set(SCORES) == set(found) | {name for name in SCORES if name.startswith("judge.")}


def test_numbers_of_a_dialogue_depend_on_no_other():
    asks = held(1, utterances=(*TALK, said("user", "How long is it?", ("INQUIRE", ("length", None)))))
    alone = rows(Book(held()))[0]
    assert rows(Book(held(), asks, held(2, "single")))[0] == alone
    assert rows(Book(asks))[0].values["reward"] == alone.values["reward"] + 4 - 1


def test_what_is_taken_is_no_success_unless_it_is_a_target():
    found = rows(Book(held(accepted="3")))[0].values
    assert (found["success"], found["accepted"], found["turns.restricted"]) == (0, 1, 10)
    assert math.isnan(found["turns.success"])


def test_failed_dialogues_are_counted_and_never_averaged():
    crashed = held(1, end="system-error", utterances=TALK[:3], offers=OFFERS[:1])
    found = conversational_measures(Book(held(0), crashed, held(2, system="bad", end="simulator-error")))
    assert found["success[agenda/good]"].value == found["success[good]"].value == 1
    assert (found["dialogues[agenda/good]"].value, found["failed[agenda/good]"].value) == (2, 1)
    assert found["failed[bad]"].value == 1
    gone = found["success[agenda/bad]"]
    assert math.isnan(gone.value) and gone.reason
    again = conversational_measures(Book(held(0)))
    for name, measure in again.items():
        if "[agenda/good]" in name and not name.startswith(("failed", "dialogues")):
            assert measure == found[name]


def test_undefined_scores_say_why():
    silent = held(utterances=TALK[1:2], offers=(), end="gave-up", accepted=None)
    found = conversational_measures(Book(silent))
    for name, why in (
        ("recall@1", "nothing was recommended"),
        ("rounds.accepted", "no recommendation was answered"),
        ("turns.success", "no dialogue"),
    ):
        measure = found[f"{name}[agenda/good]"]
        assert math.isnan(measure.value) and why in measure.reason
    assert found["recall.any@10[agenda/good]"].value == 0


def test_a_need_counts_once_and_simulators_weigh_the_same():
    log = Book(held(0), held(0, "single", end="gave-up"), held(1), held(1, "single"))
    found = means(rows(log), ("success",))["success"]
    assert (found.value, found.users) == (0.75, 2)
    assert found == over_users([0.5, 1.0], "", bounds=(0.0, 1.0)), "a share is from 0 to 1"
    lacking = Book(held(0), held(0, "single", end="gave-up"), held(1), held(1, "single", end="system-error"))
    assert means(rows(lacking), ("success",))["success"].value == 0.5


def easy_and_hard(crashes):
    """Two systems that are the same; B crashes with the hard simulator on some needs."""
    return [
        DialogueRow(
            n,
            simulator,
            system,
            "g",
            "system-error" if gone else "gave-up",
            {} if gone else {"success": value},
        )
        for n in range(100)
        for simulator, value in (("easy", 1.0), ("hard", 0.0))
        for system in ("A", "B")
        for gone in [system == "B" and simulator == "hard" and crashes(n)]
    ]


def test_what_failed_with_one_simulator_makes_no_difference_between_like_systems():
    all_rows = easy_and_hard(lambda n: n % 2)
    for one in compare_systems(all_rows, RunSetting(("easy", "hard"), ("A", "B"), 10), ("success",)):
        assert (one.less.value, one.p, one.less.users) == (0, 1, 50 if one.simulator == "hard" else 100)
    for system in ("A", "B"):
        assert means([row for row in all_rows if row.system == system], ("success",))["success"].value == 0.5
    gone = means([row for row in easy_and_hard(lambda n: True) if row.system == "B"], ("success",))["success"]
    assert math.isnan(gone.value) and "every dialogue failed (with hard)" in gone.reason


def test_the_mean_over_simulators_is_that_of_their_means_and_its_error_that_of_resampled_needs():
    rng = np.random.default_rng(8)
    told = {
        s: {n: float(rng.random() < p) for n in range(400) if rng.random() < kept}
        for s, p, kept in (("x", 0.8, 1.0), ("y", 0.2, 0.5))
    }
    all_rows = [
        DialogueRow(n, s, "A", "g", "gave-up", {"success": v})
        for s, by in told.items()
        for n, v in by.items()
    ]
    found = means(all_rows, ("success",))["success"]
    assert found.value == pytest.approx(np.mean([np.mean(list(by.values())) for by in told.values()]))
    table = np.array([[by.get(n, np.nan) for n in range(400)] for by in told.values()])
    again = [np.nanmean(table[:, rng.integers(0, 400, 400)], axis=1).mean() for _ in range(800)]
    assert found.standard_error == pytest.approx(np.std(again), rel=0.12)


def test_many_systems_can_be_told_apart():
    names = [f"s{n}" for n in range(9)]
    all_rows = [
        DialogueRow(n, simulator, name, "g", "gave-up", {"success": float(place)})
        for n in range(16)
        for simulator in ("x", "y", "z")
        for place, name in enumerate(names)
    ]
    found = compare_systems(all_rows, RunSetting(("x", "y", "z"), tuple(names), 10), ("success",))
    assert len(found) == 4 * 36
    assert max(one.holm for one in found) <= 0.01


def test_success_has_an_interval_even_where_all_needs_say_the_same():
    found = conversational_measures(Book(*(held(n) for n in range(20))))
    low, high = (found[f"success[agenda/good].{end}"].value for end in ("low", "high"))
    assert 0.8 < low < 0.9 and high == 1
    assert "turns[agenda/good].low" not in found


def test_keys_follow_the_study_and_groups_come_where_there_are_several():
    log = Book(held(0, system="bad"), held(0, group="novices"), held(1, "single"))
    assert list(group_rows(rows(log), RunSetting(("agenda", "single"), ("good", "bad"), 10))) == [
        "good",
        "agenda/good",
        "single/good",
        "good:everybody",
        "good:novices",
        "bad",
        "agenda/bad",
        "bad:everybody",
        "bad:novices",
    ]
    assert "success[good:novices]" in conversational_measures(log)


def rows_of(rng, needs=30):
    found = []
    for number in range(needs):
        for simulator, shift in (("one", 0.0), ("two", 0.1)):
            for n, system in enumerate(("a", "b", "c")):
                failed = rng.random() < 0.1
                value = float(rng.random() < 0.2 + 0.3 * n - shift)
                found.append(
                    DialogueRow(
                        number,
                        simulator,
                        system,
                        "g",
                        "system-error" if failed else "gave-up",
                        {} if failed else {"success": value},
                    )
                )
    return found


def test_pairs_are_compared_on_the_needs_that_both_have():
    all_rows = rows_of(np.random.default_rng(0))
    found = compare_systems(all_rows, RunSetting(("one", "two"), ("a", "b", "c"), 10), ("success",))
    assert [(c.simulator, c.one, c.other) for c in found[:3]] == [
        ("one", "b", "a"),
        ("one", "c", "a"),
        ("one", "c", "b"),
    ]
    assert [c.simulator for c in found[6:]] == [ALL] * 3
    value = {(r.simulator, r.system, r.number): r.values["success"] for r in all_rows if r.values}
    apart = [
        value["one", "c", n] - value["one", "a", n]
        for n in range(30)
        if ("one", "c", n) in value and ("one", "a", n) in value
    ]
    assert found[1].less.value == pytest.approx(np.mean(apart)) and found[1].less.users == len(apart) < 30
    assert all(c.p <= c.holm <= 1 for c in found)
    d_z = np.mean(apart) / np.std(apart, ddof=1)
    assert found[1].required_needs == seeds_needed(d_z) and math.isnan(
        found[1]._replace(less=over_users([1.0, 1.0], "")).required_needs
    )


def test_simulators_agree_by_tau_over_resampled_needs():
    all_rows = rows_of(np.random.default_rng(1), needs=60)
    setting = RunSetting(("one", "two"), ("a", "b", "c"), 10)
    (tau,) = simulator_agreement(all_rows, setting).values()
    by = {
        s: [
            np.mean([r.values["success"] for r in all_rows if r.values and (r.simulator, r.system) == (s, y)])
            for y in "abc"
        ]
        for s in ("one", "two")
    }
    assert tau.value == pytest.approx(order_agreement(by["one"], by["two"]).value)
    assert -1 <= tau.low <= tau.value <= tau.high <= 1
    again = simulator_agreement(list(reversed(all_rows)), setting)
    assert list(again.values()) == [tau]


def test_no_order_no_tau():
    both = [
        DialogueRow(n, s, "a", "g", "gave-up", {"success": 1.0}) for n in range(4) for s in ("one", "two")
    ]
    (alone,) = simulator_agreement(both, RunSetting((), (), 1)).values()
    assert math.isnan(alone.value) and "at least 2 systems" in alone.reason
    tied = both + [row._replace(system="b") for row in both]
    (none,) = simulator_agreement(tied, RunSetting((), (), 1)).values()
    assert math.isnan(none.value) and "ties" in none.reason


def grades(*scores, aspect="satisfaction", probe="", number=0, system="good"):
    return [
        DialogueJudged(
            number=number,
            simulator="agenda",
            system=system,
            aspect=aspect,
            probe=probe,
            repeat=n,
            score=score,
        )
        for n, score in enumerate(scores, 1)
    ]


def test_an_unusable_grade_is_missing_and_counted():
    log = Book(
        held(0),
        held(1),
        *grades(4, None, 2),
        *grades(None, number=1),
        *grades(5, probe="order"),
        *grades(1, probe="verbosity"),
    )
    found = conversational_measures(log)
    assert found["judge.satisfaction[agenda/good]"].value == 3
    assert (found["judge.asked"].value, found["judge.unusable"].value) == (6, 2)
    assert found["judge.spread[satisfaction]"].value == 2
    assert tables.tabulate_trust(log).rows == (
        ("satisfaction", 6, 2, None, 2.0, 2.0, None, None, -2.0, None, None),
    )
    assert (found["judge.order[satisfaction]"].value, found["judge.verbosity[satisfaction]"].value) == (2, -2)


def study():
    marks = [("good", "satisfied"), ("bad", "gave-up")]
    return Book(
        *(held(n, s, y, e) for n in range(4) for s in ("agenda", "single") for y, e in marks),
        held(4, "agenda", "bad", "system-error", reason="it hung up"),
        *grades(4, 4),
        *grades(3, probe="order"),
    )


def test_every_view_can_be_drawn():
    for surface in SURFACES:
        if getattr(surface, "form", "") == "table":
            table = surface.view(study())
            assert all(len(row) == len(table.columns) for row in table.rows)
            empty = surface.view(Book())
            assert not empty.rows


def test_failures_stand_beside_scores():
    table = tables.tabulate_results(study())
    assert table.names[:7] == ("simulator", "system", "dialogues", "failed", "success", "low", "high")
    assert all(
        0 <= low <= share <= high <= 1 and low < high for share, low, high in (row[4:7] for row in table.rows)
    )
    assert [row[:5] for row in table.rows] == [
        ("agenda", "good", 4, 0, 1.0),
        ("agenda", "bad", 5, 1, 0.0),
        ("single", "good", 4, 0, 1.0),
        ("single", "bad", 4, 0, 0.0),
    ]
    assert tables.tabulate_ends(study()).rows[1][:3] == ("agenda", "bad", 5)
    assert tables.tabulate_comparison(study()).rows[0][:6] == ("success", "agenda", "bad", "good", 4, -1.0)
    assert tables.tabulate_agreement(study()).rows[0][:4] == ("success", "agenda", "single", 1.0)


def test_dialogues_are_told_from_the_first():
    entries = dialogue(study(), n=2)
    assert [e.heading for e in entries if e.heading.startswith("need")] == [
        "need 1: agenda meets good",
        "need 1: agenda meets bad",
    ]
    assert entries[0].actor == "Una" and "genre: drama" in entries[0].text
    assert "DISCLOSE genre = drama" in entries[2].acts and "Ran: worth 0.90, a target" in entries[5].notes
    assert "Nothing: worth 0.00, not in the catalogue" in entries[3].notes
    assert (
        entries[7].heading == "end" and "took Ran, which is what was wanted, after 3 turns" in entries[7].text
    )
    last = dialogue(study())[-1]
    assert last.text == "The system failed, after 3 turns of the user's: it hung up."


def asked(asker, kind, ordinal, **more):
    payload = {
        "question": kind,
        "subject": "",
        "ordinal": ordinal,
        "outcome": "answered",
        "answerer": "human",
        "attempts": 1,
    }
    return Event(seq=0, step=1, lane="main", kind="asked", actor=asker, payload=payload | more)


def test_an_utterance_has_the_notes_of_the_questions_that_brought_it():
    broken = {"outcome": "failed", "failure": "no JSON"}
    notes = (
        asked("u", "conversational.realise", 1),
        asked("u", "conversational.understand", 0, attempts=2),
        asked("good", "conversational.say-over", 0),
        asked("good", "conversational.say-over", 2, attempts=2),
        asked("u", "conversational.respond", 9, **broken),
    )
    talk = TALK[1:]  # the system was asked for first words, and had none
    told = {n: entry.notes for n, entry in enumerate(dialogue(Book(*notes, held(utterances=talk))), -1)}
    users = [n for n, said in enumerate(talk) if said.speaker == "user"]
    systems = [n for n, said in enumerate(talk) if said.speaker == "system"]
    found = {
        n: [note for note in words if note.startswith(("answered", "repaired", "no usable"))]
        for n, words in told.items()
    }
    assert {n: words for n, words in found.items() if words} == {
        users[1]: ["answered by a person"],
        systems[0]: ["repaired (conversational.understand): the first reply did not fit"],
        systems[1]: ["repaired (conversational.say-over): the first reply did not fit"],
        len(talk): ["no usable answer (conversational.respond): no JSON"],
    }


def test_lines_rise_turn_by_turn_and_leave_failures_out():
    log = Book(held(0), held(1, end="gave-up"), held(2, end="system-error"), turns=5)
    assert series.success_by_turn(log).lines == {
        "agenda/good": ((0, 0.0), (1, 0.0), (2, 0.0), (3, 0.5), (4, 0.5), (5, 0.5))
    }
    assert series.recall_by_turn(log).lines == {
        "agenda/good": ((0, 0.0), (1, 0.0), (2, 0.5), (3, 0.5), (4, 0.5), (5, 0.5))
    }
    assert series.recall_by_turn(Book(held(need=Need()))).lines == {} == series.success_by_turn(Book()).lines
