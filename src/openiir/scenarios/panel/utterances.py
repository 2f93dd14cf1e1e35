"""What an offline panelist says: one real sentence of the corpus, chosen by what it does for the argument.

The choice trades relevance to what is answered, agreement with the speaker's stance, claimhood and specificity
against likeness to what was said before, a maximal-marginal-relevance trade-off (Carbonell & Goldstein, SIGIR
1998); the weights are our design.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openiir.plugin import Draw, Record, quantise
from openiir.plugin.arguments import (
    CLAIM_THRESHOLD,
    claimhood,
    containment,
    cosine,
    is_question,
    sentences,
    specificity,
    stance,
    tf_idf,
    tokens,
    words,
)
from openiir.scenarios.panel.config import Act
from openiir.scenarios.panel.wording import matter_of, opener

WEIGHTS = {"relevance": 0.40, "agreement": 0.25, "claimhood": 0.20, "specificity": 0.15, "said": 0.35}
SAID_ALREADY = 0.6
"""TF-IDF cosine from which a sentence counts as said."""
LONGEST, SHORTEST = 45, 6
_PARENTHESES = re.compile(r"\s*[\(\[][^()\[\]]*[\)\]]")
_LEAD = re.compile(
    r"^(however|moreover|furthermore|in addition|additionally|therefore|thus|hence|also|for example|for instance|"
    r"in contrast|by contrast|on the other hand|consequently|nevertheless|similarly|finally|indeed|in fact|and|but|so)"
    r"\b,?\s+",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"^(it|its|this|that|these|those|they|their|he|his|she|her|such|both|here|there|the (?:latter|former|same))\b",
    re.IGNORECASE,
)


class Focus(Record):
    """A claim on the table."""

    id: str
    text: str
    speaker: str
    """Name of who made it."""
    speaker_id: str
    stance: float
    strength: float
    cited: bool


class Passage(Record):
    """A passage found."""

    id: str
    text: str


@dataclass(frozen=True)
class Saying:
    """What a speaker is about to speak to, and from where."""

    topic: str
    goal: str
    acts: tuple[Act, ...]
    stance: float
    openness: float
    own_strength: float
    focus: Focus | None


@dataclass(frozen=True)
class Spoken:
    act: Act
    text: str
    cites: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A sentence that could be said."""

    passage: str
    text: str
    stance: float
    score: float


def say(
    saying: Saying, passages: Sequence[Passage], said: Sequence[str], number: int, draw: Draw
) -> Spoken:
    """The utterance: an opener that says what it answers, and the best sentence with its passage."""
    ranked = rank(saying, passages, said)
    act, best = choose(saying, ranked, draw)
    lead = opener(act, saying.focus.speaker if saying.focus else "", _matter(saying), saying.stance, number, draw)
    if best is None:
        return Spoken(act, lead, ())
    return Spoken(act, f"{lead} {best.text[:-1]} [{best.passage}]{best.text[-1]}", (best.passage,))


def rank(saying: Saying, passages: Sequence[Passage], said: Sequence[str]) -> list[Candidate]:
    """The sentences of the passages that can be said, best first, ties by passage and text."""
    found = list(dict.fromkeys((p.id, text) for p in passages for text in quotable(p.text)))
    about = saying.focus.text if saying.focus else f"{saying.topic} {saying.goal}"
    vectors = tf_idf([about, *said, *(text for _, text in found)])
    target, before, own = vectors[0], vectors[1 : len(said) + 1], vectors[len(said) + 1 :]
    ranked = []
    for (passage, text), vector in zip(found, own, strict=True):
        likeness = max((cosine(vector, other) for other in before), default=0.0)
        if likeness >= SAID_ALREADY:
            continue
        leans = stance(text, saying.topic)
        score = (
            WEIGHTS["relevance"] * cosine(vector, target)
            + WEIGHTS["agreement"] * saying.stance * leans
            + WEIGHTS["claimhood"] * min(1.0, claimhood(text))
            + WEIGHTS["specificity"] * specificity(text)
            - WEIGHTS["said"] * likeness
        )
        ranked.append(Candidate(passage, text, leans, float(quantise(score, 2.0))))
    return sorted(ranked, key=lambda c: (-c.score, c.passage, c.text))


def choose(saying: Saying, ranked: Sequence[Candidate], draw: Draw) -> tuple[Act, Candidate | None]:
    """Act and sentence that go together: what is said must lean the way the act says."""
    act = _act(saying, ranked, draw)
    if act == "question":
        return act, None
    side = _side(saying, act)
    fitting = [c for c in ranked if side == 0 or c.stance * side > 0.05]
    if fitting:
        return act, fitting[0]
    if "question" in saying.acts and saying.focus:
        return "question", None
    return act, next((c for c in ranked if c.stance * side > -0.05), None)


def _act(saying: Saying, ranked: Sequence[Candidate], draw: Draw) -> Act:
    """The act, by the ordered rules of the model's description."""
    focus, s = saying.focus, saying.stance
    allowed = set(saying.acts)
    if focus is None:
        return "assert" if "assert" in allowed else saying.acts[0]
    wanted: list[Act] = []
    opposed = s * focus.stance < 0 and abs(s - focus.stance) > 0.3
    if opposed and focus.strength - saying.own_strength > 0.3 and draw.chance(saying.openness, item="concede"):
        wanted.append("concede")
    if opposed:
        wanted.append("counter")
    if not focus.cited or (abs(s) < 0.15 and not ranked):
        wanted.append("question")
    if ranked and containment(tokens(focus.text), tokens(ranked[0].text)) >= 0.6:
        wanted.append("refine")
    wanted += ["refine", "support"] if abs(s) < 0.15 else ["support", "refine"]
    return next((act for act in [*wanted, *saying.acts] if act in allowed), saying.acts[0])


def _side(saying: Saying, act: Act) -> float:
    """Which way the sentence has to lean: -1, 0 (any) or 1."""
    if act == "concede" and saying.focus:
        return _sign(saying.focus.stance)
    if act == "counter" and saying.focus:
        return -_sign(saying.focus.stance)
    if act == "support" and saying.focus and abs(saying.focus.stance) > 0.05:
        return _sign(saying.focus.stance)
    return 0.0 if abs(saying.stance) < 0.15 or act == "refine" else _sign(saying.stance)


def _sign(value: float) -> float:
    return (value > 0) - (value < 0)


def quotable(text: str) -> Iterator[str]:
    """Sentences that stand on their own: claims of a speakable length that point at nothing outside themselves."""
    for start, end in sentences(text):
        sentence = _compressed(text[start:end])
        count = len(words(sentence))
        if not SHORTEST <= count <= LONGEST or sentence[-1] not in ".!" or _DANGLING.match(sentence):
            continue
        if is_question(sentence) or claimhood(sentence) < CLAIM_THRESHOLD:
            continue
        yield sentence


def _compressed(sentence: str) -> str:
    """Without parentheses and leading connectives, on one line."""
    flat = " ".join(_PARENTHESES.sub("", sentence).split())
    bare = _LEAD.sub("", flat)
    return bare[:1].upper() + bare[1:]


def _matter(saying: Saying) -> str:
    return matter_of(saying.focus.text) if saying.focus else matter_of(saying.topic)


def nearest(query: str, texts: Sequence[str]) -> str | None:
    """The text most like the query by TF-IDF cosine; None where nothing is like it."""
    vectors = tf_idf([query, *texts])
    scored = [(-cosine(vectors[0], v), n) for n, v in enumerate(vectors[1:])]
    best = min(scored, default=(0.0, 0))
    return texts[best[1]] if best[0] < 0 else None
