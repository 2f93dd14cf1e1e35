"""Views of a run: the report's statements point at claims, quote each once, and are true of the graph."""

import re
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from openiir.core.storage import Log
from openiir.plugin.arguments import unanswered_edges
from openiir.scenarios.panel.measures.debate import FIRST_WORDS, _are_opposed
from openiir.scenarios.panel.views.report import report
from openiir.scenarios.panel.views.surfaces import activity
from openiir.scenarios.panel.views.transcript import transcript


@pytest.fixture(scope="module")
def sections(log: Log) -> dict[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    return {section.title: section.statements for section in report(log).sections}


def test_the_report_has_positions_of_all_convergence_and_disagreements(log: Log, sections: dict) -> None:
    assert list(sections) == ["Positions", "Convergence", "Unresolved disagreements"]
    assert sorted(
        next(p.id for p in log.personas if text.startswith(p.name)) for text, _ in sections["Positions"]
    ) == sorted(p.id for p in log.personas)
    assert sections["Convergence"] and sections["Unresolved disagreements"]


def test_every_statement_points_at_claims_there_are(log: Log, sections: dict) -> None:
    known = {c.id for c in log.claims()}
    for statements in sections.values():
        for _, ids in statements:
            assert set(ids) <= known
    assert all(ids for _, ids in sections["Unresolved disagreements"])


def test_a_claim_is_quoted_in_full_once_at_most(log: Log, sections: dict) -> None:
    text = " ".join(statement for statements in sections.values() for statement, _ in statements)
    for claim in log.claims():
        assert text.count(claim.text) <= 1 or len(claim.text.split()) <= FIRST_WORDS


def test_positions_give_the_stances_of_the_log(log: Log, sections: dict) -> None:
    rows = log.table("stances")
    for p in log.personas:
        own = [row["stance"] for row in rows if row["persona"] == p.id]
        text = next(text for text, _ in sections["Positions"] if text.startswith(p.name))
        assert f"({own[0]:+.2f} to {own[-1]:+.2f})" in text


def test_disagreements_are_counters_between_two_people_with_the_unanswered_first(
    log: Log, sections: dict
) -> None:
    claims = {c.id: c for c in log.claims()}
    counters = {(e.target, e.source) for e in log.edges() if e.type == "counters"}
    open_ = {(e.target, e.source) for e in unanswered_edges(log.claims(), log.edges(), "counters")}
    states = []
    for text, (earlier, later) in sections["Unresolved disagreements"]:
        assert (earlier, later) in counters
        assert claims[earlier].speaker != claims[later].speaker
        assert claims[earlier].stance * claims[later].stance < 0
        states.append((earlier, later) in open_)
        assert ("not answered" in text) == states[-1]
    assert states == sorted(states, reverse=True)


def test_shared_points_are_supported_and_countered_by_nobody(log: Log, sections: dict) -> None:
    """Who makes a claim more exact does not back it."""
    attacked = {e.target for e in log.edges() if e.type == "counters"}
    supported = {(e.target, e.source) for e in log.edges() if e.type == "supports"}
    for text, ids in sections["Convergence"]:
        if re.search(r" backs? ", text):
            assert ids[0] not in attacked and len(ids) >= 2
            assert all((ids[0], backing) in supported for backing in ids[1:])


def test_the_transcript_holds_every_utterance_with_its_place(log: Log) -> None:
    entries = transcript(log)
    spoken = [e for e in entries if e.actor and e.heading != "passes"]
    assert len(spoken) == sum(row[1] for row in activity(log).rows)
    for entry in spoken:
        cited = set(re.findall(r"\[(c\d+)\]", entry.text))
        assert cited == {cite.chunk for cite in entry.cites}


def test_a_transcript_of_one_agent_is_that_part_of_the_whole(log: Log) -> None:
    name = log.personas[0]
    own = [e for e in transcript(log) if e.actor == name.name]
    assert own and transcript(log, agent=name.id) == own


def test_activity_counts_add_up(log: Log) -> None:
    table = activity(log)
    claims = Counter(c.speaker for c in log.claims())
    assert sum(row[2] for row in table.rows) == sum(claims.values())


def test_a_transcript_links_claims_and_questions(log: Log) -> None:
    asked = {str(event.seq) for event in log.events("asked")}
    spoken = [entry for entry in transcript(log) if entry.kind == "panel.speak"]
    assert spoken and {entry.of for entry in spoken} <= asked
    assert {ref.id for entry in spoken for ref in entry.refs} == {claim.id for claim in log.claims()}


def test_the_report_of_a_run_without_talk_says_so(run_panel: Callable[..., Log]) -> None:
    log = run_panel('config.dynamics="none"')
    (first, *_) = next(s for s in report(log).sections if s.title == "Convergence").statements
    assert "as far apart as they were" in first[0]


@pytest.mark.parametrize(
    ("other", "leaning", "clash"),
    [
        ("Turbines are noisy at night.", -0.4, True),
        ("Turbines are quiet at night.", 0.4, False),
        ("Turbines stand in fields.", 0.0, False),
        ("Wind power is costly.", -0.4, False),
    ],
)
def test_claims_clash_that_share_a_matter_beyond_the_topic_and_lean_apart(
    other: str, leaning: float, clash: bool
) -> None:
    debate: Any = SimpleNamespace(topic="Wind power is good")
    one: Any = SimpleNamespace(text="Turbines in wind power pay.", stance=0.5)
    against: Any = SimpleNamespace(text=other, stance=leaning)
    assert _are_opposed(debate, one, against) == clash
