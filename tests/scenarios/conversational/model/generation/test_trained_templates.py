"""Templates cut from annotated turns: what people said, with values put in, and nothing left out."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.plugin import Draw, InputError
from openiir.scenarios.conversational.model.dialogue import Dialogue, Utterance
from openiir.scenarios.conversational.model.dialogue import build_act as act
from openiir.scenarios.conversational.model.formats.dialoguekit import read_dialogues
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.model.generation.trained_templates import TrainedTemplates

DATA = os.environ.get("OPENIIR_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="OPENIIR_DATA is not set: the annotated dialogues are not here"
)


def said(text, *acts):
    return Utterance(speaker="user", text=text, acts=acts)


TURNS = (
    said("gimme {some} horror stuff with Rex Howe\n", act("IQU", ("GENRE", "horror"), ("ACTOR", "Rex Howe"))),
    said("seen, now comedy pls", act("SEE"), act("IQU", ("GENRE", "comedy"))),
    said("no idea what", act("IQU", ("GENRE", "drama"))),
    said("warm film", act("IQU", ("GENRE", "war"))),
    said("cya", act("END")),
    said("ask Bruce, bye", act("END")),
    said("see you all later then", act("END")),
    said("mumble", act("OTH")),
    said("saw Up (2009) already", act("SEE", ("TITLE", "Up"))),
    said("not Up, more like Her (2013)", act("SEE", ("TITLE", "Up"))),
    said("x" * 300, act("END")),
)


@pytest.fixture(scope="module")
def learnt():
    return TrainedTemplates([Dialogue(id="d", utterances=TURNS)])


def test_turns_make_templates_where_all_values_are_in_them(learnt):
    assert [(key, len(cuts)) for key, cuts in learnt.cuts.items()] == [
        ((("BYE", ()),), 2),
        ((("CONSUMED", ()), ("DISCLOSE", ("genre",))), 1),
        ((("CONSUMED", ("title",)),), 1),
        ((("DISCLOSE", ("genre", "actor")),), 1),
    ]


def test_values_are_put_in(learnt):
    text = learnt.render([act("DISCLOSE", ("genre", "war {x}"), ("actor", "Ida \\1"))], Draw(1, "t"))
    assert text == "gimme {some} war {x} stuff with Ida \\1"
    assert (
        learnt.render([act("CONSUMED"), act("DISCLOSE", ("genre", "war"))], Draw(1, "t"))
        == "seen, now war pls"
    )
    assert learnt.render([act("CONSUMED", ("title", "It (2017)"))], Draw(1, "t")) == "saw It (2017) already"


def test_the_talkative_say_more(learnt):
    texts = {t: [learnt.render([act("BYE")], Draw(1, "t", item=n), t) for n in range(200)] for t in (0, 1)}
    assert set(texts[0]) == {"cya", "see you all later then"}
    assert texts[0].count("cya") > 120 > 80 > texts[1].count("cya")


def test_our_own_words_stand_in(learnt):
    for acts in (
        [act("DISCLOSE", ("year", "1999"))],
        [act("INQUIRE", ("year", None))],
        [],
        [act("LIKE", ("title", "Up"))],
    ):
        assert learnt.render(acts, Draw(1, "t")) == Templates().render(acts, Draw(1, "t"))


values = st.text(min_size=1, max_size=20) | st.sampled_from(["{genre}", "%s", "a, b", "'", '"'])


@given(st.lists(st.tuples(st.sampled_from(["genre", "actor", "title"]), values), max_size=3), st.floats(0, 1))
@settings(deadline=None, max_examples=80)
def test_every_value_is_in_the_text(learnt, pairs, talkativeness):
    text = learnt.render([act("DISCLOSE", *pairs), act("BYE")], Draw(1, "t"), talkativeness)
    assert all(value in text for _, value in pairs)
    one = learnt.render([act("DISCLOSE", *pairs)], Draw(1, "t"), talkativeness)
    assert all(value in one for _, value in pairs)


def test_dialogues_without_templates_are_refused():
    with pytest.raises(InputError, match="makes a template"):
        TrainedTemplates([Dialogue(id="d", utterances=TURNS[2:4])])


@needs_data
@pytest.mark.parametrize(
    ("file", "least"),
    [("moviebot/annotated_dialogues.json", 40), ("iard/formatted_IARD_annotated_gold.json", 200)],
)
def test_published_dialogues_make_templates(file, least):
    learnt = TrainedTemplates(read_dialogues(Path(str(DATA)) / "crs" / file))
    assert sum(map(len, learnt.cuts.values())) >= least
    text = learnt.render([act("DISCLOSE", ("genre", "Space Western"))], Draw(1, "t"))
    assert "Space Western" in text
