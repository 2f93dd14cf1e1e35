"""Sequence tagger of slot values, trained on annotated utterances."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from openiir.plugin import quantise
from openiir.scenarios.conversational.model.dialogue import Act, Slot

_TOKEN = re.compile(r"(?<!['’:\-])(?:['’:\-]*+\w++)++['’]?|\(\d{4}\)|[^\w\s]")
Hints = Callable[[str], list[tuple[int, int, str]]]
"""Function from a text to (start, end, slot) of values found by a catalogue."""
OUT = "O"


def split_words_and_signs(text: str) -> list[str]:
    """Split a text into words and signs."""
    return [match[0] for match in _TOKEN.finditer(text)]


class SlotTagger:
    """BIO tagger of slot values: one multinomial logistic regression, applied left to right."""

    def __init__(self, examples: Sequence[tuple[str, Sequence[Act]]], hints: Hints | None = None) -> None:
        self._hints = hints or (lambda text: [])
        features: list[dict[str, float]] = []
        tags: list[str] = []
        for text, acts in examples:
            places = [match.span() for match in _TOKEN.finditer(text)]
            truth = _tags(places, _spans(text, acts))
            for own, before in zip(self._features(text, places), [OUT, *truth], strict=False):
                features.append({**own, f"last={before}": 1.0})
            tags += truth
        self._fit(features, tags)

    def find(self, text: str) -> list[Slot]:
        """Find the slot values in a text, with their offsets."""
        if self._model is None:
            return []
        places = [match.span() for match in _TOKEN.finditer(text)]
        tags: list[str] = []
        for own in self._features(text, places):
            own[f"last={tags[-1] if tags else OUT}"] = 1.0
            chances = quantise(self._model.predict_proba(self._vectors.transform([own]))[0])
            order = sorted(range(len(chances)), key=lambda n: (-chances[n], n))
            last = tags[-1] if tags else OUT  # a value goes on only where one of its slot stands
            likely = (self._tags[n] for n in order)
            tags.append(next(tag for tag in likely if tag[0] != "I" or tag[2:] == last[2:] and last != OUT))
        return _values(text, places, tags)

    def _fit(self, features: list[dict[str, float]], tags: list[str]) -> None:
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression

        self._vectors = DictVectorizer()
        matrix = self._vectors.fit_transform(features)
        self._model: Any = None
        if len(set(tags)) > 1:
            self._model = LogisticRegression(C=3.0, max_iter=200, tol=1e-3).fit(matrix, np.array(tags))
            self._tags = [str(tag) for tag in self._model.classes_]

    def _features(self, text: str, places: Sequence[tuple[int, int]]) -> list[dict[str, float]]:
        words = [text[start:end] for start, end in places]
        lower = [word.lower() for word in words]
        hinted = _tags(places, self._hints(text))
        found = []
        for n, word in enumerate(words):
            own = {
                "bias": 1.0,
                f"word={lower[n]}": 1.0,
                f"shape={_shape(word)}": 1.0,
                f"end={lower[n][-3:]}": 1.0,
                f"hint={hinted[n]}": 1.0,
                f"hint+1={hinted[n + 1] if n + 1 < len(words) else OUT}": 1.0,
            }
            for step in (-3, -2, -1, 1, 2):
                near = words[n + step] if 0 <= n + step < len(words) else ""
                own |= {f"{step}={near.lower() or '#'}": 1.0, f"{step}s={_shape(near) if near else '#'}": 1.0}
            own[f"-1+0={lower[n - 1] if n else '#'} {lower[n]}"] = 1.0
            own[f"year={_before_year(words, n)}"] = 1.0
            found.append(own)
        return found


def _before_year(words: Sequence[str], n: int) -> str:
    """Return the number of words before a bracketed year, if they could all belong to a title; else "no"."""
    for step, word in enumerate(words[n + 1 : n + 9], 1):
        if word.startswith("(") and word.endswith(")"):
            return str(min(step, 3))
        if word in ".?!":
            break
    return "no"


def _shape(word: str) -> str:
    if word.startswith("(") and len(word) > 1:
        return "(year)"
    if not word[0].isalnum():
        return word[0]
    return "9" if word[0].isdigit() else "Xx" if word[0].isupper() else "x"


def _spans(text: str, acts: Sequence[Act]) -> list[tuple[int, int, str]]:
    """Return (start, end, slot) of the annotated values: given offsets, or else their first free
    occurrence."""
    found: list[tuple[int, int, str]] = []
    lower = text.lower()
    slots = [slot for act in acts for slot in act.slots if slot.value]
    for slot in sorted(slots, key=lambda slot: (-len(slot.value or ""), slot.slot)):
        value = (slot.value or "").lower()
        at = slot.start if slot.start is not None else lower.find(value)
        while at >= 0 and any(at < end and at + len(value) > start for start, end, _ in found):
            at = lower.find(value, at + 1)
        if at >= 0:
            found.append((at, at + len(value), slot.slot))
    return sorted(found)


def _tags(places: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int, str]]) -> list[str]:
    tags, before = [], -1
    for start, end in places:
        at = next((n for n, span in enumerate(spans) if start < span[1] and end > span[0]), -1)
        tags.append(OUT if at < 0 else f"{'I' if at == before else 'B'}-{spans[at][2]}")
        before = at
    return tags


def _values(text: str, places: Sequence[tuple[int, int]], tags: Sequence[str]) -> list[Slot]:
    spans: list[tuple[int, int, str]] = []
    for (start, end), tag in zip(places, tags, strict=True):
        if tag[0] == "B":
            spans.append((start, end, tag[2:]))
        elif tag[0] == "I":
            spans[-1] = (spans[-1][0], end, tag[2:])
    return [Slot(slot=name, value=text[start:end], start=start, end=end) for start, end, name in spans]
