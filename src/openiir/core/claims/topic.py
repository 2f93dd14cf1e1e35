"""What a topic is about, and which way it argues: targets with signs."""

import re
from functools import lru_cache
from typing import NamedTuple

from openiir.core.claims import lexicons
from openiir.core.claims.text import pieces, stem_of
from openiir.core.claims.valence import PLAIN, Entry, entry
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


class Aim(NamedTuple):
    """A topic's targets."""

    signs: dict[str, int]
    """Stem -> +1 where doing well speaks for the topic, -1 where it speaks against it."""
    polarity: int
    """The sign of the main target, for claims that name none."""
    stems: frozenset[str]
    """All content stems of the topic: their own valence says nothing about it."""
    verdicts: frozenset[str]
    """Stems with which the topic itself judges (`X should be a criminal offence`): to use them is to affirm it."""


@lru_cache(maxsize=1_024)
def aim_of(topic: str) -> Aim:
    """Read a topic: a proposition (`We should ban X`, `X is harmful`) or a question (`Should X replace Y?`)."""
    words = [word for word in pieces(_FRAME.sub("", topic)) if word[0].isalnum()]
    asks_whether = bool(_IS.match(topic))
    border = _predicate_at(words, asks_whether)
    subject = _specific(words[:border])
    opening = words[border : border + 3]
    copular = bool(subject) and (asks_whether or "be" in opening or not _COPULAS.isdisjoint(opening[:1]))
    verdict, objects = _read_predicate(words[border:], copular)
    if not copular and objects and lexicons.GENERAL.issuperset(subject):
        subject = []
    accuses = bool(opening) and entry(opening[0]).kind == "effect" and entry(opening[0]).value < 0
    signs = dict.fromkeys(subject, verdict if copular else -1 if accuses else 1)
    both = sorted(stem for stem in objects if stem in signs)
    compares = _replaces(words) or any(word in _AGAINST or word == "instead" for word in words)
    main = objects if objects and not compares and not (accuses and subject) else signs or objects
    polarity = next(iter(main.values()) if compares else reversed(main.values()), verdict)
    signs |= objects
    for stem in both:
        del signs[stem]
    stems = frozenset(stem_of(word) for word in words if word not in STOP_WORDS)
    signs |= _rivals(signs, stems)
    judging = [word for word in words[border:] if _condemns(word)] if copular else []
    return Aim(signs, polarity, stems, frozenset(map(stem_of, judging)))


def _rivals(signs: dict[str, int], stems: frozenset[str]) -> dict[str, int]:
    """What argues against the targets by its nature, where the topic does not name it."""
    against: dict[str, int] = {}
    for pair in lexicons.RIVALS:
        for one, other in (pair, pair[::-1]):
            sign = next((sign for stem, sign in signs.items() if stem in one), 0)
            if sign and not any(stem in other for stem in signs):
                against |= {stem: -sign for stem in sorted(other) if stem not in stems}
    return against


def _predicate_at(words: list[str], asks_whether: bool) -> int:
    """Where the predicate begins: at a modal or copula, after `Is` at the first word that judges, else at an effect."""
    if asks_whether:
        return next(
            (i for i, word in enumerate(words) if i and entry(word).kind == "valence"), len(words) - 1
        )
    modal = next((i for i, word in enumerate(words) if word in _PREDICATE), 0)
    if modal or not words or words[0] in lexicons.RAISE or words[0] in lexicons.CUT:
        return modal  # an imperative has no subject
    named = [_is_target(word) or stem_of(word) in lexicons.GENERAL for word in words]
    return next((i for i, word in enumerate(words) if i and named[i - 1] and _is_finite_effect(word)), 0)


def _is_finite_effect(word: str) -> bool:
    return entry(word).kind == "effect" and not word.endswith("ing")


def _condemns(word: str) -> bool:
    part = entry(word)
    return part.kind == "valence" and part.value <= -0.45


def _read_predicate(words: list[str], copular: bool) -> tuple[int, dict[str, int]]:
    """What a predicate says of its subject (a sign), and the targets of its own with their signs.

    Where it speaks of the subject (`X should be banned`), only what follows a word of comparison or a
    participle (`is justified in forbidding Y`) is a target of its own.
    """
    objects: dict[str, int] = {}
    verdict, sign, judged, own = 1, 1, 0.0, not copular
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        part = PLAIN if after == "for" else entry(word)
        compares = word in _AGAINST or (word == "of" and before in ("instead", "rather"))
        if compares or part.kind in ("negator", "lessener") or _is_cut(before, word, part):
            sign = -sign
            own = own or compares or (word.endswith("ing") and before != "be")
            verdict = verdict if own else sign
        elif own and _is_target(word):
            objects.setdefault(stem_of(word), sign)
        elif not own and part.kind == "valence":
            judged += part.value
        if copular and word in ("by", "with") and stem_of(before) in _REPLACE:
            sign, own = 1, True
    return (-verdict if judged < 0 else verdict), objects


def _is_cut(before: str, word: str, part: Entry) -> bool:
    """A verb that does away with its object; a noun after a noun (`term limits`) or after `for` is none."""
    if stem_of(word) in _REPLACE:
        return True
    if part.kind != "effect" or part.transfer > 0:
        return False
    return not (word.endswith("s") and _is_target(before) and entry(before).kind == "plain")


def _replaces(words: list[str]) -> bool:
    return any(stem_of(word) in _REPLACE for word in words)


def _specific(words: list[str]) -> list[str]:
    """The stems of what a subject speaks of; of a subject of general words alone, these."""
    found = [stem_of(word) for word in words if _is_target(word)]
    return found or [stem_of(word) for word in words if stem_of(word) in lexicons.GENERAL]


def _is_target(word: str) -> bool:
    if word in STOP_WORDS or len(word) < 2 or stem_of(word) in lexicons.ACTORS | lexicons.GENERAL:
        return False
    part = entry(word)
    if part.kind == "effect":
        return part.transfer < 0 or word.endswith("ing")
    return part.kind not in ("negator", "lessener")
