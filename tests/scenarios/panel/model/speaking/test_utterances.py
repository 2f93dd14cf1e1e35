"""Offline utterances quote what bears on what they answer, and lean the way their act says."""

import re
from dataclasses import replace
from typing import Any

import pytest

from openiir.kit.offline_speaker.passages import Passage, quotes
from openiir.plugin import Draw, UnusableAnswer
from openiir.plugin.arguments import stance, tokens
from openiir.scenarios.panel.model.speaking.citations import cite, ids_to_numbers, strip_marks
from openiir.scenarios.panel.model.speaking.utterances import ClaimView, SpeakingContext, compose_utterance
from openiir.scenarios.panel.questions.prompt_parts import PanelPoint, ShownPassage, number_passages
from openiir.scenarios.panel.questions.speaking import PanelSpeech, PanelUtterance

TOPIC = "Wind power should be a primary focus of future energy supply"
PRO = "Wind power is a cheap source of clean electricity for rural communities."
CON = "Wind power is unreliable and harms rural communities with constant noise."
PASSAGES = (
    Passage(id="c0001", text=f"{PRO} Wind turbines reduce carbon dioxide emissions and protect health."),
    Passage(id="c0002", text=f"{CON} Wind power is expensive because it needs costly backup plants."),
    Passage(id="c0003", text="Their effect was small. This is why it failed. Who would deny that?"),
)


def quotable(*passages: Passage) -> list[str]:
    return [quote.text for quote in quotes(passages)]


def focus(text: str, **changes: Any) -> ClaimView:
    base = ClaimView(
        id="k001",
        text=text,
        speaker="Leo",
        speaker_id="leo",
        stance=stance(text, TOPIC),
        strength=0.7,
        cited=True,
    )
    return base.model_copy(update=changes)


