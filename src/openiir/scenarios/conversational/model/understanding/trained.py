"""Reader of dialogue acts by classifiers trained on annotated dialogues of any scheme, without a language
model."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from openiir.plugin import InputError, first_largest, int_sum, quantise
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Slot, Speaker, Utterance
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.model.understanding.slot_tagger import SlotTagger, split_words_and_signs

Context = Sequence[tuple[str, str]]
_YEAR = re.compile(r"\(\d{4}\)")
SPEAKERS: tuple[Speaker, ...] = ("user", "system")


def collect_examples(dialogues: Sequence[Dialogue], speaker: Speaker) -> list[tuple[Utterance, Context]]:
    """Collect a speaker's annotated utterances, each with all before it; raises InputError if none is."""
    found: list[tuple[Utterance, Context]] = []
    for dialogue in dialogues:
        said = [(one.speaker, one.text) for one in dialogue.utterances]
        annotated = (n for n, one in enumerate(dialogue.utterances) if one.speaker == speaker and one.acts)
        found += [(dialogue.utterances[n], said[:n]) for n in annotated]
    if not found:
        raise InputError(
            f"none of the {len(dialogues)} dialogues has annotated utterances of the {speaker}; "
            "give dialogues with dialogue acts, or read with a catalogue alone"
        )
    return found


class TrainedReader:
    """Trained reader: logistic regressions over TF-IDF for intents, and a sequence tagger for slot values.

    Features are the text, the utterance before it, the place in the dialogue, and the acts and mentions that
    the rule reader finds, where there is one. An intent is given where its probability, on a grid of 2^-20,
    reaches its threshold, chosen by cross-validation on the training dialogues; the likeliest one where none
    does. A slot's value goes to the intent found that has the slot most often in training. Raises InputError
    where no utterance of a speaker is annotated.
    """

    def __init__(self, dialogues: Sequence[Dialogue], rules: CatalogueReader | None = None) -> None:
        self.rules = rules
        examples = {speaker: collect_examples(dialogues, speaker) for speaker in SPEAKERS}
        self._model = cache(lambda speaker: _Model(examples[speaker], speaker, rules))
        """Function from a speaker to its model, which is fitted on first use."""

    def user_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """Find the acts in a user's words, in the scheme of the training dialogues."""
        return self._model("user").read(text, context)

    def system_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """Find the acts in a system's words, in the scheme of the training dialogues."""
        return self._model("system").read(text, context)

    def ground(self, acts: Sequence[Act], text: str) -> tuple[Act, ...]:
        """Replace values by the catalogue's spelling; unchanged without a rule reader."""
        return tuple(acts) if self.rules is None else self.rules.ground(acts, text)


ActReader = CatalogueReader | TrainedReader
"""A reader that finds dialogue acts in words without a language model."""


