"""Templates around a quoted sentence, and their removal before claims are extracted.

No sentence of ours may read as a claim of its own: a wording is used only where the rules of extraction see
none in it, whatever name and matter it is filled with.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from openiir.kit.text_tables import read_text_table
from openiir.plugin import Draw, Stance, stance_word
from openiir.plugin.arguments import CLAIM_THRESHOLD, claimhood, is_question, sentences

QUOTE = "{quote}"
WORDINGS: Mapping[str, Sequence[str]] = read_text_table("""
opening | {stand}, and for me it comes down to {matter}. {quote} |
    {stand}. Let me start with {matter}. {quote} |
    I come to this by way of {matter}, and {stand_on}. {quote} |
    {stand}; for me it is about {matter}. {quote} |
    {stand}. With me it is {matter} before all else. {quote} |
    {quote} That is about {matter}, and it is why {stand_on}. | {stand}. {quote} |
    {quote} So {stand_on}. | {stand}, and this is why. {quote} | {stand}, and let me say why. {quote} |
    {quote} That is where I begin, and {stand_on}. | {stand}. Here is my reason. {quote}
assert | Let me add something on {matter}. {quote} | There is also {matter}. {quote} |
    Here is something nobody has spoken of yet. {quote} | {quote} Nobody has said that yet. |
    Let me put one more thing on the table. {quote}
support | I am with {speaker} on {matter}. {quote} |
    Let me add to what {speaker} said on {matter}. {quote} | {quote} So I am with {speaker} on {matter}. |
    Let me go on from there, {speaker}, on {matter}. {quote} |
    {speaker} has a point about {matter}. {quote} | Let me back {speaker} up on {matter}. {quote} |
    Let me back that up. {quote} | {quote} So {speaker} has me on that side.
counter | I do not follow {speaker} on {matter}. {quote} | On {matter} I am not with {speaker}. {quote} |
    {speaker}, there is another side to {matter}. {quote} |
    Let me set something against {speaker} on {matter}. {quote} |
    {quote} So I am not with {speaker} on {matter}. | That is not the whole of it, {speaker}. {quote} |
    Not so fast, {speaker}. {quote} | Let me come at {matter} from the other end. {quote} |
    {quote} Let me put that to {speaker}.
refine | Let me be more exact about {matter}. {quote} | Up to a point, {speaker}, on {matter}. {quote} |
    With {speaker} on {matter}, but not all the way. {quote} |
    Let me narrow down what {speaker} said on {matter}. {quote} |
    {quote} So let me be more exact than {speaker} was on {matter}. |
    There is more to that, {speaker}. {quote}
concede | On {matter} I have to give in to {speaker}. {quote} |
    I came here with another view of {matter}, but {speaker} has a point. {quote} |
    Let me grant {speaker} that much about {matter}. {quote} | {quote} So on {matter} {speaker} has me. |
    All I have on that is on your side, {speaker}. {quote}
answer | {asker}, this is what I have on {matter}. {quote} | To answer {asker} on {matter}. {quote} |
    You asked, {asker}. {quote} | {quote} That is my answer to {asker}. | Let me answer {asker}. {quote}
question | {speaker}, what evidence is there for the point about {matter}? |
    How do we know that about {matter}, {speaker}? |
    {speaker}, is there data that would settle the point about {matter}? |
    On what basis do you say that about {matter}, {speaker}? |
    I have nothing on {matter}, for or against. {speaker}, what evidence is there for what you said
        about {matter}? |
    Before I take sides on {matter}: what evidence is there, {speaker}?
unshown | {asker}, on {matter} I have said what I have. | On {matter} I have no more than that, {asker}.
nothing | I have nothing on {matter}, for or against, so let me pass on that one, {speaker}. |
    Nothing I have is about {matter}, so let me leave that one with {speaker}.
