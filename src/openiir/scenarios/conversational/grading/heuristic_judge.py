"""The heuristic judge: offline grades of relevance, flow, style, fluency and satisfaction by formulas on what the question
shows, each with its reason in words (MODELS)."""

import math
import re
from collections.abc import Callable
from statistics import fmean
from typing import NamedTuple

from openiir.plugin import int_sum
from openiir.plugin.arguments import sentences, tokens, words
from openiir.scenarios.conversational.dialogue import SYSTEM_INTENTS
from openiir.scenarios.conversational.grading.judged_dialogue import JudgedDialogue, JudgedItem, JudgedTurn
from openiir.scenarios.conversational.grading.user_reactions import (
    asked_again,
    recommends,
    stutters,
    told_again,
    verdicts,
)

LONG_TURN = 60
"""Threshold of a long turn, in words, titles included [design]."""
HARD = 30.0
"""Reading ease (Flesch, J. Appl. Psychol. 1948) below which a sentence is very hard to read."""
FEWEST = 8
"""Least words of a sentence whose reading ease is computed."""
_GOES_ON = frozenset({"ELICIT", "RECOMMEND", "OFFER", "NOTHING_FOUND"})
_OR_TELLS = _GOES_ON | {"INFORM"}
ANSWERS = {
    "DISCLOSE": _GOES_ON,
    "CRITIQUE": _GOES_ON,
    "DISLIKE": _GOES_ON,
    "CONSUMED": _GOES_ON,
    "NO": _GOES_ON,
    "NEUTRAL": _OR_TELLS,
    "DONT_KNOW": _OR_TELLS,
    "YES": _OR_TELLS,
    "LIKE": _OR_TELLS,
    "INQUIRE": frozenset({"INFORM", "NOTHING_FOUND"}),
}
"""What answers each act of a user, where it wants an answer; courtesies never do [design]."""
PARTING = ("ACCEPT", "GIVE_UP", "BYE")
"""Acts of a user after which no system should ask or recommend further [design]."""
_WORDS = ("flow", "style", "fluency")
"""Aspects of what the system says: the lowest grade where it says nothing."""
SILENT = "The system did not say anything."


class ExactGrade(NamedTuple):
    """A grade from 1 to 5 before rounding, and why."""

    grade: float
    why: str


def relevance(talk: JudgedDialogue) -> ExactGrade:
    """1 + 4 x the mean worth of what was recommended; without a need, x the share that has what the user named."""
    if not _has_recommendation(talk):
        return ExactGrade(1.0, "Nothing was recommended.")
    share = relevant(talk)
    known = any(one.worth is not None for one in talk.shown)
    how = "by the need and the user's taste" if known else "by what the user named and how the user took it"
    return ExactGrade(1 + 4 * share, f"What was recommended was worth {share:.2f} of 1 {how}.")


def relevant(talk: JudgedDialogue) -> float:
    """0 to 1: the mean worth of items, each counted once; where no need is known, how many have what the user named,
    or else how the user took them."""
    shown = list({(one.title.casefold(), one.facts, one.worth): one for one in reversed(talk.shown)}.values())
    worths = [one.worth for one in shown if one.worth is not None]
    if worths:
        return fmean(worths)
    fits = [fit for one in shown if (fit := _fits(one, talk.turns[: one.turn])) is not None]
    if fits:
        return fmean(fits)
    return user_reception(talk) if _has_recommendation(talk) else 0.0


def _has_recommendation(talk: JudgedDialogue) -> bool:
    return bool(talk.shown) or any(recommends(turn, by_looks=not talk.end) for turn in talk.turns)


def _fits(one: JudgedItem, before: tuple[JudgedTurn, ...]) -> bool | None:
    """Whether a value of the item was named by the user before; None where nothing can be compared."""
    named = {token for turn in before if turn.speaker == "user" for token in tokens(turn.text)}
    values = [set(tokens(value)) for _, value in one.facts]
    return any(value and value <= named for value in values) if values and named else None


