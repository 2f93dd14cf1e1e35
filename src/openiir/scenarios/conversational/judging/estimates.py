"""The offline judge: grades by a fixed reckoning on what the question shows (MODELS: relevance, flow, style, fluency,
satisfaction), each with what speaks for it in words."""

import math
import re
from typing import NamedTuple

from openiir.kit.measures.dialogues import spoken
from openiir.plugin.arguments import sentences, tokens, words
from openiir.scenarios.conversational.judging.hearing import (
    asked_again,
    recommends,
    stutters,
    told_twice,
    verdicts,
)
from openiir.scenarios.conversational.judging.talk import Shown, Talk, Turn

LONG_TURN = 60
"""Words from which on a turn is long [design]; titles of what is recommended count like others."""
HARD = 30.0
"""Reading ease (Flesch, J. Appl. Psychol. 1948) below which a sentence is very hard to read."""
FEWEST = 8
"""Words that a sentence must have for its reading ease to say something."""
_ANY = frozenset("GREET ELICIT RECOMMEND INFORM OFFER NOTHING_FOUND ACKNOWLEDGE BYE OTHER".split())
_GOES_ON = frozenset({"ELICIT", "RECOMMEND", "OFFER", "ACKNOWLEDGE", "NOTHING_FOUND"})
EXPECTED = {
    "": frozenset({"GREET", "ELICIT", "RECOMMEND", "OFFER"}),
    "GREET": frozenset({"GREET", "ELICIT", "RECOMMEND", "OFFER"}),
    "DISCLOSE": _GOES_ON,
    "CRITIQUE": _GOES_ON,
    "DISLIKE": _GOES_ON,
    "NEUTRAL": _GOES_ON | {"INFORM"},
    "CONSUMED": _GOES_ON,
    "DONT_KNOW": _GOES_ON | {"INFORM"},
    "NO": _GOES_ON | {"BYE"},
    "YES": _GOES_ON | {"INFORM"},
    "LIKE": _GOES_ON | {"INFORM", "BYE"},
    "INQUIRE": frozenset({"INFORM", "NOTHING_FOUND"}),
    "ACCEPT": frozenset({"ACKNOWLEDGE", "OFFER", "INFORM", "BYE"}),
    "GIVE_UP": frozenset({"ACKNOWLEDGE", "BYE"}),
    "BYE": frozenset({"ACKNOWLEDGE", "BYE"}),
    "OTHER": _ANY,
}
"""What a system may do after each act of a user, "" where the user has not spoken [design]."""


class Graded(NamedTuple):
    """A grade from 1 to 5, not yet rounded, and why."""

    grade: float
    why: str


def relevance(talk: Talk) -> Graded:
    """1 + 4 x the mean worth of what was recommended; without a need, x the share that has what the user named."""
    share = relevant(talk)
    if not any(map(recommends, talk.turns)) and not talk.shown:
        return Graded(1.0, "Nothing was recommended.")
    known = any(one.worth is not None for one in talk.shown)
    how = "by the need and the user's taste" if known else "by what the user named and how the user took it"
    return Graded(1 + 4 * share, f"What was recommended was worth {share:.2f} of 1 {how}.")


def relevant(talk: Talk) -> float:
    """0 to 1: the mean worth of items; where no need is known, how many have what the user named, or else how the
    user took them."""
    worths = [one.worth for one in talk.shown if one.worth is not None]
    if worths:
        return sum(worths) / len(worths)
    fits = [fit for one in talk.shown if (fit := _fits(one, talk.turns[: one.turn])) is not None]
    if fits:
        return sum(fits) / len(fits)
    if not any(map(recommends, talk.turns)):
        return 0.0
    return taken(talk)


def _fits(one: Shown, before: tuple[Turn, ...]) -> bool | None:
    """Whether a value of the item was named by the user before; None where nothing can be compared."""
    named = {token for turn in before if turn.speaker == "user" for token in tokens(turn.text)}
    values = [set(tokens(value)) for _, value in one.facts]
    return any(value and value <= named for value in values) if values and named else None


def taken(talk: Talk) -> float:
    """How the user took the system's turns on the whole: 0 ill, 1 well; .5 where nothing speaks for either."""
    found = verdicts(talk)
    return sum(found) / len(found) if found else 0.5


def flow(talk: Talk) -> Graded:
    """1 + 4 x the share of the system's acts that fit what the user did before.

    A turn that says what was said before does not fit. Where acts are not known, a turn fits unless it stutters or
    the user has to ask for the same again.
    """
    marks = [mark for turn_marks in _fitting(talk.turns) for mark in turn_marks]
    if not marks:
        return Graded(1.0, "The system did not say anything.")
    share = sum(marks) / len(marks)
    return Graded(1 + 4 * share, f"{sum(marks)} of {len(marks)} acts of the system fit what the user did before.")


