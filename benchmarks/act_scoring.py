"""F1 scores with intervals for readers of dialogue acts, and a nearest-neighbour baseline."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.plugin import Draw, int_sum, quantise
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue
from openiir.scenarios.conversational.model.understanding.trained import examples_of

Reading = Callable[[str, str, Sequence[tuple[str, str]]], tuple[Act, ...]]
"""Function from (speaker, text, context) to dialogue acts."""
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Score:
    """An F1 score with a 95 % percentile bootstrap interval over dialogues."""

    f1: float
    low: float
    high: float


@dataclass(frozen=True)
class Understanding:
    """F1 scores of a reader on a set of annotated dialogues."""

    micro: Score
    """Micro F1 over all intents of all utterances; an intent counts once per utterance."""
    macro: Score
    """Mean F1 over the intents that are annotated at least once."""
    triples: Score
    """Micro F1 over (intent, slot, value), ignoring case and quotes; an act without slots counts once."""


def score_reader(
    dialogues: Sequence[Dialogue], read: Reading, speaker: str | None = None, draws: int = 1_000
) -> Understanding:
    """Score a reader on annotated dialogues, for one speaker or both, with a fixed random seed."""
    rows = [_count_matches(dialogue, read, speaker) for dialogue in dialogues]
    labels = sorted(
        {label for intents, _ in rows for label, counts in intents.items() if counts[0] + counts[2]}
    )
    empty = (0, 0, 0)
    intents = np.array([[row.get(label, empty) for label in labels] for row, _ in rows], dtype=np.int64)
    strange = np.array([[_count_unannotated(row, labels)] for row, _ in rows], dtype=np.int64)
    every = np.concatenate([intents, strange], axis=1)
    triples = np.array([[counts] for _, counts in rows], dtype=np.int64)
    which = np.asarray(
        Draw(0, "understanding.bootstrap").uniform(agent=np.arange(draws)[:, None], item=np.arange(len(rows)))
    )
    samples = (which * len(rows)).astype(np.int64)
    return Understanding(
        micro=_score(every, samples, lambda total: _f1(total.sum(axis=0))),
        macro=_score(intents, samples, lambda total: float(np.mean([_f1(one) for one in total]))),
        triples=_score(triples, samples, lambda total: _f1(total.sum(axis=0))),
    )


def is_held_out(id: str) -> bool:
    """Whether a dialogue is in the held-out half: the lowest bit of the first byte of its id's BLAKE2b
    hash."""
    return bool(blake2b(id.encode(), digest_size=8).digest()[0] & 1)


def triples_of(acts: Iterable[Act]) -> Counter[tuple[str, str, str]]:
    """Count the (intent, slot, value) triples of acts, normalised to be comparable between annotators."""
    found = Counter[tuple[str, str, str]]()
    for act in acts:
        for slot, value in act.pairs or (("", ""),):
            found[
                (act.intent, slot.upper(), " ".join((value or "").casefold().strip(" .,!?\"'").split()))
            ] += 1
    return found


def _count_matches(
    dialogue: Dialogue, read: Reading, speaker: str | None
) -> tuple[Mapping[str, tuple[int, ...]], tuple[int, ...]]:
    """Count true positives, false positives and false negatives, by intent and of triples."""
    intents: dict[str, list[int]] = {}
    triples = [0, 0, 0]
    context: list[tuple[str, str]] = []
    for utterance in dialogue.utterances:
        if speaker in (None, utterance.speaker) and utterance.acts:
            got = read(utterance.speaker, utterance.text, tuple(context))
            gold_names, got_names = {a.intent for a in utterance.acts}, {a.intent for a in got}
            for name in sorted(gold_names | got_names):
                place = 0 if name in gold_names and name in got_names else 1 if name in got_names else 2
                intents.setdefault(name, [0, 0, 0])[place] += 1
            gold, mine = triples_of(utterance.acts), triples_of(got)
            both = (gold & mine).total()
            triples = [triples[0] + both, triples[1] + mine.total() - both, triples[2] + gold.total() - both]
        context.append((utterance.speaker, utterance.text))
    return {name: tuple(counts) for name, counts in intents.items()}, tuple(triples)


def _count_unannotated(row: Mapping[str, tuple[int, ...]], labels: Sequence[str]) -> tuple[int, int, int]:
    """Count false positives of intents that are annotated nowhere."""
    return (0, int_sum(counts[1] for name, counts in row.items() if name not in labels), 0)


def _f1(counts: Counts) -> float:
    hit, false, missed = (int(n) for n in counts)
    return 2 * hit / (2 * hit + false + missed) if hit + false + missed else 1.0


def _score(rows: Counts, samples: Counts, measure: Callable[[Counts], float]) -> Score:
    drawn = sorted(measure(rows[sample].sum(axis=0)) for sample in samples)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Score(round(measure(rows.sum(axis=0)), 4), round(float(low), 4), round(float(high), 4))


class NearestReader:
    """Baseline: the acts, without slots, of the training utterance that is nearest by TF-IDF cosine.

    With `single`, only the first of its acts, as a classifier of one intent an utterance gives. Ties go to
    the earlier utterance; an utterance that shares no word with any takes the most frequent intent.
    """

    def __init__(self, dialogues: Sequence[Dialogue], single: bool = False) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.single = single
        self._parts: dict[str, tuple[Any, Any, list[tuple[str, ...]], str]] = {}
        for speaker in ("user", "system"):
            examples = examples_of(dialogues, speaker)
            vectors = TfidfVectorizer(lowercase=True)
            matrix = vectors.fit_transform([example.text for example in examples])
            intents = [tuple(dict.fromkeys(act.intent for act in example.acts)) for example in examples]
            usual = Counter(name for names in intents for name in names).most_common(1)[0][0]
            self._parts[speaker] = (vectors, matrix, intents, usual)

    def user_acts(self, text: str, context: Sequence[tuple[str, str]] = ()) -> tuple[Act, ...]:
        """Find the acts in a user's words."""
        return self._read("user", text)

    def system_acts(self, text: str, context: Sequence[tuple[str, str]] = ()) -> tuple[Act, ...]:
        """Find the acts in a system's words."""
        return self._read("system", text)

    def _read(self, speaker: str, text: str) -> tuple[Act, ...]:
        vectors, matrix, intents, usual = self._parts[speaker]
        likeness = np.asarray((matrix @ vectors.transform([text]).T).todense()).ravel()
        nearest = int(np.argmax(quantise(likeness)))
        names = intents[nearest] if likeness[nearest] > 0 else (usual,)
        return tuple(Act(intent=name) for name in names[: 1 if self.single else None])