def user_reception(talk: JudgedDialogue) -> float:
    """The user's mean reaction to the system's turns, 0 to 1; .5 where none is known."""
    found = verdicts(talk)
    return fmean(found) if found else 0.5


class ReplySpan(NamedTuple):
    """What the system says between two turns of the user, or before the first or after the last."""

    first: int
    """Number of its first turn, from 1."""
    turns: tuple[JudgedTurn, ...]
    again: bool
    """Whether it says or asks what it said or asked before."""
    users: tuple[JudgedTurn, ...]
    """The user's turns up to it."""
    after: JudgedTurn | None
    """The user's turn that follows."""


def replies(talk: JudgedDialogue) -> list[ReplySpan]:
    """Split a dialogue into the system's replies, in order."""
    found: list[ReplySpan] = []
    users: tuple[JudgedTurn, ...] = ()
    run: list[JudgedTurn] = []
    told = told_again(talk.turns)
    for number, turn in enumerate((*talk.turns, None), 1):
        if turn is not None and turn.speaker == "system":
            run.append(turn)
            continue
        if run:
            again, told = told[: len(run)], told[len(run) :]
            found.append(ReplySpan(number - len(run), tuple(run), any(again), users, turn))
            run = []
        users = users if turn is None else (*users, turn)
    return found


def _share(talk: JudgedDialogue, bad: Callable[[ReplySpan], bool]) -> float:
    """Bad replies over the user's turns, at most 1.

    The user's turns stand below, since nothing that the system adds makes more of them: no slip is thinned out.
    """
    turns = int_sum(turn.speaker == "user" for turn in talk.turns)
    return min(1.0, int_sum(map(bad, replies(talk))) / max(1, turns))


def flow(talk: JudgedDialogue) -> ExactGrade:
    """5 - 4 x the share of the user's turns whose reply does not fit.

    A reply fits where one of its acts answers what the user did, its first item does not violate a critique just made,
    it asks and recommends nothing after a farewell, and nothing in it was said or asked before. Where acts are not
    known, it fits unless it stutters or the user has to ask for the same again.
    """
    share = _share(talk, lambda reply: _strays(reply) or _ignores(reply, talk))
    return ExactGrade(5 - 4 * share, f"To {share:.0%} of the user's turns the reply does not fit.")


def _strays(reply: ReplySpan) -> bool:
    bare = [turn for turn in reply.turns if not turn.acts]
    if reply.again or any(stutters(turn.text) for turn in bare):
        return True
    if len(bare) == len(reply.turns):
        return reply.after is not None and asked_again(reply.after, reply.users)
    did = {act for turn in reply.turns for act in turn.acts if act != "INFORM" or turn.tells}
    before = reply.users[-1].acts if reply.users else ()
    wanted = frozenset().union(*(ANSWERS.get(act, ()) for act in before))
    if wanted:
        return did.isdisjoint(wanted) and did.issubset(SYSTEM_INTENTS)
    return any(act in PARTING for act in before) and not did.isdisjoint({"ELICIT", "RECOMMEND"})


def _ignores(reply: ReplySpan, talk: JudgedDialogue) -> bool:
    """Whether the first item of the reply is known to lack what the user has just missed in another."""
    missed = reply.users[-1].misses if reply.users else ()
    numbers = range(reply.first, reply.first + len(reply.turns))
    item = next((one for one in talk.shown if one.turn in numbers), None)
    if item is None:
        return False
    known = {(slot.casefold(), value.casefold()) for slot, value in item.facts}
    slots = {slot for slot, _ in known}
    lacking = ((slot.casefold(), value.casefold()) for slot, value in missed)
    return any(pair[0] in slots and pair not in known for pair in lacking)


def style(talk: JudgedDialogue) -> ExactGrade:
    """5 - 2 x the share of the user's turns with a long reply - 2 x the share with a sentence very hard to read.

    Long is a turn from 60 words on; nothing that is added to it makes it better.
    """
    long = _share(talk, lambda reply: any(len(words(turn.text)) >= LONG_TURN for turn in reply.turns))
    hard = _share(talk, lambda reply: any(_has_hard_sentence(turn.text) for turn in reply.turns))
    return ExactGrade(
        5 - 2 * long - 2 * hard, f"{long:.0%} of its replies are long, {hard:.0%} hard to read."
    )


