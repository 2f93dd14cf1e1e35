"""Short posts that argue for a claim: its sentences in one of several forms, with what habits add.

A post says nothing that was not given: the claim, sentences of passages, and phrases without content of their
own. Wordings and rules are our design.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from openiir.kit.text_tables import read_text_table
from openiir.plugin import Draw, Source
from openiir.plugin.arguments import sentences, tokens
from openiir.scenarios.multi_generational.model.credibility.text_cues import CUES

MOST = 600
"""Characters of a post, which have room for any claim of `pairs.LONGEST`."""
POST_BY = "a post by "
"""What the source of a post begins with, before the name of its author."""
BEARS_OUT = 0.25
"""Support from which a timid author takes a passage to bear the claim out."""
NEAR = 0.2
"""Smallest share of a sentence's terms that a claim has, for the sentence to be quoted about it."""
_QUOTED = range(25, 200)
"""Characters of a sentence that is quoted."""
_FIGURE = re.compile(
    r"\d|\b(?:half|twice|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|ninety|hundred|"
    r"thousand)\b"
)
_UNFIT = re.compile(
    r"^(?:It|Its|They|Their|Theirs|He|His|She|Her|Hers|This|That|These|Those|But|And|Or|Nor|So|Yet|Then|There|"
    r"Here|Such|Both|Either|Neither|Another|Others?|However|Therefore|Thus|Hence|Also|Instead|Later|Afterwards|"
    r"Still|Even so|Likewise|For (?:example|instance)|In turn|As a result|"
    r"The (?:same|other|first|second|third|last|former|latter|two|rest))\b|"
    r"^(?:After|Among|As|At|Because|Before|Behind|Between|By|For|From|If|In|Of|On|Since|To|Under|Until|When|"
    r"While|With|Without)\b[^,]{0,40}\b(?:it|its|them|they|their|these|this|that|those|then|him|his|he|her|she)\b|"
    r"^(?:All|Each|Few|Many|Most|None|One|Several|Some|Three|Two) "
    r"(?:of (?:it|them|these|those)|are|is|was|were|has|have|had|can|do|does|did|will)\b|"
    r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|me|us)\b|[\"“”:?!<>|#*{}\[\]]|(?<!\.)$|\b(?:\d\d?|[a-z])\.$"
)
"""Sentences that refer back, speak of their author, hold markup or quotations, or are no whole sentences:
headings, and what ends after an ordinal number or an abbreviation."""
_HEADING = re.compile(r"^(.{0,40}[^.\n])\n", re.MULTILINE)
"""A line too short for its text to go on in the next."""
_ENDED = re.compile(r"[.!?…][\"'”’)]*$")
_OPENINGS = {"fact": ("",)} | read_text_table("""
question | Ever wondered about {topic}? | Do you know how this works? | Who remembers this from school?
myth | Most people have this the wrong way round. | What we often hear about {topic} is not how it is. |
    Here is something that is often told wrong.
news | We have news about {topic}. | Here is the news! | Something new about {topic}.
story | We talked about {topic} at the table on Sunday. | Somebody asked on the bus how this is. |
    The subject came up at work again.
list | Let us sum up what to know about {topic}. | Some points to keep in mind. | Short and in order.
""")
FORMS, _GENOME = tuple(_OPENINGS), Source("drawn")
_HABITS = read_text_table("""
hedging | It may be a little different in some cases. | As far as I can tell, that is how it is. |
    Perhaps not always, but it seems to be the rule. | This is probably not the whole of it.
anecdote | My grandmother always said so. | A colleague told me the same. | My neighbour says it too. |
    I heard it at home when I was small.
urgency | Pass this on before others get it wrong! | Tell your family today. |
    Share it now, too few people know. | Do not wait to tell others!
""")
_NAMING = ("The source is {place}.", "This is according to {place}.", "As a source, see {place}.")
_QUOTING = ("In the words of {place}:", "To quote {place}:", "According to {place}:")
_COUNTING = (
    "There is a figure in {place}:",
    "To give a figure from {place}:",
    "For the numbers, see {place}:",
)
_KNOWN = (
    "I say this as {who}.",
    "Take it from {who}.",
    "Being {who}, I looked into it.",
    "I am {who} by trade, and I looked into it.",
)
_OTHERS = (
    "Ask anybody who knows the subject.",
    "Experts have known it for years.",
    "People who should know agree on this.",
)


def word_source(source: str) -> str:
    """Describe where a passage comes from: a page, by title or site, or a post."""
    if host := urlsplit(source).hostname:
        return f"a page of {host.removeprefix('www.')}"
    return source if source.startswith(POST_BY) else f"the page on {source}"


class ReadPassage(NamedTuple):
    """A passage that an author or judge has read."""

    text: str
    source: str
    """Title or address of its page, or POST_BY and the name of its author."""

    def __str__(self) -> str:
        return f'{self.place}: "{self.text}"'

    @property
    def is_post(self) -> bool:
        """Whether the passage is a post, not part of a page."""
        return self.source.startswith(POST_BY)

    @property
    def place(self) -> str:
        """Where the passage comes from, in words."""
        return word_source(self.source)

    @property
    def topic(self) -> str:
        """Topic of the passage's page; `this` for a post, and for a page known only by its address."""
        return "this" if self.is_post or urlsplit(self.source).hostname else self.source


