"""How good was this dialogue, in one respect, from 1 to 5? (asked of a judge)"""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import bullet_lines, join_words
from openiir.plugin import Count, Draw, Facts, Question, Record, Source
from openiir.scenarios.conversational.actions import Aspect
from openiir.scenarios.conversational.generation.phrases import trait, words_of
from openiir.scenarios.conversational.judging.estimates import grade
from openiir.scenarios.conversational.judging.talk import Shown, Talk
from openiir.scenarios.conversational.questions.understand import SPEAKERS


class Grade(Record):
    """The judge's answer."""

    what_you_see: str = Field(
        max_length=600,
        description="what speaks for the grade, in one or two sentences, with the numbers of the turns",
    )
    grade: int = Field(ge=1, le=5, description="1 to 5")


@dataclass(frozen=True)
class Offered:
    """A title that the service offered."""

    turn: Count
    title: str
    about: tuple[str, ...]
    """What it is like."""
    seen: str
    """Whether the person had had it before, in words; empty where nobody knows."""

    def __str__(self) -> str:
        return f"{self.title} (turn {self.turn}): {'; '.join(self.about) or 'nothing is known of it'}.{self.seen}"


@dataclass(frozen=True)
class JudgeFacts(Facts):
    """A dialogue that is over, and what to grade of it."""

    role: str
    wanted: str
    """What the person wanted, in a sentence."""
    turns: tuple[tuple[str, str], ...]
    """(who, text), in order."""
    offers: tuple[Offered, ...]
    end: str
    """How it ended, in a sentence."""
    person: str
    """What is known of the person, where the grade depends on it; else empty."""
    asked: str
    grades: tuple[str, ...]
    """What the grades mean, in the order told."""

    def system(self) -> str:
        return self.role

    def prompt(self) -> str:
        turns = "\n".join(f"{number} {who}: {text}" for number, (who, text) in enumerate(self.turns, 1))
        offers = (
            f"What it offered:\n{bullet_lines(self.offers)}"
            if self.offers
            else "It offered nothing that is known."
        )
        person = f" {self.person}" if self.person else ""
        scale = "\n".join(self.grades)
        return f"""{self.wanted}{person}

{turns}

{self.end}
{offers}

Grade one thing only: {self.asked}
{scale}

Long or polite answers earn nothing. First say what you see, then give the grade."""


@dataclass(frozen=True)
class JudgeDispositions:
    """What the offline judge goes by."""

    talk: Annotated[Talk, Source("fitted")]
    """With what each turn does, as understood, and what each offer was worth to the user."""
    aspect: Annotated[Aspect, Source("study")]


@dataclass(frozen=True)
class JudgeDialogue(Question[Grade]):
    """One aspect of one dialogue."""

    facts: JudgeFacts
    dispositions: JudgeDispositions
    kind: ClassVar[str] = "conversational.judge"
    Reply: ClassVar[type[Record]] = Grade
    example: ClassVar[Record] = Grade(
        what_you_see="In turn 3 it names a room that is far from the station, though the station was asked for in turn 2.",
        grade=2,
    )

    @property
    def subject(self) -> str:
        return self.dispositions.aspect

    def offline(self, draw: Draw) -> Grade:
        """The grade reckoned as in `judging.estimates`, rounded, halves up."""
        found = grade(self.dispositions.talk, self.dispositions.aspect)
        return Grade(
            what_you_see=f"{found.why} ({found.grade:.2f})"[:600], grade=math.floor(found.grade + 0.5)
        )


