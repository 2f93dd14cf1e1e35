"""Short posts and comments of offline members: a stance in words of one's own, and often a fact read.

A fact is a plain sentence of a passage. The author is made to vouch for it only where the rules of stance see
it on the author's side; one on no side is put as something read, and one on the other side is left out. What
a post stands for is read off its words alone. Wordings and weights are our design.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from openiir.kit.offline_speaker.key_phrases import key_phrase
from openiir.kit.offline_speaker.passages import Passage
from openiir.kit.offline_speaker.ranking import rank_quotes, reports_particulars, side_of
from openiir.plugin import Draw, stance_word
from openiir.plugin.arguments import CLAIM_THRESHOLD, claimhood, sentences, stance, tokens, words
from openiir.scenarios.social_media.model.post_wordings import ASKS, STANDS, TAILS, WORDINGS

TALKATIVE = (0.0, 0.2, 0.4)
"""Chances of a last sentence that adds nothing, one for each kind of author."""
QUOTES = (0.9, 0.8, 0.65)
"""Chances of a fact in a post of these kinds of authors, if there is one."""
VOUCHED = 0.4
"""Smallest stance, on the author's side, of a fact given as a reason; with half its passage's."""
NEAR, OWN, SPREAD = 0.15, 0.25, 0.5
"""Bonus of a fact that names topic or statement, and of one that the author vouches for; largest bonus
of a fact for one author alone."""
REFERS = 0.5
"""Chance that a post without a fact refers to what somebody else wrote about its topic, if there is that."""
BEARS = 0.08
"""Smallest relevance of a fact to the claim that a comment answers."""
LONGEST, SHORTEST = 30, 6
"""Words of a fact."""
_SIDES = tuple(
    (clause.lower(), ("against" not in word) - ("favour" not in word))
    for word, clauses in STANDS.items()
    for clause in clauses
)
_LATER = re.compile(r";|, (?:which|who|including|such as|as well as|where|with)\b")
_UNFIT = re.compile(
    r"\b(?:I|[Ww]e|us|[Oo]ur|[Mm]y|me|[Aa]s stated|[Yy]our?|\w+self)\b|\w['’](?:ll|ve|re|m)\b|https?:|www\.|"
    r"[\[\]{}()*_#/\\“”\"@©:]|"
    r"\b(?i:et al|pp?|vol|eds?|isbn|doi|fig|table|chapter|section|retrieved|however|cookies?|subscribe|"
    r"copyright|click|advertisement|newsletter|log ?in)\b|"
    r"\b(?:paper|article|thesis|book|essay|report|study) (?:is|was|are|[a-z]+(?:s|ed))\b|"
    r"^The (?:\w+ )?(?:subject|person|act|bill|law|court|company|town|group|team|event|series|report|set)\b|"
    r"\b(?:is|are|was|were) (?:described|presented|discussed|proposed|reported|compared|reviewed|stressed|"
    r"examined|given|made)\b|"
    r"\b(?:is|are) (?:an?|the) (?:[\w-]+ ){0,3}(?:branch|term|type|form|kind|field|name|word|"
    r"(?:sub-)?discipline)\b|"
    r"^(?:Explores|Describes|Presents|Discusses|Examines|Reports|Reviews|Shows|Rather|Then|Those|Henceforth|"
    r"See|Note|Figure|Source|References?)\b|^An? (?:\w+ )?example\b|^\W|(?:\d[\d.,]*\D+){4}|"
    r"(?:\b[A-Z][\w.'-]*\W+){4}"
)
"""Marks of what is no plain statement: speech, boilerplate, references, lists and headlines."""
_TORN = re.compile(
    r"\b(?!an?\b)\w\w?\b|ing\b|^(?:\S+ ){3}|^(?:an? |the )?\S+$|^(?i:un)?like\b|[A-Z]\w+ [A-Z]"
)
"""Marks of a key phrase that says little, names somebody, or may hold a verb or a piece of one."""
_HEARD = re.compile(r"^(.+?) wrote: ")
_BLANK = re.compile(r"\{(\w+)\}")


class ReadFact(NamedTuple):
    """A factual sentence that the author has read."""

    text: str
    vouched: bool
    """Whether it stands on its author's side."""


