"""Graph measures by hand, and NaN with a reason where there is nothing to measure."""

import math

import pytest

from openiir.core.claims import claim_graph, graph_measures, unanswered_edges
from openiir.core.hashing import canonical
from openiir.core.records import Measure


def test_measures_by_hand(debate):
    claims, edges = debate
    found = graph_measures(claims, edges, restated=1, clusters={"c0001": "a", "c0002": "b"})
    values = {name: measure.value for name, measure in found.items()}
    assert values == pytest.approx(
        {
            "claims": 5,
            "edges": 4,
            "supports": 1,
            "counters": 1,
            "refines": 1,
            "questions": 1,
            "counter_share": 1 / 4,
            "unanswered_counter_rate": 0,
            "evidence_rate": 1 / 5,
            "longest_path": 2,
            "cross_stance_reply_share": 1 / 3,
            "ei_index": 0,
            "redundancy_rate": 1 / 6,
            "coverage": 1 / 2,
        }
    )
    assert all(measure.reason is None for measure in found.values())


def test_an_empty_graph_has_counts_and_reasons():
    found = graph_measures([], [])
    counts = {"claims", "edges", "supports", "counters", "refines", "questions"}
    assert {name for name, measure in found.items() if measure.defined} == counts
    assert all(measure.reason for name, measure in found.items() if name not in counts)
    assert '"value":null' in canonical(found["evidence_rate"].as_json())


def test_claims_without_edges_have_no_shares_of_edges(claim):
    found = graph_measures([claim("k1", 0.5)], [])
    assert math.isnan(found["counter_share"].value)
    assert found["longest_path"] == Measure(0.0)


def test_a_cycle_counts_once_on_the_longest_path(claim, edge):
    claims = [claim("k1"), claim("k2"), claim("k3")]
    ring = [edge("k1", "k2", "counters"), edge("k2", "k1", "counters"), edge("k3", "k1", "supports")]
    assert graph_measures(claims, ring)["longest_path"].value == 1


def test_camps_that_talk_to_themselves(claim, edge):
    claims = [claim("k1", 0.5, "ada"), claim("k2", 0.6, "bo"), claim("k3", -0.5, "cy")]
    inside = graph_measures(claims, [edge("k2", "k1", "supports")])
    across = graph_measures(claims, [edge("k3", "k1", "counters")])
    assert inside["ei_index"].value == -1
    assert across["ei_index"].value == 1


def test_an_edge_to_an_unknown_claim_is_not_counted(debate, edge):
    claims, edges = debate
    assert graph_measures(claims, [*edges, edge("k5", "gone", "supports")])["edges"].value == 4
    assert "gone" not in claim_graph(claims, [edge("k5", "gone", "supports")])


@pytest.mark.parametrize(
    ("reply", "still_open"),
    [
        (("k6", "k2", "counters"), []),
        (("k6", "k2", "supports"), ["k2"]),
        (("k6", "k1", "supports"), []),
        (("k0", "k1", "supports"), ["k2"]),
    ],
)
def test_when_a_counter_is_answered(claim, edge, reply, still_open):
    claims = [claim("k0"), claim("k1"), claim("k2"), claim("k6")]
    edges = [edge("k2", "k1", "counters"), edge(*reply)]
    assert [e.source for e in unanswered_edges(claims, edges, "counters") if e.target == "k1"] == still_open


def test_what_is_said_in_one_breath_answers_nothing(claim, edge):
    same = claim("k3").model_copy(update={"utterance": 2})
    edges = [edge("k2", "k1", "counters"), edge("k3", "k2", "refines")]
    assert [e.source for e in unanswered_edges([claim("k1"), claim("k2"), same], edges, "counters")] == ["k2"]
    assert not unanswered_edges([claim("k1"), claim("k2"), claim("k3")], edges, "counters")