def judge_question(talk: Talk, aspect: Aspect, worst_first: bool = False) -> JudgeDialogue:
    """The question for an aspect of a dialogue; `worst_first` tells the grades from 1 to 5 instead of from 5 to 1."""
    asked, grades = RUBRICS[aspect]
    told = [f"{n} {words}" for n, words in zip((5, 4, 3, 2, 1), grades, strict=True)]
    content = aspect == "satisfaction"
    facts = JudgeFacts(
        role=_ROLE if content else f"{_ROLE} You grade the service, not the person.",
        wanted=_wanted(talk),
        turns=tuple(
            (SPEAKERS["user" if turn.speaker == "user" else "system"], turn.text) for turn in talk.turns
        ),
        offers=tuple(map(_offered, talk.shown)),
        end=f"The person took {talk.taken}."
        if talk.taken
        else _ENDS.get(talk.end, "Nobody knows how content the person left."),
        person=talk.person if content else "",
        asked=asked,
        grades=tuple(reversed(told) if worst_first else told),
    )
    return JudgeDialogue(facts, JudgeDispositions(talk, aspect))


_ROLE = "You grade dialogues between people and services that recommend things to watch, read or play."
_ENDS = {
    "satisfied": "The person took something that it offered.",
    "gave-up": "The person gave up and left.",
    "turn-limit": "It was cut off, before the person took anything.",
    "system-ended": "The service ended it, before the person took anything.",
}


def _wanted(talk: Talk) -> str:
    if talk.need is None:
        return "Nobody wrote down what the person wanted: go by what is said."
    wants = "; ".join(trait(slot, value) for slot, value in talk.need.constraints) or "anything"
    asks = (
        f" The person wanted to be told its {join_words([words_of(slot) for slot in talk.need.requests])}."
        if talk.need.requests
        else ""
    )
    return f"What the person wanted, the most important first: {wants}.{asks}"


def _offered(one: Shown) -> Offered:
    seen = {None: "", True: " The person had had it before.", False: " The person had not had it before."}[
        one.seen
    ]
    return Offered(one.turn, one.title, tuple(trait(slot, value) for slot, value in one.facts), seen)


RUBRICS: dict[Aspect, tuple[str, tuple[str, str, str, str, str]]] = {
    "relevance": (
        "do the titles that the service offered suit what the person wanted?",
        (
            "all of them do. For example: one title offered, and it has all that was asked for.",
            "most do; one or two miss something that was asked for, or were had before.",
            "about as many do as do not.",
            "hardly any does. For example: of five titles one has half of what was asked for, the others nothing.",
            "none does, or none was offered. For example: three crime films to somebody who asked for animation.",
        ),
    ),
    "style": (
        "can one take in each of the service's turns at once?",
        (
            'each turn, at first reading. For example: "Would you like Heat? It is a crime film from 1995."',
            "all but one or two, which are vague or too long.",
            "a good part needs a second reading, or is a list of keywords.",
            "most do. For example: six titles in one turn, each with all that is known of it.",
            "one cannot tell what is meant.",
        ),
    ),
    "fluency": (
        "do the service's turns read as if a person had written them?",
        (
            "yes, throughout.",
            "yes, but for a stiff phrase or two.",
            'stiff or faulty in several places. For example: "What speaks for it: genre Animation and Romance, year 1989."',
            "stiff or faulty almost everywhere.",
            "broken language, or one phrase over and over.",
        ),
    ),
    "flow": (
        "does each of the service's turns follow from what was said before?",
        (
            "all do, and nothing has to be said twice.",
            "all but one.",
            "several ignore what was just said, or ask again. For example: it asks for the genre that it was told a turn ago.",
            "most ignore what the person has just said.",
            "its turns have nothing to do with what the person says.",
        ),
    ),
    "satisfaction": (
        "how content would this person be to have asked?",
        (
            "would gladly come back. For example: took something that has all that was wanted, after a few short turns.",
            "content, with something small to complain of.",
            "neither content nor annoyed. For example: took something that will do, after many turns.",
            "rather annoyed. For example: left with nothing, though the service took note of what was wanted.",
            "would never use it again. For example: left after being offered the wrong thing again and again.",
        ),
    ),
}
"""By aspect: what is graded, and what grades 5 to 1 mean."""
