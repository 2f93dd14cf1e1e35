"""Cues of style in a text, by which readers guess whether to believe it, counted from general English markers."""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.credibility.corpus import split_sentences

_MARKERS = {
    # Somebody or something is named as where it comes from.
    "citation": r"according to|sources?|cit(?:e|es|ed|ing)|quot(?:e|es|ed|ing)|report(?:s|ed|edly)?|stud(?:y|ies)|"
    r"surveys?|(?:page|article|paper|book|journal|website) (?:on|about|by)|says so|puts it|published|https?:|doi|\[\d+\]",
    # Hedges: modal verbs, adverbs and verbs that hold a statement back (Hyland, Hedging in Scientific Research
    # Articles, 1998).
    "hedging": r"may|might|could|perhaps|maybe|possibly|probably|apparently|seems?|seemed|appears? to|suggests?|"
    r"indicates?|likely|unlikely|presumably|roughly|somewhat|generally|as far as i (?:know|can)|i (?:think|guess|believe)|not sure|"
    r"tends? to",
    "numbers": r"\d[\d.,]*|per ?cent|percentage|dozens?|hundreds?|thousands?|millions?|billions?|"
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    r"ninety|half|third|quarter|twice",
    # What somebody lived through stands for the evidence.
    "anecdote": r"my|mine|myself|i (?:have|had|was|saw|did|tried|once|remember|noticed|met)|i['’]ve|"
    r"(?:a|our|their) (?:friend|neighbou?r|colleague|cousin|aunt|uncle)|happened to|last (?:week|year|month|summer|winter)|"
    r"yesterday|the other day",
    # People who should know stand for the evidence.
    "authority": r"experts?|scientists?|researchers?|doctors?|professors?|specialists?|universit(?:y|ies)|institutes?|"
    r"nurses?|engineers?|historians?|teachers?|schoolteachers?|bakers?|officials?|proven|proved|"
    r"(?:who|people) (?:should )?knows?|years of (?:work|experience|practice)",
    # The reader is pressed to act or to be alarmed.
    "urgency": r"now|today|immediately|urgent(?:ly)?|hurry|before it['’]s too late|before|warn(?:s|ing)?|beware|danger(?:ous)?|"
    r"share|spread|pass (?:it|this) on|tell (?:everyone|everybody|your|others)|do not wait|don['’]t wait|must|breaking|alert",
}
_ALARM = re.compile(r"!|\b[A-Z]{4,}\b")
"""Marks of urgency that are no words."""
CUES = tuple(_MARKERS)
_PATTERNS = tuple(re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words in _MARKERS.values())


def measure_cues(texts: Sequence[str]) -> Floats:
    """Measure how strongly each of CUES shows in texts (texts, cues): m / (m + 1) for m markers, 0 to 1.

    The first marker makes the largest difference. What the markers are is our choice, after the literature on how people
    weigh what they read online (Metzger & Flanagin, J. Pragmat. 2013); nothing in them knows whether a text is true.
    """
    count = np.zeros((len(texts), len(CUES)))
    for row, text in enumerate(texts):
        for sentence in split_sentences(text):
            count[row] += _count(sentence)
    return np.asarray(count / (count + 1))


@lru_cache(maxsize=65_536)
def _count(sentence: str) -> Floats:
    found = np.array([len(pattern.findall(sentence)) for pattern in _PATTERNS], dtype=np.float64)
    found[CUES.index("urgency")] += len(_ALARM.findall(sentence))
    return found