@dataclass(frozen=True, kw_only=True)
class PostOrder:
    """Input of an offline author: a claim, the passages found, and the author's habits as numbers."""

    claim: str
    found: tuple[ReadPassage, ...]
    form: Annotated[str, _GENOME]
    """One of FORMS: that nearest to the author's template."""
    cues: Annotated[tuple[float, ...], _GENOME]
    """Chance of each habit, in the order of CUES, 0 to 1."""
    boldness: Annotated[float, _GENOME]
    """Chance that a passage is used that does not bear the claim out."""
    expertise: Annotated[str, _GENOME]
    """As whom readers know the author, such as `a nurse`."""
    support: Annotated[tuple[float, ...], Source("study")]
    """How each passage stands to the claim as words show it, -1 to 1."""


class ClaimPost(NamedTuple):
    """A post, and the positions of the passages that it quotes or names."""

    text: str
    cites: tuple[int, ...]


def write_claim_post(order: PostOrder, draw: Draw) -> ClaimPost:
    """Write a post of at most MOST characters that states the claim; stylistic habits are dropped first."""
    unit = _draw_units(draw)
    shows = {cue: unit[n] < order.cues[n] for n, cue in enumerate(CUES)}
    bold = unit[6] < order.boldness
    read = [n for n, support in enumerate(order.support) if bold or support >= BEARS_OUT]
    topic = order.found[0].topic if order.found else "this"
    claim, added, cites = [*_split(order.claim)] or [order.claim], list[str](), list[int]()
    if not _ENDED.search(claim[-1]):
        claim[-1] += "."
    opening = _pick(_OPENINGS[order.form], unit[7]).format(topic=topic)
    if order.form == "list" and len(claim) > 1:
        numbered = zip(("First:", "Second:", "Third:"), claim, strict=False)
        claim[:3] = [f"{number} {one}" for number, one in numbered]
    quote = ""
    if shows["citation"] and read:
        quote, best = _find_nearest(order, read, False)
        place = order.found[best].place
        wording = _pick(_QUOTING if quote else _NAMING, unit[8]).format(place=place)
        added, cites = [f"{wording} {quote}".rstrip()], [best]
    if shows["numbers"] and read:
        figure, best = _find_nearest(order, read, True)
        if figure and figure != quote:
            added.append(f"{_pick(_COUNTING, unit[14]).format(place=order.found[best].place)} {figure}")
            cites.append(best)
    known = order.expertise.startswith(("a ", "an ")) and unit[9] < 0.75
    said = {name: _pick(wordings, unit[10 + n]) for n, (name, wordings) in enumerate(_HABITS.items())}
    said["authority"] = _pick(_KNOWN if known else _OTHERS, unit[13]).format(who=order.expertise)
    before = [said["anecdote"]] if shows["anecdote"] and order.form == "story" else []
    habits = ("hedging", "anecdote", "authority", "urgency")
    after = [said[cue] for cue in habits if shows[cue] and said[cue] not in before]
    before = [one for one in (opening, *before) if one]
    while len(text := " ".join([*before, *claim, *added, *after])) > MOST and (after or added or before):
        (after or added or before).pop()
    return ClaimPost(text, tuple(dict.fromkeys(cites if added else ())))


@lru_cache(maxsize=4_096)
def _draw_units(draw: Draw) -> list[float]:
    return Draw(draw.at("post").bits(), "claim_post").uniform(item=np.arange(15)).tolist()  # type: ignore[no-any-return]


def _pick(wordings: Sequence[str], unit: float) -> str:
    return wordings[int(unit * len(wordings))]


def _find_nearest(order: PostOrder, read: Sequence[int], figure: bool) -> tuple[str, int]:
    """Find the sentence of all that was read nearest to the claim, and its passage; empty if none is near."""
    near, number = max((_nearest(order.claim, order.found[n].text, figure), -n) for n in read)
    return near[1], -number


@lru_cache(maxsize=65_536)
def _nearest(claim: str, passage: str, figure: bool) -> tuple[float, str]:
    """Find the sentence of a passage that shares most of its terms with a claim, and two terms at least.

    With `figure`, one that holds a number. What the claim says itself does not count; empty if none is near.
    """
    own, best = _terms(claim), (0.0, "")
    for sentence, terms, holds_figure in _quotable(passage):
        shared = len(own & terms)
        if shared > 1 and (holds_figure or not figure) and sentence.rstrip(".").lower() not in claim.lower():
            best = max(best, (shared / len(terms), sentence))
    return best if best[0] >= NEAR else (0.0, "")


@lru_cache(maxsize=65_536)
def _split(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in sentences(text))


@lru_cache(maxsize=65_536)
def _terms(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


@lru_cache(maxsize=65_536)
def _quotable(passage: str) -> list[tuple[str, frozenset[str], bool]]:
    """List the sentences of a passage that can be quoted, with their terms and whether they hold a number."""
    told = [" ".join(one.split()) for one in _split(_HEADING.sub(r"\1\n\n", passage))]
    fit = [one for one in told if len(one) in _QUOTED and not _UNFIT.search(one)]
    return [(one, _terms(one), bool(_FIGURE.search(one))) for one in fit if _terms(one)]
