"""The extractor as a question: prompt, schema, checks, the offline answer, and the records that come of it."""

import json

import pytest
from pydantic import ValidationError

from openiir.core.asking import read
from openiir.core.claims import ClaimsReply, EarlierClaim, ExtractClaims, Origin, settle
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Citation
from openiir.core.seeds import Draw

TOPIC = "Should LLM judgments replace human assessors?"
SAID = (
    "I see it otherwise. LLM judgments are biased towards\nfluent text [c0002]. "
    "Human assessors notice such errors because they read the sources. [c0007]"
)
EARLIER = (EarlierClaim("k001", "LLM judgments agree with human assessors on most topics."),)
QUESTION = ExtractClaims(TOPIC, SAID, EARLIER, reply_to="k001")
DRAW = Draw(1, "claims.extract")


def reply(**changes) -> ClaimsReply:
    claim = {"quote": "LLM judgments are biased towards fluent text", "stance": -7, "confidence": 90}
    return ClaimsReply.model_validate({"claims": [claim | changes]})


def test_the_prompt_shows_all_that_the_offline_answer_reads():
    prompt = QUESTION.prompt()
    for part in (TOPIC, SAID, EARLIER[0].id, EARLIER[0].text, "this answers k001"):
        assert part in prompt
    assert "(none yet)" in ExtractClaims(TOPIC, SAID).prompt()


def test_the_offline_answer_passes_the_check_and_depends_on_the_fields_alone():
    answer = QUESTION.offline(DRAW)
    QUESTION.check(answer)
    assert answer == QUESTION.offline(Draw(99, "another"))
    assert [claim.quote.split()[0] for claim in answer.claims] == ["LLM", "Human"]
    assert all(claim.stance < 0 for claim in answer.claims[:1])
    assert answer.claims[0].edges[0].target == "k001"
    assert answer.claims[0].edges[0].type == "counters"


def test_quotes_match_whatever_the_white_space():
    QUESTION.check(reply(quote="LLM judgments are  biased towards fluent text"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"quote": "LLM judgments are perfect"}, "does not occur"),
        ({"quote": "   "}, "does not occur"),
        ({"same_as": "k009"}, "'k009'"),
        ({"edges": [{"target": "k002", "type": "counters", "confidence": 50}]}, "choose from: k001"),
    ],
)
def test_a_reply_that_does_not_fit_says_what_to_mend(changes, said):
    with pytest.raises(UnusableAnswer, match=said):
        read(reply(**changes).model_dump_json(), QUESTION)


@pytest.mark.parametrize(
    "changes",
    [
        {"stance": 11},
        {"confidence": 101},
        {"quote": ""},
        {"edges": [{"target": "k001", "type": "agrees", "confidence": 5}]},
        {"edges": [{"target": "k001", "type": "supports", "confidence": 5}] * 4},
        {"mood": "cheerful"},
    ],
)
def test_the_schema_bounds_what_a_model_may_fill_in(changes):
    with pytest.raises(ValidationError):
        reply(**changes)


def test_every_list_and_text_of_the_schema_is_bounded():
    def walk(node):
        if isinstance(node, dict):
            if node.get("type") == "string" and "enum" not in node:
                assert "maxLength" in node
            if node.get("type") == "array":
                assert "maxItems" in node
            if node.get("type") == "integer":
                assert "minimum" in node and "maximum" in node
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(json.loads(json.dumps(ClaimsReply.model_json_schema())))


def test_the_question_shows_a_bounded_number_of_claims(claim):
    many = [claim(f"k{i:03d}", text=f"Claim about subject{i}.") for i in range(40)]
    question = ExtractClaims.about(TOPIC, "What of subject30?", many, reply_to="k004", shown=5)
    assert len(question.earlier) == 5
    assert {"k004", "k030"} <= {shown.id for shown in question.earlier}
    assert question.reply_to == "k004"
    assert ExtractClaims.about(TOPIC, "Hello", many, reply_to="gone").reply_to == ""


ORIGIN = Origin(step=3, speaker="bo", utterance=5, extractor="model:tiny/1", next_number=8)
CITES = (Citation(chunk="c0002", start=0, end=5), Citation(chunk="c0007", start=2, end=9))


def test_records_of_a_reply():
    edges = [{"target": "k001", "type": "counters", "confidence": 80}] * 2
    settled = settle(QUESTION, reply(edges=edges), ORIGIN)
    (claim,), (edge,) = settled.claims, settled.edges
    assert (claim.id, claim.step, claim.speaker, claim.utterance) == ("k008", 3, "bo", 5)
    assert SAID[claim.start : claim.end] == "LLM judgments are biased towards\nfluent text"
    assert claim.text == "LLM judgments are biased towards fluent text"
    assert (claim.stance, claim.confidence, claim.extractor) == (-0.7, 0.9, "model:tiny/1")
    assert (edge.source, edge.target, edge.type, edge.step) == ("k008", "k001", "counters", 3)


def test_a_restated_claim_adds_no_record_but_is_counted():
    settled = settle(QUESTION, reply(same_as="k001"), ORIGIN)
    assert settled == ((), (), ("k001",))


def test_each_claim_gets_the_citations_marked_in_it_or_right_after_it():
    settled = settle(QUESTION, QUESTION.offline(DRAW), Origin(1, "bo", 1, "offline-rules/1", cites=CITES))
    assert [[cite.chunk for cite in claim.cites] for claim in settled.claims] == [["c0002"], ["c0007"]]


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before_it():
    said = "LLM judgments are biased towards fluent text. [c0002] Human assessors should never be replaced."
    question = ExtractClaims(TOPIC, said)
    settled = settle(question, question.offline(DRAW), Origin(1, "bo", 1, "offline-rules/1", cites=CITES))
    assert [[cite.chunk for cite in claim.cites] for claim in settled.claims] == [["c0002"], []]
    assert settled.claims[1].text == "Human assessors should never be replaced."


def test_without_marks_every_claim_gets_all_citations():
    question = ExtractClaims(TOPIC, "LLM judgments are biased because they like fluent text.")
    settled = settle(question, question.offline(DRAW), Origin(1, "bo", 1, "offline-rules/1", cites=CITES))
    assert settled.claims[0].cites == CITES


def test_a_reply_that_was_not_checked_is_refused():
    with pytest.raises(ValueError, match="check"):
        settle(QUESTION, reply(quote="Never said"), ORIGIN)