""")
PLAIN_WORDINGS: Mapping[str, str] = {
    "opening": "{quote}",
    "assert": "{quote}",
    "support": "And there is this. {quote}",
    "counter": "But there is this. {quote}",
    "refine": "Not always. {quote}",
    "concede": "Let me grant that. {quote}",
    "answer": "So here it is. {quote}",
    "question": "What evidence is there for that, {speaker}?",
    "unshown": "I have no more than that.",
    "nothing": "Let me pass on that one.",
}
"""Fallback templates, used where every other wording would read as a claim."""
STANCE_WORDINGS: Mapping[Stance, tuple[str, str]] = {
    "firmly in favour": ("I am all for this", "I am firmly for this"),
    "in favour": ("I am for this", "I am on the side of this proposal"),
    "leaning in favour": ("I lean towards this", "On balance I am for this"),
    "undecided": ("I am undecided", "I have not made up my mind"),
    "leaning against": ("I lean against this", "On balance I am not for this"),
    "against": ("I am against this", "I am not for this"),
    "firmly against": ("I am firmly against this", "I am against this through and through"),
}
"""First-person sentences that state a stance."""
STANCE_SENTENCES = tuple(text for texts in STANCE_WORDINGS.values() for text in texts)
EXACTLY = ("More precisely,", "To be precise,", "In particular,")
"""Openings of a sentence that makes a claim more exact."""
BLANKS = ("speaker", "asker", "matter", "stand", "stand_on")
_CONNECTIVE = re.compile(
    r"^\s*(however|but|on the contrary|nevertheless|i (?:strongly )?(?:dis)?agree[^.,;:]*|because|"
    r"for example|by contrast|in contrast|on the other hand|more precisely|to be precise|in particular|"
    r"exactly|indeed|yes|no|still|moreover|therefore|that said)\b[,:;]?\s+",
    re.IGNORECASE,
)


def stance_sentence(stance: float, number: int, inside: bool = False) -> str:
    """Word a stance in the first person, without a full stop.

    `inside` gives the form inside a sentence.
    """
    options = STANCE_WORDINGS[stance_word(stance)]
    text = options[number % len(options)]
    return text[0].lower() + text[1:] if inside and not text.startswith("I ") else text


def fill_wording(
    key: str, blanks: Mapping[str, str], heard: Sequence[str], turn: tuple[int, Draw], needed: str = ""
) -> str:
    """Fill a sentence template except for `{quote}`; templates rotate and recently used ones are avoided.

    Empty blanks rule out the wordings that need them, and so does what extraction would take for a claim;
    with `needed`, only wordings with that blank will do.
    """
    number, draw = turn
    wordings = [w for w in WORDINGS[key] if not needed or "{" + needed + "}" in w]
    first = int(draw.below(len(wordings), item="wording"))
    turned = [wordings[(first + number + i) % len(wordings)] for i in range(len(wordings))]
    empty = ["{" + name + "}" for name in BLANKS if not blanks.get(name)]
    usable = [w for w in turned if not any(blank in w for blank in empty)]
    fresh = [w for w in usable if not any(strip_wording(text, w) is not None for text in heard)]
    for wording in (*fresh, *usable):
        filled = _fill(wording, blanks)
        if key == "question" or not contains_claim(filled):
            return filled
    return _fill(PLAIN_WORDINGS[key], {"speaker": "you", **blanks})


def contains_claim(filled: str) -> bool:
    """Whether claim extraction would find a claim or question in the text around the quote."""
    told = (part[start:end] for part in filled.split(QUOTE) for start, end in sentences(part))
    return any(is_question(one) or claimhood(one) >= CLAIM_THRESHOLD for one in told)


def _fill(wording: str, blanks: Mapping[str, str]) -> str:
    text = wording
    for name in BLANKS:
        text = text.replace("{" + name + "}", blanks.get(name, ""))
    return text[:1].upper() + text[1:]


def strip_wording(text: str, wording: str) -> str | None:
    """Remove a filled template from an utterance; None where the utterance does not match it."""
    before, after, n_before, n_after = _patterns(wording)
    spans = sentences(text)
    if len(spans) < n_before + n_after:
        return None
    first = spans[n_before - 1][1] if n_before else 0
    last = spans[len(spans) - n_after][0] if n_after else len(text)
    if not before.fullmatch(text[:first].strip()) or not after.fullmatch(text[last:].strip()):
        return None
    return text[first:last].strip()


@lru_cache(maxsize=256)
def _patterns(wording: str) -> tuple[re.Pattern[str], re.Pattern[str], int, int]:
    """Compile patterns for the text before and after the quote, with their numbers of sentences."""
    before, _, after = wording.partition(QUOTE)
    left, right = (len(sentences(re.sub(r"\{\w+\}", "It", part))) for part in (before, after))
    return _pattern(before.strip()), _pattern(after.strip()), left, right


def _pattern(part: str) -> re.Pattern[str]:
    opened = part if part[:1] == "{" else part[:1].upper() + part[1:]
    stands = "|".join(re.escape(text) for text in STANCE_SENTENCES)
    pattern = re.escape(opened)
    for name in BLANKS:
        either = f"(?i:{stands})" if name.startswith("stand") else ".{1,120}"
        pattern = pattern.replace(re.escape("{" + name + "}"), either)
    return re.compile(pattern)


def strip_openers(text: str) -> str:
    """Remove connectives and template sentences from an utterance.

    Questions stay: what they ask is all they say.
    """
    for key, wordings in WORDINGS.items():
        if key == "question":
            continue
        around = (w for w in (*wordings, PLAIN_WORDINGS[key]) if QUOTE in w and w != QUOTE)
        if rests := [rest for w in around if (rest := strip_wording(text, w))]:
            text = min(rests, key=len)
            break
    stripped = _CONNECTIVE.sub("", text)
    return stripped[:1].upper() + stripped[1:] if stripped else text
