"""Measures and views of a review, computed from the log alone."""

from collections import defaultdict
from collections.abc import Mapping
from math import nan
from statistics import fmean, median

from new_type.questions import AfterReview
from openiir.kit import measures
from openiir.plugin import AnswerNotes, Entry, Interview, Log, Measure, Persona, Surface, Table


def review_measures(log: Log) -> Mapping[str, Measure]:
    """Compute how far reviewers disagree, and how much more those rate who favour the statement."""
    stances = {persona.id: persona.stance or 0.0 for persona in log.personas}
    by_passage, sides = defaultdict(list), defaultdict(list)
    for row in log.table("ratings"):
        by_passage[row["passage"]].append(row["score"])
        sides[(stances[row["reviewer"]] > 0) - (stances[row["reviewer"]] < 0)].append(row["score"])
    found = [measures.mean_pairwise_distance.measure(scores) for scores in by_passage.values()]
    defined = [measure.value for measure in found if measure.defined]
    return {
        "disagreement": Measure(fmean(defined))
        if defined
        else Measure(nan, "no passage was rated by two reviewers"),
        "partisanship": Measure(fmean(sides[1]) - fmean(sides[-1]))
        if sides[1] and sides[-1]
        else Measure(nan, "no ratings from both sides"),
    }


def reviews(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List the ratings of a review in order."""
    names, answers = {p.id: p.name for p in log.personas}, AnswerNotes(log, since)
    return [
        answers.entry(
            event, names[event.actor or ""], event.payload["passage"], _words(event.payload["score"])
        )
        for event in log.events("new-type.rated", since=since)
        if agent in (None, event.actor)
    ]


def passages(log: Log) -> Table:
    """Tabulate the passages by their median rating, the best first."""
    sources, scores = {chunk.id: chunk.source for chunk in log.chunks()}, defaultdict(list)
    for row in log.table("ratings"):
        scores[row["passage"]].append(row["score"])
    rows = [(id, sources[id], median(own), max(own) - min(own)) for id, own in scores.items()]
    rows.sort(key=lambda row: (-row[2], row[0]))
    return Table(columns=("passage", "source", "median", "range"), rows=tuple(rows))


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List a reviewer's ratings by passage, for its participant to agree or disagree with."""
    texts = {chunk.id: chunk.text for chunk in log.chunks()}
    own = [event.payload for event in log.events("new-type.rated", actor=agent)]
    return [(one["passage"], f'{_words(one["score"])}: "{texts[one["passage"]]}"') for one in own]


def interview(log: Log, persona: Persona, asked: str) -> AfterReview:
    """Build the interview question to one reviewer, with its own ratings and none of the others'."""
    rated = tuple(text for _, text in statements(log, persona.id))
    return AfterReview(log.study["config"]["statement"], asked, rated)


def _words(score: int) -> str:
    return f"{score} of 10"


SURFACES = (
    Surface(
        "reviews",
        "timeline",
        "Ratings",
        reviews,
        per_agent=True,
        help="What each reviewer read, and how it was rated.",
        live="append",
    ),
    Surface("passages", "table", "Passages by rating", passages),
    Interview("chat", "Ask a reviewer about the review", interview, statements),
)
