"""Readers that learn from annotated dialogues of any scheme, without a language model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.dialogue import Act, Dialogue, Slot
from openiir.kit.dialogue.records import Speaker
from openiir.plugin import InputError, int_sum, quantise
from openiir.scenarios.conversational.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.understanding.iard import IardReader
from openiir.scenarios.conversational.understanding.tagging import Tagger, tokens_of

Context = Sequence[tuple[str, str]]
Reader = CatalogueReader | IardReader
_YEAR = re.compile(r"\(\d{4}\)")
SPEAKERS: tuple[Speaker, ...] = ("user", "system")


@dataclass(frozen=True)
class Example:
    """An annotated utterance with what was said before it."""

    text: str
    context: tuple[tuple[str, str], ...]
    acts: tuple[Act, ...]


def examples_of(dialogues: Sequence[Dialogue], speaker: Speaker) -> list[Example]:
    """A speaker's annotated utterances. Raises InputError where there are none."""
    found = []
    for dialogue in dialogues:
        context: list[tuple[str, str]] = []
        for utterance in dialogue.utterances:
            if utterance.speaker == speaker and utterance.acts:
                found.append(Example(utterance.text, tuple(context), utterance.acts))
            context.append((utterance.speaker, utterance.text))
    if not found:
        raise InputError(
            f"none of the {len(dialogues)} dialogues has annotated utterances of the {speaker}; "
            "give dialogues with dialogue acts, or read with a catalogue alone"
        )
    return found


class NearestReader:
    """The baseline: acts of the training utterance whose TF-IDF vector is nearest by cosine, without slots.

    With `single`, only the first of its acts, as a classifier of one intent an utterance gives. Ties go to the
    earlier utterance; an utterance that shares no word with any takes the most frequent intent.
    """

    def __init__(self, dialogues: Sequence[Dialogue], single: bool = False) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.single = single
        self._parts: dict[str, tuple[Any, Any, list[tuple[str, ...]], str]] = {}
        for speaker in SPEAKERS:
            examples = examples_of(dialogues, speaker)
            vectors = TfidfVectorizer(lowercase=True)
            matrix = vectors.fit_transform([example.text for example in examples])
            intents = [tuple(dict.fromkeys(act.intent for act in example.acts)) for example in examples]
            usual = Counter(name for names in intents for name in names).most_common(1)[0][0]
            self._parts[speaker] = (vectors, matrix, intents, usual)

    def user_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """What a user's words do."""
        return self._read("user", text)

    def system_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """What a system's words do."""
        return self._read("system", text)

    def _read(self, speaker: str, text: str) -> tuple[Act, ...]:
        vectors, matrix, intents, usual = self._parts[speaker]
        likeness = np.asarray((matrix @ vectors.transform([text]).T).todense()).ravel()
        nearest = int(np.argmax(quantise(likeness)))
        names = intents[nearest] if likeness[nearest] > 0 else (usual,)
        return tuple(Act(intent=name) for name in names[: 1 if self.single else None])


class TrainedReader:
    """Intents by logistic regressions over TF-IDF of words and signs, slots by a tagger of words, both learnt.

    The text, the utterance before it and the place in the dialogue are seen; where there is a catalogue reader, its
    acts and mentions are seen too. An intent is there where its probability, on a grid of 2^-20, reaches a threshold
    that is chosen for each intent by cross-validation on the training dialogues, or where it is the likeliest and none
    does. A slot's value goes to the intent found that has it most often in training.
    """

    def __init__(self, dialogues: Sequence[Dialogue], reader: Reader | None = None) -> None:
        self.reader = reader
        self._models = {
            speaker: _Model(examples_of(dialogues, speaker), speaker, reader) for speaker in SPEAKERS
        }

    def user_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """What a user's words do, in the scheme that was learnt."""
        return self._models["user"].read(text, context)

    def system_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """What a system's words do, in the scheme that was learnt."""
        return self._models["system"].read(text, context)


