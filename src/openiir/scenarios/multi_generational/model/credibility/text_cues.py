"""Cues of style in a text, by which readers guess whether to believe it, counted by English markers."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from openiir.kit.arrays import Floats
from openiir.scenarios.multi_generational.model.credibility.corpus import split_sentences

_MARKERS = {
    # Somebody or something is named as where it comes from.
    "citation": r"according to|sources?|cit(?:e|es|ed|ing)|quot(?:e|es|ed|ing)|report(?:s|ed|edly)?|"
    r"stud(?:y|ies)|surveys?|(?:page|article|paper|book|journal|website) (?:on|about|by)|says so|puts it|"
    r"published|https?:|doi|\[\d+\]",
    # Hedges: modal verbs, adverbs and verbs that hold a statement back (Hyland, Hedging in Scientific
    # Research Articles, 1998). May as a month is none.
    "hedging": r"(?<!\bin )(?<!\bof )(?<!\bon )(?<!\bby )(?<!from )(?<!since )(?<!until )(?<!early )"
    r"(?<!late )(?<!last )(?<!\s\d )(?<!\s\d\d )(?<!\dst )(?<!\dnd )(?<!\drd )(?<!\dth )"
    r"may(?! \d| to\b| day\b)|might|could|perhaps|maybe|possibly|probably|apparently|seems?|seemed|"
    r"appears? to|suggests?|indicates?|likely|unlikely|presumably|roughly|somewhat|generally|"
    r"as far as i (?:know|can)|i (?:think|guess|believe)|not sure|tends? to",
    # The numbers in names, as of viruses, count nothing.
    "numbers": r"(?<![a-z]-)(?<!covid )(?<!cov )\d[\d.,]*(?!-[a-z]*cov)|per ?cent|percentage|dozens?|"
    r"hundreds?|thousands?|millions?|billions?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|"
    r"thirty|forty|fifty|sixty|seventy|eighty|ninety|half|third|quarter|twice",
    # What somebody lived through stands for the evidence.
    "anecdote": r"my|of mine|myself|told me|i (?:have|had|was|saw|did|tried|once|remember|noticed|met|heard)|"
    r"i['’]ve|(?:a|our|their) (?:friend|neighbou?r|colleague|cousin|aunt|uncle)|happened to|"
    r"last (?:week|year|month|summer|winter)|yesterday|the other day",
    # People who should know stand for the evidence.
    "authority": r"experts?|scientists?|researchers?|doctors?|professors?|specialists?|universit(?:y|ies)|"
    r"institutes?|officials?|proven|proved|who should know|any(?:body|one) who knows|"
    r"years of (?:work|experience|practice)|"
    # Whoever speaks, by whatever profession.
    r"(?:say|speak|speaking|know|write) (?:this |it |here )?as an? \w+|take it from an? \w+|"
    r"(?:as|being) an? [\w’' -]{2,40}, i|as an? \w+ (?:\w+ )?i|by (?:trade|profession)",
    # The reader is pressed to act or to be alarmed.
    "urgency": r"now|today|immediately|urgent(?:ly)?|hurry|before (?:it['’]s too late|it is too late|others|"
    r"everyone)|warn(?:s|ing)?|beware|danger(?:ous)?|"
    r"(?:share|spread) (?:it|this|now|the (?:word|news))|pass (?:it|this) on|"
    r"tell (?:everyone|everybody|your|others)|do not wait|don['’]t wait|(?:you|we|everyone|everybody) must|"
    r"must (?:read|know|act)|breaking|alert",
}
_ALARM = re.compile(r"!|(?<![\w-])(?!COVID|SARS|MERS)[A-Z]{4,}(?![\w-])")
"""Marks of urgency that are no words."""
CUES = tuple(_MARKERS)
_PATTERNS = tuple(re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words in _MARKERS.values())


def measure_cues(texts: Sequence[str]) -> Floats:
    """Measure how strongly each of CUES shows in texts (texts, cues): m / (m + 1) for m markers, 0 to 1.

    The first marker makes the largest difference. What the markers are is our choice, after the literature on
    how people weigh what they read online (Metzger & Flanagin, J. Pragmat. 2013); nothing in them knows
    whether a text is true.
    """
    none = np.zeros(len(CUES))
    found = [np.sum([none, *map(_count, split_sentences(text))], axis=0) for text in texts]
    count = np.array(found).reshape(len(texts), len(CUES))
    return np.asarray(count / (count + 1))


@lru_cache(maxsize=65_536)
def _count(sentence: str) -> Floats:
    found = np.array([len(pattern.findall(sentence)) for pattern in _PATTERNS], dtype=np.float64)
    found[CUES.index("urgency")] += len(_ALARM.findall(sentence))
    return found


_HABITS: Mapping[str, tuple[str, str]] = {
    "citation": ("say where you have it from", "says where it has things from"),
    "hedging": ("leave room for doubt", "leaves room for doubt"),
    "numbers": ("give figures", "gives figures"),
    "anecdote": ("tell a story from your own life", "tells a story from its author's life"),
    "authority": ("appeal to authority", "appeals to authority"),
    "urgency": ("press readers to act at once", "presses readers to act at once"),
}
"""Each cue as something a writer does, and as something a post does."""
_OFTEN = {"nearly always": "and", "often": "and", "now and then": "and", "seldom": "or", "never": "or"}
"""How often a writer does something, and the word that joins several things that it does so often."""
_BELIEVES = ("far more", "more", "", "less", "far less")
"""How much more a detector believes a post that shows a cue; nothing is said of cues that hardly count."""


def word_habits(cues: Sequence[float]) -> list[str]:
    """Describe how often a writer uses each of CUES (0 to 1), most frequent first."""
    habits: dict[str, list[str]] = {}
    for name, cue in zip(CUES, cues, strict=True):
        habits.setdefault(list(_OFTEN)[4 - min(int(cue * 5), 4)], []).append(_HABITS[name][0])
    return [f"You {often} {_join(habits[often], last)}." for often, last in _OFTEN.items() if often in habits]


def word_weights(weights: Sequence[float]) -> list[str]:
    """Describe how each of CUES changes a reader's belief, by weights in log-odds."""
    habits: dict[str, list[str]] = {}
    for name, degree in zip(CUES, np.digitize(weights, (-1.0, -0.25, 0.25, 1.0)), strict=True):
        habits.setdefault(_BELIEVES[degree], []).append(_HABITS[name][1])
    shown = [degree for degree in _BELIEVES if degree and degree in habits]
    return [f"You believe a post {degree} if it {_join(habits[degree], 'or')}." for degree in shown]


def _join(words: Sequence[str], last: str) -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else words[0]
