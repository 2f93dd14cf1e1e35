"""Imported dialogues are given acts and the need behind them."""

import pytest

from openiir.core.asking.reading import read_reply
from openiir.plugin import Draw, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Need, Slot, Utterance
from openiir.scenarios.conversational.model.understanding.annotating import annotate, find_need
from openiir.scenarios.conversational.questions.extract_need import (
    ExtractedConstraint,
    ExtractedNeed,
    build_need_question,
)
from openiir.scenarios.conversational.run.human_dialogues import understand_questions

from .conftest import format_acts


def talk(*lines):
    speakers = ("user", "system")
    return Dialogue(
        id="t",
        utterances=tuple(Utterance(speaker=speakers[n % 2], text=text) for n, text in enumerate(lines)),
    )


TALK = talk(
    "I am looking for a comedy. I don't like horror.",
    "How about Night of the Lizards?",
    "I have already seen it. I'd rather have something with Ulla Marsh.",
    "Then try Orbital Mechanics (2001).",
    "Who directed it?",
    "It was directed by Jo Silva.",
    "I'll take it.",
    "Enjoy it! Bye.",
)
NEED = Need(
    constraints=(("genre", "Comedy"), ("actor", "Ulla Marsh")), requests=("director",), targets=("m6",)
)


def test_acts_and_items_are_found(reader):
    found = annotate([TALK], reader)[0].utterances
    assert [format_acts(utterance.acts) for utterance in found][2:5] == [
        'CONSUMED()|CRITIQUE(actor="Ulla Marsh")',
        'RECOMMEND(title="Orbital Mechanics (2001)")',
        "INQUIRE(director)",
    ]
    assert [utterance.items for utterance in found][1:4:2] == [("m5",), ("m6",)]
    assert [utterance.text for utterance in found] == [utterance.text for utterance in TALK.utterances]


def test_acts_that_are_there_stay_unless_read_again(reader):
    said = [u.model_copy(update={"acts": (Act(intent="MINE"),)}) for u in TALK.utterances]
    mine = TALK.model_copy(update={"utterances": tuple(said)})
    assert all(u.acts[0].intent == "MINE" for u in annotate([mine], reader)[0].utterances)
    assert all(u.acts[0].intent != "MINE" for u in annotate([mine], reader, again=True)[0].utterances)


def test_questions_give_the_same_offline(reader):
    asked = understand_questions(TALK, reader)
    acts = [question.acts(question.offline(Draw(1, "t"))) for question in asked]
    plain = [[(act.intent, act.pairs) for act in own] for own in acts]
    assert plain == [[(a.intent, a.pairs) for a in u.acts] for u in annotate([TALK], reader)[0].utterances]
    assert asked[6].before[0] == ("Person", TALK.utterances[2].text)


def test_the_need_is_found(reader):
    assert find_need(TALK, reader) == NEED


def test_what_was_taken_back_is_no_constraint(reader):
    found = find_need(talk("I want a horror movie or a comedy", "Why?", "Sorry, I don't like horror"), reader)
    assert found.constraints == (("genre", "Comedy"),)


def test_what_was_liked_stands_in_for_what_was_taken(reader):
    assert find_need(talk("A western", "Have you seen Harbour Lights?", "I loved it!"), reader).targets == (
        "m0",
    )
    assert find_need(talk("I love Harbour Lights"), reader).targets == ()


def test_acts_of_ours_are_trusted(reader):
    acts = (Act(intent="DISCLOSE", slots=(Slot(slot="genre", value="War"),)),)
    said = Dialogue(id="a", utterances=(Utterance(speaker="user", text="hm", acts=acts),))
    assert find_need(said, reader).constraints == (("genre", "War"),)


def test_the_question_for_a_need(reader):
    question = build_need_question(TALK, reader)
    assert "Person: Who directed it?" in question.prompt() and "director" in question.prompt()
    assert question.need(question.offline(Draw(1, "t"))) == NEED
    said = ExtractedNeed(
        constraints=(ExtractedConstraint(slot="genre", value="COMEDY"),), titles=("orbital mechanics", "Then")
    )
    question.check(said)
    assert question.need(said) == Need(constraints=(("genre", "Comedy"),), targets=("m6",))


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (ExtractedNeed(requests=("smell",)), "'smell' does not exist here"),
        (
            ExtractedNeed(constraints=(ExtractedConstraint(slot="genre", value="western"),)),
            "nobody said 'western'",
        ),
        (ExtractedNeed(titles=("Harbour Lights",)), "nobody said 'Harbour Lights'"),
    ],
)
def test_a_need_that_nobody_voiced_is_refused(reader, reply, remedy):
    with pytest.raises(UnusableAnswer, match=remedy):
        read_reply(reply.model_dump_json(), build_need_question(TALK, reader))
