"""Features of one sentence: words, stems, claimhood, specificity, and whether it is a question."""

import re
from bisect import bisect_left
from functools import lru_cache

from openiir.core.claims import lexicons
from openiir.core.claims.valence import word_role
from openiir.core.retrieval.stem import stem
from openiir.core.retrieval.tokens import STOP_WORDS
from openiir.core.sums import int_sum

CLAIM_THRESHOLD = 0.4
"""Lowest claimhood score of a claim: 2 of 5 points."""
_WORD = re.compile(r"\d+(?:[.,]\d+)*%?(?![^\W\d_])|[^\W_]+(?:['’][^\W\d_]+)?|[,;:?!.()]")
_CITE_MARK = re.compile(
    r"(?<!\s)\s*+(?:[\[(]\s*+c\d{3,}(?:\s*+[:,;][^\])]{0,500}+)?[\])]|\[(?:REF|\d{1,3}|citation needed)\])"
)
_SPACE = re.compile(r"\s+")
_PASSED = re.compile(r"""[\s"'`´‘’‚‛“”„‟«»‹›]""")
"""Pattern of blanks and quotation marks, which text comparison ignores."""
_INFLECTED = re.compile(r"[a-z]{2,}(?:ed|es|[^su]s)")
_PLURAL = re.compile(r"[a-z]{2,}[^su]s|they|we|people|children")
_AFTER_VERBS = lexicons.word_set(
    "the a an to that in by from with on its their as not it them into no more less at such each all only "
    "when because than what how"
)
_PERSONS = frozenset({"he", "she"})
_TABLE_MARKS = frozenset("|]}{*=")
_DATED = re.compile(r"\b(?:in|since|by|of|until|from)\s+(?:\w+\s+)?(?:1[89]|20)\d\d\b", re.IGNORECASE)
LONG = 45
"""Most words of a single claim, for the claimhood score."""
_NUMBER = re.compile(r"\d")


@lru_cache(maxsize=65_536)
def stem_word(word: str) -> str:
    """Stem a word, ignoring case and a possessive 's."""
    lowered = word.lower().replace("’", "'")
    return stem(lowered.removesuffix("'s"))


def split_words(sentence: str) -> list[str]:
    """Split a sentence into lower-case words, numbers and punctuation; hyphens separate words."""
    return _WORD.findall(sentence.lower().replace("’", "'"))


@lru_cache(maxsize=65_536)
def content_stems(sentence: str) -> tuple[str, ...]:
    """Stem the content words of a sentence, in order and with repeats; cached for comparisons."""
    return tuple(
        stem_word(word)
        for word in split_words(sentence)
        if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())
    )


def strip_citations(text: str) -> str:
    """Remove citation marks, and replace line breaks by spaces."""
    return _SPACE.sub(" ", _CITE_MARK.sub("", text)).strip()


def find_words(words: str, text: str, start: int = 0) -> tuple[int, int] | None:
    """Find a quotation in a text (from `start`, else anywhere), ignoring white space, quote marks and case.

    Citation marks in between are ignored too. None if the words do not occur or are empty.
    """
    wanted, (letters, places) = _comparable_letters(words)[0], _comparable_letters(text)
    begin = letters.find(wanted, bisect_left(places, start))
    begin = letters.find(wanted) if begin < 0 else begin
    return (places[begin], places[begin + len(wanted) - 1] + 1) if wanted and begin >= 0 else None


@lru_cache(maxsize=64)
def _comparable_letters(text: str) -> tuple[str, tuple[int, ...]]:
    """Reduce a text to lower-case letters without blanks, quotes and citation marks, with their offsets."""
    marked = {at for mark in _CITE_MARK.finditer(text) for at in range(*mark.span())}
    kept = [
        (low, at)
        for at, char in enumerate(text)
        if at not in marked and not _PASSED.match(char)
        for low in char.lower()
    ]
    return "".join(low for low, _ in kept), tuple(at for _, at in kept)


def has_cue(lowered: str, cues: tuple[str, ...]) -> bool:
    """Whether one of the cue phrases occurs as whole words in a lower-cased text."""
    return bool(cue_pattern(cues).search(lowered))


