"""Compose an offline panelist's utterance from corpus sentences chosen for the argument.

What is said must bear on what it answers: it shares a matter with it beyond the words of the topic, which
everything here shares. How sentences are ranked says `ranking`; the acts and their thresholds are our design.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from openiir.kit.offline_speaker import (
    Passage,
    QuoteCandidate,
    key_phrase,
    lower_opening,
    rank_quotes,
    reports_particulars,
    side_of,
    touched_interests,
)
from openiir.plugin import Draw, Record
from openiir.plugin.arguments import relate, specificity, stance, tokens
from openiir.scenarios.panel.model.speaking.citations import mark_sentence
from openiir.scenarios.panel.model.speaking.closing import compose_last_word
from openiir.scenarios.panel.model.speaking.wording import EXACTLY, fill_wording, stance_sentence

BEARS, BEARS_ELSEWHERE = 0.08, 0.15
"""Smallest relevance of a sentence to the claim it answers, if the two share a phrase: for a sentence with a
word of the topic, and for one without."""
CLOSE = 0.2
"""Relevance from which on an utterance need not name the phrase it shares with the claim."""
EXACT = 0.12
"""Smallest relevance of a sentence that is put as a specification of a claim."""
CLEAR = 0.3
"""Absolute stance from which on a sentence can open a case, if it reports no single event."""
APART, OUTWEIGHED = 0.3, 0.3
"""Distance of stances from which on a claim is countered; lead in strength from which on it is conceded."""
GIVEN_WAY = 0.3
"""Change of stance from which on a closing statement is a concession."""
ASKS, UNDECIDED_ASKS = 0.35, 0.7
"""Probability that a speaker with nothing to say on a claim asks for evidence instead of turning to another:
with and without a side."""


OTHERS = 5
"""Number of other open claims that an offline speaker may turn to."""
SpeechAct = Literal["assert", "support", "counter", "refine", "question", "concede"]


class ClaimView(Record):
    """A claim of the debate as one speaker sees it."""

    id: str
    text: str
    speaker: str
    """Name of the panelist who made the claim."""
    speaker_id: str
    stance: float
    strength: float
    cited: bool
    own: bool = False
    """Whether the speaker made the claim."""
    asker: str = ""
    """Name of the panelist who asked for evidence of the claim; empty without one."""


@dataclass(frozen=True)
class SpeakingContext:
    """Input of the offline speaker: its stance, the claim to answer, passages, and earlier utterances."""

    topic: str
    interests: tuple[str, ...]
    acts: tuple[SpeechAct, ...]
    stance: float
    first: float
    openness: float
    own_strength: float
    focus: ClaimView | None
    others: tuple[ClaimView, ...] = ()
    passages: tuple[Passage, ...] = ()
    said: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    """Latest utterances, whose wordings are not repeated."""
    closing: bool = False
    weighed: ClaimView | None = None
    mine: ClaimView | None = None
    number: int = 1

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts of the passages."""
        return tuple(passage.text for passage in self.passages)

    def choose_act(self, act: SpeechAct) -> SpeechAct:
        """Return a speech act if the round allows it, else the first that it allows."""
        return act if act in self.acts else self.acts[0]


@dataclass(frozen=True)
class ComposedUtterance:
    """An utterance with its speech act, text, cited passages and the claim it answers."""

    act: SpeechAct
    text: str
    cites: tuple[str, ...] = ()
    address: str = ""
    """Id of the claim answered; empty for none."""


def compose_utterance(saying: SpeakingContext, draw: Draw) -> ComposedUtterance:
    """Compose an utterance: the best-ranked sentence in a wording that names what it answers."""
    if saying.closing:
        return _compose_closing(saying, draw)
    if saying.focus is None:
        return _compose_opening(saying, draw)
    for focus in (saying.focus, *saying.others):
        spoken = _answer(saying, focus, draw)
        if spoken is not None:
            return spoken
        asks = ASKS if side_of(saying.stance) else UNDECIDED_ASKS
        if _may_ask(saying, focus) and draw.chance(asks, item=f"ask {focus.id}"):
            return _compose(saying, "question", "question", focus, draw)
    return _answer_without_quote(saying, saying.focus, draw)


