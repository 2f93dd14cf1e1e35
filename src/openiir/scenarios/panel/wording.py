"""The panel's own words: how an utterance opens, and how an opening is taken off again for blind extraction."""

import re

from openiir.plugin import Draw
from openiir.plugin.arguments import content_words, words
from openiir.scenarios.panel.config import Act

_OPENERS: dict[Act, tuple[str, ...]] = {
    "assert": (
        "Here is where I stand on {matter}.",
        "Let me start with {matter}.",
        "My main reason concerns {matter}.",
        "What weighs most for me is {matter}.",
    ),
    "support": (
        "I agree with {speaker} on {matter}.",
        "{speaker} is right about {matter}, and there is more to it.",
        "Let me back up what {speaker} said about {matter}.",
        "On {matter} I am with {speaker}.",
    ),
    "counter": (
        "I do not follow {speaker} on {matter}.",
        "I see {matter} differently from {speaker}.",
        "There is evidence against what {speaker} says about {matter}.",
        "I disagree with {speaker} about {matter}.",
    ),
    "refine": (
        "I would put {speaker}'s point about {matter} more precisely.",
        "What {speaker} says about {matter} needs a qualification.",
        "It depends on what we mean by {matter}.",
    ),
    "concede": (
        "I grant {speaker} the point about {matter}.",
        "{speaker} has moved me on {matter}.",
        "I have to concede something on {matter}.",
    ),
    "question": (
        "{speaker}, what evidence is there for the point about {matter}?",
        "How do we know that, {speaker}, as far as {matter} is concerned?",
        "{speaker}, is there data that would settle the point about {matter}?",
    ),
}
_CONNECTIVE = re.compile(
    r"^\s*(however|but|on the contrary|nevertheless|i (?:strongly )?(?:dis)?agree[^.,;:]*|because|for example|"
    r"by contrast|in contrast|on the other hand|exactly|indeed|yes|no|still|moreover|therefore|that said)\b[,:;]?\s+",
    re.IGNORECASE,
)


def opener(act: Act, speaker: str, matter: str, stance: float, number: int, draw: Draw) -> str:
    """A sentence that says what is answered; `number` turns the wordings over, so that neighbours differ."""
    wordings = _OPENERS[act]
    if not speaker:
        wordings = tuple(w for w in _OPENERS["assert"])
    first = int(draw.below(len(wordings), item="opener"))
    text = wordings[(first + number) % len(wordings)]
    sentence = text.format(speaker=speaker, matter=matter)
    return sentence[:1].upper() + sentence[1:]


def matter_of(text: str) -> str:
    """Two or three words that say what a claim is about: its longest run of content words, the earliest."""
    content = set(content_words(text))
    runs: list[list[str]] = [[]]
    for word in words(text):
        if word.lower() in content or word in content:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    best = max(runs, key=lambda run: min(len(run), 3))
    return " ".join(best[:3]) if best else "this"


def without_openers(text: str) -> str:
    """An utterance as natural text: leading connectives and sentences that only place it are taken off."""
    bare = text
    for wordings in _OPENERS.values():
        for wording in wordings:
            pattern = re.escape(wording).replace(r"\{speaker\}", ".{1,120}?").replace(r"\{matter\}", ".{1,80}?")
            bare = re.sub(f"^{pattern}\\s*", "", bare, count=1)
    stripped = _CONNECTIVE.sub("", bare)
    return stripped[:1].upper() + stripped[1:] if stripped else bare