@dataclass(frozen=True)
class PostContext:
    """Input of an offline author: its stance, what it has read, and the post it replies to."""

    statement: str
    topic: str
    """What the post is about, as a few words inside a sentence."""
    stance: float
    """-1 against the statement, 1 in favour."""
    passages: Sequence[str] = ()
    written: Sequence[str] = ()
    """Posts of the author's own, whose facts and wordings are not repeated."""
    known: Sequence[str] = ()
    """What others wrote, each as `NAME wrote: "TEXT"`; its facts are not repeated."""
    answered: str = ""
    """Post that is commented on; empty for a post of one's own."""
    to: str = ""
    """Name of its author."""
    noted: bool = False
    """Whether readers added a note to it."""


def compose_post(context: PostContext, draw: Draw) -> str:
    """Write a post, or a comment if the context has a post to reply to, in a few sentences.

    The agent of `draw` sets its author's ways, which stay the same throughout a run.
    """
    manner = draw.at("manner", item="", step=0).below(len(TALKATIVE))
    claim = _find_claim(context)
    kind = _choose_kind(context, bool(claim))
    quotes = kind != "note" and draw.at("quotes").chance(QUOTES[manner])
    fact = _find_fact(context, claim, kind in ("agree", "differ"), draw) if quotes else None
    name = _first_name(context.to)
    if fact is None:
        kind = f"{kind} bare"
        heard = None if context.answered else _find_heard(context)
        if heard and draw.at("refers").chance(REFERS):
            name, kind = heard
    elif kind == "own" and not fact.vouched:
        kind = "read"
    about = context.answered or (fact.text if fact else "")
    topical = not set(tokens(context.topic)).isdisjoint(tokens(about))
    claimed = key_phrase(claim, context.statement, (*context.passages, context.answered))
    claimed = "" if _TORN.search(claimed) else claimed
    matter = context.topic if topical else claimed
    blanks = {"fact": fact.text if fact else "", "matter": matter, "claimed": claimed, "name": name}
    text = _fill(kind, context, draw.at("wording").bits(), blanks)
    firmness = (abs(context.stance) >= 0.45) + (abs(context.stance) >= 0.75)
    talks = draw.at("tail").chance(TALKATIVE[manner]) and side_of(context.stance) and not context.answered
    return f"{text} {draw.at('closing').choose(TAILS[firmness])}" if talks and text[-1] != "?" else text


def word_stance(topic: str, stance: float, statement: str, number: int) -> str:
    """Write a post that has only a topic and a stance; `number` chooses among the wordings."""
    context = PostContext(statement, topic, stance)
    return _fill(f"{_choose_kind(context)} bare", context, Draw(number, "short_posts").bits(), {})


def classify_side(text: str, statement: str) -> int:
    """Classify a post by its words: against (-1), neutral (0) or in favour of (1) a statement."""
    found = {side for clause, side in _SIDES if clause in text.lower()}
    return found.pop() if len(found) == 1 else side_of(stance(text, statement))


def _choose_kind(context: PostContext, claims: bool = False) -> str:
    """Choose the wordings: of a post with or without a side, or of an answer, by the sides of both."""
    own = side_of(context.stance)
    if not context.answered:
        return "own" if own else "open"
    theirs = classify_side(context.answered, context.statement)
    if context.noted and own * theirs <= 0:
        return "note"
    text = context.answered.lower()
    if not (theirs or claims) and ("?" in text or any(clause in text for clause, _ in _SIDES)):
        return "answer"
    return ("differ", "wonder", "agree")[1 + own * theirs]


def _find_claim(context: PostContext) -> str:
    """Find what the answered post claims, beside its author's stance; empty for nothing."""
    told = (context.answered[start:end] for start, end in sentences(context.answered))
    said = [one for one in told if not any(clause in one.lower() for clause, _ in _SIDES)]
    claim = max(said, key=claimhood, default="")
    return claim if claimhood(claim) >= CLAIM_THRESHOLD else ""


