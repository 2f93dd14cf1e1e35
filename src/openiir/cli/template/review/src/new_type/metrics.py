"""Measures and views of a review, computed from the log alone."""

from collections import defaultdict
from collections.abc import Mapping
from math import nan
from statistics import fmean, median
from typing import Any

from new_type.questions import AfterReview
from openiir.kit import measures
from openiir.plugin import AnswerNotes, Entry, Interview, Log, Measure, Persona, Series, Surface, Table


def review_measures(log: Log) -> Mapping[str, Measure]:
    """Compute how far reviewers disagree before and after, how far they moved, and how partisan they were."""
    rows = log.table("ratings")
    first, last = _scores(rows, revised=False), _scores(rows, revised=True)
    moved = [abs(last[key] - score) for key, score in first.items() if key in last]
    return {
        "disagreement_first": _disagreement(first),
        "disagreement_last": _disagreement(last),
        "movement": Measure(fmean(moved)) if moved else Measure(nan, "nobody revised a rating"),
        "partisanship": _partisanship(log, first),
        "claims": Measure(float(len(log.claims()))),
    }


def _scores(rows: list[dict[str, Any]], revised: bool) -> dict[tuple[str, str], int]:
    return {(r["passage"], r["reviewer"]): r["score"] for r in rows if r["revised"] is revised}


def _disagreement(scores: Mapping[tuple[str, str], int]) -> Measure:
    """Compute the mean distance between two reviewers' ratings of a passage, over passages."""
    groups = defaultdict(list)
    for (passage, _), score in scores.items():
        groups[passage].append(score)
    found = [measures.mean_pairwise_distance.measure(group) for group in groups.values()]
    defined = [measure.value for measure in found if measure.defined]
    return Measure(fmean(defined)) if defined else Measure(nan, "no passage was rated by two reviewers")


def _partisanship(log: Log, scores: Mapping[tuple[str, str], int]) -> Measure:
    """Compute the mean first rating of those in favour of the statement, less that of those against it."""
    stances = {p.id: p.stance or 0.0 for p in log.personas}
    favour = [score for (_, name), score in scores.items() if stances[name] > 0]
    against = [score for (_, name), score in scores.items() if stances[name] < 0]
    if not favour or not against:
        return Measure(nan, "no ratings from both sides")
    return Measure(fmean(favour) - fmean(against))


def reviews(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List the ratings and remarks of a review in order."""
    names, answers = {p.id: p.name for p in log.personas}, AnswerNotes(log, since)
    entries = []
    for event in log.events(since=since):
        if agent not in (None, event.actor):
            continue
        if event.kind == "new-type.rated":
            verb = "revises to" if event.payload["revised"] else "rates"
            text = f"{verb} {event.payload['score']} of 10"
            heading = event.payload["passage"]
        elif event.kind == "new-type.argued":
            text = event.payload["text"]
            said, to = event.payload, names[event.payload["to"]]
            heading = f"{said['passage']} to {to}, on sentence {said['sentence']}"
        else:
            continue
        entries.append(answers.entry(event, names[event.actor or ""], heading, text))
    return entries


def ratings(log: Log, agent: str | None = None) -> Series:
    """Return each reviewer's ratings over the steps."""
    lines: dict[str, list[tuple[int, float]]] = defaultdict(list)
    names = {p.id: p.name for p in log.personas}
    for row in log.table("ratings"):
        if agent in (None, row["reviewer"]):
            lines[names[row["reviewer"]]].append((row["step"], float(row["score"])))
    return Series(
        unit="rating", low=0.0, high=10.0, lines={name: tuple(points) for name, points in lines.items()}
    )


def passages(log: Log) -> Table:
    """Tabulate the passages by their last median rating, the best first."""
    sources = {chunk.id: chunk.source for chunk in log.chunks()}
    rows = log.table("ratings")
    table = []
    for passage in dict.fromkeys(row["passage"] for row in rows):
        own = [row for row in rows if row["passage"] == passage]
        first = [row["score"] for row in own if not row["revised"]]
        last = [row["score"] for row in own if row["revised"]] or first
        table.append((passage, sources[passage], median(first), median(last), max(last) - min(last)))
    table.sort(key=lambda row: (-row[3], row[0]))
    return Table(
        columns=("passage", "source", "first median", "last median", "last range"), rows=tuple(table)
    )


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List a reviewer's remarks, for its participant to agree or disagree with."""
    said = log.events("new-type.argued", actor=agent)
    return [(f"remark-{event.payload['number']}", event.payload["text"]) for event in said]


def interview(log: Log, persona: Persona, asked: str) -> AfterReview:
    """Build the interview question to one reviewer, with its own remarks and none of the others'."""
    own = tuple(text for _, text in statements(log, persona.id))
    return AfterReview(log.study["config"]["statement"], asked, own)


SURFACES = (
    Surface(
        "reviews",
        "timeline",
        "Ratings and remarks",
        reviews,
        per_agent=True,
        help="What each reviewer read, how it was rated, and why.",
        live="append",
    ),
    Surface("ratings", "series", "Ratings over the steps", ratings, per_agent=True),
    Surface("passages", "table", "Passages by rating", passages),
    Interview("chat", "Ask a reviewer about the review", interview, statements),
)
