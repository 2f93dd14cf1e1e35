"""Heuristic judge: offline grades of relevance, flow, style, fluency and satisfaction by formulas (MODELS).

The formulas use only what the judge's question shows, and each grade comes with a reason in words.
"""

import math
import re
from collections.abc import Callable
from statistics import fmean
from typing import NamedTuple

from openiir.plugin import int_sum
from openiir.plugin.arguments import tokens, words
from openiir.scenarios.conversational.model.dialogue import SYSTEM_INTENTS, Utterance
from openiir.scenarios.conversational.model.grading.judged_dialogue import (
    JudgedDialogue,
    JudgedItem,
    has_doubled_word,
    reactions_by_turn,
    recommends,
    repeats_by_turn,
    repeats_request,
    split_sentences,
)

LONG_TURN = 60
"""Number of words, titles included, from which a turn counts as long [design]."""
HARD = 30.0
"""Reading ease (Flesch, J. Appl. Psychol. 1948) below which a sentence is very hard to read."""
FEWEST = 8
"""Minimum number of words of a sentence whose reading ease is computed."""
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
"""For each user intent that calls for a reply, the system intents that count as one [design]."""
PARTING = ("ACCEPT", "GIVE_UP", "BYE")
"""User intents after which a system should neither ask nor recommend [design]."""
_WORDS = ("flow", "style", "fluency")
"""Aspects that get the lowest grade if the system says nothing."""
SILENT = "The system did not say anything."


class ExactGrade(NamedTuple):
    """A grade from 1 to 5 before rounding, with its reason."""

    grade: float
    why: str


def grade_relevance(talk: JudgedDialogue) -> ExactGrade:
    """Grade relevance: 1 + 4 x the mean utility of the recommended items, or x a proxy if no need is known.

    See `offer_relevance` for the proxy.
    """
    if not _has_recommendation(talk):
        return ExactGrade(1.0, "Nothing was recommended.")
    share = offer_relevance(talk)
    known = any(one.worth is not None for one in talk.shown)
    how = "by the need and the user's taste" if known else "by what the user named and how the user took it"
    return ExactGrade(1 + 4 * share, f"What was recommended was worth {share:.2f} of 1 {how}.")


def offer_relevance(talk: JudgedDialogue) -> float:
    """Compute the relevance of the recommended items, 0 to 1.

    It is their mean utility, each item counted once. Where no need is known, it is the share that has a value
    named by the user or, failing that, the user's mean reaction.
    """
    shown = list({(one.title.casefold(), one.facts, one.worth): one for one in reversed(talk.shown)}.values())
    worths = [one.worth for one in shown if one.worth is not None]
    if worths:
        return fmean(worths)
    fits = [fit for one in shown if (fit := _has_named_value(one, talk.turns[: one.turn])) is not None]
    if fits:
        return fmean(fits)
    return mean_reaction(talk) if _has_recommendation(talk) else 0.0


def _has_recommendation(talk: JudgedDialogue) -> bool:
    return bool(talk.shown) or any(recommends(turn, by_looks=not talk.end) for turn in talk.turns)


def _has_named_value(one: JudgedItem, before: tuple[Utterance, ...]) -> bool | None:
    """Whether the user has named a value of the item before; None if nothing can be compared."""
    named = {token for turn in before if turn.speaker == "user" for token in tokens(turn.text)}
    values = [set(tokens(value)) for _, value in one.facts]
    return any(value and value <= named for value in values) if values and named else None


def mean_reaction(talk: JudgedDialogue) -> float:
    """Compute the user's mean reaction to the system's turns, 0 to 1; .5 if none is known."""
    found = reactions_by_turn(talk)
    return fmean(found) if found else 0.5


class ReplySpan(NamedTuple):
    """A system reply: consecutive system turns without a user turn between them."""

    first: int
    """Number of the first turn in the dialogue, from 1."""
    turns: tuple[Utterance, ...]
    again: bool
    """Whether the reply repeats something that the system said or asked before."""
    users: tuple[Utterance, ...]
    """All user turns before the reply."""
    after: Utterance | None
    """The user turn after the reply."""


def replies(talk: JudgedDialogue) -> list[ReplySpan]:
    """Split a dialogue into system replies, in order."""
    found: list[ReplySpan] = []
    users: tuple[Utterance, ...] = ()
    run: list[Utterance] = []
    told = repeats_by_turn(talk.turns)
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


def _bad_reply_rate(talk: JudgedDialogue, bad: Callable[[ReplySpan], bool]) -> float:
    """Compute the number of bad replies per user turn, at most 1.

    The denominator counts user turns, so that a system cannot dilute its faults with further turns.
    """
    turns = int_sum(turn.speaker == "user" for turn in talk.turns)
    return min(1.0, int_sum(map(bad, replies(talk))) / max(1, turns))


def grade_flow(talk: JudgedDialogue) -> ExactGrade:
    """Grade flow: 5 - 4 x the share of user turns that got an unfitting reply.

    A reply fits where one of its acts answers what the user did, its first item does not violate a critique
    just made, it asks and recommends nothing after a farewell, and nothing in it was said or asked before.
    Where acts are not known, it fits unless it stutters or the user has to ask for the same again.
    """
    share = _bad_reply_rate(talk, lambda reply: _is_unfitting(reply) or _ignores_critique(reply, talk))
    return ExactGrade(5 - 4 * share, f"To {share:.0%} of the user's turns the reply does not fit.")


