"""The question how something is said, answered by templates and checked when a model answers."""

import pytest

from openiir.plugin import Draw, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Act, Slot
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.questions.realise import LONGEST, UserUtterance, realise_question

ACTS = (
    Act(
        intent="DISCLOSE", slots=(Slot(slot="genre", value="Horror"), Slot(slot="title", value='It\'s "Up"'))
    ),
    Act(intent="INQUIRE", slots=(Slot(slot="year"),)),
)


def question(**more):
    return realise_question(ACTS, "What would you like?", Templates(), **more)


def test_the_prompt_says_what_to_say_in_words():
    prompt = question(secret=("Drama",)).prompt()
    assert "What would you like?" in prompt and "anything else yet, such as Drama." in prompt
    assert (
        "- what you want: Horror" in prompt
        and "- ask what its year is" in prompt
        and "DISCLOSE" not in prompt
    )


@pytest.mark.parametrize("talkativeness", [0, 0.5, 1])
def test_the_offline_answer_says_all_values(talkativeness):
    for n in range(40):
        asked = question(talkativeness=talkativeness)
        asked.check(asked.offline(Draw(1, "t", item=n)))


def test_talkative_people_are_asked_for_more_words():
    assert len({question(talkativeness=t).prompt() for t in (0, 0.5, 1)}) == 3


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("Something scary. When is it from?", "lack 'Horror'"),
        ("A horror film like It's Up, not a drama", "mentioned 'Drama'"),
        ("  ", "said nothing"),
    ],
)
def test_words_that_do_not_fit_are_refused(text, remedy):
    with pytest.raises(UnusableAnswer) as refused:
        question(secret=("Drama", "Horror")).check(UserUtterance(text=text))
    assert remedy in str(refused.value)


def test_a_secret_inside_another_word_is_none():
    question(secret=("Ho", "orro", "Up")).check(
        UserUtterance(text="A horror film like It’s “UP”, from when?")
    )


def test_what_is_too_long_is_cut_to_whole_acts():
    long = tuple(Act(intent="LIKE", slots=(Slot(slot="title", value=f"{n:0>300}"),)) for n in range(9))
    text = realise_question(long, "", Templates()).offline(Draw(1, "t")).text
    assert f"{0:0>300}" in text and len(text) <= LONGEST
