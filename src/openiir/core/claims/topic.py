"""Analysis of a debate topic: its target terms and the stance that praise of each implies."""

import re
from functools import lru_cache
from typing import NamedTuple

from openiir.core.claims import lexicons
from openiir.core.claims.text import split_words, stem_word
from openiir.core.claims.valence import PLAIN_WORD, WordRole, word_role
from openiir.core.retrieval.tokens import STOP_WORDS

_FRAME = re.compile(
    r"^\s*(?:this house (?:would|supports?|believes?(?: that)?|regrets|opposes)|we (?:should|must|ought to)|"
    r"is it (?:right|true|good|time) (?:that|to)|it is (?:right|true|good|time) (?:that|to)|resolved:?|"
    r"(?:do|does|did|should|can|could|is|are|will|would|must|may|has|have)\b)\s*",
    re.IGNORECASE,
)
_AGAINST = lexicons.word_set("over than versus vs against")
_REPLACE = frozenset({"replac", "supplant", "substitut", "outperform", "supersed", "beat"})
_MODAL = lexicons.word_set("should must ought shall will would can could may")
_COPULAS = frozenset({"is", "are", "was", "were"})
_PREDICATE = _MODAL | _COPULAS
_IS = re.compile(r"\s*(?:is|are|was|were)\b(?! it\b)", re.IGNORECASE)


class TopicAim(NamedTuple):
    """Target terms of a topic with their stance signs."""

    signs: dict[str, int]
    """Map from a target's stem to +1 if praise of it supports the topic, -1 if praise rejects the topic."""
    polarity: int
    """Stance sign of the main target, used for claims that mention no target."""
    stems: frozenset[str]
    """All content stems of the topic, whose own valence is ignored."""
    verdicts: frozenset[str]
    """Stems of the topic's own verdict (`X should be a criminal offence`); using them affirms the topic."""


@lru_cache(maxsize=1_024)
def analyse_topic(topic: str) -> TopicAim:
    """Parse a topic (`We should ban X`, `X is harmful`, `Should X stay?`) into its target and side."""
    words = [word for word in split_words(_FRAME.sub("", topic)) if word[0].isalnum()]
    asks_whether = bool(_IS.match(topic))
    border = _predicate_at(words, asks_whether)
    subject, predicate = _subject_stems(words[:border]), words[border:]
    copular = bool(subject) and (asks_whether or _is_copular(predicate))
    verdict, objects = _read_predicate(predicate, copular)
    if not copular and objects and lexicons.GENERAL.issuperset(subject):
        subject = []
    accuses = _accuses(predicate)
    signs = dict.fromkeys(subject, verdict if copular else -1 if accuses else 1)
    polarity = _main_sign(signs, objects, _compares(words), accuses) or verdict
    signs = {
        stem: sign for stem, sign in (signs | objects).items() if stem not in signs or stem not in objects
    }
    stems = frozenset(stem_word(word) for word in words if word not in STOP_WORDS)
    judging = filter(_is_condemning, predicate) if copular else ()
    verdicts = frozenset(map(stem_word, judging))
    return TopicAim(signs | _rival_signs(signs, stems), polarity, stems, verdicts)


def _is_copular(predicate: list[str]) -> bool:
    """Whether a predicate says something of its subject (`is harmful`, `should be banned`)."""
    return "be" in predicate[:3] or not _COPULAS.isdisjoint(predicate[:1])


def _accuses(predicate: list[str]) -> bool:
    """Whether a predicate says that its subject does harm (`destroys jobs`)."""
    role = word_role(predicate[0]) if predicate else PLAIN_WORD
    return role.kind == "effect" and role.value < 0


def _compares(words: list[str]) -> bool:
    """Whether a topic sets one thing against another (`X instead of Y`, `X should replace Y`)."""
    return any(word in _AGAINST or word == "instead" or stem_word(word) in _REPLACE for word in words)


