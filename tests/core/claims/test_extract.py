"""Extraction of one utterance: spans, duplicates, edges backwards only."""

from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.claims import EarlierClaim, extract_claims
from openiir.core.claims.extract import EDGES_PER_CLAIM, PLAIN_REPLY

TOPIC = "Should LLM judgments replace human assessors?"
EARLIER = [
    EarlierClaim("k001", "LLM judgments agree with human assessors on most topics."),
    EarlierClaim("k002", "Human assessors are expensive and slow."),
    EarlierClaim("k003", "Test collections should be shared between laboratories."),
]


def test_spans_point_at_the_words_and_marks_are_cleaned():
    said = "Thank you. LLM judgments are biased towards fluent text [c0003]. Is that so?"
    (claim,) = extract_claims(said, TOPIC, [])
    assert said[claim.start : claim.end] == "LLM judgments are biased towards fluent text [c0003]."
    assert claim.text == "LLM judgments are biased towards fluent text."
    assert claim.stance < 0
    assert claim.edges == ()


def test_a_restatement_is_recognised_and_has_no_edges():
    said = "As we know, LLM judgments agree with human assessors on most topics."
    (claim,) = extract_claims(said, TOPIC, EARLIER)
    assert claim.same_as == "k001"
    assert claim.edges == ()


def test_the_same_words_with_a_negation_or_another_number_are_another_claim():
    for before, now in [
        ("Assessors should read whole documents.", "Assessors should not read whole documents."),
        (
            "Two judges agree on 80 percent of all documents.",
            "Two judges agree on 30 percent of all documents.",
        ),
    ]:
        (claim,) = extract_claims(now, TOPIC, [EarlierClaim("k001", before)])
        assert claim.same_as is None
        assert [(edge.target, edge.type) for edge in claim.edges] == [("k001", "counters")]


def test_a_claim_said_twice_in_one_utterance_is_one_claim():
    said = "LLM judgments are biased towards fluent text. LLM judgments are biased towards fluent text!"
    assert len(extract_claims(said, TOPIC, [])) == 1


def test_edges_go_to_alike_claims_and_to_the_one_answered():
    said = "However, LLM judgments agree with human assessors only on easy topics."
    (claim,) = extract_claims(said, TOPIC, EARLIER, reply_to="k002")
    kinds = {edge.target: edge.type for edge in claim.edges}
    assert kinds["k001"] == "counters"
    assert claim.edges[0].target == "k002"
    assert "k003" not in kinds


def test_a_question_is_kept_when_it_challenges_an_earlier_claim():
    said = "What evidence is there that LLM judgments agree with human assessors?"
    assert extract_claims(said, TOPIC, []) == []
    (claim,) = extract_claims(said, TOPIC, EARLIER)
    assert claim.stance == 0.0
    assert [(edge.target, edge.type) for edge in claim.edges] == [("k001", "questions")]


def test_what_an_utterance_counters_it_does_not_support():
    topic = "Language models should replace human assessors"
    danger = EarlierClaim("k1", "Automatic judging is dangerous, because texts are tuned to the judge.")
    reason = (
        "Language models rank systems reliably, since their slips on single documents average out over many "
        "topics."
    )
    strong = "Agreement on system rankings is the strongest argument for language model judges."
    alone, both = (extract_claims(text, topic, (danger,), "k1") for text in (reason, f"{strong} {reason}"))
    assert [[edge.type for edge in one.edges] for one in alone] == [["supports"]]
    assert [[edge.type for edge in one.edges] for one in both] == [["counters"], []]


def test_a_reply_without_dissent_is_weak_support():
    said = "Our laboratory spent a whole winter on forty topics and less than half a budget."
    (claim,) = extract_claims(said, TOPIC, EARLIER, reply_to="k003")
    assert [(edge.target, edge.type, edge.confidence) for edge in claim.edges] == [
        ("k003", "supports", PLAIN_REPLY)
    ]
    (stray,) = extract_claims(said, TOPIC, EARLIER)
    assert stray.edges == ()


words = st.sampled_from(
    "llm judgments human assessors should not agree cost less because however biased topics ? .".split()
)
speech = st.lists(words, max_size=40).map(" ".join)


@settings(deadline=None, max_examples=50)
@given(speech, st.lists(speech, max_size=6), st.integers(0, 6))
def test_laws_of_any_extraction(said, before, answered):
    earlier = [EarlierClaim(f"k{i}", text) for i, text in enumerate(before)]
    found = extract_claims(said, TOPIC, earlier, f"k{answered}")
    known = {claim.id for claim in earlier}
    assert found == extract_claims(said, TOPIC, earlier, f"k{answered}")
    assert [claim.start for claim in found] == sorted(claim.start for claim in found)
    for claim in found:
        targets = [edge.target for edge in claim.edges]
        assert len(targets) == len(set(targets)) <= EDGES_PER_CLAIM
        assert known.issuperset(targets)
        assert claim.same_as is None or (claim.same_as in known and not targets)
