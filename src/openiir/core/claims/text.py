"""Reading one sentence: its words, whether it claims anything, how specific it is, whether it asks."""

import re
from functools import lru_cache

from openiir.core.claims import lexicons
from openiir.core.retrieval.stem import stem
from openiir.core.retrieval.tokens import STOP_WORDS

CLAIM_THRESHOLD = 0.4
"""From this claimhood on a sentence counts as a claim: 2 of 5 points."""
_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)?|[,;:?!.()]")
_CITE_MARK = re.compile(r"\s*[\[(]\s*c\d{3,}(?:\s*[:,;][^\])]*)?[\])]|\s*\[(?:REF|\d{1,3}|citation needed)\]")
_SPACE = re.compile(r"\s+")
_FINITE = re.compile(r"[a-z]{2,}(?:ed|es|[^s]s)$")
_NUMBER = re.compile(r"\d")
_FRAGMENT_END = re.compile(r"[.!?…][\"'”’)\]]*$")


@lru_cache(maxsize=65_536)
def stem_of(word: str) -> str:
    """The stem of a word in any case; with a possessive 's it is that of the bare word."""
    lowered = word.lower().replace("’", "'")
    return stem(lowered.removesuffix("'s"))


def pieces(sentence: str) -> list[str]:
    """Lower-cased words, numbers and punctuation in order; hyphens part words."""
    return _WORD.findall(sentence.lower().replace("’", "'"))


def content_stems(sentence: str) -> list[str]:
    """Stems of the words that carry content, in order, with repeats."""
    return [stem_of(word) for word in pieces(sentence) if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())]


def clean(text: str) -> str:
    """One line without citation marks."""
    return _SPACE.sub(" ", _CITE_MARK.sub("", text)).strip()


def has_cue(lowered: str, cues: tuple[str, ...]) -> bool:
    """Whether one of the cue phrases occurs as whole words in a lower-cased text."""
    return bool(_cue_pattern(cues).search(lowered))


@lru_cache(maxsize=64)
def _cue_pattern(cues: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(cues, key=len, reverse=True)
    return re.compile(r"(?<![\w'])(?:" + "|".join(re.escape(cue) for cue in longest) + r")(?!\w)")


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: it ends in a question mark, or opens with a question word and an auxiliary."""
    stripped = sentence.rstrip("\"'”’)] ")
    if stripped.endswith("?"):
        return True
    first = [word for word in pieces(sentence[:80]) if word[0].isalpha()][:2]
    return len(first) == 2 and first[0] in lexicons.QUESTION_WORDS and first[1] in lexicons.AUXILIARIES and (
        first[0] not in ("what", "which", "who", "whose", "where", "when") and not stripped.endswith((".", "!"))
    )


def claimhood(sentence: str) -> float:
    """How much a sentence looks like a claim, in 0..1: one fifth a point of the checklist below.

    A finite verb with five content words is one point, and so are a modal, a causal phrase, a comparison or
    quantity, an adverb of stance, and a word of evaluation or effect; a question, a greeting or talk about the
    talk or the document costs two.
    """
    found = pieces(sentence)
    words = [word for word in found if word[0].isalnum()]
    if not words:
        return 0.0
    content = sum(word not in lexicons.AUXILIARIES and word not in STOP_WORDS for word in words)
    kinds = set(words)
    finite = bool(kinds & lexicons.AUXILIARIES) or any(_FINITE.match(word) for word in words[1:])
    if not finite or content < 3:
        return 0.0
    lowered = sentence.lower()
    points = float(content >= 5)
    points += bool(kinds & lexicons.MODALS)
    points += has_cue(lowered, lexicons.CAUSAL)
    points += bool(kinds & lexicons.COMPARATIVE) or "%" in sentence
    points += bool(kinds & lexicons.STANCE_ADVERBS)
    points += _evaluates(words)
    points -= 2 * (is_question(sentence) + has_cue(lowered[:60], lexicons.META))
    return min(1.0, max(0.0, points / 5))


def _evaluates(words: list[str]) -> bool:
    stems = [stem_of(word) for word in words]
    return any(s in table for s in stems for table in (lexicons.GOOD, lexicons.BAD, lexicons.CUT))


def specificity(sentence: str) -> float:
    """How specific a sentence is, in 0..1: numbers, names and long words count, hedges take away."""
    raw = re.findall(r"[\w'’%-]+", sentence)
    if not raw:
        return 0.0
    numbers = sum(bool(_NUMBER.search(word)) for word in raw)
    names = sum(word[0].isupper() for word in raw[1:])
    rare = sum(len(word) >= 8 for word in raw)
    hedges = sum(word.lower() in lexicons.HEDGES for word in raw)
    points = 0.25 * min(numbers, 2) + 0.15 * min(names, 2) + 0.6 * min(1.0, 2 * rare / len(raw)) - 0.15 * hedges
    return min(1.0, max(0.0, points))
