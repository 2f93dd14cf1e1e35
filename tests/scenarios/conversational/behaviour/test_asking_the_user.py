"""What simulated users are asked, and which replies are refused: nothing that was not offered is taken, no
wish invented."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_catalogue import ABLE, act, mind_of, offer

from openiir.core.asking.placed_question import form_words, question_schema
from openiir.core.asking.reading import read_reply
from openiir.core.errors import UnusableAnswer
from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.agenda import AgendaPolicy
from openiir.scenarios.conversational.behaviour.simulators import PromptedUser
from openiir.scenarios.conversational.behaviour.user_state import UserState
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.questions.respond import Respond, respond_question
from openiir.scenarios.conversational.questions.speak import (
    DialogueSpeech,
    go_on_question,
)
from openiir.scenarios.conversational.questions.system_turn import SystemTurn
from openiir.testing.offline import run_offline

CRIME, MANN = ("genre", "crime"), ("director", "Mann")
SLOTS = ("title", "genre", "director", "year")
USER = PromptedUser("single", None, Templates("movie"), dual=False)  # type: ignore[arg-type]


def respond(mind: UserState) -> Respond:
    sight = mind.sight()
    return respond_question(
        mind.scene(sight), sight, SLOTS, lambda sight, draw: AgendaPolicy(sight).respond(draw)
    )


def number(question: Respond, intent: str) -> int:
    return [meant.intent for meant in question.meant].index(intent) + 1


def answer(question: Any, **reply: Any) -> Any:
    return read_reply(json.dumps(reply), question)


def do(question: Respond, *moves: tuple[str, tuple[str, ...]]) -> Any:
    return answer(
        question, do=[{"number": number(question, intent), "about": about} for intent, about in moves]
    )


def before() -> UserState:
    mind = mind_of([CRIME, MANN])
    mind.hear("Who should direct it?", [act("ELICIT", ("director", None))], [])
    return mind


def offered(*ids: str) -> UserState:
    mind = mind_of([CRIME, MANN], requests=["year"])
    mind.hear("What about this?", *offer(*ids))
    return mind


def speak(mind: UserState) -> DialogueSpeech:
    sight = mind.sight()
    return DialogueSpeech(mind.scene(sight), sight, USER.speak)


def test_before_anything_is_offered_nothing_can_be_taken() -> None:
    assert not {"ACCEPT", "CONSUMED", "CRITIQUE", "INQUIRE"} & {
        meant.intent for meant in respond(before()).meant
    }
    question = speak(before())
    asked = question_schema(question)["properties"]
    assert asked["which"] == {"type": "null"} and asked["then"]["enum"] == ["go on", "leave"]
    assert "where you take one" not in form_words(question, "example") + form_words(question, "schema")
    assert "where you take one" in form_words(speak(offered("heat")), "example")


def test_only_what_was_offered_can_be_taken() -> None:
    question = respond(offered("ronin", "heat"))
    taken = do(question, ("ACCEPT", ("heat (1995)",)))
    acts = (act("ACCEPT", ("title", "Heat (1995)")), act("BYE"))
    assert question.decision(taken) == (acts, "satisfied", "heat")


@pytest.mark.parametrize(
    ("moves", "remedy"),
    [
        ([("ACCEPT", ("Alien (1979)",))], "'Alien (1979)' does not exist here"),
        ([("ACCEPT", ())], "needs what it is about: Ronin (1998) / Heat (1995)"),
        ([("ACCEPT", ("Ronin (1998)", "Heat (1995)"))], "name one of"),
        ([("DISCLOSE", ("Heat (1995)",))], "can be about is crime / directed by Mann"),
        ([("ACCEPT", ("Heat (1995)",)), ("GIVE_UP", ())], "do one of them"),
        ([("DISCLOSE", ("horror",))], "'horror' does not exist here"),
        ([("DISCLOSE", ())], "needs what it is about"),
        ([], "at least 1"),
    ],
)
def test_what_contradicts_itself_or_the_need_is_refused(
    moves: list[tuple[str, tuple[str, ...]]], remedy: str
) -> None:
    with pytest.raises(UnusableAnswer) as refused:
        do(respond(offered("ronin", "heat")), *moves)
    assert remedy in str(refused.value)


def test_words_are_asked_for_and_endings_fit_what_is_taken() -> None:
    question = speak(offered("ronin", "heat"))
    reply = answer(question, say="I take it.", then="take it", which=2)
    assert question.ending(reply) == ("satisfied", "heat")
    for wrong in (
        {"say": " ", "then": "leave"},
        {"say": "That.", "then": "take it"},
        {"say": "x", "then": "go on", "which": 2},
    ):
        with pytest.raises(UnusableAnswer):
            answer(question, **wrong)
    alone = speak(offered("heat"))
    assert alone.ending(answer(alone, say="That.", then="take it")) == ("satisfied", "heat")


def test_last_words_name_what_is_taken_and_not_what_was_talked_about_last() -> None:
    mind = offered("heat")
    mind.hear("Or this?", *offer("ronin"))
    sight = mind.sight()
    question = go_on_question(mind.scene(sight), sight, "satisfied", "heat", USER.words)
    assert "You take Heat (1995)" in question.prompt() and "Heat" in question.offline(Draw(1, "test")).say


def test_a_title_that_holds_its_year_says_it_and_nobody_is_told_what_is_worth_what() -> None:
    mind = mind_of([CRIME, ("year", "1995")], traits=replace(ABLE, knowledge=0.0))
    mind.hear("Heat (1995)?", *offer("heat"))
    words = speak(mind).prompt()
    assert "1. Heat (1995): you do not know what genre it is; you have not seen it." in words
    assert not re.search(r"\d\.\d|heat\b|ELICIT", words)


def test_offers_are_told_as_facts_and_whether_they_suit_is_left_to_the_person() -> None:
    mind = mind_of([CRIME, ("director", "Scott")], requests=["year"], user=0)
    mind.hear("What about these?", *offer("heat", "alien"))
    page = speak(mind).prompt()
    assert (
        "with what you know of each:\n1. Heat (1995): crime and drama; directed by Mann; you have not "
        "seen it.\n"
    ) in page
    assert "2. Alien (1979): horror; directed by Scott; you have seen it already.\n" in page
    mind = mind_of([CRIME], requests=["director"], traits=replace(ABLE, knowledge=0.0))
    mind.hear("A crime film.", (*offer("ronin")[0], act("INFORM", CRIME)), offer("ronin")[1])
    assert (
        "1. Ronin (1998): crime; you do not know who directed it; you have not seen it."
        in speak(mind).prompt()
    )


def test_what_is_not_told_yet_is_listed_and_asked_for_only_where_there_is_any() -> None:
    mind = before()
    for page in (speak(mind).prompt(), respond(mind).prompt()):
        assert "You have not told it yet: crime; directed by Mann." in page and "or two at a time" in page
    mind.say("Crime, by Mann.", [act("DISCLOSE", CRIME, MANN)])
    for page in (speak(mind).prompt(), respond(mind).prompt()):
        assert "not told it yet" not in page and "or two at a time" not in page


def test_a_liking_may_be_mentioned_and_is_no_wish() -> None:
    mind = mind_of([MANN], user=0)
    mind.hear("Which genre?", [act("ELICIT", ("genre", None))], [])
    assert (
        "You have no genre in mind. You have liked action movies: you may mention that, but it is no "
        "wish of yours."
    ) in speak(mind).prompt()


def test_what_was_met_long_ago_is_remembered_where_it_bears_by_the_personas_memory() -> None:
    prompts = {}
    for policy in ("episodic", "window:50", "window:30", "none"):
        mind = mind_of([CRIME, MANN])
        mind.remembers = policy
        mind.hear("The planted heron is a crime film that nobody knows.", [], [])
        for n in range(20):
            mind.say(f"No, something else, number {n}.", [])
            mind.hear(f"Try page {n} then.", [], [])
        mind.hear("Shall we go back to the heron?", [], [])
        prompts[policy] = speak(mind).prompt()
    assert [policy for policy, prompt in prompts.items() if "planted heron" in prompt] == [
        "episodic",
        "window:50",
    ]
    assert "No, something else, number 7." in prompts["window:30"], (
        "all of a window, those before one's eyes counted in"
    )
    assert all("Try page 19 then." in prompt for prompt in prompts.values())
    assert [policy for policy, prompt in prompts.items() if "page 2 " in prompt] == ["window:50"]


def test_words_of_two_slots_are_told_apart() -> None:
    mind = mind_of([("genre", "a=b")])
    mind.hear("?", [act("ELICIT", ("a=b", None)), act("ELICIT", ("genre", "a=b"), ("category", "a=b"))], [])
    question = respond(mind)
    likes = question.choices[number(question, "LIKE") - 1].about
    assert len(set(likes)) == 2
    reply = do(question, ("DISCLOSE", ("a=b",)), ("DONT_KNOW", ("a=b",)), ("LIKE", likes[1:]))
    found = [pair for each in question.decision(reply).acts for pair in each.pairs]
    assert found == [("genre", "a=b"), ("a=b", None), ("category", "a=b")]


def test_every_offline_answer_is_one_that_a_model_could_give(tmp_path: Path) -> None:
    config = {
        "data": {"name": "synthetic", "synthetic": {"users": 40, "items": 80}},
        "dialogues": 12,
        "simulators": [{"name": "agenda", "by": "agenda", "acts": False}, "single", "dual"],
        "systems": ["random", "attribute", "neighbours"],
    }
    finished = run_offline({"type": "conversational", "personas": [], "seed": 4, "config": config}, tmp_path)
    seen = set()
    for asked in finished.asked:
        reply = asked.question.offline(asked.draw)
        assert read_reply(reply.model_dump_json(), asked.question) == reply
        if isinstance(asked.question, Respond):
            decided = AgendaPolicy(asked.question.sight).respond(asked.draw)
            assert asked.question.decision(reply) == decided
            seen |= {done.intent for done in decided.acts}
    finished.run.close()
    assert seen >= {"DISCLOSE", "INQUIRE", "LIKE", "DISLIKE", "CRITIQUE", "ACCEPT", "GIVE_UP", "DONT_KNOW"}


def test_a_turn_is_read_beside_the_four_before_it() -> None:
    mind, seen = before(), []

    class Reader:
        def system_acts(self, text: str, context: Any) -> tuple[Any, ...]:
            seen.append(tuple(text for _, text in context))
            return ()

    user = replace(USER, reader=Reader())
    for said in ("one", "two", "three", "four", "five"):
        mind.say(said, ())
        asyncio.run(user.understand(None, None, mind, SystemTurn(text="?")))  # type: ignore[arg-type]
    asked = "Who should direct it?"
    assert seen[2:] == [
        (asked, "one", "two", "three"),
        ("one", "two", "three", "four"),
        ("two", "three", "four", "five"),
    ]