class _Model:
    """Intent classifiers and slot tagger of one speaker."""

    def __init__(
        self,
        examples: Sequence[tuple[Utterance, Context]],
        speaker: Speaker,
        rules: CatalogueReader | None,
    ) -> None:
        self._speaker, self._rules = speaker, rules
        said = [one for one, _ in examples]
        self.labels = sorted({act.intent for one in said for act in one.acts})
        self._tagger = SlotTagger([(one.text, one.acts) for one in said], rules.places if rules else None)
        self._intents_of_slot: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """For each slot, how often each intent has it."""
        for slot, intent in ((s, act.intent) for one in said for act in one.acts for s, _ in act.pairs):
            self._intents_of_slot[slot][intent] += 1
        texts = [self._features(one.text, context) for one, context in examples]
        truth = np.array([[one.does(label) for label in self.labels] for one in said])
        self._fit(texts, truth)

    def read(self, text: str, context: Context) -> tuple[Act, ...]:
        chances = _probabilities(self._models, self._vectors.transform([self._features(text, context)]))[0]
        margins = chances - self._thresholds
        chosen = [n for n in range(len(self.labels)) if margins[n] >= 0] or [int(first_largest(margins))]
        slots: dict[str, list[Slot]] = {self.labels[n]: [] for n in chosen}
        for slot in self._tagger.find(text):
            usual = self._intents_of_slot[slot.slot]
            slots[max(slots, key=lambda name: (usual[name], name))].append(slot)
        return tuple(Act(intent=name, slots=tuple(found)) for name, found in slots.items())

    def _features(self, text: str, context: Context) -> str:
        """Encode all features as one text: the words, a line break, then marked words for other features."""
        before = next((said for speaker, said in reversed(context) if speaker != self._speaker), "")
        read = self._rules and (self._rules.user_acts if self._speaker == "user" else self._rules.system_acts)
        named = [
            f"own_{word}"
            for act in (read(text, context) if read else ())
            for word in (act.intent, *(f"{act.intent}_{slot}" for slot, _ in act.pairs))
        ]
        prior = [
            f"before_{word}"
            for word in (
                *split_words_and_signs(_mask_years(before).lower()),
                *(["ask"] if "?" in before else []),
            )
        ]
        turn = min(int_sum(speaker == self._speaker for speaker, _ in context), 3)
        return " ".join([_mask_years(text), "\n", *named, *prior, f"turn_{turn}"])

    def _fit(self, texts: list[str], truth: Any) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import FeatureUnion

        own = {"preprocessor": lambda seen: seen.partition("\n")[0].lower(), "sublinear_tf": True}
        words = TfidfVectorizer(ngram_range=(1, 3), token_pattern=r"[\w']+|[?!]", **own)
        signs = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), min_df=min(2, len(texts)), **own)
        marks = TfidfVectorizer(preprocessor=lambda seen: seen.partition("\n")[2], token_pattern=r"\S+")
        self._vectors = FeatureUnion([("words", words), ("signs", signs), ("marks", marks)])
        matrix = self._vectors.fit_transform(texts).tocsr()
        self._thresholds = _choose_thresholds(matrix, truth)
        self._models = [_fit_regression(matrix, column) for column in truth.T]


def _mask_years(text: str) -> str:
    """Replace bracketed years by one word."""
    return _YEAR.sub(" yearmark ", text)


def _fit_regression(matrix: Any, column: Any) -> Any:
    """Fit the classifier of one intent; None if all examples are of one class."""
    from sklearn.linear_model import LogisticRegression

    if column.all() or not column.any():
        return None
    return LogisticRegression(C=10.0, class_weight="balanced", solver="liblinear", random_state=0).fit(
        matrix, column
    )


def _probabilities(models: Sequence[Any], matrix: Any) -> Any:
    found = [
        model.predict_proba(matrix)[:, 1] if model is not None else np.zeros(matrix.shape[0])
        for model in models
    ]
    return quantise(np.array(found).T)


_FOLDS = 5
_STEPS = np.arange(0.15, 0.85, 0.025)


def _choose_thresholds(matrix: Any, truth: Any) -> Any:
    """Choose each intent's decision threshold by F1 in cross-validation, shrunk towards 0.5.

    With n examples of an intent the best one has the weight n / (n + 10).
    """
    folds = np.arange(len(truth)) * _FOLDS // len(truth)
    chances = np.zeros(truth.shape)
    for fold in np.unique(folds):
        inside = folds != fold
        models = [_fit_regression(matrix[inside], column[inside]) for column in truth.T]
        chances[~inside] = _probabilities(models, matrix[~inside])
    least = np.full(truth.shape[1], 0.5)
    for n, column in enumerate(truth.T):
        scores = [_f1(column, chances[:, n] >= step) for step in _STEPS]
        weight = column.sum() / (column.sum() + 10)
        least[n] = weight * _STEPS[int(first_largest(scores))] + (1 - weight) * 0.5
    return quantise(least)


def _f1(truth: Any, found: Any) -> float:
    return round(2 * float((truth & found).sum()) / max(1.0, float(truth.sum() + found.sum())), 6)
