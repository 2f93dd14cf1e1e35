"""Rank sentences of passages by their use for a speaker's argument.

The choice trades relevance to what is answered, agreement with the speaker's stance, claimhood and
specificity against likeness to what was said before, a maximal-marginal-relevance trade-off (Carbonell &
Goldstein, SIGIR 1998). Weights and thresholds are our design; so are a small weight on the topic's own words
and one against reports of single events, without which a talk over a wide corpus wanders off.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import fmean

from openiir.kit.offline_speaker.passages import Passage, Quote, quotes
from openiir.plugin import quantise
from openiir.plugin.arguments import Vector, claimhood, cosine, specificity, stance, tf_idf, tokens

WEIGHTS = {
    "relevance": 0.40,
    "agreement": 0.25,
    "claimhood": 0.20,
    "specificity": 0.15,
    "said": 0.35,
    "topic": 0.15,
    "reports": 0.2,
}
SAID_ALREADY = 0.6
"""TF-IDF cosine to an earlier utterance from which on a sentence counts as already said."""
LEANS = 0.15
"""Absolute stance up to which a text or a speaker takes no side; in words it is `undecided`."""
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")


@dataclass(frozen=True)
class QuoteCandidate:
    """A quotable sentence with its stance, relevance and score."""

    quote: Quote
    stance: float
    relevance: float
    """Relevance to the text to be answered, 0 to 1, without the words of the topic."""
    score: float
    around: float
    """Mean stance of the passage's sentences, which is more reliable than that of one sentence."""

    @property
    def text(self) -> str:
        return self.quote.text

    @property
    def side(self) -> int:
        return side_of(self.stance)


def rank_quotes(
    about: str, topic: str, leaning: float, passages: Sequence[Passage], said: Sequence[str] = ()
) -> list[QuoteCandidate]:
    """Rank the quotable sentences of passages, best first, ties by passage and text."""
    found = quotes(passages)
    named, target, *vectors = tf_idf([topic, about, *said, *(q.text for q in found)])
    shared = set(tokens(topic))
    target = _remove_stems(target, shared)
    before, own = vectors[: len(said)], vectors[len(said) :]
    leanings = {quote.text: stance(quote.text, topic) for quote in found}
    ranked = []
    for quote, vector in zip(found, own, strict=True):
        likeness = max((cosine(vector, other) for other in before), default=0.0)
        if likeness >= SAID_ALREADY or quote.text in said:
            continue
        leans = leanings[quote.text]
        relevance = cosine(_remove_stems(vector, shared), target)
        score = (
            WEIGHTS["relevance"] * relevance
            + WEIGHTS["agreement"] * leaning * leans
            + WEIGHTS["claimhood"] * min(1.0, claimhood(quote.text))
            + WEIGHTS["specificity"] * specificity(quote.text)
            + WEIGHTS["topic"] * cosine(vector, named)
            - WEIGHTS["reports"] * reports_particulars(quote.text)
            - WEIGHTS["said"] * likeness
        )
        together = [leanings[other.text] for other in found if other.passage == quote.passage]
        around = float(quantise(fmean(together)))
        ranked.append(QuoteCandidate(quote, leans, relevance, float(quantise(score, 2.0)), around))
    return sorted(ranked, key=lambda c: (-c.score, c.quote.passage, c.text))


def _remove_stems(vector: Vector, stems: set[str]) -> Vector:
    """Remove some stems from a vector and scale it to length 1."""
    kept = {stem: value for stem, value in vector.items() if stem not in stems}
    length = sqrt(fsum(value * value for value in kept.values()))
    return {stem: value / length for stem, value in kept.items()} if length else {}


def reports_particulars(text: str) -> bool:
    """Whether a sentence is about single events or people, since it holds a year or two names."""
    return bool(_YEAR.search(text)) or len(_NAMES.findall(text)) >= 2


def side_of(stance: float) -> int:
    """Convert a stance to a side: -1 against, 1 for, 0 neutral."""
    return (stance > LEANS) - (stance < -LEANS)


def nearest_text(query: str, texts: Sequence[str]) -> str | None:
    """Find the text most similar to the query by TF-IDF cosine; None without a common word."""
    vectors = tf_idf([query, *texts])
    scored = [(-cosine(vectors[0], v), n) for n, v in enumerate(vectors[1:])]
    best = min(scored, default=(0.0, 0))
    return texts[best[1]] if best[0] < 0 else None
