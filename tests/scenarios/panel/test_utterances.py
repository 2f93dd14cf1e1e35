"""Offline utterances quote what bears on what they answer, and lean the way their act says."""

import re
from dataclasses import replace
from typing import Any

import pytest

from openiir.kit.quoting.passages import Passage, quotable
from openiir.plugin import Draw
from openiir.plugin.arguments import stance, tokens
from openiir.scenarios.panel.questions import Speak
from openiir.scenarios.panel.utterances import Focus, Saying, say

TOPIC = "Wind power should be a primary focus of future energy supply"
PRO = "Wind power is a cheap source of clean electricity for rural communities."
CON = "Wind power is unreliable and harms rural communities with constant noise."
PASSAGES = (
    Passage(id="c0001", text=f"{PRO} Wind turbines reduce carbon dioxide emissions and protect health."),
    Passage(id="c0002", text=f"{CON} Wind power is expensive because it needs costly backup plants."),
    Passage(id="c0003", text="Their effect was small. This is why it failed. Who would deny that?"),
)


def focus(text: str, **changes: Any) -> Focus:
    base = Focus(
        id="k001", text=text, speaker="Leo", speaker_id="leo", stance=stance(text, TOPIC), strength=0.7, cited=True
    )
    return base.model_copy(update=changes)


def saying(**changes: Any) -> Saying:
    base = Saying(
        topic=TOPIC,
        interests=("noise", "cost"),
        acts=("assert", "support", "counter", "refine", "question", "concede"),
        stance=0.6,
        first=0.6,
        openness=0.0,
        own_strength=0.7,
        focus=None,
        passages=PASSAGES,
    )
    return replace(base, **changes)


def draw(n: int = 1) -> Draw:
    return Draw(n, "test")


def test_a_counter_leans_the_other_way_and_shares_a_matter() -> None:
    spoken = say(saying(focus=focus(CON)), draw())
    assert spoken.act == "counter" and spoken.address == "k001" and spoken.cites == ("c0001",)
    assert PRO[:-1] in spoken.text and "[c0001]" in spoken.text
    assert set(tokens(PRO)) & set(tokens(CON)) - set(tokens(TOPIC))


@pytest.mark.parametrize("own", [-0.9, -0.4, 0.0, 0.4, 0.9])
@pytest.mark.parametrize("text", [PRO, CON])
def test_nobody_counters_what_leans_their_way(own: float, text: str) -> None:
    for n in range(6):
        spoken = say(saying(stance=own, focus=focus(text), number=n), draw(n))
        if spoken.act == "counter":
            assert own * stance(text, TOPIC) < 0
            quoted = [q for p in PASSAGES for q in quotable(p.text) if q[:-1] in spoken.text]
            assert quoted and stance(quoted[0], TOPIC) * stance(text, TOPIC) < 0


def test_a_supporter_does_not_repeat_the_claim() -> None:
    spoken = say(saying(focus=focus(PRO), said=(PRO,)), draw())
    assert PRO[:-1] not in spoken.text


def test_without_passages_a_claim_is_questioned_or_passed_on() -> None:
    asked = say(saying(focus=focus(CON), passages=()), draw())
    assert asked.act == "question" and asked.text.endswith("?") and not asked.cites
    passed = say(saying(focus=focus(CON), passages=(), acts=("support", "counter")), draw())
    assert not passed.cites and "?" not in passed.text


def test_another_open_claim_is_taken_up_where_nothing_bears_on_the_first() -> None:
    far = focus("Submarines need quiet propellers in deep oceans.", id="k009", stance=-0.5)
    taken = {say(saying(focus=far, others=(focus(CON),)), draw(n)).address for n in range(12)}
    assert "k001" in taken


def test_who_is_asked_answers_with_evidence_or_admits_to_have_none() -> None:
    mine = focus(PRO, own=True, asker="Priya")
    answer = say(saying(focus=mine, said=(PRO,)), draw())
    assert answer.act in ("support", "concede") and answer.address == "k001"
    bare = say(saying(focus=mine, passages=()), draw())
    assert bare.act == "concede" and not bare.cites and "?" not in bare.text


def test_the_first_word_says_where_one_stands_with_a_sentence_of_ones_own_side() -> None:
    for own in (0.8, -0.8):
        spoken = say(saying(stance=own, first=own, acts=("assert",)), draw())
        quoted = [q for p in PASSAGES for q in quotable(p.text) if q[:-1] in spoken.text]
        assert spoken.act == "assert" and quoted and stance(quoted[0], TOPIC) * own > 0
        assert re.search("for this" if own > 0 else "against this", spoken.text)


def test_the_last_word_names_who_weighed_most_and_quotes_nothing() -> None:
    weighed = focus("Noise harms rural communities.", speaker="Tamsin")
    spoken = say(saying(closing=True, first=0.9, stance=0.2, weighed=weighed, acts=("assert", "concede")), draw())
    assert spoken.act == "concede" and not spoken.cites and spoken.address == "k001"
    assert "Tamsin" in spoken.text and "firmly in favour" in spoken.text and "leaning in favour" in spoken.text


def test_sentences_that_point_elsewhere_are_not_quoted() -> None:
    assert not list(quotable(PASSAGES[2].text))
    assert not list(quotable("With better fuel, they would reduce harmful emissions in every large city."))
    assert list(quotable(PASSAGES[0].text)) and list(quotable(PASSAGES[1].text))


def test_what_is_quoted_is_freed_of_asides_and_connectives() -> None:
    (found,) = quotable("However, wind turbines (see Figure 2) therefore reduce harmful emissions [4] in every city.")
    assert found == "Wind turbines reduce harmful emissions in every city."


def test_the_same_question_gets_the_same_answer() -> None:
    assert say(saying(focus=focus(CON)), draw()) == say(saying(focus=focus(CON)), draw())


def test_the_prompt_shows_all_that_the_offline_answer_reads() -> None:
    """Information parity: every field of the question stands in its prompt."""
    question = Speak(
        topic="Topic-text", round="Round-name", goal="Goal-text", acts=("assert", "concede"),
        interests=("Interest-one",), stance=0.123, first=0.456, openness=0.78, own_strength=0.91,
        focus=focus("Focus-claim", asker="Asker-name", strength=0.33), others=(focus("Other-claim", id="k002"),),
        passages=(Passage(id="c0077", text="Passage-text"),), said=("Said-text",), heard=("Ann: Heard-text",),
        closing=True, weighed=focus("Weighed-claim", id="k003"), mine=focus("Mine-claim", id="k004", own=True),
        number=42,
    )  # fmt: skip
    prompt = question.prompt()
    for part in (
        "Topic-text", "Round-name", "Goal-text", "assert, concede", "Interest-one", "+0.12", "+0.46", "0.78", "0.91",
        "Focus-claim", "Asker-name", "0.33", "Leo", "k001", "Other-claim", "k002", "c0077", "Passage-text",
        "Said-text", "Ann: Heard-text", "last word", "Weighed-claim", "k003", "Mine-claim", "k004", "42",
    ):  # fmt: skip
        assert part in prompt, part
