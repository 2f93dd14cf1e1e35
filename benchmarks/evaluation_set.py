"""The pairs of claims that producers and detectors meet on: surface cues, plausibility, and support by
evidence.

    OPENIIR_DATA=... python benchmarks/evaluation_set.py pairs [--run TREC_RUN]     # a minute on one core
    OPENIIR_DATA=... python benchmarks/evaluation_set.py evidence                   # ten seconds on one core

`pairs`: for the own pairs and beside them for COVID-Fact, what detectors reach that see no evidence (chance
is .5, intervals are over topics; those with swapped versions are over swaps), and what the share of a
version's content words on the best page of the world reaches. For the own pairs: agreement of the two
ratings, how far the true version leads in plausibility, and pairs dropped by matching. For TREC 2021 Health
Misinformation: compatibility of three runs made from its judgements, and of your own. Exits with 1 where the
interval of a baseline on the own pairs leaves out .5.

`evidence`: how well support by retrieved passages, measured from words alone, tells true versions from false
ones: the share of pairs whose true version has more support (ties half, interval over topics), and AUC over
single texts. `tuned` marks the pairs on which the measure was built: every other settled topic of the own
pairs, and half of COVID-Fact by hash; no rule or constant was chosen by the rest. A text's support is the
mean over its sentences, each with its best passage of the k that BM25 finds for the text among those of all
pages or pairs. Beside it: content words on the page found first, words without any evidence (trained on other
topics), and, for COVID-Fact, the passages of another pair, which shows what a surface cue alone brings.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from lab.health_misinformation import read_health_judgements
from lab.pair_baselines import Baseline, Cue, score_baseline
from measuring import print_table, run_command, show, spend
from openiir.core.hashing import sha256
from openiir.core.retrieval import content_words
from openiir.core.retrieval.sentences import sentences
from openiir.core.world.chunking import chunk_sources
from openiir.core.world.sources import load_sources
from openiir.kit.arrays import Floats
from openiir.kit.lexical import BM25, nearest_texts
from openiir.kit.measures import measure_help_and_harm
from openiir.kit.measures.trec import read_run
from openiir.kit.statistics import Estimate, cluster_bootstrap
from openiir.plugin import Draw, Ranking
from openiir.scenarios.multi_generational.model.credibility.evidence import EvidenceIndex
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    ClaimPair,
    covid_fact_pairs,
    match_pairs,
)
from openiir.scenarios.multi_generational.run.setup import INVENTED, REFERENCE, shipped_pairs

DATA = Path(os.environ.get("OPENIIR_DATA", "data"))
COVID, TREC = DATA / "claims-covidfact" / "COVIDFACT_dataset.jsonl", DATA / "claims-trec-misinfo2021"
DRAW = Draw(7, "benchmark.evaluation_set")
EVIDENCE = Draw(7, "benchmark.evidence_support")
CUES: tuple[Cue, ...] = ("words", "length")
SWAPS, POOL = 100, 200
"""Number of random swaps, and of COVID-Fact pairs whose passages are searched together."""
Choice = Callable[[int, str], Sequence[int]]
"""Passages for a pair, by its position, and a text of it."""


def mean_over_topics(pairs: Sequence[ClaimPair], values: Sequence[float], draw: Draw = DRAW) -> Estimate:
    _, topic = np.unique([pair.topic for pair in pairs], return_inverse=True)
    return cluster_bootstrap(np.bincount(topic, values), np.bincount(topic), draw=draw)


def overlap_with_page(pairs: Sequence[ClaimPair], pages: Sequence[str]) -> Floats:
    """Share of the content words of both versions that stand on the page found first, (pairs, 2)."""
    index, words = BM25(pages), [set(content_words(page)) for page in pages]

    def share(text: str) -> float:
        own, (page,) = content_words(text), nearest_texts(index, text, 1)
        return sum(word in words[page] for word in own) / len(own)

    return np.array([[share(pair.true), share(pair.false)] for pair in pairs])


def prefer_true(support: Floats) -> Floats:
    """Whether the true version of each pair has more support; ties half."""
    return (1 + np.sign(support[:, 0] - support[:, 1])) / 2


def baseline_rows(name: str, pairs: Sequence[ClaimPair], found: Sequence[Baseline]):
    for cue, baseline in zip(CUES, found, strict=True):
        yield f"{name}, {len(pairs)} pairs", cue, *map(show, baseline)


def swapped_rows(pairs: Sequence[ClaimPair]):
    """Yield what chance gives on as many pairs: baselines where half of the pairs, drawn, have their versions
    swapped."""
    for cue in CUES:
        reached = np.array([[e.value for e in score_baseline(swap(pairs, n), cue)] for n in range(SWAPS)])
        ends = zip(reached.mean(axis=0), *np.quantile(reached, [0.025, 0.975], axis=0), strict=True)
        yield f"own, {SWAPS} times swapped at random", cue, *(show(Estimate(*one)) for one in ends)


def swap(pairs: Sequence[ClaimPair], number: int) -> list[ClaimPair]:
    swapped = DRAW.at("swap").chance(0.5, item=np.arange(len(pairs)), step=number)
    return [
        replace(pair, true=pair.false, false=pair.true) if turned else pair
        for pair, turned in zip(pairs, swapped, strict=True)
    ]


def print_help_and_harm(run: Path | None) -> None:
    judged = read_health_judgements(TREC / "filtered_qrels.txt", TREC / "misinfo-2021-topics.xml")
    graded = [(one.topic, one.item, one.relevance) for one in judged.helpful]
    wrong = [(one.topic, one.item, one.relevance) for one in judged.harmful]
    last = [(topic, item, -grade) for topic, item, grade in wrong]
    shuffled = [(topic, item, DRAW.uniform(agent=topic, item=item)) for topic, item, _ in graded + wrong]
    rows = {
        "by grade": graded + last,
        "in random order": shuffled,
        "harmful alone, most harmful first": wrong,
    }
    rankings = {name: Ranking.of(scored, "benchmark") for name, scored in rows.items()}
    if run is not None:
        rankings[run.name] = read_run(run)
    found = {name: measure_help_and_harm(ranking, *judged) for name, ranking in rankings.items()}
    print()
    print_table(
        "TREC 2021 | helpful | harmful | difference",
        (
            (name, *(f"{side.measure('').value:.3f}" for side in both), f"{both.difference.value:+.3f}")
            for name, both in found.items()
        ),
    )


def bootstrap_kappa(first: Sequence[float], second: Sequence[float], units: Sequence[str]) -> Estimate:
    """Compute Cohen's kappa with quadratic weights, with a percentile bootstrap interval over units."""
    _, unit = np.unique(units, return_inverse=True)
    both, rows = np.array([first, second]), [np.flatnonzero(unit == n) for n in range(unit.max() + 1)]
    rng, labels = np.random.default_rng(0), np.unique(both)
    drawn = [np.concatenate([rows[n] for n in rng.integers(len(rows), size=len(rows))]) for _ in range(1_000)]
    kappa = [cohen_kappa_score(*both[:, at], labels=labels, weights="quadratic") for at in drawn]
    value = cohen_kappa_score(first, second, labels=labels, weights="quadratic")
    return Estimate(value, *np.quantile(kappa, [0.025, 0.975]))