class _Model:
    """One speaker's part."""

    def __init__(self, examples: Sequence[Example], speaker: Speaker, reader: Reader | None) -> None:
        self._speaker, self._reader = speaker, reader
        self.labels = sorted({act.intent for example in examples for act in example.acts})
        self._tagger = Tagger([(example.text, example.acts) for example in examples], self._hints)
        self._homes = _homes(examples)
        texts = [self._seen(example.text, example.context) for example in examples]
        truth = np.array(
            [[any(a.intent == label for a in e.acts) for label in self.labels] for e in examples]
        )
        self._fit(texts, truth)

    def read(self, text: str, context: Context) -> tuple[Act, ...]:
        chances = self._chances(self._vectors.transform([self._seen(text, context)]))[0]
        margins = chances - self._least
        chosen = [n for n in range(len(self.labels)) if margins[n] >= 0] or [int(np.argmax(margins))]
        slots: dict[str, list[Slot]] = {self.labels[n]: [] for n in chosen}
        for slot in self._tagger.find(text):
            usual = self._homes.get(slot.slot, Counter())
            home = max(slots, key=lambda name: (usual[name], name))
            slots[home].append(slot)
        return tuple(Act(intent=name, slots=tuple(found)) for name, found in slots.items())

    def _seen(self, text: str, context: Context) -> str:
        """All that the classifiers see, as one text of marked parts."""
        before = next((said for speaker, said in reversed(context) if speaker != self._speaker), "")
        named = [f"own_{word}" for word in self._marks(text, context)]
        prior = [
            f"before_{word}"
            for word in (*tokens_of(_masked(before).lower()), *(["ask"] if "?" in before else []))
        ]
        turn = min(int_sum(speaker == self._speaker for speaker, _ in context), 3)
        return " ".join([_masked(text), "\n", *named, *prior, f"turn_{turn}"])

    def _marks(self, text: str, context: Context) -> list[str]:
        """What the catalogue reader makes of it."""
        if self._reader is None:
            return []
        read = self._reader.user_acts if self._speaker == "user" else self._reader.system_acts
        return [
            word
            for act in read(text, context)
            for word in (act.intent, *(f"{act.intent}_{s}" for s, _ in act.pairs))
        ]

    def _hints(self, text: str) -> list[tuple[int, int, str]]:
        return [] if self._reader is None else self._reader.places(text)

    def _fit(self, texts: list[str], truth: Any) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import FeatureUnion

        own = {"preprocessor": _own_words, "sublinear_tf": True}
        self._vectors = FeatureUnion(
            [
                ("words", TfidfVectorizer(ngram_range=(1, 3), token_pattern=r"[\w']+|[?!]", **own)),
                ("signs", TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), min_df=2, **own)),
                (
                    "marks",
                    TfidfVectorizer(preprocessor=_marked, token_pattern=r"\S+", norm="l2", lowercase=False),
                ),
            ]
        )
        matrix = self._vectors.fit_transform(texts).tocsr()
        self._least = _thresholds(matrix, truth)
        self._models = [_regression(matrix, column) for column in truth.T]

    def _chances(self, matrix: Any) -> Any:
        return _predicted(self._models, matrix)


def _own_words(seen: str) -> str:
    return seen.partition("\n")[0].lower()


def _marked(seen: str) -> str:
    return seen.partition("\n")[2]


def _masked(text: str) -> str:
    """With years in brackets, which stand behind titles, as one word."""
    return _YEAR.sub(" yearmark ", text)


def _regression(matrix: Any, column: Any) -> Any:
    """A fitted model, or None where one class alone is there."""
    from sklearn.linear_model import LogisticRegression

    if column.all() or not column.any():
        return None
    return LogisticRegression(C=10.0, class_weight="balanced", solver="liblinear", random_state=0).fit(
        matrix, column
    )


def _predicted(models: Sequence[Any], matrix: Any) -> Any:
    found = [
        model.predict_proba(matrix)[:, 1] if model is not None else np.zeros(matrix.shape[0])
        for model in models
    ]
    return quantise(np.array(found).T)


_FOLDS = 5
_STEPS = np.arange(0.15, 0.85, 0.025)


def _thresholds(matrix: Any, truth: Any) -> Any:
    """The probability from which on an intent counts: the best F1 in cross-validation, drawn towards a half.

    For an intent with n examples the weight of the best one is n / (n + 10).
    """
    folds = np.arange(len(truth)) * _FOLDS // len(truth)
    chances = np.zeros(truth.shape)
    for fold in range(_FOLDS):
        inside = folds != fold
        models = [_regression(matrix[inside], column[inside]) for column in truth.T]
        chances[~inside] = _predicted(models, matrix[~inside])
    least = np.full(truth.shape[1], 0.5)
    for n, column in enumerate(truth.T):
        scores = [_f1(column, chances[:, n] >= step) for step in _STEPS]
        weight = column.sum() / (column.sum() + 10)
        least[n] = weight * _STEPS[int(np.argmax(scores))] + (1 - weight) * 0.5
    return quantise(least)


def _f1(truth: Any, found: Any) -> float:
    return round(2 * float((truth & found).sum()) / max(1.0, float(truth.sum() + found.sum())), 6)


def _homes(examples: Sequence[Example]) -> dict[str, Counter[str]]:
    """By slot: how often each intent has it."""
    homes: dict[str, Counter[str]] = {}
    for example in examples:
        for act in example.acts:
            for slot, _ in act.pairs:
                homes.setdefault(slot, Counter())[act.intent] += 1
    return homes
