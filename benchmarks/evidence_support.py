"""How well support by retrieved passages, measured from words alone, tells true versions of claims from false
ones.

    OPENIIR_DATA=... python benchmarks/evidence_support.py     # ten seconds on one core

The share of pairs whose true version has more support (ties half, interval over topics), and AUC over single
texts; .5 is chance for both. `tuned` marks the pairs on which the measure was built: every other settled
topic of the own pairs, and half of COVID-Fact by hash; no rule or constant was chosen by the rest. A text's
support is the mean over its sentences, each with its best passage of the k that BM25 finds for the text among
those of all pages or pairs. Beside it: content words on the page found first, words without any evidence
(trained on other topics), and, for COVID-Fact, the passages of another pair, which shows what a surface cue
alone brings. Last, the time for 2,000 x 400 texts.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from lab.pair_baselines import score_baseline
from openiir.core.hashing import sha256
from openiir.core.retrieval import content_words
from openiir.core.retrieval.sentences import sentences
from openiir.core.world.chunking import chunk_sources
from openiir.core.world.sources import load_sources
from openiir.kit.arrays import Floats, Ints
from openiir.kit.lexical import BM25, nearest
from openiir.kit.statistics import Estimate, cluster_bootstrap
from openiir.plugin import Draw
from openiir.scenarios.multi_generational.model.credibility.evidence import EvidenceIndex
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    ClaimPair,
    covid_fact_pairs,
    match_pairs,
)
from openiir.scenarios.multi_generational.run.setup import INVENTED, REFERENCE, own_pairs
from openiir.scenarios.recommender.measures.discrimination import discrimination

COVID = Path(os.environ.get("OPENIIR_DATA", "data")) / "claims-covidfact" / "COVIDFACT_dataset.jsonl"
DRAW = Draw(7, "benchmark.evidence_support")
POOL = 200
"""Number of COVID-Fact pairs whose passages are searched together."""
Choice = Callable[[int, str], Sequence[int]]
"""Passages for a pair, by its position, and a text of it."""


def measure_texts(pairs: Sequence[ClaimPair], passages: Sequence[str], choose: Choice) -> Floats:
    """Compute the support of the true and the false version of each pair, (pairs, 2)."""
    texts = [(row, text) for row, pair in enumerate(pairs) for text in (pair.true, pair.false)]
    spans = [[text[start:end] for start, end in sentences(text)] for _, text in texts]
    support = EvidenceIndex(passages).measure([sentence for span in spans for sentence in span])
    parts = np.split(support, np.cumsum([len(span) for span in spans])[:-1])
    chosen = [np.array(choose(*text), dtype=np.int64) for text in texts]
    means = [part[:, of].max(axis=1).mean() if len(of) else 0 for part, of in zip(parts, chosen, strict=True)]
    return np.array(means).reshape(-1, 2)


def retrieve(passages: Sequence[str], k: int) -> Choice:
    index = BM25(passages)
    return lambda _, text: nearest(index, text, k).tolist()


def take_range(spans: Ints) -> Choice:
    return lambda row, _: range(*spans[row])


def overlap_with_page(pairs: Sequence[ClaimPair], pages: Sequence[str]) -> Floats:
    """Share of the content words of both versions that stand on the page found first, (pairs, 2)."""
    index, words = BM25(pages), [set(content_words(page)) for page in pages]

    def share(text: str) -> float:
        own, (page,) = content_words(text), nearest(index, text, 1)
        return sum(word in words[page] for word in own) / len(own)

    return np.array([[share(pair.true), share(pair.false)] for pair in pairs])


def with_interval(found: Estimate) -> str:
    chance = ", at chance" if found.low <= 0.5 <= found.high else ""
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}){chance}"


def print_row(name: str, measure: str, pairs: Sequence[ClaimPair], support: Floats) -> None:
    _, topic = np.unique([pair.topic for pair in pairs], return_inverse=True)
    right = (1 + np.sign(support[:, 0] - support[:, 1])) / 2
    paired = cluster_bootstrap(np.bincount(topic, right), np.bincount(topic), draw=DRAW)
    true = np.tile([True, False], len(pairs))
    auc = discrimination(np.zeros(len(true)), true, true, support.ravel()).auc
    assert auc is not None
    print(f"| {name}, {len(pairs)} | {measure} | {with_interval(paired)} | {auc[0]:.3f} |", flush=True)


def print_cue(name: str, pairs: Sequence[ClaimPair]) -> None:
    paired = score_baseline(pairs, "words").paired
    print(f"| {name}, {len(pairs)} | words, no evidence | {with_interval(paired)} | |")


def print_own(name: str, pairs: Sequence[ClaimPair], pages: Sequence[str], passages: Sequence[str]) -> None:
    for k in (3, 5, 10):
        support = measure_texts(pairs, passages, retrieve(passages, k))
        print_row(name, f"support, k = {k}", pairs, support)
    print_row(name, "content words on the page", pairs, overlap_with_page(pairs, pages))
    print_cue(name, pairs)


def print_covid_fact(name: str, pairs: Sequence[ClaimPair]) -> None:
    passages = [passage for pair in pairs for passage in pair.passages]
    ends = np.cumsum([0, *(len(pair.passages) for pair in pairs)])
    spans = np.stack([ends[:-1], ends[1:]], axis=1)
    for measure, shift in (("support, own passages", 0), ("support, passages of another pair", 1)):
        print_row(
            name, measure, pairs, measure_texts(pairs, passages, take_range(np.roll(spans, shift, axis=0)))
        )
    print_cue(name, pairs)
    pool = pairs[:POOL]
    passages = list(dict.fromkeys(passage for pair in pool for passage in pair.passages))
    for k in (3, 5, 10):
        support = measure_texts(pool, passages, retrieve(passages, k))
        print_row(f"{name}, pooled", f"support, k = {k}", pool, support)


def print_time(pairs: Sequence[ClaimPair], passages: Sequence[str]) -> None:
    texts = [text for pair in pairs for text in (pair.true, pair.false)]
    rows = [text[start:end] for text in texts for start, end in sentences(text)]
    rows = [rows[n % len(rows)] for n in range(2_000)]
    index = EvidenceIndex([passages[n % len(passages)] for n in range(400)])
    times = []
    for _ in range(4):
        start = perf_counter()
        index.measure(rows)
        times.append(1_000 * (perf_counter() - start))
    print(f"\n2,000 sentences x 400 passages: {min(times[1:]):.0f} ms")


def main() -> None:
    documents = load_sources(["sources"], REFERENCE).sources
    pages = [document.text for document in documents]
    passages = [chunk.text for chunk in chunk_sources(documents, "main")]
    own = match_pairs(own_pairs()).pairs
    settled = sorted({pair.topic for pair in own} - {*INVENTED})
    parts = {"settled, tuned": settled[::2], "settled": settled[1::2], "invented": INVENTED}
    print("| pairs | measure | paired | AUC |\n|---|---|---|---|")
    print("| any | constant | .500 | .500 |")
    for name, topics in parts.items():
        print_own(name, [pair for pair in own if pair.topic in topics], pages, passages)
    if COVID.is_file():
        halves: tuple[list[ClaimPair], list[ClaimPair]] = [], []
        print_cue("COVID-Fact, both halves", pairs := covid_fact_pairs(COVID))
        for pair in pairs:
            halves[int(sha256(pair.id)[1], 16) % 2].append(pair)
        for name, half in zip(("COVID-Fact, tuned", "COVID-Fact"), halves, strict=True):
            print_covid_fact(name, half)
    print_time(own, passages)


if __name__ == "__main__":
    main()
