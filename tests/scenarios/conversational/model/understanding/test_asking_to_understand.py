"""The question what an utterance does, answered without a model and checked when a model answers."""

import json

import pytest

from openiir.core.asking.reading import read_reply
from openiir.plugin import Draw, UnusableAnswer
from openiir.scenarios.conversational.questions.understand import MOST, understand_question

TEXT = 'Do you want comedies, or "Schumann\'s List"?'


def done(does, *about):
    return {"does": does, "about": [{"slot": slot, "value": value} for slot, value in about]}


def answer(question, *does):
    return read_reply(json.dumps({"things": does}), question)


@pytest.fixture
def question(reader):
    return understand_question(TEXT, "system", reader.slots, (("user", "Hi"),), reader)


def test_the_offline_answer_is_the_readers_in_the_words_of_the_utterance(question, reader):
    assert "Service: " + TEXT in question.prompt() and "Person: Hi" in question.prompt()
    reply = question.offline(Draw(1, "t"))
    assert ("genre", "comedies") in [(named.slot, named.value) for one in reply.things for named in one.about]
    assert read_reply(reply.model_dump_json(), question) == reply
    assert question.acts(reply) == reader.system_acts(TEXT, (("user", "Hi"),))


def test_an_answer_of_a_model_is_grounded(question):
    reply = answer(question, done("Asks", ("genre", "COMEDIES"), ("title", "Schumanns  List")))
    assert question.acts(reply)[0].pairs == (("genre", "Comedy"), ("title", "Schumann's List (1993)"))


@pytest.mark.parametrize(
    ("does", "remedy"),
    [
        (done("asks", ("genre", "horror")), "does not say 'horror'"),
        (done("likes"), "'likes' does not exist here"),
        (done("asks", ("smell", "comedies")), "'smell' does not exist here"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(question, does, remedy):
    with pytest.raises(UnusableAnswer) as refused:
        answer(question, does)
    assert remedy in str(refused.value)


def test_acts_without_end_are_cut(reader):
    text = " ".join(["I like horror, but I don't like comedies."] * 60)
    assert (
        len(understand_question(text, "user", reader.slots, (), reader).offline(Draw(1, "t")).things) == MOST
    )
