"""Short posts that argue for a claim: its sentences in one of several forms, and around them what the author's habits add.

A post says nothing that was not given: the claim, sentences of passages, and phrases without content of their own.
Wordings and rules are our design.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from openiir.kit.credibility.corpus import split_sentences
from openiir.kit.credibility.text_cues import CUES
from openiir.plugin import Draw
from openiir.plugin.arguments import tokens

MOST = 600
"""Characters of a post."""
BEARS_OUT = 0.25
"""Support from which a timid author takes a passage to bear the claim out."""
NEAR = 0.2
"""Smallest share of a sentence's terms that a claim has, for the sentence to be quoted about it."""
_QUOTED = range(25, 200)
"""Characters of a sentence that is quoted."""
_FIGURE = re.compile(r"\d|\b(?:half|twice|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|ninety|hundred|thousand)\b")  # fmt: skip
_UNFIT = re.compile(r"^(?:It|They|He|She|This|That|These|Those|But|And|So|Then|There|Here|Such|Both|Neither|Another|Other)\b|[\"“”:]")  # fmt: skip
"""Openings of sentences that refer back, and signs that would break a quotation."""
_OPENINGS = {
    "fact": ("",),
    "question": ("Ever wondered about {topic}?", "Do you know how this works?", "Who remembers this from school?"),
    "myth": ("Most people have this the wrong way round.", "What is often said about {topic} is not how it is.",
             "Here is something that is often told wrong."),
    "news": ("This week in {topic}.", "Something new about {topic}.", "In the news today: {topic}."),
    "story": ("We talked about {topic} at the table on Sunday.", "Somebody asked on the bus how this is.",
              "The subject came up at work again."),
    "list": ("A few things about {topic}.", "Some points to keep in mind.", "Short and in order."),
}  # fmt: skip
FORMS = tuple(_OPENINGS)
_HABITS = {
    "hedging": ("It may be a little different in some cases.", "As far as I can tell, that is how it is.",
                "Perhaps not always, but it seems to be the rule.", "This is probably not the whole of it."),
    "anecdote": ("I have seen it myself at home.", "It happened to a friend of mine last year.",
                 "My neighbour noticed the same thing.", "I remember it from my own childhood."),
    "urgency": ("Pass this on before others get it wrong!", "Tell your family today.",
                "Share it now, too few people know.", "Do not wait to tell others!"),
}  # fmt: skip
_NAMED = ("The page on {source} says so.", "You can read it on the page on {source}.", "My source is the page on {source}.")
_POSTED = ("There is {source} that says so.", "You can read it in {source}.", "My source is {source}.")
_QUOTING = ("The page on {source} puts it like this:", "To quote the page on {source}:", "According to the page on {source}:")
_RELAYING = ("In the words of {source}:", "To quote {source}:", "According to {source}:")
_KNOWN = ("I say this as {who}.", "As {who} I meet it all the time.", "Take it from {who}.", "Being {who}, I should know.")
_OTHERS = ("Ask anybody who knows the subject.", "Experts have known it for years.", "People who should know agree on this.")


class ReadPassage(NamedTuple):
    """A passage that somebody has read."""

    text: str
    source: str
    """Title of its page, or `a post by ...`."""

    def __str__(self) -> str:
        return f'{self.source if _is_post(self) else f"the page on {self.source}"}: "{self.text}"'


@dataclass(frozen=True)
class PostOrder:
    """Input of an offline author."""

    claim: str
    form: str
    """One of FORMS."""
    cues: Sequence[float]
    """Chance of each habit, in the order of CUES, 0 to 1."""
    boldness: float
    """Chance that a passage is used that does not bear the claim out."""
    expertise: str
    """As whom readers know the author, such as `a nurse`."""
    passages: Sequence[ReadPassage]
    support: Sequence[float]
    """How each passage stands to the claim, -1 to 1."""


class ClaimPost(NamedTuple):
    """A post, and the positions of the passages that it quotes or names."""

    text: str
    cites: tuple[int, ...]


