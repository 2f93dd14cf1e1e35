"""What simulated users are asked, and which replies are refused: nothing that was not offered is taken, no wish invented."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from small_catalogue import act, mind_of, offer

from openiir.core.asking.asked import schema_for
from openiir.core.asking.reading import read
from openiir.core.errors import UnusableAnswer
from openiir.plugin import Draw
from openiir.scenarios.conversational.agenda import Policy
from openiir.scenarios.conversational.generation.templates import Templates
from openiir.scenarios.conversational.mind import Mind
from openiir.scenarios.conversational.questions.respond import Respond
from openiir.scenarios.conversational.questions.speak import GoOn, Speak, Stop
from openiir.scenarios.conversational.questions.turn import Turn
from openiir.scenarios.conversational.simulators import PromptedUser, Talker
from openiir.testing.offline import run_offline

CRIME, MANN = ("genre", "crime"), ("director", "Mann")
SLOTS = ("title", "genre", "director", "year")


class Template:
    def render(self, acts: Any, draw: Draw, talkativeness: float = 0.5) -> str:
        return "words"


def respond(mind: Mind) -> Respond:
    return Respond(mind.sight(), SLOTS, lambda sight, draw: Policy(sight).respond(draw))


def one(intent: str, *about: str) -> dict[str, Any]:
    return {"intent": intent, "about": about}


def answer(question: Any, **reply: Any) -> Any:
    return read(json.dumps(reply), question)


def before() -> Mind:
    mind = mind_of([CRIME, MANN])
    mind.hear("Who should direct it?", [act("ELICIT", ("director", None))], [])
    return mind


def offered(*ids: str) -> Mind:
    mind = mind_of([CRIME, MANN], requests=["year"])
    mind.hear("What about this?", *offer(*ids))
    return mind


def test_before_anything_is_offered_nothing_can_be_taken() -> None:
    schema = schema_for(respond(before()))
    fields = schema["properties"]
    assert fields["item"]["enum"] == [""] and fields["end"]["enum"] == ["no", "gave-up"]
    intents = schema["$defs"]["Move"]["properties"]["intent"]["enum"]
    assert not {"ACCEPT", "CONSUMED", "CRITIQUE", "INQUIRE"} & set(intents) and {"DISCLOSE", "GIVE_UP"} <= set(intents)
    for question in (Speak, Stop):
        asked = schema_for(question(before().sight(), Talker(Template())))["properties"]
        assert asked["item"]["enum"] == [""] and asked["end"]["enum"] == ["no", "gave-up"]


def test_only_what_was_offered_can_be_taken() -> None:
    question = respond(offered("ronin", "heat"))
    assert schema_for(question)["properties"]["item"]["enum"] == ["ronin", "heat", ""]
    taken = answer(question, acts=[one("ACCEPT", "title=Heat (1995)"), one("BYE")], end="satisfied", item="heat")
    assert question.acts(taken) == (act("ACCEPT", ("title", "Heat (1995)")), act("BYE"))


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        ({"acts": [one("ACCEPT", "title=Alien (1979)")], "end": "satisfied", "item": "heat"}, "does not exist here"),
        ({"acts": [one("ACCEPT")], "end": "satisfied", "item": "alien"}, "'alien' does not exist here"),
        ({"acts": [one("ACCEPT")], "end": "satisfied"}, "name its id"),
        ({"acts": [one("ACCEPT", "title=Ronin (1998)")], "end": "satisfied", "item": "heat"}, "you name is Heat"),
        ({"acts": [one("ACCEPT", "title=Heat (1995)")], "end": "no"}, "ACCEPT goes with end = satisfied"),
        ({"acts": [one("GIVE_UP")], "end": "gave-up", "item": "heat"}, "leave item empty"),
        ({"acts": [one("LIKE", "title=Heat (1995)")], "end": "no", "item": "heat"}, "leave item empty"),
        ({"acts": [one("BYE")], "end": "no"}, "BYE goes with"),
        ({"acts": [one("DISCLOSE", "genre=horror")], "end": "no"}, "does not exist here"),
        ({"acts": [one("DISCLOSE", "year")], "end": "no"}, "year is none"),
        ({"acts": [one("CRITIQUE", "title=Heat (1995)")], "end": "no"}, "CRITIQUE names wishes"),
        ({"acts": [one("SING")], "end": "no"}, "intent"),
        ({"acts": [], "end": "no"}, "at least 1"),
        ({"acts": [one("YES")]}, "end"),
    ],
)
def test_what_contradicts_itself_or_the_need_is_refused(reply: dict[str, Any], remedy: str) -> None:
    with pytest.raises(UnusableAnswer) as refused:
        answer(respond(offered("ronin", "heat")), **reply)
    assert remedy in str(refused.value)


def test_words_are_asked_for_and_endings_fit_what_is_taken() -> None:
    sight, mouth = offered("heat").sight(), Talker(Template())
    answer(Speak(sight, mouth), text="I take it.", end="satisfied", item="heat")
    for reply in ({"text": " ", "end": "no"}, {"text": "I take it.", "end": "satisfied"}, {"text": "x", "end": "no", "item": "heat"}):
        with pytest.raises(UnusableAnswer):
            answer(Speak(sight, mouth), **reply)
    with pytest.raises(UnusableAnswer):
        answer(Stop(sight, mouth), end="gave-up", item="heat")
    with pytest.raises(UnusableAnswer):
        answer(GoOn(sight, mouth), text="")


def test_whoever_stops_names_what_is_taken_and_not_what_was_talked_about_last() -> None:
    mind = offered("heat")
    mind.hear("Or this?", *offer("ronin"))
    talker, draw = Talker(Templates("movie")), Draw(1, "test")
    taken = answer(Stop(mind.sight(), talker), end="satisfied", item="heat")
    assert "Heat" in talker.closing(taken, mind.sight(), draw)
    mind.hear("Or Qwerty?", [act("RECOMMEND", ("title", "Qwerty"))], [], ["Qwerty"])
    assert mind.table is None and "Heat" in talker.closing(taken, mind.sight(), draw)


def test_a_slot_with_an_equals_sign_is_told_from_its_value() -> None:
    mind = mind_of([("genre", "a=b")])
    mind.hear("?", [act("ELICIT", ("a=b", None)), act("ELICIT", ("c=d", "e=f"))], [])
    question = respond(mind)
    reply = answer(question, acts=[one("DISCLOSE", "genre=a=b"), one("DONT_KNOW", "a=b"), one("NO", "c=d=e=f")], end="no")
    found = [pair for each in question.acts(reply) for pair in each.pairs]
    assert found == [("genre", "a=b"), ("a=b", None), ("c=d", "e=f")]


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
        assert read(reply.model_dump_json(), asked.question) == reply
        if isinstance(asked.question, Respond):
            decided = Policy(asked.question.sight).respond(asked.draw)
            assert asked.question.acts(reply) == decided.acts
            seen |= {done.intent for done in decided.acts}
    finished.run.close()
    assert seen >= {"DISCLOSE", "INQUIRE", "LIKE", "DISLIKE", "CRITIQUE", "ACCEPT", "GIVE_UP", "DONT_KNOW"}


def test_a_turn_is_read_beside_the_four_before_it() -> None:
    mind, seen = before(), []

    class Reader:
        def system_acts(self, text: str, context: Any) -> tuple[Any, ...]:
            seen.append(tuple(text for _, text in context))
            return ()

    user = PromptedUser("single", Reader(), Template(), dual=False)  # type: ignore[arg-type]
    for said in ("one", "two", "three", "four", "five"):
        mind.say(said, ())
        asyncio.run(user.understand(None, None, mind, Turn(text="?")))  # type: ignore[arg-type]
    asked = "Who should direct it?"
    assert seen[2:] == [(asked, "one", "two", "three"), ("one", "two", "three", "four"), ("two", "three", "four", "five")]
