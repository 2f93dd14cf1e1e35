"""The panel's own words never become claims, turn over, and come off again."""

import pytest

from openiir.plugin import Draw, stance_word
from openiir.plugin.arguments import CLAIM_THRESHOLD, claimhood, is_question, sentences
from openiir.scenarios.panel.model.speaking import wording
from openiir.scenarios.panel.model.speaking.closing import compose_last_word
from openiir.scenarios.panel.model.speaking.wording import stance_sentence

MATTERS = (
    "cost and scale",
    "systematic error",
    "the lowest cost",
    "a harmful reduction of emissions",
    "noise",
    "higher prices",
    "most benefits",
    "the U.S. market",
    "an unfair barrier",
    "majority support",
)
NAMES = ("Leo", "Dr. Ada van der Berg")
STANCES = (-1.0, -0.5, 0.0, 0.2, 0.8)
SENTENCE = "Wind turbines reduce emissions of carbon dioxide more than any other source [c0001]."


def filled(key: str, name: str, matter: str, number: int) -> str:
    blanks = {
        "speaker": name,
        "asker": name,
        "matter": matter,
        "stand": stance_sentence(0.5, number),
        "stand_on": stance_sentence(0.5, number, inside=True),
    }
    return wording.fill_wording(key, blanks, (), (number, Draw(3, "test")))


def claims_in(text: str) -> list[str]:
    parts = [text[start:end] for start, end in sentences(text)]
    return [p for p in parts if is_question(p) or claimhood(p) >= CLAIM_THRESHOLD]


@pytest.mark.parametrize("key", [key for key in wording.WORDINGS if key != "question"])
@pytest.mark.parametrize("blind", [False, True])
def test_only_the_quote_reads_as_a_claim(key: str, blind: bool) -> None:
    for name in NAMES:
        for matter in MATTERS:
            for number in range(len(wording.WORDINGS[key])):
                text = filled(key, name, matter, number).replace("{quote}", SENTENCE)
                found = claims_in(wording.strip_openers(text) if blind else text)
                assert found == ([SENTENCE] if SENTENCE in text else []), text


@pytest.mark.parametrize("key", list(wording.WORDINGS))
def test_every_wording_is_reachable(key: str) -> None:
    """No wording stands there that the rules of extraction always refuse."""
    said = {
        filled(key, "Leo", matter, number).replace("{quote}", SENTENCE)
        for matter in ("costs", "open weights")
        for number in range(12)
    }
    for template in wording.WORDINGS[key]:
        assert any(wording.strip_wording(text, template) is not None for text in said), template


def test_questions_are_questions() -> None:
    for name in NAMES:
        for matter in MATTERS:
            for number in range(len(wording.WORDINGS["question"])):
                text = filled("question", name, matter, number)
                assert [c for c in claims_in(text) if c.endswith("?")], text
                assert wording.strip_openers(text) == text


@pytest.mark.parametrize("key", ["opening", "assert", "support", "counter", "refine", "concede", "answer"])
def test_what_is_left_without_openers_is_the_quote(key: str) -> None:
    for matter in MATTERS:
        for number in range(len(wording.WORDINGS[key])):
            text = filled(key, "Leo", matter, number).replace("{quote}", SENTENCE)
            assert wording.strip_openers(text) == SENTENCE


def test_connectives_come_off_too() -> None:
    assert wording.strip_openers("However, " + SENTENCE) == SENTENCE
    refined = (
        "Let me narrow down what Leo said on costs. More precisely, wind turbines reduce emissions [c0001]."
    )
    assert wording.strip_openers(refined) == "Wind turbines reduce emissions [c0001]."


def test_a_wording_just_heard_is_not_used_again() -> None:
    blanks = {"speaker": "Leo", "matter": "costs"}
    for number in range(4):
        heard: list[str] = []
        for _ in range(4):
            text = wording.fill_wording("counter", blanks, heard, (number, Draw(1, "test"))).replace(
                "{quote}", SENTENCE
            )
            assert text not in heard
            heard.append(text)


def test_a_matter_that_is_missing_rules_out_its_wordings() -> None:
    for number in range(12):
        assert "{" not in filled("counter", "Leo", "", number).replace("{quote}", "")
        assert "about ." not in filled("counter", "Leo", "", number)


@pytest.mark.parametrize("first", STANCES)
@pytest.mark.parametrize("now", STANCES)
def test_the_last_word_is_no_claim_and_says_how_the_stance_moved(first: float, now: float) -> None:
    for matter in MATTERS[:5]:
        blanks = {"speaker": "Leo", "matter": matter, "own": matter}
        text = compose_last_word(first, now, blanks, (), Draw(2, "test"))
        assert not claims_in(text)
        assert stance_word(now) in text
        assert stance_word(first) in text or stance_word(first) == stance_word(now)


def test_last_words_in_a_row_differ() -> None:
    heard: list[str] = []
    for n in range(4):
        heard.append(
            compose_last_word(0.8, 0.4, {"speaker": "Leo", "matter": "costs"}, heard, Draw(n, "test"))
        )
    assert all(a != b for a, b in zip(heard, heard[1:], strict=False))
