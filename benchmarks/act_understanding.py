"""Accuracy of the readers of dialogue acts on IARD, compared with nearest-neighbour classification; no
language model.

    OPENIIR_DATA=... python benchmarks/act_understanding.py [--draws 1000]

Reads `crs/iard/formatted_IARD_annotated_gold.json`, whose labels become our acts as in a study, and the
catalogue `crs/redial/id2info.json` below OPENIIR_DATA. Readers are trained on one half of the dialogues and
all are scored on the other half; the catalogue reader's rules were written with the first half in view.
Intervals are percentile bootstraps of 95 % over dialogues. At the end, what reading one sentence costs with
catalogues of 2,000 and 60,000 items, and what saying an act costs.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from measuring import data_folder, print_table, run_command, show, spend
from openiir.kit.items import Collection
from openiir.kit.statistics import Estimate
from openiir.plugin import Draw, quantise
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Slot, all_to_openiir_acts
from openiir.scenarios.conversational.model.formats.dialoguekit import read_dialogues
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.model.understanding.trained import TrainedReader, collect_examples
from openiir.scenarios.conversational.questions.understand import with_text_values

SENTENCES = (
    ("user", "I am looking for a comedy about time travel."),
    ("system", "How about Toy Story (1995)? It is a comedy."),
)
YEAR = re.compile(r"\s*[(\[]\d{4}[)\]]$")
Context = Sequence[tuple[str, str]]
"""Speakers and texts said before."""


class NearestReader:
    """Baseline: the acts, without slots, of the training utterance that is nearest by TF-IDF cosine.

    With `single`, only the first of its acts, as a classifier of one intent an utterance gives. Ties go to
    the earlier utterance; an utterance that shares no word with any takes the most frequent intent.
    """

    def __init__(self, dialogues: Sequence[Dialogue], single: bool = False) -> None:
        parts = {}
        for speaker in ("user", "system"):
            examples, vectors = collect_examples(dialogues, speaker), TfidfVectorizer()
            matrix = vectors.fit_transform([one.text for one, _ in examples])
            intents = [tuple(dict.fromkeys(act.intent for act in one.acts)) for one, _ in examples]
            usual = Counter(name for names in intents for name in names).most_common(1)[0][0]
            parts[speaker] = (vectors, matrix, intents, usual, 1 if single else None)
        self.user_acts, self.system_acts = (partial(self._read, *part) for part in parts.values())

    def _read(
        self, vectors, matrix, intents, usual, most, text: str, context: Context = ()
    ) -> tuple[Act, ...]:
        likeness = (matrix @ vectors.transform([text]).T).toarray().ravel()
        nearest = int(np.argmax(quantise(likeness)))
        names = intents[nearest] if likeness[nearest] > 0 else (usual,)
        return tuple(Act(intent=name) for name in names[:most])


Reader = CatalogueReader | NearestReader | TrainedReader


def read_acts(reader: Reader, speaker: str, text: str, context: Context) -> tuple[Act, ...]:
    return (reader.user_acts if speaker == "user" else reader.system_acts)(text, context)


def score_reader(
    dialogues: Sequence[Dialogue], reader: Reader, speaker: str | None, draws: int
) -> tuple[Estimate, Estimate, Estimate]:
    """Score a reader on annotated dialogues, for one speaker or both; intervals are percentile bootstraps.

    Micro F1 over all intents of all utterances (an intent counts once per utterance), mean F1 over the
    intents that are annotated at least once, and micro F1 over (intent, slot, value).
    """
    rows = [count_matches(dialogue, reader, speaker) for dialogue in dialogues]
    labels, empty = sorted({label for intents, _ in rows for label in intents}), (0, 0, 0)
    intents = np.array([[row.get(label, empty) for label in labels] for row, _ in rows])
    annotated = intents[:, :, [0, 2]].sum(axis=(0, 2)) > 0
    triples = np.array([[counts] for _, counts in rows])
    draw = Draw(0, "understanding.bootstrap", item=np.arange(len(rows)))
    samples = (draw.uniform(agent=np.arange(draws)[:, None]) * len(rows)).astype(np.int64)

    def estimate(counts: np.ndarray) -> Estimate:
        drawn = [mean_f1(counts[sample].sum(axis=0)) for sample in samples]
        return Estimate(mean_f1(counts.sum(axis=0)), *np.quantile(drawn, [0.025, 0.975]))

    every = intents.sum(axis=1, keepdims=True)
    return estimate(every), estimate(intents[:, annotated]), estimate(triples)


def mean_f1(counts: np.ndarray) -> float:
    """Compute the mean F1 over rows of hits, false positives and misses; 1 where there is nothing to find."""
    hit, *wrong = counts.T
    both = 2 * hit + sum(wrong)
    return float(np.where(both, 2 * hit / np.maximum(both, 1), 1.0).mean())


def count_matches(dialogue: Dialogue, reader: Reader, speaker: str | None):
    """Count hits, false positives and misses, by intent and of triples."""
    intents: dict[str, list[int]] = {}
    triples, context = np.zeros(3, dtype=np.int64), []
    for utterance in dialogue.utterances:
        if speaker in (None, utterance.speaker) and utterance.acts:
            read = read_acts(reader, utterance.speaker, utterance.text, tuple(context))
            got = [with_text_values(act, utterance.text) for act in read]
            gold_names, got_names = {a.intent for a in utterance.acts}, {a.intent for a in got}
            for name in gold_names | got_names:
                at = (name not in gold_names) + 2 * (name not in got_names)
                intents.setdefault(name, [0, 0, 0])[at] += 1
            gold, mine = triples_of(utterance.acts), triples_of(got)
            triples += [(gold & mine).total(), (mine - gold).total(), (gold - mine).total()]
        context.append((utterance.speaker, utterance.text))
    return intents, triples


def triples_of(acts: Iterable[Act]) -> Counter[tuple[str, str, str]]:
    """Count the (intent, slot, value) triples of acts, years left out; an act without slots counts once."""
    return Counter(
        (act.intent, slot, " ".join(YEAR.sub("", value or "").casefold().strip(" .,!?\"'").split()))
        for act in acts
        for slot, value in act.pairs or (("", ""),)
    )


def is_held_out(id: str) -> bool:
    """Whether a dialogue is in the held-out half: the lowest bit of the first byte of its id's BLAKE2b."""
    return bool(blake2b(id.encode(), digest_size=8).digest()[0] & 1)