def _fitting(turns: tuple[Turn, ...]) -> list[list[bool]]:
    found: list[list[bool]] = []
    users: list[Turn] = []
    said: set[str] = set()
    for n, turn in enumerate(turns):
        if turn.speaker == "user":
            users.append(turn)
            continue
        new = (text := " ".join(spoken(turn.text))) not in said
        said.add(text)
        if turn.acts:
            acts = (users[-1].acts or ("OTHER",)) if users else ("",)
            fit = frozenset().union(*(EXPECTED.get(act, _ANY) for act in acts))
            found.append([new and (act in fit or act not in _ANY) for act in turn.acts])
        else:
            after = turns[n + 1] if n + 1 < len(turns) else None
            unheard = after is not None and after.speaker == "user" and asked_again(after, users)
            found.append([new and not stutters(turn.text) and not unheard])
    return found


def style(talk: Talk) -> Graded:
    """5 - 2 x the share of long turns - 2 x the share of turns with a sentence that is very hard to read.

    Long is from 60 words on; nothing that is added to a turn makes it better.
    """
    turns = [turn.text for turn in talk.turns if turn.speaker == "system"]
    if not turns:
        return Graded(1.0, "The system did not say anything.")
    long = sum(len(words(text)) >= LONG_TURN for text in turns) / len(turns)
    hard = sum(_hard(text) for text in turns) / len(turns)
    return Graded(5 - 2 * long - 2 * hard, f"{long:.0%} of its turns are long, {hard:.0%} hard to read.")


def _hard(text: str) -> bool:
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
    syllables = sum(max(1, len(_VOWELS.findall(word)) - (word.endswith("e") and not word.endswith("le"))) for word in told)
    return 206.835 - 1.015 * len(told) - 84.6 * syllables / len(told)


def fluency(talk: Talk) -> Graded:
    """5 - 2 x share of turns with a doubled word - 2 x share told before - share with a sentence begun in lower case.

    Slips are all that it counts: it cannot tell how natural wordings are, those of templates least of all.
    """
    turns = [turn.text for turn in talk.turns if turn.speaker == "system"]
    if not turns:
        return Graded(1.0, "The system did not say anything.")
    doubled = sum(map(stutters, turns)) / len(turns)
    again = 1 - len({" ".join(spoken(text)) for text in turns}) / len(turns)
    lower = sum(any(one[:1].islower() for one in _sentences(text)) for text in turns) / len(turns)
    return Graded(
        5 - 2 * doubled - 2 * again - lower,
        f"Doubled words in {doubled:.0%} of its turns, {again:.0%} said before; how natural templates sound is not judged.",
    )


def satisfaction(talk: Talk) -> Graded:
    """1 + 4 x sigmoid(2 success - .15 turns - .8 repeats + .5 relevance).

    `success` is 1 where the user took an item and 0 where not; `turns` the user's; `repeats` how many of the system's
    turns say or ask what it said or asked before; `relevance` 0 to 1. Where nobody wrote down how it ended, as with
    people's own dialogues: `success` is the share of the system's turns that recommend something in sound words, times
    how the user took its turns; `turns` are those that it answered with anything else; `repeats` is a share.
    """
    system = [turn for turn in talk.turns if turn.speaker == "system"]
    repeats = float(told_twice(talk.turns))
    if talk.end:
        success = float(talk.end == "satisfied")
        turns = float(len(talk.turns) - len(system))
    else:
        useful = [recommends(turn) and not stutters(turn.text) for turn in system]
        success = taken(talk) * sum(useful) / len(useful) if useful else 0.0
        turns = float(len(useful) - sum(useful))
        repeats /= max(1, len(system))
    fit = relevant(talk)
    logit = 2 * success - 0.15 * turns - 0.8 * repeats + 0.5 * fit
    why = f"Success {success:.2f}, turns {turns:g}, repeats {repeats:.3g}, relevance {fit:.2f}."
    return Graded(1 + 4 / (1 + math.exp(-logit)), why)


ESTIMATES = {
    "relevance": relevance,
    "style": style,
    "fluency": fluency,
    "flow": flow,
    "satisfaction": satisfaction,
}


def grade(talk: Talk, aspect: str) -> Graded:
    """The offline grade of one aspect, within 1 to 5."""
    found = ESTIMATES[aspect](talk)
    return Graded(min(5.0, max(1.0, found.grade)), found.why)