def _answer(saying: SpeakingContext, focus: ClaimView, draw: Draw) -> ComposedUtterance | None:
    """Answer a claim with a relevant sentence; None where the passages hold none."""
    named, ranked = set(tokens(saying.topic)), _rank(saying, focus.text)
    least = (BEARS_ELSEWHERE if named.isdisjoint(tokens(c.text)) else BEARS for c in ranked)
    near = [c for c, relevance in zip(ranked, least, strict=True) if c.relevance >= relevance]
    if focus.asker:
        return _give_evidence(saying, focus, near, draw)
    for act, side in _preferred_acts(saying, focus, draw):
        if act in saying.acts and (best := _best_quote(saying, near, act, side, focus)):
            return _compose(saying, act, act, focus, draw, best)
    return None


def _preferred_acts(saying: SpeakingContext, focus: ClaimView, draw: Draw) -> list[tuple[SpeechAct, int]]:
    """List speech acts by preference, each with the side (-1, 1, 0 for any) its sentence must take.

    A claim of the other side is countered; it is granted where it outweighs the speaker's own by far, or
    where the sources have nothing against it, both as the speaker's openness has it. Else it is made more
    exact or supported.
    """
    theirs, s = side_of(focus.stance), saying.stance
    opposed = s * focus.stance < 0 and abs(s - focus.stance) > APART and theirs != 0
    if not opposed:
        return [("refine", theirs), ("support", theirs)]
    gives_in = bool(draw.chance(saying.openness, item=f"concede {focus.id}"))
    outweighed = focus.strength - saying.own_strength > OUTWEIGHED
    wanted: list[tuple[SpeechAct, int]] = [("concede", theirs)] if outweighed and gives_in else []
    wanted.append(("counter", -theirs))
    if gives_in and abs(s) < 0.5:
        wanted.append(("concede", theirs))
    return wanted


_EDGES: Mapping[SpeechAct, tuple[str | None, ...]] = {
    "counter": ("counters",),
    "support": ("supports", None),
    "concede": ("supports", None),
    "refine": ("refines",),
}
"""Relations to the answered claim that claim extraction may find in a sentence, by speech act."""


def _best_quote(
    saying: SpeakingContext, near: Sequence[QuoteCandidate], act: SpeechAct, side: int, focus: ClaimView
) -> QuoteCandidate | None:
    """Find the best sentence that shares a phrase with the claim and performs the speech act.

    `side` is the side it must take, 0 for any.
    """
    for candidate in near:
        if side and candidate.side != side and (act != "refine" or candidate.side):
            continue
        if act == "refine":
            candidate = _word_as_specification(saying, candidate, focus)
        relation = relate(candidate.text, focus.text, saying.topic)
        fits = (relation.type if relation else None) in _EDGES[act]
        if fits and _common_matter(saying, focus.text, candidate):
            return candidate
    return None


def _word_as_specification(
    saying: SpeakingContext, candidate: QuoteCandidate, focus: ClaimView
) -> QuoteCandidate:
    """Word a sentence as a specification where it is close to the claim and more specific."""
    if candidate.relevance < EXACT or specificity(candidate.text) <= specificity(focus.text) - 0.1:
        return candidate
    text = f"{EXACTLY[saying.number % len(EXACTLY)]} {lower_opening(candidate.text, saying.texts)}"
    return replace(candidate, quote=replace(candidate.quote, text=text, then=""))


def _give_evidence(
    saying: SpeakingContext, focus: ClaimView, near: Sequence[QuoteCandidate], draw: Draw
) -> ComposedUtterance | None:
    """Answer a request for evidence of a claim; None without evidence."""
    best = _best_quote(saying, near, "support", side_of(focus.stance), focus)
    if best is not None:
        return _compose(saying, "answer", saying.choose_act("support"), focus, draw, best)
    if focus.own and "concede" in saying.acts:
        return _compose(saying, "unshown", "concede", focus, draw)
    return None


def _may_ask(saying: SpeakingContext, focus: ClaimView) -> bool:
    """Whether the speaker may ask for evidence of a claim: it is another's, and no question."""
    stated = not focus.asker and not focus.text.endswith("?")
    return "question" in saying.acts and not focus.own and stated


def _answer_without_quote(saying: SpeakingContext, focus: ClaimView, draw: Draw) -> ComposedUtterance:
    """Answer without a relevant passage: ask for evidence, add an own point, or pass."""
    if _may_ask(saying, focus):
        return _compose(saying, "question", "question", focus, draw)
    if "assert" in saying.acts and (opened := _compose_opening(saying, draw)).cites:
        return opened
    return _compose(saying, "nothing", saying.choose_act("assert"), focus, draw)