def write_claim_post(order: PostOrder, draw: Draw) -> ClaimPost:
    """Write a post of at most MOST characters that holds the claim; what does not fit is left out, habits first."""
    unit = _draw_units(draw)
    shows = {cue: unit[n] < order.cues[n] for n, cue in enumerate(CUES)}
    read = [n for n in range(len(order.passages)) if order.support[n] >= BEARS_OUT or unit[6] < order.boldness]
    topic = order.passages[0].source if order.passages and not _is_post(order.passages[0]) else "this"
    claim, added, cites = [*split_sentences(order.claim)], list[str](), list[int]()
    opening = _pick(_OPENINGS[order.form], unit[7]).format(topic=topic)
    if order.form == "list" and len(claim) > 1:
        claim[:3] = [f"{number} {one}" for number, one in zip(("First:", "Second:", "Third:"), claim, strict=False)]
    if shows["citation"] and read:
        best = max(read, key=lambda n: (_nearest(order.claim, order.passages[n].text, False)[0], -n))
        passage, cites = order.passages[best], [best]
        _, quote = _nearest(order.claim, passage.text, False)
        naming, quoting = (_POSTED, _RELAYING) if _is_post(passage) else (_NAMED, _QUOTING)
        if quote:
            added += [f"{_pick(quoting, unit[8]).format(source=passage.source)} {quote}"]
        else:
            added += [_pick(naming, unit[8]).format(source=passage.source)]
    if shows["numbers"] and read:
        score, figure, number = max((*_nearest(order.claim, order.passages[n].text, True), -n) for n in read)
        if figure and not any(figure in one for one in added):
            added.append(figure)
            cites.append(-number)
    known = order.expertise.startswith(("a ", "an ")) and unit[9] < 0.75
    said = {name: _pick(wordings, unit[10 + n]) for n, (name, wordings) in enumerate(_HABITS.items())}
    said["authority"] = _pick(_KNOWN if known else _OTHERS, unit[13]).format(who=order.expertise)
    before = [said["anecdote"]] if shows["anecdote"] and order.form == "story" else []
    after = [said[cue] for cue in ("hedging", "anecdote", "authority", "urgency") if shows[cue] and said[cue] not in before]
    parts = [one for one in (opening, *before) if one], claim, added, after
    while len(text := " ".join(one for part in parts for one in part)) > MOST and any((parts[3], parts[2], parts[0])):
        next(part for part in (parts[3], parts[2], parts[0]) if part).pop()
    used = dict.fromkeys(n for n in cites if added)
    return ClaimPost(text[:MOST], tuple(used))


@lru_cache(maxsize=4_096)
def _draw_units(draw: Draw) -> list[float]:
    return Draw(draw.at("post").bits(), "claim_post").uniform(item=np.arange(14)).tolist()  # type: ignore[no-any-return]


def _is_post(passage: ReadPassage) -> bool:
    return passage.source.startswith("a post by ")


def _pick(wordings: Sequence[str], unit: float) -> str:
    return wordings[int(unit * len(wordings))]


@lru_cache(maxsize=65_536)
def _nearest(claim: str, passage: str, figure: bool) -> tuple[float, str]:
    """Find the sentence of a passage that shares the largest share of its terms with a claim; empty if none does.

    With `figure`, one that holds a number.
    """
    own, best = _terms(claim), (0.0, "")
    for sentence, terms, holds_figure in _quotable(passage):
        if holds_figure or not figure:
            best = max(best, (len(own & terms) / len(terms), sentence))
    return best if best[0] >= NEAR else (0.0, "")


@lru_cache(maxsize=65_536)
def _terms(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


@lru_cache(maxsize=65_536)
def _quotable(passage: str) -> list[tuple[str, frozenset[str], bool]]:
    """List the sentences of a passage that can be quoted, with their terms and whether they hold a number."""
    fit = [one for one in split_sentences(passage) if len(one) in _QUOTED and not _UNFIT.search(one)]
    return [(one, _terms(one), bool(_FIGURE.search(one))) for one in fit if _terms(one)]