def _is_unfitting(reply: ReplySpan) -> bool:
    bare = [turn for turn in reply.turns if not turn.acts]
    if reply.again or any(has_doubled_word(turn.text) for turn in bare):
        return True
    if len(bare) == len(reply.turns):
        return reply.after is not None and repeats_request(reply.after, reply.users)
    did = {act.intent for turn in reply.turns for act in turn.acts if act.intent != "INFORM" or act.slots}
    before = [act.intent for act in reply.users[-1].acts] if reply.users else []
    wanted = frozenset().union(*(ANSWERS.get(act, ()) for act in before))
    if wanted:
        return did.isdisjoint(wanted) and did.issubset(SYSTEM_INTENTS)
    return any(act in PARTING for act in before) and not did.isdisjoint({"ELICIT", "RECOMMEND"})


def _ignores_critique(reply: ReplySpan, talk: JudgedDialogue) -> bool:
    """Whether the first recommended item is known to violate the critique that the user has just made."""
    missed = reply.users[-1].pairs("CRITIQUE") if reply.users else []
    numbers = range(reply.first, reply.first + len(reply.turns))
    item = next((one for one in talk.shown if one.turn in numbers), None)
    if item is None:
        return False
    known = {(slot.casefold(), value.casefold()) for slot, value in item.facts}
    slots = {slot for slot, _ in known}
    lacking = ((slot.casefold(), value.casefold()) for slot, value in missed if value is not None)
    return any(pair[0] in slots and pair not in known for pair in lacking)


def grade_style(talk: JudgedDialogue) -> ExactGrade:
    """Grade style: 5 - 2 x share of long replies - 2 x share of replies with a very hard sentence.

    Shares are of the user's turns. A turn is long from 60 words on; nothing added to it makes it better.
    """
    long = _bad_reply_rate(
        talk, lambda reply: any(len(words(turn.text)) >= LONG_TURN for turn in reply.turns)
    )
    hard = _bad_reply_rate(talk, lambda reply: any(_has_hard_sentence(turn.text) for turn in reply.turns))
    return ExactGrade(
        5 - 2 * long - 2 * hard, f"{long:.0%} of its replies are long, {hard:.0%} hard to read."
    )


def _has_hard_sentence(text: str) -> bool:
    return any(len(words(one)) >= FEWEST and reading_ease(one) < HARD for one in split_sentences(text))


_VOWELS = re.compile(r"[aeiouy]+")


def reading_ease(sentence: str) -> float:
    """Compute the Flesch reading ease of a sentence (Flesch 1948), with vowel groups as syllables.

    It is 206.835 - 1.015 x words - 84.6 x syllables per word.
    """
    told = [word.lower() for word in words(sentence) if word[:1].isalpha()]
    if not told:
        return 206.835
    syllables = int_sum(
        max(1, len(_VOWELS.findall(word)) - (word.endswith("e") and not word.endswith("le"))) for word in told
    )
    return 206.835 - 1.015 * len(told) - 84.6 * syllables / len(told)


def grade_fluency(talk: JudgedDialogue) -> ExactGrade:
    """Grade fluency by doubled words, repeated content and sentences that begin in lower case.

    It is 5 - 2 x share of replies with a doubled word - 2 x share that repeat - share with lower-case
    beginnings, as shares of the user's turns. It counts such slips only and cannot tell how natural wordings
    are, least of all those of templates.
    """
    doubled = _bad_reply_rate(talk, lambda reply: any(has_doubled_word(turn.text) for turn in reply.turns))
    again = _bad_reply_rate(talk, lambda reply: reply.again)
    lower = _bad_reply_rate(
        talk,
        lambda reply: any(one[:1].islower() for turn in reply.turns for one in split_sentences(turn.text)),
    )
    return ExactGrade(
        5 - 2 * doubled - 2 * again - lower,
        (
            f"Doubled words in {doubled:.0%} of its replies, {again:.0%} said before; how natural "
            "templates sound is not judged."
        ),
    )


def grade_satisfaction(talk: JudgedDialogue) -> ExactGrade:
    """Grade satisfaction: 1 + 4 x sigmoid(2 success - .15 turns - .8 repeats + .5 relevance).

    `success` is 1 where the user took an item and 0 where not; `turns` the user's; `repeats` how many of the
    system's turns say or ask what it said or asked before; `relevance` 0 to 1. Where nobody wrote down how it
    ended, as with people's own dialogues: `success` is the share of the system's turns that recommend
    something in sound words, times how the user took its turns; `turns` are those that it answered with
    anything else; `repeats` is a share.
    """
    system = [turn for turn in talk.turns if turn.speaker == "system"]
    repeats = float(int_sum(repeats_by_turn(talk.turns)))
    if talk.end:
        success = float(talk.end == "satisfied")
        turns = float(len(talk.turns) - len(system))
    else:
        useful = [recommends(turn, by_looks=True) and not has_doubled_word(turn.text) for turn in system]
        success = mean_reaction(talk) * fmean(useful) if useful else 0.0
        turns = float(len(useful) - int_sum(useful))
        repeats = _bad_reply_rate(talk, lambda reply: reply.again)
    fit = offer_relevance(talk)
    logit = 2 * success - 0.15 * turns - 0.8 * repeats + 0.5 * fit
    why = f"Success {success:.2f}, turns {turns:g}, repeats {repeats:.3g}, relevance {fit:.2f}."
    return ExactGrade(1 + 4 / (1 + math.exp(-logit)), why)


ESTIMATES = {
    "relevance": grade_relevance,
    "style": grade_style,
    "fluency": grade_fluency,
    "flow": grade_flow,
    "satisfaction": grade_satisfaction,
}


def grade(talk: JudgedDialogue, aspect: str) -> ExactGrade:
    """Return the offline grade of one aspect, within 1 to 5."""
    if aspect in _WORDS and not any(turn.speaker == "system" for turn in talk.turns):
        return ExactGrade(1.0, SILENT)
    found = ESTIMATES[aspect](talk)
    return ExactGrade(min(5.0, max(1.0, found.grade)), found.why)
