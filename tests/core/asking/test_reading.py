import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.asking import Question, read_reply
from openiir.core.asking.reading import REPAIR_SHOWS, ReplyValidator, repair_messages
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Message, Record
from openiir.core.seeds import Draw


class Verdict(Record):
    keep: bool
    why: str = ""
    weight: float = 0.0
    more: dict[str, Any] = {}


class Keep(Question[Verdict]):
    kind = "test.keep"

    def prompt(self) -> str:
        return "Keep it?"

    def check(self, reply: Verdict) -> None:
        if reply.why == "because":
            raise UnusableAnswer("why: say more than 'because'")

    def offline(self, draw: Draw) -> Verdict:
        return Verdict(keep=True)


GOOD = '{"keep":true,"why":"dry"}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n  {GOOD}\t",
        f"\ufeff{GOOD}",
        f"\x00{GOOD}",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n``` I hope this helps.",
        f"My {{considered}} answer, with a smile :-}} is {GOOD}. Ask again {{any time}}!",
        f"{GOOD}\n{GOOD}",
        f'{{"keep": "perhaps"}} was a first try, this is it: {GOOD}',
        '{ "why" : "dry" ,\n"keep": true }',
    ],
)
def test_the_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert read_reply(text, Keep()) == Verdict(keep=True, why="dry")


@pytest.mark.parametrize(
    "why", ["a } and {", 'said "{\\"keep\\": false}"', "```json {} ```", "é \U0001f600 \ud7ff"]
)
def test_what_stands_in_a_string_is_no_structure(why: str) -> None:
    text = json.dumps({"keep": True, "why": why})
    assert read_reply(f"Here: ```json\n{text}\n```", Keep()) == Verdict(keep=True, why=why)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers() | st.booleans(), max_size=4))
def test_any_object_json_can_spell_comes_back(more: dict[str, Any]) -> None:
    for ascii_only in (True, False):
        text = json.dumps({"keep": False, "more": more}, ensure_ascii=ascii_only)
        assert read_reply(f"Well: {text} That is all.", Keep()) == Verdict(keep=False, more=more)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON object"),
        ("I would keep it.", "no JSON object"),
        ("null", "no JSON object"),
        ("[true]", "no JSON object"),
        ("{'keep': true}", "double quotes"),
        (GOOD.replace("dry", "wet") + GOOD, "2 different answers"),
        (GOOD[:-1], "ends too early"),
        (GOOD[:-3], "ends too early"),
        (f"```json\n{GOOD[:-1]}\n```", "ends too early"),
        ('{"keep":true,}', "trailing comma"),
        ('{"keep":true "why":"dry"}', "expected `,`"),
        ('{"more":{"keep":true}, oops', "key must be a string"),
        ('{"keep":true,"keep":false}', "'keep' stands twice"),
        ('{"keep":true,"more":{"a":1,"a":1}}', "'a' stands twice"),
        ('{"keep":true,"weight":NaN}', "NaN is no number"),
        ('{"keep":true,"weight":-Infinity}', "-Infinity is no number"),
        ('{"keep":true,"weight":1e999}', "1e999 is no number"),
        ('{"keep":true,"more":{"n":' + "9" * 5_000 + "}}", "too long"),
        ('{"more":' * 100_000, "too deep"),
        ('{"keep":true,"why":"\\ud800"}', "Invalid JSON"),
        ('{"keep":true,"why":"line\nbreak"}', "control character"),
        ('{"why":"dry"}', "keep: Field required"),
        ('{"keep":true,"colour":"red"}', "colour: Extra inputs"),
        ('{"keep":true,"why":"because"}', "say more"),
    ],
)
def test_what_cannot_be_used_is_said_so_that_it_can_be_mended(text: str, words: str) -> None:
    with pytest.raises(UnusableAnswer, match=words):
        read_reply(text, Keep())


def test_a_part_of_a_broken_object_is_never_taken_for_the_answer() -> None:
    for cut in range(1, len('{"more":{"keep":true},"why":"x"}')):
        text = '{"more":{"keep":true},"why":"x"}'[:cut]
        with pytest.raises(UnusableAnswer):
            read_reply(text, Keep())


def test_a_huge_reply_is_read_or_refused_in_few_words() -> None:
    assert read_reply(json.dumps({"keep": True, "why": "y" * 1_000_000}), Keep()).why == "y" * 1_000_000
    reading = ReplyValidator(Keep())
    for text in (
        '{"' + "k" * 1_000_000 + '":1}',
        "{" * 1_000_000,
        '{"keep":' + '["' * 500_000,
        "{}" * 100_000,
    ):
        assert len(str(reading(text))) < 1_100
    assert reading.reply is None


@pytest.mark.parametrize("letter", ["y", "é", "🙂"])
def test_a_reply_of_more_than_a_mebibyte_is_unusable_whatever_it_holds(letter: str) -> None:
    room = 2**20 - len(GOOD)
    longest = GOOD + letter * (room // len(letter.encode()))
    longest += " " * (2**20 - len(longest.encode()))
    assert read_reply(longest, Keep()) == Verdict(keep=True, why="dry")
    with pytest.raises(UnusableAnswer, match="longer than 1 MiB; keep the reply short"):
        read_reply(longest + " ", Keep())


def test_a_reply_of_thousands_of_answers_is_not_read_to_its_end() -> None:
    read_so_far = []

    class Counted(Keep):
        Reply = type("Noted", (Verdict,), {"model_post_init": lambda self, context: read_so_far.append(self)})

    answers = "".join(f'{{"keep":true,"why":"{n}"}}' for n in range(2_000))
    with pytest.raises(UnusableAnswer, match="more than 100 different answers"):
        read_reply(answers, Counted())
    assert len(read_so_far) == 101


def test_a_finite_number_of_any_size_that_fits_is_kept() -> None:
    assert read_reply('{"keep":true,"weight":1e308}', Keep()).weight == 1e308
    assert math.isfinite(read_reply('{"keep":true,"weight":-1e-400}', Keep()).weight)


def test_a_reading_keeps_the_reply_that_fits() -> None:
    reading = ReplyValidator(Keep())
    assert reading("no") is not None and reading.reply is None
    assert reading(GOOD) is None and reading.reply == Verdict(keep=True, why="dry")


def test_a_repair_shows_the_question_the_reply_and_what_is_wrong() -> None:
    asked = (Message(role="user", text="Keep it?"),)
    messages = repair_messages(asked, "Yes!", "it contains no JSON object")
    assert [m.role for m in messages] == ["user", "assistant", "user"]
    assert messages[0] == asked[0] and messages[1].text == "Yes!" and "no JSON object" in messages[2].text
    assert repair_messages(asked, "", "x")[1].text == "(empty)"
    assert len(repair_messages(asked, "y" * 1_000_000, "x")[1].text) < REPAIR_SHOWS + 10