def _compose_opening(saying: SpeakingContext, draw: Draw) -> ComposedUtterance:
    """Compose an opening: the speaker's stance with its main reason.

    Where others have spoken, it is a new point.
    """
    act = saying.choose_act("assert")
    ranked = _rank(saying, " ".join(saying.interests) or saying.topic)
    own = side_of(saying.stance)
    fitting = [c for c in ranked if not own or c.side == own]
    topical = [c for c in fitting if not set(tokens(saying.topic)).isdisjoint(tokens(c.text))]
    general = [c for c in topical if (not own or abs(c.stance) >= CLEAR) and not reports_particulars(c.text)]
    sure = [c for c in general if c.around * saying.stance >= 0]
    sure = [c for c in sure if c.relevance >= BEARS] or sure
    key = "opening" if saying.focus is None else "assert"
    best = next(iter([*sure, *general, *topical, *fitting, *(c for c in ranked if c.side != -own)]), None)
    if best is None:
        return ComposedUtterance(act, f"{stance_sentence(saying.stance, saying.number)}.")
    return _compose(saying, key, act, None, draw, best)


def _compose_closing(saying: SpeakingContext, draw: Draw) -> ComposedUtterance:
    """Compose the closing statement: stance change, most convincing claim, own unrefuted claim."""
    weighed, mine = saying.weighed, saying.mine
    blanks = {"speaker": "", "matter": "", "own": ""}
    if weighed:
        blanks |= {"speaker": weighed.speaker, "matter": _matter(saying, weighed.text)}
    change = saying.stance - saying.first
    moved = weighed is not None and saying.first * weighed.stance < 0 and abs(change) >= GIVEN_WAY
    if mine and not moved:
        blanks["own"] = _matter(saying, mine.text)
    act: SpeechAct = "concede" if moved and "concede" in saying.acts else "assert"
    text = compose_last_word(saying.first, saying.stance, blanks, saying.heard, draw)
    return ComposedUtterance(saying.choose_act(act), text, (), weighed.id if weighed else "")


def _compose(
    saying: SpeakingContext,
    key: str,
    act: SpeechAct,
    focus: ClaimView | None,
    draw: Draw,
    best: QuoteCandidate | None = None,
) -> ComposedUtterance:
    """Fill a template around the quote and its citation mark."""
    about = focus.text if focus else best.text if best else ""
    matter = touched_interests(about, saying.interests, saying.texts) if focus is None else ""
    if focus is not None and best is not None:
        matter = _common_matter(saying, about, best)
    blanks = {
        "matter": matter or (_matter(saying, about) if key != "opening" else ""),
        "speaker": focus.speaker if focus else "",
        "asker": focus.asker if focus else "",
        "stand": stance_sentence(saying.stance, saying.number),
        "stand_on": stance_sentence(saying.stance, saying.number, inside=True),
    }
    if focus is not None and focus.own and key == "support":
        key = "assert"
    loose = focus is not None and best is not None and best.relevance < CLOSE and blanks["matter"]
    wording = fill_wording(key, blanks, saying.heard, (saying.number, draw), "matter" if loose else "")
    address = focus.id if focus else ""
    if best is None:
        return ComposedUtterance(act, wording, (), address)
    text = wording.replace("{quote}", _quote_with_mark(saying, best))
    return ComposedUtterance(act, text, (best.quote.passage,), address)


def _quote_with_mark(saying: SpeakingContext, best: QuoteCandidate) -> str:
    """Add the citation mark to a quote, and the next sentence where it takes the same side."""
    said = mark_sentence(best.text, best.quote.passage)
    then = best.quote.then
    goes_on = then and (saying.number % 3 == 0 or len(best.text) < 70) and then not in saying.said
    if goes_on and side_of(stance(then, saying.topic)) in (best.side, 0):
        return f"{said} {mark_sentence(then, best.quote.passage)}"
    return said


def _rank(saying: SpeakingContext, about: str) -> list[QuoteCandidate]:
    return rank_quotes(about, saying.topic, saying.stance, saying.passages, saying.said)


def _matter(saying: SpeakingContext, text: str, shared: Collection[str] = ()) -> str:
    return key_phrase(text, saying.topic, (*saying.texts, *saying.said), shared)


def _common_matter(saying: SpeakingContext, text: str, candidate: QuoteCandidate) -> str:
    """Find a phrase of a text that has a word in common with the candidate, beyond the topic's words."""
    shared = set(tokens(text)) & set(tokens(candidate.text)) - set(tokens(saying.topic))
    return _matter(saying, text, shared) if shared else ""
