"""Simulated dialogues beside people's."""

import math

import numpy as np
import pytest

from openiir.plugin import Event
from openiir.scenarios.conversational.measures.conduct import (
    act_counts,
    symmetric_kl,
    transition_distance,
    transitions,
)
from openiir.scenarios.conversational.measures.validity import (
    MEANS,
    compare_with_people,
    likeness_by_simulator,
    validity_measures,
)
from openiir.scenarios.conversational.model.dialogue import (
    Act,
    Dialogue,
    Slot,
    Utterance,
    build_act,
    build_utterance,
)
from openiir.scenarios.conversational.run.actions import DialogueLogged, HumanDialogueLogged, StudyOpened
from openiir.scenarios.conversational.run.human_dialogues import log_human_dialogues
from openiir.scenarios.conversational.views.tables import tabulate_validity as table


def talks(seed, n, accept=0.5):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        talk = []
        for _ in range(rng.integers(1, 5)):
            act = ("DISCLOSE", "INQUIRE", "DISLIKE")[rng.integers(0, 3)]
            talk.append(
                build_utterance(
                    "user", " ".join(["word", "drama", "film"][: rng.integers(1, 4)]), (build_act(act),)
                )
            )
            talk.append(build_utterance("system", "Try it now.", (build_act("RECOMMEND"),)))
        if rng.random() < accept:
            talk.append(build_utterance("user", "yes", (build_act("ACCEPT"),)))
        found.append(tuple(talk))
    return found


def by_name(simulated, people):
    return {one.what: one for one in compare_with_people(simulated, people)}


def test_means_are_means_of_dialogues():
    own, theirs = talks(1, 40), talks(2, 30, accept=0.9)
    found = by_name(own, theirs)
    for name, of in MEANS.items():
        one, other = (sum(map(of, side)) / len(side) for side in (own, theirs))
        assert (found[name].simulated, found[name].people) == pytest.approx((one, other))
        assert found[name].apart.value == pytest.approx(one - other)
        assert found[name].apart.low <= one - other <= found[name].apart.high
    assert found["acceptance"].apart.high < 0


def test_distances_are_those_of_all_dialogues_together():
    own, theirs = talks(1, 40), talks(2, 30)
    found = by_name(own, theirs)
    assert found["acts"].apart.value == pytest.approx(
        symmetric_kl(act_counts(own, "user"), act_counts(theirs, "user"))
    )
    assert found["transitions"].apart.value == pytest.approx(
        transition_distance(transitions(own), transitions(theirs))
    )
    halves = transition_distance(transitions(theirs[::2]), transitions(theirs[1::2]))
    assert found["transitions"].halves == pytest.approx(halves)
    assert found["acts"].apart.low <= found["acts"].apart.high


def test_people_are_like_themselves():
    same = talks(3, 25)
    found = by_name(same, same)
    assert all(found[name].apart.value == 0 for name in (*MEANS, "acts", "transitions"))
    assert found["vocabulary"].apart.value == found["vocabulary"].halves == 0
    assert compare_with_people([], same) == [] == compare_with_people(same, [])


def test_acts_that_people_never_do_are_told_and_not_compared():
    theirs = talks(2, 30)
    own = talks(1, 40)
    more = [
        (
            *talk[:1],
            build_utterance("user", "I like it.", (build_act("LIKE"), build_act("GIVE_UP"))),
            *talk[1:],
        )
        for talk in own
    ]
    plain, found = by_name(own, theirs), by_name(more, theirs)
    for name in ("acts", "transitions"):
        assert found[name].apart == plain[name].apart and not plain[name].left_out
    acts = act_counts(more, "user")
    share = 40 / acts.total()
    assert found["acts"].left_out == pytest.approx({"user GIVE_UP": share, "user LIKE": share})
    lacking = [
        tuple(said.model_copy(update={"acts": ()}) if said.does("INQUIRE") else said for said in talk)
        for talk in own
    ]
    assert by_name(lacking, theirs)["acts"].apart.value > plain["acts"].apart.value + 0.1


def test_without_acts_there_is_a_reason():
    silent = [tuple(build_utterance(said.speaker, said.text) for said in talk) for talk in talks(1, 5)]
    found = by_name(talks(1, 5), silent)
    for name in ("acts", "transitions", "acceptance", "acts.turn"):
        assert math.isnan(found[name].apart.value) and "no act" in found[name].apart.reason
    assert found["turns"].apart.value == 0


class Book:
    """A log of what it is given."""

    def __init__(self, *actions):
        self.actions = actions

    def events(self, kind=None):
        for action in self.actions:
            if action.kind == kind:
                yield Event.model_construct(kind=kind, step=0, payload=action.model_dump(mode="json"))


def test_a_log_with_dialogues_of_people_has_a_table_and_one_without_has_none():
    held = [
        DialogueLogged.model_construct(simulator=name, end=end, utterances=tuple(talk))
        for name in ("agenda", "single")
        for end in ("gave-up", "system-error")
        for talk in talks(4, 6)
    ]
    opened = StudyOpened.model_construct(simulators=("agenda", "single"), systems=(), turns=9)
    people = [
        HumanDialogueLogged(source="f", dialogue=str(n), utterances=tuple(talk))
        for n, talk in enumerate(talks(5, 9))
    ]
    log = Book(opened, *held, *people)
    assert list(likeness_by_simulator(log)) == ["agenda", "single"]
    assert (
        f"{validity_measures(log)['validity.turns[agenda]'].value:.6f}"
        == f"{by_name(talks(4, 6), talks(5, 9))['turns'].apart.value:.6f}"
    )
    assert validity_measures(log)["validity.acts.left-out[agenda]"].value == 0
    assert table(log).names[-1] == "not compared" and {row[-1] for row in table(log).rows} == {""}
    assert len(table(log).rows) == 2 * len(compare_with_people(talks(4, 6), talks(5, 9)))
    assert table(Book(opened, *held)).rows == () and validity_measures(Book(opened, *held)) == {}


class Reader:
    """Finds a title in every system turn, and DISCLOSE in every user's."""

    def user_acts(self, text, context=()):
        return (Act(intent="DISCLOSE"),)

    def system_acts(self, text, context=()):
        return (Act(intent="RECOMMEND", slots=(Slot(slot="title", value=text),)),)

    def items_of(self, acts):
        return tuple(f"id of {slot.value}" for act in acts for slot in act.slots)


class Notes:
    """A stage that keeps what is noted."""

    def __init__(self):
        self.noted = []

    def act(self, actor, action):
        self.noted.append(action)


def dialogue(*acts, id="d"):
    said = [Utterance(speaker="user", text="a drama", acts=acts), Utterance(speaker="system", text="Heat")]
    return Dialogue(id=id, utterances=tuple(said))


def test_acts_of_a_known_scheme_stand_and_others_are_read():
    known = Notes()
    log_human_dialogues(known, [dialogue(Act(intent="INQUIRE"))], Reader(), "f.json")
    assert [act.intent for act in known.noted[0].utterances[0].acts] == ["INQUIRE"] and known.noted[
        0
    ].source == "f.json"
    bare = Notes()
    log_human_dialogues(bare, [dialogue()], Reader(), "f.json")
    assert [act.intent for said in bare.noted[0].utterances for act in said.acts] == ["DISCLOSE", "RECOMMEND"]
