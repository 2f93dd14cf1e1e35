"""The question what an utterance does, answered without a model and checked when a model answers."""

import pytest

from openiir.kit.dialogue import Act, Slot
from openiir.plugin import Draw, UnusableAnswer
from openiir.scenarios.conversational.questions.understand import MEANINGS, Understand, Understood

TEXT = "Do you want comedies, or \"Schumann's List\"?"


@pytest.fixture
def question(reader):
    return Understand(TEXT, "system", reader.slots, context=(("user", "Hi"),), reader=reader)


def test_the_prompt_shows_what_the_reader_reads(question):
    prompt = question.prompt()
    assert TEXT in prompt and "USER: Hi" in prompt and "genre" in prompt
    assert all(f"- {name}: {meaning}" in prompt for name, meaning in MEANINGS["system"].items())


def test_the_offline_answer_is_the_readers_in_the_words_of_the_utterance(question, reader):
    reply = question.offline(Draw(1, "t"))
    assert 'genre="comedies"' in reply.acts
    question.check(reply)
    assert question.acts(reply) == reader.system_acts(TEXT, question.context)


def test_an_answer_of_a_model_is_grounded(question):
    reply = Understood(acts="ELICIT(genre='comedies',title=\"Schumann's List\")")
    question.check(reply)
    assert question.acts(reply)[0].pairs == (("genre", "Comedy"), ("title", "Schumann's List (1993)"))


@pytest.mark.parametrize(
    ("acts", "remedy"),
    [
        ('ELICIT(genre="horror")', "does not say 'horror'"),
        ("SING()", "no act 'SING'"),
        ("LIKE()", "no act 'LIKE'"),
        ('ELICIT(smell="comedies")', "no slot 'smell'"),
        ("well, ELICIT(genre)", "character 5"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(question, acts, remedy):
    with pytest.raises(UnusableAnswer) as refused:
        question.check(Understood(acts=acts))
    assert remedy in str(refused.value)


def test_values_are_compared_without_case_and_quotes(question):
    question.check(Understood(acts='ELICIT(title="SCHUMANNS  LIST")'))


def test_acts_without_end_are_cut(reader):
    text = " ".join(["I like horror, but I don't like comedies."] * 60)
    reply = Understand(text, "user", reader.slots, reader=reader).offline(Draw(1, "t"))
    assert 500 < len(reply.acts) <= 1_000


def test_without_a_reader_nothing_is_understood_offline():
    question = Understand("Hi", "user", ("genre",))
    assert question.offline(Draw(1, "t")).acts == ""
    reply = Understood(acts="GREET(genre)")
    assert question.acts(reply) == (Act(intent="GREET", slots=(Slot(slot="genre"),)),)


def test_other_schemes_bring_their_own_intents():
    question = Understand("Hi", "user", ("GENRE",), intents={"OTH": "anything"})
    question.check(Understood(acts="OTH()"))
    assert "- OTH: anything" in question.prompt()
    with pytest.raises(UnusableAnswer):
        question.check(Understood(acts="GREET()"))
