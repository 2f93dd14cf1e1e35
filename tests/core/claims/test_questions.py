"""The extractor as a question: prompt, schema, checks, the offline answer, and its records."""

import pytest
from pydantic import ValidationError

from openiir.core.asking import PlacedQuestion, read_reply
from openiir.core.claims import ClaimSource, ClaimsReply, ExtractClaims, settle
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Citation, Place
from openiir.core.seeds import Draw
from openiir.testing import prompt_checks

TOPIC = "Should LLM judgments replace human assessors?"
SAID = (
    "I see it otherwise. LLM judgments are biased towards\nfluent text [c0002]. "
    "Human assessors notice such “errors” because they read the sources. [c0007]"
)
NAMES = {"ada": "Ada Ng", "bo": "Bo Li", "cy": "Cy Ito"}
BEFORE = ClaimSource(
    "I count. LLM judgments agree with human assessors on most topics [c0001].", "ada", 1, TOPIC
)
DRAW = Draw(1, "claims.extract")


@pytest.fixture
def question(claim) -> ExtractClaims:
    agree = claim("k001", text="LLM judgments agree with human assessors on most topics.")
    return ExtractClaims.about(ClaimSource(SAID, "bo", 2, TOPIC, "k001"), [agree], [BEFORE], NAMES)


def plain(text: str, *claims, heard=()) -> ExtractClaims:
    return ExtractClaims.about(ClaimSource(text, "bo", 2, TOPIC), claims, heard, NAMES)


def reply(*more, **changes) -> ClaimsReply:
    claim = {
        "words": "LLM judgments are biased towards fluent text",
        "claim": "LLM judges favour fluent text.",
        "motion": "against",
        "sure": "very",
    }
    return ClaimsReply.model_validate({"claims": [claim | changes, *(claim | one for one in more)]})


def test_the_prompt_tells_who_speaks_to_whom_and_who_claimed_what(question):
    page = question.prompt()
    assert (
        'Ada Ng said: "I count. LLM judgments agree with human assessors on most topics."\n\n'
        'Bo Li answers: "I see' in page
    )
    assert "1. Ada Ng: LLM judgments agree with human assessors on most topics." in page
    assert "c0002" not in page and "k001" not in page
    assert TOPIC in question.system()
    assert 'Nobody has spoken yet. Bo Li says: "Good."' in plain("Good.").prompt()
    assert 'Just before, Ada Ng said: "I count.' in plain("Good.", heard=[BEFORE]).prompt()


def test_what_somebody_answers_is_told_where_they_said_it(claim):
    """The utterance that made the claim, not the last one; the claim itself where nobody made it."""
    cheap, later = claim("k001", text="It is cheap."), ClaimSource("Let us go on.", "cy", 2, TOPIC)
    answer = ClaimSource("It is not.", "bo", 3, TOPIC, "k001")
    for heard, told in (
        ([BEFORE, later], 'Ada Ng said: "I count.'),
        ([later], 'Ada Ng said: "It is cheap."'),
    ):
        assert ExtractClaims.about(answer, [cheap], heard, NAMES).prompt().startswith(told)
    own = ExtractClaims.about(ClaimSource("It is.", "ada", 3, TOPIC, "k001"), [cheap], [BEFORE, later], NAMES)
    assert own.prompt().startswith('Just before, Cy Ito said: "Let us go on."') and own.reply_to == "k001"