def measure_pairs(run: Path | None = None) -> None:
    matched = match_pairs(shipped_pairs())
    groups = {
        "own": matched.pairs,
        "own, settled": [pair for pair in matched.pairs if pair.topic not in INVENTED],
        "own, invented": [pair for pair in matched.pairs if pair.topic in INVENTED],
    }
    groups |= {"COVID-Fact": covid_fact_pairs(COVID)} if COVID.is_file() else {}
    found = {name: [score_baseline(pairs, cue) for cue in CUES] for name, pairs in groups.items()}
    rows = [row for name, pairs in groups.items() for row in baseline_rows(name, pairs, found[name])]
    print_table("pairs | cue | accuracy of single texts | paired", [*rows, *swapped_rows(matched.pairs)])

    pages = [path.read_text("utf-8") for path in sorted((REFERENCE / "sources").glob("*.md"))]
    right = prefer_true(overlap_with_page(matched.pairs, pages))
    overlap = f"{show(mean_over_topics(matched.pairs, right))}, {(right == 0.5).sum()} ties"
    print(f"\noverlap with the best page, paired: {overlap}")
    texts = [(p.id, *r) for p in shipped_pairs() for r in (p.true_ratings, p.false_ratings)]
    ids, first, second = zip(*texts, strict=True)
    print(f"ratings of {len(texts)} texts: weighted kappa {show(bootstrap_kappa(first, second, ids))}")
    print(f"dropped by matching: {', '.join(pair.id for pair in matched.dropped)}")
    for name in ("settled", "invented"):
        part = groups[f"own, {name}"]
        lead = mean_over_topics(part, [pair.plausibility_lead for pair in part])
        print(f"lead of the true version in points of 7, {name}: {show(lead)}")
    if TREC.is_dir():
        print_help_and_harm(run)
    sys.exit(not all(each.low <= 0.5 <= each.high for baseline in found["own"] for each in baseline))


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
    return lambda _, text: nearest_texts(index, text, k).tolist()


