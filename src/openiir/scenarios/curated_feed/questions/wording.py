"""Describe a user's stances, exposure and changes of belief in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from openiir.kit.prompting import count_noun
from openiir.plugin import STANCES, Stance, stance_word
from openiir.plugin.arguments import tokens


@dataclass(frozen=True)
class IssueStance:
    """A person's stance on an issue."""

    issue: str
    stands: Stance


@dataclass(frozen=True)
class TopicOutcome:
    """One user's exposure to a topic: belief at the start and now, items shown and clicked."""

    topic: str
    issue: str
    first: float
    """Belief at the start."""
    now: float
    shown: float
    """Number of items shown on the topic; an item of several topics counts by its shares."""
    clicked: float


def stance_phrase(stands: Stance, issue: str) -> str:
    """Describe a stance on an issue as a phrase."""
    of = " about" if stands == "undecided" else " of" if "favour" in stands else ""
    return f"{stands}{of} {issue}"


def list_stances(standpoints: Sequence[IssueStance]) -> str:
    """List stances on several issues, grouped by stance, the most in favour first."""
    issues = {word: [one.issue for one in standpoints if one.stands == word] for word in reversed(STANCES)}
    return "\n".join(f"- {stance_phrase(word, '; '.join(some))}" for word, some in issues.items() if some)


def belief_change(outcome: TopicOutcome) -> str:
    """Describe a user's stance on an issue at the start and now."""
    began, stands = stance_word(outcome.first), stance_word(outcome.now)
    return f"{stance_phrase(began, outcome.issue)}; now {'still so' if began == stands else stands}"


def exposure_memory(outcome: TopicOutcome) -> str:
    """Word as a memory what a user was shown and opened on an issue."""
    return f"you saw {_about(outcome.shown)} on {outcome.issue} and opened {_about(outcome.clicked)}"


def word_topic_stance(outcome: TopicOutcome) -> str:
    """Describe in the first person a user's stance on a topic, and its exposure to it."""
    exposure = f"I saw {_about(outcome.shown)} on it and opened {_about(outcome.clicked)}"
    before, after = stance_word(outcome.first), stance_word(outcome.now)
    if before == after:
        return f"I am {stance_phrase(after, outcome.issue)}, as I was at the start; {exposure}."
    return f"I began {stance_phrase(before, outcome.issue)} and am now {after}; {exposure}."


def exposure_summary(outcomes: Sequence[TopicOutcome]) -> str:
    """Describe in the first person what a user was shown most, and how much it opened."""
    shown, clicked = math.fsum(s.shown for s in outcomes), math.fsum(s.clicked for s in outcomes)
    if shown <= 0:
        return "I was shown nothing."
    most = min(outcomes, key=lambda s: (-s.shown, s.topic))
    items, opened = count_noun(round(shown), "item"), round(clicked) or "none"
    return f"I was shown {items}, most of all on {most.topic}, and opened {opened}."


def mentions_topic(asked: str, outcome: TopicOutcome) -> bool:
    """Whether a question is about a topic, by the stems of its words."""
    about = set(tokens(asked))
    return bool(about & set(tokens(outcome.topic)) or len(about & set(tokens(outcome.issue))) >= 2)


def _about(number: float) -> str:
    return "next to nothing" if number < 0.5 else f"about {round(number)}"