def _find_fact(context: PostContext, claim: str, argues: bool, draw: Draw) -> ReadFact | None:
    """Find a fact that is not on the other side and, unless the author can vouch for it, names the topic.

    In a comment it bears on the claim that is answered; who argues has to vouch for it.
    """
    known = [text for text in (*context.written, *context.known, context.answered) if text]
    aim = set(tokens(context.statement))
    named = aim | set(tokens(context.topic))
    numbered = enumerate(context.passages)
    read = [Passage(id=str(n), text=text) for n, text in numbered if not aim.isdisjoint(tokens(text))]
    own, best = side_of(context.stance), (0.0, False, "")
    for one in rank_quotes(claim or context.topic, context.statement, context.stance, read, known):
        text = _shorten(one.text)
        fit = SHORTEST <= len(words(text)) <= LONGEST and not _UNFIT.search(text)
        if not fit or any(text[:-1] in other for other in known) or (claim and one.relevance < BEARS):
            continue
        lean, near = stance(text, context.statement), not named.isdisjoint(tokens(text))
        vouched = own * (lean + one.around / 2) >= VOUCHED and not reports_particulars(text)
        bears = near or bool(claim) or (vouched and not context.answered)
        if bears and own * side_of(lean) >= 0 and (vouched or not argues):
            bonus = NEAR * near + OWN * vouched + SPREAD * draw.at("spread", item=text, step=0).uniform()
            best = max(best, (1 + one.score + bonus, vouched, text))
    return ReadFact(best[2], best[1]) if best[2] else None


def _shorten(text: str) -> str:
    """Leave out what a long sentence adds behind its last comma."""
    text = re.sub(r"(?<!\.)\.{2,}$", ".", text)
    cut = _LATER.search(text, max(text.rfind(","), text.rfind(";"), 0))
    short = f"{text[: cut.start()]}." if cut else text
    fits = 8 <= len(words(short)) <= 22 and len(short.split(",")[-1].split()) >= 4
    return short if len(words(text)) > 22 and fits else text


def _find_heard(context: PostContext) -> tuple[str, str] | None:
    """Find somebody who wrote about the topic and was not named of late; with the kind of post."""
    for text in context.known:
        found = _HEARD.match(text)
        name = _first_name(found[1]) if found else ""
        on_topic = set(tokens(context.topic)) <= set(tokens(text))
        if name and on_topic and not any(name in own for own in context.written):
            side = side_of(context.stance) * classify_side(text, context.statement)
            return name, "heard " + ("differ", "wonder", "agree")[1 + side]
    return None


def _fill(kind: str, context: PostContext, number: int, blanks: Mapping[str, str]) -> str:
    """Fill a wording of a kind that has all its blanks and that the author has not used of late."""
    clauses = STANDS[stance_word(context.stance)]
    stand = clauses[number // 64 % len(clauses)]
    ask = ASKS[number // 256 % len(ASKS)].format(statement=context.statement.strip().rstrip(".?!"))
    to = f", {blanks['name']}" if blanks.get("name") else ""
    filled = {**blanks, "topic": context.topic, "to": to, "stand": stand, "ask": ask}
    filled["Stand"] = stand[0].upper() + stand[1:]
    known = {"to", *(name for name, text in filled.items() if text)}
    usable = [one for one in WORDINGS[kind] if known.issuperset(_BLANK.findall(one))]
    marks = ((one, max(_BLANK.split(one)[::2], key=len)) for one in usable)
    fresh = [one for one, mark in marks if len(mark) < 4 or not any(mark in text for text in context.written)]
    text = (fresh or usable)[number % len(fresh or usable)].format(**filled)
    return text[0].upper() + text[1:]


def _first_name(name: str) -> str:
    """Find the first name in a name of two words; empty for others."""
    parts = name.split()
    return parts[0] if len(parts) == 2 and all(part[:1].isupper() for part in parts) else ""
