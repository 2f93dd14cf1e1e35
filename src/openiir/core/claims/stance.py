"""Stance of a sentence towards a topic, by lexicons and rules without training.

The decomposition of Bar-Haim, Bhattacharya, Dinuzzo, Saha & Slonim (EACL 2017): stance is the sentiment of a
claim towards its own target times the consistency of that target with the topic's. Sentiment is composed from
word valences (VADER's lexicon, Hutto & Gilbert, ICWSM 2014, and our lists), effects on objects (after Choi &
Wiebe, EMNLP 2014) and negation.
"""

from functools import lru_cache
from math import sqrt

from openiir.core.claims import lexicons
from openiir.core.claims.composition import ClauseStance
from openiir.core.claims.text import cue_pattern, split_words
from openiir.core.claims.topic import analyse_topic
from openiir.core.grid import quantise

SPREAD = 0.5
"""Constant of VADER's squashing function x / sqrt(x^2 + SPREAD), on our scale of word valences."""
CONCEDED = 0.3
"""Weight of conceded text: before `but`, or in a clause that begins with `although`."""
DOUBTED = 0.15
"""Weight of doubt about a proposition that has no valence."""
ELSEWHERE = 0.4
"""Weight of a clause without a target term of the topic, since its valence may be unrelated."""
_CONCEDING = lexicons.word_set("although though despite while whereas notwithstanding admittedly")

_PRONOUNS = lexicons.word_set("it they this these that those its their them he she")
_ENDS = frozenset(".;!?")
_REASONS = frozenset({"because", "since"})


@lru_cache(maxsize=131_072)
def stance(text: str, topic: str) -> float:
    """Compute a text's stance towards a topic: -1 rejects it, +1 supports it, within 0.05 of 0 is neutral.

    The topic is a proposition (`Wind power should be a primary focus of future energy supply`) or a question
    that yes affirms (`Should LLM judgments replace human assessors?`).
    """
    aim = analyse_topic(topic)
    total, carried = 0.0, 0
    for weight, clause_words in _weighted_clauses(split_words(text)):
        clause = ClauseStance(
            clause_words, aim, carried if any(word in _PRONOUNS for word in clause_words[:2]) else 0
        )
        weight *= 1.0 if clause.names_target else ELSEWHERE
        total += weight * (clause.score() or (DOUBTED * clause.holder_sign() if weight < 0 else 0.0))
        carried = clause.holder_sign()
    return quantise(total / sqrt(total * total + SPREAD))


def _weighted_clauses(words: list[str]) -> list[tuple[float, list[str]]]:
    """Split a text into weighted clauses: low weight for concessions, negative for doubts."""
    clauses: list[tuple[float, list[str]]] = []
    for sentence in _split_at(words, _ENDS):
        for weight, part in _weigh_parts(sentence):
            doubt = cue_pattern(lexicons.DOUBTS).search(" ".join(part))
            if doubt:
                weight, part = (
                    -weight,
                    [*doubt.string[: doubt.start()].split(), *doubt.string[doubt.end() :].split()],
                )
            clauses += [(weight, clause) for clause in _split_at(part, _REASONS)]
    return clauses


def _split_at(words: list[str], borders: frozenset[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word in borders:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _weigh_parts(words: list[str]) -> list[tuple[float, list[str]]]:
    if words[0] in _CONCEDING and "," in words[1:-1]:
        border = words.index(",", 1)
        return [(CONCEDED, words[1:border]), (1.0, words[border + 1 :])]
    for cue in ("but", "although", "though", "despite", "whereas"):
        if cue in words[1:-1]:
            border = words.index(cue, 1)
            weights = (CONCEDED, 1.0) if cue == "but" else (1.0, CONCEDED)
            return list(zip(weights, (words[:border], words[border + 1 :]), strict=True))
    return [(1.0, words)]