def _main_sign(subject: dict[str, int], objects: dict[str, int], compares: bool, accuses: bool) -> int:
    """Return the sign of the main target: in comparisons the first one, else the last; 0 without any."""
    main = objects if objects and not compares and not (accuses and subject) else subject or objects
    return next(iter(main.values()) if compares else reversed(main.values()), 0)


def _rival_signs(signs: dict[str, int], stems: frozenset[str]) -> dict[str, int]:
    """Map rivals of the targets (`coal` for `wind`) to the opposite sign, unless the topic names them."""
    against: dict[str, int] = {}
    for pair in lexicons.RIVALS:
        for one, other in (pair, pair[::-1]):
            sign = next((sign for stem, sign in signs.items() if stem in one), 0)
            if sign and not any(stem in other for stem in signs):
                against |= {stem: -sign for stem in sorted(other) if stem not in stems}
    return against


def _predicate_at(words: list[str], asks_whether: bool) -> int:
    """Find the predicate: a modal or copula; after `Is`, the first valence word; else an effect word."""
    if asks_whether:
        return next(
            (i for i, word in enumerate(words) if i and word_role(word).kind == "valence"), len(words) - 1
        )
    modal = next((i for i, word in enumerate(words) if word in _PREDICATE), 0)
    if modal or not words or words[0] in lexicons.RAISE or words[0] in lexicons.CUT:
        return modal  # an imperative has no subject
    named = [_is_target(word) or stem_word(word) in lexicons.GENERAL for word in words]
    return next((i for i, word in enumerate(words) if i and named[i - 1] and _is_finite_effect(word)), 0)


def _is_finite_effect(word: str) -> bool:
    return word_role(word).kind == "effect" and not word.endswith("ing")


def _is_condemning(word: str) -> bool:
    part = word_role(word)
    return part.kind == "valence" and part.value <= -0.45


def _read_predicate(words: list[str], copular: bool) -> tuple[int, dict[str, int]]:
    """Read a predicate: returns the sign that it gives its subject, and its own targets with signs.

    Where it speaks of the subject (`X should be banned`), only what follows a word of comparison or a
    participle (`is justified in forbidding Y`) is a target of its own.
    """
    objects: dict[str, int] = {}
    verdict, sign, judged, own = 1, 1, 0.0, not copular
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        part = PLAIN_WORD if after == "for" else word_role(word)
        compares = word in _AGAINST or (word == "of" and before in ("instead", "rather"))
        if compares or part.kind in ("negator", "lessener") or _is_cut(before, word, part):
            sign = -sign
            own = own or compares or (word.endswith("ing") and before != "be")
            verdict = verdict if own else sign
        elif own and _is_target(word):
            objects.setdefault(stem_word(word), sign)
        elif not own and part.kind == "valence":
            judged += part.value
        if copular and word in ("by", "with") and stem_word(before) in _REPLACE:
            sign, own = 1, True
    return (-verdict if judged < 0 else verdict), objects


def _is_cut(before: str, word: str, part: WordRole) -> bool:
    """Whether a word is a verb that removes its object; no noun after a noun (`term limits`) or `for`."""
    if stem_word(word) in _REPLACE:
        return True
    if part.kind != "effect" or part.transfer > 0:
        return False
    return not (word.endswith("s") and _is_target(before) and word_role(before).kind == "plain")


def _subject_stems(words: list[str]) -> list[str]:
    """Stem the specific words of a subject, or its general words if it has no others."""
    found = [stem_word(word) for word in words if _is_target(word)]
    return found or [stem_word(word) for word in words if stem_word(word) in lexicons.GENERAL]


def _is_target(word: str) -> bool:
    if word in STOP_WORDS or len(word) < 2 or stem_word(word) in lexicons.ACTORS | lexicons.GENERAL:
        return False
    part = word_role(word)
    if part.kind == "effect":
        return part.transfer < 0 or word.endswith("ing")
    return part.kind not in ("negator", "lessener")