@lru_cache(maxsize=64)
def cue_pattern(cues: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a pattern that matches any of the cues as whole words in lower-cased text, longest first."""
    longest = sorted(cues, key=len, reverse=True)
    return re.compile(r"(?<![\w'])(?:" + "|".join(re.escape(cue) for cue in longest) + r")(?!\w)")


def is_question(sentence: str) -> bool:
    """Whether a sentence ends in a question mark, or opens with a question word and an auxiliary."""
    stripped = sentence.rstrip("\"'”’)] ")
    if stripped.endswith("?"):
        return True
    first = [word for word in split_words(sentence[:80]) if word[0].isalpha()][:2]
    return (
        len(first) == 2
        and first[0] in lexicons.QUESTION_WORDS
        and first[1] in lexicons.AUXILIARIES
        and (
            first[0] not in ("what", "which", "who", "whose", "where", "when")
            and not stripped.endswith((".", "!"))
        )
    )


@lru_cache(maxsize=8_192)
def claimhood(sentence: str) -> float:
    """Score how claim-like a sentence is, from 0 to 1, as fifths of a checklist's points.

    A finite verb with four content words is one point, and so are a modal, a causal phrase, a comparison or
    quantity, an adverb of stance, and a word of valence or effect. A definition, a
    dated report, an opening `He` or `She` and more than 45 words cost one; a greeting or talk about the talk
    or the document costs two. A question, a table row and a fragment without a verb have none.
    """
    if is_question(sentence):
        return 0.0
    words = [word for word in split_words(sentence) if word[0].isalnum()]
    content = int_sum(word not in lexicons.AUXILIARIES and word not in STOP_WORDS for word in words)
    if content < 3 or sentence.lstrip()[:1] in _TABLE_MARKS or not _has_finite_verb(words):
        return 0.0
    kinds, lowered = set(words), sentence.lower()
    points = (
        (content >= 4)
        + (not kinds.isdisjoint(lexicons.MODALS))
        + has_cue(lowered, lexicons.CAUSAL)
        + (not kinds.isdisjoint(lexicons.COMPARATIVE) or "%" in sentence)
        + (not kinds.isdisjoint(lexicons.STANCE_ADVERBS))
        + any(map(_expresses_judgement, words))
        - has_cue(lowered, lexicons.DEFINING)
        - bool(_DATED.search(sentence))
        - (words[0] in _PERSONS)
        - (len(words) > LONG)
        - 2 * has_cue(lowered[:60], lexicons.META)
    )
    return min(1.0, max(0.0, points / 5))


def _has_finite_verb(words: list[str]) -> bool:
    """Whether a sentence has an auxiliary, a listed verb, or a verb by ending and context."""
    for before, word, after in zip(words, words[1:], [*words[2:], ""], strict=False):
        if word in lexicons.AUXILIARIES or word in lexicons.IRREGULAR_VERBS:
            return True
        if word_role(word).kind == "effect" and not word.endswith("ing"):
            return True
        if after in _AFTER_VERBS and (_INFLECTED.fullmatch(word) or _PLURAL.fullmatch(before)):
            return True
    return False


def _expresses_judgement(word: str) -> bool:
    part = word_role(word)
    return (part.kind == "valence" and abs(part.value) >= 0.3) or (
        part.kind == "effect" and (part.value != 0 or part.transfer < 0)
    )


def specificity(sentence: str) -> float:
    """Score how specific a sentence is, from 0 to 1: numbers, names and long words add, hedges subtract."""
    raw = re.findall(r"[\w'’%-]+", sentence)
    if not raw:
        return 0.0
    numbers = int_sum(bool(_NUMBER.search(word)) for word in raw)
    names = int_sum(word[0].isupper() for word in raw[1:])
    rare = int_sum(len(word) >= 8 for word in raw)
    hedges = int_sum(word.lower() in lexicons.HEDGES for word in raw)
    points = (
        0.15
        + 0.2 * min(numbers, 2)
        + 0.15 * min(names, 2)
        + 0.6 * min(1.0, 2 * rare / len(raw))
        - 0.15 * hedges
    )
    return min(1.0, max(0.0, points))