def evidence_row(name: str, measure: str, pairs: Sequence[ClaimPair], support: Floats) -> tuple[str, ...]:
    auc = roc_auc_score(np.tile([True, False], len(pairs)), support.ravel())
    paired = mean_over_topics(pairs, prefer_true(support), EVIDENCE)
    return f"{name}, {len(pairs)}", measure, mark_chance(paired), f"{auc:.3f}"


def mark_chance(found: Estimate) -> str:
    return show(found) + (", at chance" if found.low <= 0.5 <= found.high else "")


def cue_row(name: str, pairs: Sequence[ClaimPair]) -> tuple[str, ...]:
    paired = mark_chance(score_baseline(pairs, "words").paired)
    return f"{name}, {len(pairs)}", "words, no evidence", paired, ""


def retrieval_rows(name: str, pairs: Sequence[ClaimPair], passages: Sequence[str]):
    for k in (3, 5, 10):
        support = measure_texts(pairs, passages, retrieve(passages, k))
        yield evidence_row(name, f"support, k = {k}", pairs, support)


def covid_fact_rows(name: str, pairs: Sequence[ClaimPair]):
    passages = [passage for pair in pairs for passage in pair.passages]
    ends = np.cumsum([0, *(len(pair.passages) for pair in pairs)])
    own = [range(*one) for one in zip(ends[:-1], ends[1:], strict=True)]
    for measure, spans in (("own passages", own), ("passages of another pair", [own[-1], *own[:-1]])):
        support = measure_texts(pairs, passages, lambda row, _, spans=spans: spans[row])
        yield evidence_row(name, f"support, {measure}", pairs, support)
    yield cue_row(name, pairs)
    pool = pairs[:POOL]
    passages = list(dict.fromkeys(passage for pair in pool for passage in pair.passages))
    yield from retrieval_rows(f"{name}, pooled", pool, passages)


def evidence_rows(own: Sequence[ClaimPair], pages: Sequence[str], passages: Sequence[str]):
    settled = sorted({pair.topic for pair in own} - {*INVENTED})
    parts = {"settled, tuned": settled[::2], "settled": settled[1::2], "invented": INVENTED}
    for name, topics in parts.items():
        pairs = [pair for pair in own if pair.topic in topics]
        yield from retrieval_rows(name, pairs, passages)
        yield evidence_row(name, "content words on the page", pairs, overlap_with_page(pairs, pages))
        yield cue_row(name, pairs)
    if COVID.is_file():
        yield cue_row("COVID-Fact, both halves", pairs := covid_fact_pairs(COVID))
        for name, half in (("COVID-Fact, tuned", 0), ("COVID-Fact", 1)):
            yield from covid_fact_rows(name, [p for p in pairs if int(sha256(p.id)[1], 16) % 2 == half])


def measure_evidence() -> None:
    documents = load_sources(["sources"], REFERENCE).sources
    passages = [chunk.text for chunk in chunk_sources(documents, "main")]
    own = match_pairs(shipped_pairs()).pairs
    pages = [document.text for document in documents]
    print_table("pairs | measure | paired | AUC", evidence_rows(own, pages, passages))
    texts = [text for pair in own for text in (pair.true, pair.false)]
    spans = [text[start:end] for text in texts for start, end in sentences(text)]
    rows = [spans[n % len(spans)] for n in range(2_000)]
    index = EvidenceIndex([passages[n % len(passages)] for n in range(400)])
    times = [spend(lambda: index.measure(rows)).wall for _ in range(4)]
    print(f"\n2,000 sentences x 400 passages: {1_000 * min(times[1:]):.0f} ms")


if __name__ == "__main__":
    run_command(pairs=measure_pairs, evidence=measure_evidence)
