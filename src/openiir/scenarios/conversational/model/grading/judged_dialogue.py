"""The judge's view of a dialogue."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from openiir.plugin import int_sum
from openiir.plugin.arguments import content_words, sentences
from openiir.scenarios.conversational.model.dialogue import Need, Utterance, spoken_words

Aspect = Literal["relevance", "style", "fluency", "flow", "satisfaction"]
"""Aspect of a dialogue that a judge grades: relevance of the recommendations, style, fluency, flow of the
dialogue, and overall satisfaction."""
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
Probe = Literal["", "order", "verbosity"]
"""Variant of the judge's question: unchanged, grades listed from worst to best, or dialogue padded with
polite filler."""


@dataclass(frozen=True)
class JudgedItem:
    """A recommended item in the judge's view."""

    turn: int
    """Number of the turn that recommended it, from 1."""
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs from the catalogue."""
    worth: float | None = None
    """Utility to the user, 0 to 1; None if the need is unknown."""
    seen: bool | None = None
    """Whether the user had consumed it before; None if unknown."""


@dataclass(frozen=True)
class JudgedDialogue:
    """A dialogue with only what a judge may know about it."""

    turns: tuple[Utterance, ...]
    shown: tuple[JudgedItem, ...] = ()
    need: Need | None = None
    """Information need of the user; None if unknown."""
    end: str = ""
    """Why the dialogue ended (satisfied, gave-up, turn-limit, system-ended); empty if unknown."""
    taken: str = ""
    """Title of the accepted item; empty if none or unknown."""
    person: str = ""
    """Sentence about the user's patience."""


PLEASED = frozenset(
    "thanks thank thx great perfect nice cool awesome excellent wonderful fantastic amazing love "
    "loved like liked enjoy enjoyed interesting helpful yes sure ok okay good".split()
)
DISPLEASED = frozenset(
    "no not don't didn't doesn't isn't aren't wasn't can't cannot wrong else another different "
    "instead stop already understand bad boring terrible awful hate hated dislike disliked useless "
    "nonsense sense never nothing".split()
)
_NEUTRAL = re.compile(
    r"\b(no,? )?(i )?(haven't|have not|never|not) (seen|heard|watched|yet)\b|\bwhy not\b|\bnot sure\b|\bi "
    r"would like\b|\bi'd like\b|\bi like\b|\bi love\b|\bwould you like\b|\bdo you like\b|\bsomething like\b"
    r"|\bmovies? like\b|\blike a\b"
)
"""Phrases in which words of praise or complaint do not refer to the system."""
_YEAR = re.compile(r"\(\d{4}\)")
_NAME = re.compile(r"\w\W+(?!I\b)[A-Z]")
SAME = 0.5
"""Share of content words in common with an earlier turn from which a request counts as repeated."""


def reaction(text: str) -> float:
    """Classify the reaction in a user's words: 0 displeased, 1 pleased, .5 neither."""
    told = spoken_words(_NEUTRAL.sub(" ", text.lower().replace("’", "'")))
    pleased, displeased = int_sum(w in PLEASED for w in told), int_sum(w in DISPLEASED for w in told)
    return 0.5 if pleased == displeased else float(pleased > displeased)


def repeats_request(turn: Utterance, before: Iterable[Utterance]) -> bool:
    """Whether a user turn repeats an earlier request, sharing at least half of its content words."""
    about = set(content_words(turn.text))
    return len(about) > 1 and any(
        len(about & set(content_words(one.text))) >= SAME * len(about) for one in before
    )


def recommends(turn: Utterance, by_looks: bool = False) -> bool:
    """Whether a system turn recommends items, by its acts or, with `by_looks`, by capitalised names.

    Acts that were read from words miss titles that no catalogue has.
    """
    return turn.speaker == "system" and (turn.does("RECOMMEND") or (by_looks and seems_to_name(turn.text)))


def seems_to_name(text: str) -> bool:
    """Whether a text seems to name something: a capital letter within a sentence, "I" aside."""
    return any(_NAME.search(one) for one in split_sentences(_YEAR.sub("", text)))


def split_sentences(text: str) -> list[str]:
    """Split a text into the sentences of each line."""
    return [line[start:end] for line in text.splitlines() for start, end in sentences(line)]


def reactions_by_turn(talk: JudgedDialogue) -> list[float]:
    """Score the user's reaction to each system turn, 0 to 1; .5 if unclear."""
    found = []
    users: list[Utterance] = []
    for before, turn in zip((None, *talk.turns), talk.turns, strict=False):
        if turn.speaker == "user":
            if before is not None and before.speaker == "system":
                by_act = [_BY_ACT[act.intent] for act in turn.acts if act.intent in _BY_ACT]
                score = by_act[-1] if by_act else reaction(turn.text)
                found.append(0.0 if repeats_request(turn, users) else score)
            users.append(turn)
    return found


_BY_ACT = {"ACCEPT": 1.0, "LIKE": 1.0, "DISLIKE": 0.0, "CRITIQUE": 0.0, "GIVE_UP": 0.0}


def repeats_by_turn(turns: Sequence[Utterance]) -> list[bool]:
    """For each system turn, whether it repeats a sentence that names something, or asks for a slot again.

    One repeated sentence or slot is enough, whatever new text surrounds it. Sentences that name nothing
    ("Anything else?") may be repeated.
    """
    said: set[str] = set()
    asked: set[str] = set()
    found = []
    for turn in turns:
        if turn.speaker == "system":
            told = {
                " ".join(spoken_words(one)): bool(_NAME.search(one))
                for one in split_sentences(_YEAR.sub("", turn.text))
            }
            asks = {slot for slot, _ in turn.pairs("ELICIT")}
            found.append(not said.isdisjoint(told) or not asked.isdisjoint(asks))
            said |= {text for text, named in told.items() if named}
            asked |= asks
    return found


_STUTTER = re.compile(r"\b(\w+)(\W+\1\b)+", re.IGNORECASE)


def has_doubled_word(text: str) -> bool:
    """Whether a word occurs twice in a row, digits aside."""
    return any(not found[1].isdigit() for found in _STUTTER.finditer(text))