def saying(**changes: Any) -> SpeakingContext:
    base = SpeakingContext(
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
    spoken = compose_utterance(saying(focus=focus(CON)), draw())
    assert spoken.act == "counter" and spoken.address == "k001" and spoken.cites == ("c0001",)
    assert PRO[:-1] in spoken.text and "[c0001]" in spoken.text
    assert set(tokens(PRO)) & set(tokens(CON)) - set(tokens(TOPIC))


@pytest.mark.parametrize("own", [-0.9, -0.4, 0.0, 0.4, 0.9])
@pytest.mark.parametrize("text", [PRO, CON])
def test_nobody_counters_what_leans_their_way(own: float, text: str) -> None:
    for n in range(6):
        spoken = compose_utterance(saying(stance=own, focus=focus(text), number=n), draw(n))
        if spoken.act == "counter":
            assert own * stance(text, TOPIC) < 0
            quoted = [q for q in quotable(*PASSAGES) if q[:-1] in spoken.text]
            assert quoted and stance(quoted[0], TOPIC) * stance(text, TOPIC) < 0


def test_a_supporter_does_not_repeat_the_claim() -> None:
    spoken = compose_utterance(saying(focus=focus(PRO), said=(PRO,)), draw())
    assert PRO[:-1] not in spoken.text


def test_without_passages_a_claim_is_questioned_or_passed_on() -> None:
    asked = compose_utterance(saying(focus=focus(CON), passages=()), draw())
    assert asked.act == "question" and asked.text.endswith("?") and not asked.cites
    passed = compose_utterance(saying(focus=focus(CON), passages=(), acts=("support", "counter")), draw())
    assert not passed.cites and "?" not in passed.text


def test_another_open_claim_is_taken_up_where_nothing_bears_on_the_first() -> None:
    far = focus("Submarines need quiet propellers in deep oceans.", id="k009", stance=-0.5)
    taken = {compose_utterance(saying(focus=far, others=(focus(CON),)), draw(n)).address for n in range(12)}
    assert "k001" in taken


def test_who_is_asked_answers_with_evidence_or_admits_to_have_none() -> None:
    mine = focus(PRO, own=True, asker="Priya")
    answer = compose_utterance(saying(focus=mine, said=(PRO,)), draw())
    assert answer.act in ("support", "concede") and answer.address == "k001"
    bare = compose_utterance(saying(focus=mine, passages=()), draw())
    assert bare.act == "concede" and not bare.cites and "?" not in bare.text


def test_the_first_word_says_where_one_stands_with_a_sentence_of_ones_own_side() -> None:
    for own in (0.8, -0.8):
        spoken = compose_utterance(saying(stance=own, first=own, acts=("assert",)), draw())
        quoted = [q for q in quotable(*PASSAGES) if q[:-1] in spoken.text]
        assert spoken.act == "assert" and quoted and stance(quoted[0], TOPIC) * own > 0
        assert re.search("for this" if own > 0 else "against this", spoken.text)


def test_the_last_word_names_who_weighed_most_and_quotes_nothing() -> None:
    weighed = focus("Noise harms rural communities.", speaker="Tamsin")
    spoken = compose_utterance(
        saying(closing=True, first=0.9, stance=0.2, weighed=weighed, acts=("assert", "concede")), draw()
    )
    assert spoken.act == "concede" and not spoken.cites and spoken.address == "k001"
    assert (
        "Tamsin" in spoken.text and "firmly in favour" in spoken.text and "leaning in favour" in spoken.text
    )


def test_sentences_that_point_elsewhere_are_not_quoted() -> None:
    assert not quotable(PASSAGES[2])
    assert not quotable(
        Passage(id="p", text="With better fuel, they would reduce harmful emissions in every large city.")
    )
    assert quotable(PASSAGES[0]) and quotable(PASSAGES[1])


def test_what_is_quoted_is_freed_of_asides_and_connectives() -> None:
    text = "However, wind turbines (see Figure 2) therefore reduce harmful emissions [4] in every city."
    (found,) = quotable(Passage(id="p", text=text))
    assert found == "Wind turbines reduce harmful emissions in every city."


def test_the_same_question_gets_the_same_answer() -> None:
    assert compose_utterance(saying(focus=focus(CON)), draw()) == compose_utterance(
        saying(focus=focus(CON)), draw()
    )


def spoken(**changes: Any) -> PanelSpeech:
    asked = PanelSpeech(
        topic="Trams should replace buses",
        seats=4,
        round="talk",
        goal="Test the claims.",
        acts=("counter", "concede"),
        first="leaning against",
        last="against",
        spoke="My own words.",
        heard=(PanelPoint("Ann", "Heard words."),),
        notes=("you thought: Noted words.",),
        points=(PanelPoint("Leo", "Put words.", "Nora"), PanelPoint("You", "Open words.")),
        put=True,
        searched="owls",
        nothing=False,
        passages=(ShownPassage("Found words."), ShownPassage("Cited words.", before=True)),
        spent=("Bob",),
        closing=False,
        claims=(),
        context=saying(),
    )
    return replace(asked, **changes)


def test_a_speaker_is_told_what_it_lived_through() -> None:
    prompt = spoken().prompt()
    for part in (
        "panel of 4",
        "were leaning against when you came in",
        "you were against",
        '"My own words."',
        'Ann: "Heard words."',
        "Noted words.",
        '1. Leo: "Put words." Nora asked what this rests on.',
        '2. You: "Open words."',
        "[1] Found words.",
        "(you read this before) Cited words.",
        "Out of speaking time: Bob.",
    ):
        assert part in prompt, part
    assert (
        'You looked for "owls".\n' in prompt
        and 'for "owls" and found nothing.' in spoken(nothing=True).prompt()
    )
    assert "You have not spoken yet" in spoken(spoke="", last=None).prompt()
    assert "You have not spoken yet" not in spoken(spoke="", last=None, heard=()).prompt()
    closing = spoken(closing=True, put=False, passages=()).prompt()
    assert "last word" in closing and "Put words." in closing and "brackets" not in closing


def test_a_passage_with_a_heading_is_one_block() -> None:
    shown = number_passages(
        (ShownPassage("Noise\n\nOwls are quiet."), ShownPassage("Mice are not.", before=True))
    )
    assert shown.splitlines()[1:] == [
        "[1] Noise",
        "Owls are quiet.",
        "[2] (you read this before) Mice are not.",
    ]


def test_a_mark_of_a_passage_that_is_not_there_is_refused() -> None:
    said = PanelUtterance(text="So it is [3].", answers=1, does="counters", where_you_stand="against")
    with pytest.raises(UnusableAnswer, match=r"\[3\], but only \[1\] to \[2\] are there"):
        spoken().check(said)
    spoken().check(said.model_copy(update={"text": "So it is [1, 2]."}))


def test_marks_are_numbers_to_the_speaker_ids_in_the_log_and_nothing_to_others() -> None:
    passages = [Passage(id=id, text="So.") for id in ("c0007", "c0011")]
    assert cite("So [1]. And [1, 2]!", passages)[0] == "So [c0007]. And [c0007] [c0011]!"
    assert ids_to_numbers("So [c0007]. And [c0011]!", passages) == "So [1]. And [2]!"
    assert strip_marks("So [c0007]. And [2]!") == "So. And!"