def test_claims_of_the_last_two_turns_and_of_whoever_is_answered_are_told_and_the_cut_is_said(claim):
    old = [claim(f"k{i:03d}", text=f"Claim about subject{i}.", speaker="dee") for i in range(40)]
    cheap = claim("k040", text="It is cheap.").model_copy(update={"utterance": 7})
    fast = claim("k041", text="It is fast.").model_copy(update={"utterance": 5})
    slow = claim("k042", text="It is slow.", speaker="cy").model_copy(update={"utterance": 8})
    heard = [
        ClaimSource("...", speaker, number, TOPIC)
        for speaker, number in (("ada", 5), ("dee", 6), ("ada", 7), ("cy", 8))
    ]
    asked = ExtractClaims.about(
        ClaimSource("What of subject3?", "bo", 9, TOPIC, "k040"), [*old, cheap, fast, slow], heard, NAMES
    )
    assert {"k003", "k040", "k041", "k042"} <= {c.id for c in asked.earlier}
    left = 43 - len(asked.earlier)
    assert left > 20 and f"({left} others, which are least like this, are left out)" in asked.prompt()


def test_own_claims_and_those_of_people_named_are_told_and_the_least_alike_dropped_first(claim):
    old = [claim(f"k{i:03d}", text=f"Claim about subject{i}.", speaker="dee") for i in range(20)]
    own, named = (
        claim("k020", text="It is cheap.", speaker="bo"),
        claim("k021", text="It is fast.", speaker="cy"),
    )
    asked = plain("I take that back: Ito was right.", own, named, *old)
    told = [c.id for c in asked.earlier]
    assert told[:2] == ["k020", "k021"] and len(told) == 14 and "(8 others, " in asked.prompt()
    assert "(1 other, which is least like this, is left out)" in plain("No.", *old[:13]).prompt()
    many = [claim(f"k{i:03d}", text=f"Claim about subject{i}.", speaker="bo") for i in range(100, 160)]
    short = plain("I take subject159 back, and what was said on subject3.", *old, *many)
    assert (
        len(short.earlier) == 50
        and {"k003", "k159"} <= {c.id for c in short.earlier}
        and short.left_out == 30
    )


def test_the_offline_answer_passes_the_check_and_says_in_words_what_the_records_hold_more_finely(question):
    answer = question.offline(DRAW)
    question.check(answer)
    assert answer == question.offline(Draw(99, "another"))
    assert [one.words.split()[0] for one in answer.claims] == ["LLM", "Human"]
    assert [(edge.earlier, edge.how) for edge in answer.claims[0].bears_on] == [(1, "counters")]
    claims = settle(question.by_rules(), *SETTLED_AS).claims
    assert claims[0].stance < 0 and answer.claims[0].motion == "against"
    assert claims[0].text == answer.claims[0].claim == "LLM judgments are biased towards fluent text."


def test_it_keeps_the_rules_of_prompts(question, claim):
    other = ExtractClaims.about(
        ClaimSource("Trees cool streets because they shade them.", "cy", 3, "Trees help"),
        [claim("k007")],
        [BEFORE],
        NAMES,
    )
    group = [
        PlacedQuestion(
            Place(lane="main", asker="extractor", kind=q.kind, subject="", step=1, ordinal=0), q, None, DRAW
        )
        for q in (question, other)
    ]
    assert not prompt_checks.find_leaks(group)
    assert not prompt_checks.find_untold_facts(group)
    assert not prompt_checks.find_unnatural_text(group)
    assert not [wrong for asked in group for wrong in prompt_checks.find_misplaced_fields(asked.question)]


@pytest.mark.parametrize(
    "words",
    [
        "llm judgments are  biased",
        "“LLM judgments are biased towards fluent text.”",
        'notice such "errors"',
        "fluent text. Human assessors",
    ],
)
def test_words_are_found_whatever_their_blanks_quotation_marks_case_and_citations(question, words):
    question.check(reply(words=words))
    (found,) = question.read(reply(words=words))
    kept = "".join(c for c in SAID[found.start : found.end].replace(" [c0002]", "").lower() if c.isalnum())
    assert kept == "".join(c for c in words.lower() if c.isalnum())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"words": "LLM judgments are perfect"}, "copy them from what Bo Li said"),
        ({"words": ' " '}, "copy them"),
        ({"same_as": 9}, "same_as 9 does not exist"),
        ({"bears_on": [{"earlier": 2, "how": "counters"}]}, "choose from: 1"),
        ({"bears_on": [{"own": 1, "how": "counters"}]}, "name another"),
        ({"bears_on": [{"own": 2, "how": "counters"}]}, "name another"),
    ],
)
def test_a_reply_that_does_not_fit_says_what_to_mend(question, changes, said):
    with pytest.raises(UnusableAnswer, match=said):
        read_reply(reply(**changes).model_dump_json(), question)