def _has_hard_sentence(text: str) -> bool:
    return any(len(words(one)) >= FEWEST and reading_ease(one) < HARD for one in _sentences(text))


def _sentences(text: str) -> list[str]:
    """The sentences of each line."""
    return [line[start:end] for line in text.splitlines() for start, end in sentences(line)]


_VOWELS = re.compile(r"[aeiouy]+")


def reading_ease(sentence: str) -> float:
    """206.835 - 1.015 x words - 84.6 x syllables a word, of one sentence (Flesch 1948); syllables are vowel groups."""
    told = [word.lower() for word in words(sentence) if word[:1].isalpha()]
    if not told:
        return 206.835
    syllables = int_sum(
        max(1, len(_VOWELS.findall(word)) - (word.endswith("e") and not word.endswith("le"))) for word in told
    )
    return 206.835 - 1.015 * len(told) - 84.6 * syllables / len(told)


def fluency(talk: JudgedDialogue) -> ExactGrade:
    """5 - 2 x share of replies with a doubled word - 2 x share told before - share with a sentence begun in lower case.

    Shares are of the user's turns. Slips are all that it counts: it cannot tell how natural wordings are, those of
    templates least of all.
    """
    doubled = _share(talk, lambda reply: any(stutters(turn.text) for turn in reply.turns))
    again = _share(talk, lambda reply: reply.again)
    lower = _share(
        talk, lambda reply: any(one[:1].islower() for turn in reply.turns for one in _sentences(turn.text))
    )
    return ExactGrade(
        5 - 2 * doubled - 2 * again - lower,
        f"Doubled words in {doubled:.0%} of its replies, {again:.0%} said before; how natural templates sound is not judged.",
    )


def satisfaction(talk: JudgedDialogue) -> ExactGrade:
    """1 + 4 x sigmoid(2 success - .15 turns - .8 repeats + .5 relevance).

    `success` is 1 where the user took an item and 0 where not; `turns` the user's; `repeats` how many of the system's
    turns say or ask what it said or asked before; `relevance` 0 to 1. Where nobody wrote down how it ended, as with
    people's own dialogues: `success` is the share of the system's turns that recommend something in sound words, times
    how the user took its turns; `turns` are those that it answered with anything else; `repeats` is a share.
    """
    system = [turn for turn in talk.turns if turn.speaker == "system"]
    repeats = float(int_sum(told_again(talk.turns)))
    if talk.end:
        success = float(talk.end == "satisfied")
        turns = float(len(talk.turns) - len(system))
    else:
        useful = [recommends(turn, by_looks=True) and not stutters(turn.text) for turn in system]
        success = user_reception(talk) * fmean(useful) if useful else 0.0
        turns = float(len(useful) - int_sum(useful))
        repeats = _share(talk, lambda reply: reply.again)
    fit = relevant(talk)
    logit = 2 * success - 0.15 * turns - 0.8 * repeats + 0.5 * fit
    why = f"Success {success:.2f}, turns {turns:g}, repeats {repeats:.3g}, relevance {fit:.2f}."
    return ExactGrade(1 + 4 / (1 + math.exp(-logit)), why)


ESTIMATES = {
    "relevance": relevance,
    "style": style,
    "fluency": fluency,
    "flow": flow,
    "satisfaction": satisfaction,
}


def grade(talk: JudgedDialogue, aspect: str) -> ExactGrade:
    """Return the offline grade of one aspect, within 1 to 5."""
    if aspect in _WORDS and not any(turn.speaker == "system" for turn in talk.turns):
        return ExactGrade(1.0, SILENT)
    found = ESTIMATES[aspect](talk)
    return ExactGrade(min(5.0, max(1.0, found.grade)), found.why)
