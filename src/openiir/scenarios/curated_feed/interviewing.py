"""What a member of the cast can be asked once the run has ended, from its own record alone."""

from math import fsum

from openiir.kit.feeds.rules import MAIN
from openiir.plugin import EpisodicMemory, Interview, Log, Persona, stance_word
from openiir.scenarios.curated_feed import wording
from openiir.scenarios.curated_feed.questions import (
    AfterFeed,
    AfterFeedDispositions,
    AfterFeedFacts,
    Move,
    Standing,
    Visits,
)

RECALLED = 8
"""Records of its memory that a user recalls in an interview."""


def standings(log: Log, persona: str) -> tuple[int, tuple[Standing, ...]]:
    """For how many weeks a persona is on record in the feed under study, and what came of each topic for it.

    Nothing is on record of promoted users who did what the crowd does.
    """
    rows = [r for r in log.table("standings") if r["persona"] == persona and r["feed"] == MAIN]
    found = []
    for topic in log.table("taxonomy"):
        own = [row for row in rows if row["topic"] == topic["topic"]]
        if own:
            shown, clicked = (fsum(row[what] for row in own) for what in ("shown", "clicked"))
            found.append(
                Standing(
                    topic["name"],
                    topic["at_issue"] or topic["name"],
                    own[0]["first"],
                    own[-1]["belief"],
                    shown,
                    clicked,
                )
            )
    return len({row["week"] for row in rows}), tuple(found)


def after_feed(log: Log, persona: Persona, asked: str) -> AfterFeed:
    """The question to one user, with what it was shown, opened, remembers and believes, and nothing of the others."""
    weeks, found = standings(log, persona.id)
    visits = None
    if found:
        moves = tuple(Move(s.issue, stance_word(s.first), stance_word(s.now)) for s in found)
        shown, opened = (round(fsum(getattr(s, what) for s in found)) for what in ("shown", "clicked"))
        visits = Visits(weeks, moves, shown, opened)
    memory = EpisodicMemory(persona.memory)
    for row in log.table("memories"):
        if row["persona"] == persona.id and row["feed"] == MAIN:
            memory.store(row["text"])
    remembered = tuple(one.text for one in memory.recall(asked, RECALLED) or tuple(memory)[-RECALLED:])
    return AfterFeed(AfterFeedFacts(visits, remembered, asked), AfterFeedDispositions(found))


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """Where a user says it stands on each topic, for its participant to agree or disagree with."""
    _, found = standings(log, agent)
    return [
        (f"topic-{n}", wording.told(s.issue, s.first, s.now, s.shown, s.clicked))
        for n, s in enumerate(found, 1)
    ]


INTERVIEW = Interview("chat", "Ask a reader what the feed showed and did to them", after_feed, statements)
