"""Interviews with members of the cast after the run, from each member's own record alone."""

from math import fsum

from openiir.kit.interviewing import look_back
from openiir.kit.prompting import count_noun
from openiir.plugin import EpisodicMemory, Interview, Log, Persona
from openiir.scenarios.curated_feed import wording
from openiir.scenarios.curated_feed.members import HALF_LIFE, SURVEY
from openiir.scenarios.curated_feed.model.feeds.rules import MAIN
from openiir.scenarios.curated_feed.questions import AfterFeed
from openiir.scenarios.curated_feed.wording import TopicOutcome


def topic_outcomes(log: Log, persona: str) -> tuple[int, tuple[TopicOutcome, ...]]:
    """Return a persona's number of weeks on record in the feed under study, and the outcome of each topic for it.

    Promoted users for whom behaviour models answered everything are not on record.
    """
    rows = [r for r in log.table("standings") if r["persona"] == persona and r["feed"] == MAIN]
    found = []
    for topic in log.table("taxonomy"):
        own = [row for row in rows if row["topic"] == topic["topic"]]
        if own:
            shown, clicked = (fsum(row[what] for row in own) for what in ("shown", "clicked"))
            found.append(
                TopicOutcome(
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
    """Build the interview question to one user, with what it read, thought and believes, and nothing of the others.

    For a user whose pages nobody read, it holds the outcome of each topic.
    """
    weeks, found = topic_outcomes(log, persona.id)
    memory = EpisodicMemory(persona.memory, half_life=HALF_LIFE)
    rows = [row for row in log.table("memories") if row["persona"] == persona.id and row["feed"] == MAIN]
    for row in rows:
        memory.store(row["text"], float(row["session"] - 1 == SURVEY))
    for outcome in found if not rows else ():
        memory.store(wording.exposure_memory(outcome))
    part = "You have been reading a news feed."
    if found and memory.policy.span != 0:
        stood = "\n".join(f"- {wording.belief_change(s)}" for s in found)
        part = f"You have been reading a news feed for {count_noun(weeks, 'week')}. Where you stood when you began, and where you stand now:\n{stood}"
    return AfterFeed(part, look_back(memory, asked), asked, found)


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List a user's stance on each topic, for its participant to agree or disagree with."""
    _, found = topic_outcomes(log, agent)
    return [(f"topic-{n}", wording.topic_statement(s)) for n, s in enumerate(found, 1)]


INTERVIEW = Interview("chat", "Ask a reader what the feed showed and did to them", after_feed, statements)
