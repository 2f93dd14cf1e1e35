"""The panel's own words: how an utterance says what it answers, and how these words are taken off again.

No sentence of ours may read as a claim of its own: a wording is used only where the rules of extraction see none
in it, whatever name and matter it is filled with.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from openiir.plugin import Draw
from openiir.plugin.arguments import CLAIM_THRESHOLD, claimhood, is_question, sentences
from openiir.scenarios.panel.matters import matter_of as matter_of

QUOTE = "{quote}"
OPENING = (
    "{stand}, and for me it comes down to {matter}. {quote}",
    "{stand}. Let me start with {matter}. {quote}",
    "I come to this by way of {matter}, and {stand_on}. {quote}",
    "{stand}; for me it is about {matter}. {quote}",
    "{stand}. With me it is {matter} before all else. {quote}",
    "{quote} That is about {matter}, and it is why {stand_on}.",
    "{stand}. {quote}",
    "{quote} So {stand_on}.",
    "{stand}, and this is why. {quote}",
)
ADDING = (
    "Let me add something on {matter}. {quote}",
    "There is also {matter}. {quote}",
    "Here is something nobody has spoken of yet. {quote}",
    "{quote} Nobody has said that yet.",
    "Let me put one more thing on the table. {quote}",
)
SUPPORT = (
    "I am with {speaker} on {matter}. {quote}",
    "Let me add to what {speaker} said on {matter}. {quote}",
    "{quote} So I am with {speaker} on {matter}.",
    "Let me go on from there, {speaker}, on {matter}. {quote}",
    "{speaker} has a point about {matter}. {quote}",
    "Let me back {speaker} up on {matter}. {quote}",
    "Let me back that up. {quote}",
    "{quote} So {speaker} has me on that side.",
)
COUNTER = (
    "I do not follow {speaker} on {matter}. {quote}",
    "On {matter} I am not with {speaker}. {quote}",
    "{speaker}, there is another side to {matter}. {quote}",
    "Let me set something against {speaker} on {matter}. {quote}",
    "{quote} So I am not with {speaker} on {matter}.",
    "That is not the whole of it, {speaker}. {quote}",
    "Not so fast, {speaker}. {quote}",
    "Let me come at {matter} from the other end. {quote}",
    "{quote} Let me put that to {speaker}.",
)
REFINE = (
    "Let me be more exact about {matter}. {quote}",
    "Up to a point, {speaker}, on {matter}. {quote}",
    "With {speaker} on {matter}, but not all the way. {quote}",
    "Let me narrow down what {speaker} said on {matter}. {quote}",
    "{quote} So let me be more exact than {speaker} was on {matter}.",
    "There is more to that, {speaker}. {quote}",
)
CONCEDE = (
    "On {matter} I have to give in to {speaker}. {quote}",
    "I came here with another view of {matter}, but {speaker} has a point. {quote}",
    "Let me grant {speaker} that much about {matter}. {quote}",
    "{quote} So on {matter} {speaker} has me.",
    "All I have on that is on your side, {speaker}. {quote}",
)
ANSWER = (
    "{asker}, this is what I have on {matter}. {quote}",
    "To answer {asker} on {matter}. {quote}",
    "You asked, {asker}. {quote}",
    "{quote} That is my answer to {asker}.",
    "Let me answer {asker}. {quote}",
)
QUESTION = (
    "{speaker}, what evidence is there for the point about {matter}?",
    "How do we know that, {speaker}, as far as {matter} is concerned?",
    "{speaker}, is there data that would settle the point about {matter}?",
    "On what basis do you say that about {matter}, {speaker}?",
    "I have nothing on {matter}, for or against. {speaker}, what evidence is there for what you said about {matter}?",
    "Before I take sides on {matter}: what evidence is there, {speaker}?",
)
UNSHOWN = (
    "{asker}, I have nothing to show for {matter} beyond what I said.",
    "On {matter} I have no more than that, {asker}.",
)
NOTHING = (
    "I have nothing on {matter}, for or against, so let me pass on that one, {speaker}.",
    "Nothing I have is about {matter}, so let me leave that one with {speaker}.",
)
BY_ACT: Mapping[str, Sequence[str]] = {
    "opening": OPENING,
    "assert": ADDING,
    "support": SUPPORT,
    "counter": COUNTER,
    "refine": REFINE,
    "concede": CONCEDE,
    "answer": ANSWER,
    "question": QUESTION,
    "unshown": UNSHOWN,
    "nothing": NOTHING,
}
PLAIN: Mapping[str, str] = {
    "opening": "{quote}",
    "assert": "{quote}",
    "support": "And there is this. {quote}",
    "counter": "But there is this. {quote}",
    "refine": "Not always. {quote}",
    "concede": "Let me grant that. {quote}",
    "answer": "So here it is. {quote}",
    "question": "What evidence is there for that, {speaker}?",
    "unshown": "I have no more than that, {asker}.",
    "nothing": "Let me pass on that one.",
}
"""What is said where every other wording would read as a claim."""
EXACTLY = ("More precisely,", "To be precise,", "In particular,")
"""What a sentence that makes a claim more exact begins with."""
BLANKS = ("speaker", "asker", "matter", "stand", "stand_on")
_CONNECTIVE = re.compile(
    r"^\s*(however|but|on the contrary|nevertheless|i (?:strongly )?(?:dis)?agree[^.,;:]*|because|for example|"
    r"by contrast|in contrast|on the other hand|more precisely|to be precise|in particular|exactly|indeed|yes|no|still|moreover|therefore|that said)\b[,:;]?\s+",
    re.IGNORECASE,
)


def worded(
    key: str, blanks: Mapping[str, str], heard: Sequence[str], turn: tuple[int, Draw], needed: str = ""
) -> str:
    """A wording filled but for `{quote}`, turned over by the turn's number and none that the last speakers used.

    Empty blanks rule out the wordings that need them, and so does what extraction would take for a claim; with
    `needed`, only wordings with that blank will do.
    """
    number, draw = turn
    wordings = [w for w in BY_ACT[key] if not needed or "{" + needed + "}" in w]
    first = int(draw.below(len(wordings), item="wording"))
    turned = [wordings[(first + 2 * number + i) % len(wordings)] for i in range(len(wordings))]
    usable = [w for w in turned if all(blanks.get(name) for name in _needed(w))]
    fresh = [w for w in usable if not any(_pattern(w).search(text) for text in heard)]
    for wording in (*fresh, *usable):
        filled = _filled(wording, blanks)
        if key == "question" or not reads_as_claim(filled):
            return filled
    return _filled(PLAIN[key], {"speaker": "you", **blanks})


def reads_as_claim(filled: str) -> bool:
    """Whether extraction would find a claim or a question in the words around the quote."""
    for part in filled.split(QUOTE):
        for start, end in sentences(part):
            if is_question(part[start:end]) or claimhood(part[start:end]) >= CLAIM_THRESHOLD:
                return True
    return False


def _needed(wording: str) -> list[str]:
    return [name for name in BLANKS if "{" + name + "}" in wording]


def _filled(wording: str, blanks: Mapping[str, str]) -> str:
    text = wording
    for name in BLANKS:
        text = text.replace("{" + name + "}", blanks.get(name, ""))
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=256)
def _pattern(wording: str) -> re.Pattern[str]:
    """Recognises a wording in an utterance, whatever it was filled with."""
    before, _, after = wording.partition(QUOTE)
    left, right = (_with_blanks(part.strip()) for part in (before, after))
    if left and right:
        return re.compile(rf"^{left}\s.*\s{right}$", re.DOTALL)
    return re.compile(rf"^{left}(?=\s|$)" if left else rf"(?:^|(?<=\s)){right}$")


def _with_blanks(part: str) -> str:
    pattern = re.escape(part[:1].upper() + part[1:]) if part[:1] != "{" else re.escape(part)
    for name in BLANKS:
        pattern = pattern.replace(re.escape("{" + name + "}"), r"[^.?!]{1,120}?(?:\.[^.?! ][^.?!]{0,60}?)*?")
    return pattern


def _stripping() -> Iterator[re.Pattern[str]]:
    for key, wordings in BY_ACT.items():
        if key != "question":
            yield from (_pattern(w) for w in (*wordings, PLAIN[key]) if QUOTE in w and w != QUOTE)


def without_openers(text: str) -> str:
    """An utterance as natural text: connectives and sentences that only place it are taken off.

    Questions stay: what they ask is all they say.
    """
    for pattern in _stripping():
        bare = pattern.sub("", text, count=1).strip()
        if bare != text and bare:
            text = bare
            break
    stripped = _CONNECTIVE.sub("", text)
    return stripped[:1].upper() + stripped[1:] if stripped else text