def redial(path: Path) -> Collection:
    """Load ReDial's films with genres, actors and directors."""
    rows = [(id, row) for id, row in json.loads(path.read_text()).items() if row["name"].strip()]
    names = {"genre": "genre", "actor": "star", "director": "director"}
    return Collection(
        kind="movie",
        ids=tuple(id for id, _ in rows),
        titles=tuple(row["name"] for _, row in rows),
        attributes={s: tuple(tuple(dict.fromkeys(row[k])) for _, row in rows) for s, k in names.items()},
    )


def made_up(items: int) -> Collection:
    """Build a synthetic catalogue of this size, with made-up titles and a few genres."""
    draw, letters = Draw(1, "titles"), "abdeghiklmnoprstuv"
    drawn = draw.below(18, agent=np.arange(4_000)[:, None], item=np.arange(6))
    words = ["".join(letters[n] for n in row).title() for row in drawn]
    pairs = draw.below(4_000, item=np.arange(items)[:, None], step=np.arange(2))
    titles = [f"{words[one]} {words[other]} {n}" for n, (one, other) in enumerate(pairs)]
    titles[0] = "Toy Story (1995)"
    genres = tuple((("Comedy", "Horror", "Drama")[n % 3],) for n in range(items))
    return Collection(
        kind="movie", ids=tuple(map(str, range(items))), titles=tuple(titles), attributes={"genre": genres}
    )


def cost_us(work: Callable[[int], object], times: int = 500) -> float:
    """Measure the CPU time of one call in microseconds, the best of five repeats, each with new numbers."""
    repeats = (range(n * times, (n + 1) * times) for n in range(5))
    return min(spend(lambda turn=turn: [work(n) for n in turn]).cpu for turn in repeats) / times * 1e6


def read_numbered(reader: Reader, speaker: str, text: str, number: int) -> tuple[Act, ...]:
    """Read a text that no cache holds yet."""
    return read_acts(reader, speaker, f"{text} {number}", ())


def main(draws: int = 1_000) -> None:
    data = data_folder() / "crs"
    dialogues = all_to_openiir_acts(read_dialogues(data / "iard/formatted_IARD_annotated_gold.json"))
    train = [d for d in dialogues if not is_held_out(d.id)]
    test = [d for d in dialogues if is_held_out(d.id)]
    catalogue = CatalogueReader(redial(data / "redial/id2info.json"))
    readers = {
        "nearest, one intent": NearestReader(train, single=True),
        "nearest, all intents": NearestReader(train),
        "catalogue alone": catalogue,
        "trained": TrainedReader(train),
        "trained, catalogue seen": TrainedReader(train, catalogue),
    }
    print(f"{len(train)} dialogues to train on, {len(test)} held out\n")
    rows = (
        (name, speaker or "both", *map(show, score_reader(test, reader, speaker, draws)))
        for name, reader in readers.items()
        for speaker in ("user", "system", None)
    )
    print_table("reader | speaker | intents, micro F1 | macro F1 | act + slot + value, F1", rows)
    templates, drawn = Templates(), [Draw(1, "cost", item=str(n)) for n in range(2_500)]
    slots = (Slot(slot="genre", value="Comedy"), Slot(slot="year", value="1999"))
    said = (Act(intent="DISCLOSE", slots=slots),)
    saying = cost_us(lambda n: templates.render(said, drawn[n]))
    print(f"\nsaying an act of two values: {saying:.1f} us\n")
    sizes, rows = (CatalogueReader(made_up(2_000)), CatalogueReader(made_up(60_000))), []
    for speaker, text in SENTENCES:
        few, many = (cost_us(partial(read_numbered, one, speaker, text)) for one in sizes)
        rows.append((speaker, f"{few:.0f}", f"{many:.0f}", f"{many / few:.2f}"))
    print_table("a sentence of | 2,000 items, us | 60,000 items, us | ratio", rows)


if __name__ == "__main__":
    run_command(main)
