"""Key phrases are noun phrases of the text, without the topic's own words where others will do."""

import pytest

from openiir.kit.offline_speaker.key_phrases import key_phrase, lower_opening, phrases, touched_interests

TOPIC = "Wind power should be a primary focus of future energy supply"


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("Prompt injection deceives an automatic judge.", "prompt injection"),
        ("Low cost gives small groups the freedom to build libraries.", "low cost"),
        ("The storage problem has been solved by pumped hydro.", "the storage problem"),
        ("In 2008 workers refused because of night shifts.", "night shifts"),
    ],
)
def test_the_matter_of_a_claim(text: str, matter: str) -> None:
    assert key_phrase(text, TOPIC) == matter


def test_phrases_stand_in_the_text_in_order() -> None:
    text = (
        "Offshore turbines deliver cheap electricity, although their long cables cost the public large sums."
    )
    found = [p.bare for p in phrases(text)]
    assert found and all(p in text for p in found)
    assert [text.index(p) for p in found] == sorted(text.index(p) for p in found)


def test_no_phrase_that_the_topic_does_not_hold_is_no_matter() -> None:
    assert key_phrase("Wind power should be the focus.", TOPIC) == ""


def test_only_phrases_with_a_shared_word_count() -> None:
    text = "Back-up plants raise the price of a dark winter."
    assert "winter" in key_phrase(text, TOPIC, shared={"winter"})
    assert key_phrase(text, TOPIC, shared={"harbour"}) == ""


def test_a_name_keeps_its_capital_and_a_common_word_loses_it() -> None:
    around = ("People in Denmark know this.", "we trust careful studies there")
    assert key_phrase("Denmark exports much to Norway.", TOPIC, around)[:1].isupper()
    assert key_phrase("Careful siting protects eagles.", TOPIC, around) == "careful siting"


def test_interests_that_a_sentence_touches() -> None:
    around = ("The cost is high and the noise is low.",)
    assert (
        touched_interests("The cost of noise is borne by a few.", ("noise", "cost", "birds"), around)
        == "noise and cost"
    )
    assert touched_interests("Nobody is disturbed.", ("noise",), around) == ""


def test_an_adjective_among_the_interests_is_named_with_its_noun() -> None:
    assert (
        touched_interests("A random draw is essential in every hybrid design.", ("hybrid",))
        == "the hybrid design"
    )


def test_a_sentence_goes_on_in_lower_case_unless_it_opens_with_a_name() -> None:
    assert lower_opening("Turbines stand still.", ("Old turbines stood here.",)) == "turbines stand still."
    assert lower_opening("The turbines stand still.", ()) == "the turbines stand still."
    assert lower_opening("Denmark exports power.", ("Old turbines stood here.",)) == "Denmark exports power."
