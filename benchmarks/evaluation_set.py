"""Surface cues, plausibility and evidence of the pairs that producers and detectors meet on.

    OPENIIR_DATA=... python benchmarks/evaluation_set.py [--run TREC_RUN]     # a minute on one core

Printed are, for the own pairs and beside them for COVID-Fact, what detectors reach that see no evidence
(chance is .5, intervals are over topics; those with swapped versions are over swaps), and what the share of a
version's content words on the best page of the world reaches. For the own pairs: agreement of the two
ratings, how far the true version leads in plausibility, pairs dropped by matching, and how a split and its
generations come out. For TREC 2021 Health Misinformation: compatibility of three runs made from its
judgements, and of your own. Exits with 1 where the interval of a baseline on the own pairs leaves out .5.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lab.health_misinformation import read_health_judgements
from lab.kappa import quadratic_kappa
from lab.pair_baselines import Baseline, Cue, score_baseline
from openiir.core.retrieval import content_words
from openiir.kit.lexical import BM25, nearest
from openiir.kit.measures import measure_help_and_harm
from openiir.kit.measures.trec import read_run
from openiir.kit.statistics import Estimate, cluster_bootstrap
from openiir.plugin import Draw, Ranking
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    ClaimPair,
    covid_fact_pairs,
    draw_split,
    match_pairs,
    rotate_items,
)
from openiir.scenarios.multi_generational.run.setup import INVENTED, REFERENCE, own_pairs

DATA = Path(os.environ.get("OPENIIR_DATA", "data"))
DRAW = Draw(7, "benchmark.evaluation_set")
CUES: tuple[Cue, ...] = ("words", "length")
SWAPS = 100


def with_interval(found: Estimate) -> str:
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


def mean_over_topics(pairs: Sequence[ClaimPair], values: Sequence[float]) -> str:
    _, topic = np.unique([pair.topic for pair in pairs], return_inverse=True)
    return with_interval(cluster_bootstrap(np.bincount(topic, values), np.bincount(topic), draw=DRAW))


def overlap_with_evidence(pairs: Sequence[ClaimPair], pages: Sequence[str]) -> str:
    """Share of pairs whose true version has more of its content words on the page that it finds; ties
    half."""
    index, words = BM25(pages), [set(content_words(page)) for page in pages]

    def share(text: str) -> float:
        own, (page,) = content_words(text), nearest(index, text, 1)
        return sum(word in words[page] for word in own) / len(own)

    leads = [share(pair.true) - share(pair.false) for pair in pairs]
    ties = sum(lead == 0 for lead in leads)
    return f"{mean_over_topics(pairs, [(1 + np.sign(lead)) / 2 for lead in leads])}, {ties} ties"


def print_baselines(name: str, pairs: Sequence[ClaimPair]) -> list[Baseline]:
    found = [score_baseline(pairs, cue) for cue in CUES]
    for cue, (accuracy, paired) in zip(CUES, found, strict=True):
        print(f"| {name}, {len(pairs)} pairs | {cue} | {with_interval(accuracy)} | {with_interval(paired)} |")
    return found


def print_swapped(pairs: Sequence[ClaimPair]) -> None:
    """Print what chance gives on as many pairs: baselines where half of the pairs, drawn, have their versions
    swapped."""
    for cue in CUES:
        reached = np.array([[e.value for e in score_baseline(swap(pairs, n), cue)] for n in range(SWAPS)])
        low, high = np.quantile(reached, [0.025, 0.975], axis=0)
        mean = reached.mean(axis=0)
        cells = [f"{mean[n]:.3f} ({low[n]:.3f} to {high[n]:.3f})" for n in range(2)]
        print(f"| own, {SWAPS} times swapped at random | {cue} | {' | '.join(cells)} |")


def swap(pairs: Sequence[ClaimPair], number: int) -> list[ClaimPair]:
    swapped = DRAW.at("swap").chance(0.5, item=np.arange(len(pairs)), step=number)
    return [
        replace(pair, true=pair.false, false=pair.true) if turned else pair
        for pair, turned in zip(pairs, swapped, strict=True)
    ]


def print_help_and_harm(folder: Path, run: Path | None) -> None:
    judged = read_health_judgements(folder / "filtered_qrels.txt", folder / "misinfo-2021-topics.xml")
    graded = [(one.topic, one.item, one.relevance) for one in judged.helpful]
    wrong = [(one.topic, one.item, one.relevance) for one in judged.harmful]
    last = [(topic, item, -grade) for topic, item, grade in wrong]
    shuffled = [(topic, item, DRAW.uniform(agent=topic, item=item)) for topic, item, _ in graded + wrong]
    scored = {
        "by grade": graded + last,
        "in random order": shuffled,
        "harmful alone, most harmful first": wrong,
    }
    rankings = {name: Ranking.of(rows, "benchmark") for name, rows in scored.items()}
    if run is not None:
        rankings[run.name] = read_run(run)
    print("\n| TREC 2021 | helpful | harmful | difference |\n|---|---|---|---|")
    for name, ranking in rankings.items():
        found = measure_help_and_harm(ranking, *judged)
        helpful, harmful = (side.measure("no topic is judged").value for side in found)
        print(f"| {name} | {helpful:.3f} | {harmful:.3f} | {found.difference.value:+.3f} |")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument(
        "--run", type=Path, help="a TREC run, to measure beside those made from the judgements"
    )
    run = arguments.parse_args().run
    matched = match_pairs(own_pairs())
    print("| pairs | cue | accuracy of single texts | paired |\n|---|---|---|---|")
    own = print_baselines("own", matched.pairs)
    print_baselines("own, settled", [pair for pair in matched.pairs if pair.topic not in INVENTED])
    print_baselines("own, invented", [pair for pair in matched.pairs if pair.topic in INVENTED])
    print_swapped(matched.pairs)
    covid = DATA / "claims-covidfact" / "COVIDFACT_dataset.jsonl"
    if covid.is_file():
        print_baselines("COVID-Fact", covid_fact_pairs(covid))

    pages = [path.read_text("utf-8") for path in sorted((REFERENCE / "sources").glob("*.md"))]
    print(f"\noverlap with the best page, paired: {overlap_with_evidence(matched.pairs, pages)}")
    texts = [(p.id, *r) for p in own_pairs() for r in (p.true_ratings, p.false_ratings)]
    ids, first, second = zip(*texts, strict=True)
    print(
        f"ratings of {len(texts)} texts: weighted kappa {with_interval(quadratic_kappa(first, second, ids))}"
    )
    print(f"dropped by matching: {', '.join(pair.id for pair in matched.dropped)}")
    for name, invented in (("settled", False), ("invented", True)):
        part = [pair for pair in matched.pairs if (pair.topic in INVENTED) == invented]
        leads = [pair.lead for pair in part]
        print(f"lead of the true version in points of 7, {name}: {mean_over_topics(part, leads)}")
    split = draw_split(matched.pairs, 6, DRAW)
    held_out = sorted({pair.topic for pair in split.held_out})
    used = {pair.id for n in range(3) for pair in rotate_items(split.train, 20, n, DRAW)}
    print(
        f"held out: {', '.join(held_out)}; {len(split.train)} pairs to train on, {len(used)} in 3 generations"
    )

    if (DATA / "claims-trec-misinfo2021").is_dir():
        print_help_and_harm(DATA / "claims-trec-misinfo2021", run)
    sys.exit(not all(each.low <= 0.5 <= each.high for baseline in own for each in baseline))


if __name__ == "__main__":
    main()