@pytest.mark.parametrize(
    "changes",
    [
        {"motion": "maybe"},
        {"sure": "90"},
        {"words": ""},
        {"bears_on": [{"earlier": 1, "how": "agrees"}]},
        {"mood": "cheerful"},
    ],
)
def test_the_schema_bounds_what_a_model_may_fill_in(changes):
    with pytest.raises(ValidationError):
        reply(**changes)


SETTLED_AS = (ClaimSource(SAID, "bo", 5, TOPIC), 3, "model:tiny/1", 8)
CITES = (Citation(chunk="c0002", start=0, end=5), Citation(chunk="c0007", start=2, end=9))


def settle_cited(question):
    said = ClaimSource(question.utterance, "bo", 1, TOPIC, cites=CITES)
    return settle(question.by_rules(), said, 1, "offline-rules/1")


def test_a_claim_is_kept_as_it_was_said_and_as_a_sentence_that_stands_alone(question):
    edges = [{"earlier": 1, "how": "counters"}] * 2
    settled = settle(question.read(reply(bears_on=edges)), *SETTLED_AS)
    (claim,), (edge,) = settled.claims, settled.edges
    assert (claim.id, claim.step, claim.speaker, claim.utterance) == ("k008", 3, "bo", 5)
    assert SAID[claim.start : claim.end] == "LLM judgments are biased towards\nfluent text"
    assert claim.text == "LLM judges favour fluent text."
    assert (claim.stance, claim.confidence, claim.extractor) == (-0.5, 0.9, "model:tiny/1")
    assert (edge.source, edge.target, edge.type, edge.confidence, edge.step) == (
        "k008",
        "k001",
        "counters",
        0.9,
        3,
    )


def test_claims_of_one_utterance_bear_on_each_other(question):
    """A claim said again stands for the earlier one, and of two claims only the first relation is kept."""
    therefore = {
        "words": "they read the sources",
        "bears_on": [{"own": 1, "how": "supports"}, {"own": 3, "how": "refines"}],
    }
    again = {"words": "notice such errors", "same_as": 1, "bears_on": [{"own": 1, "how": "counters"}]}
    given = reply(therefore, again, bears_on=[{"own": 2, "how": "supports"}])
    question.check(given)
    settled = settle(question.read(given), *SETTLED_AS)
    assert [claim.id for claim in settled.claims] == ["k008", "k009"]
    assert [(e.source, e.type, e.target) for e in settled.edges] == [
        ("k008", "supports", "k009"),
        ("k009", "refines", "k001"),
    ]
    assert settled.restated == ("k001",)


def test_each_claim_gets_the_citations_marked_in_it_or_right_after_it(question):
    settled = settle_cited(question)
    assert [[cite.chunk for cite in claim.cites] for claim in settled.claims] == [["c0002"], ["c0007"]]


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before_it():
    asked = plain(
        "LLM judgments are biased towards fluent text. [c0002] Human assessors should never be replaced."
    )
    settled = settle_cited(asked)
    assert [[cite.chunk for cite in claim.cites] for claim in settled.claims] == [["c0002"], []]
    assert settled.claims[1].text == "Human assessors should never be replaced."


def test_without_marks_every_claim_gets_all_citations():
    asked = plain("LLM judgments are biased because they like fluent text.")
    settled = settle_cited(asked)
    assert settled.claims[0].cites == CITES


def test_a_reply_that_was_not_checked_is_refused(question):
    with pytest.raises(ValueError, match="check"):
        question.read(reply(words="Never said"))
