"""Effectiveness of keyword, vector, hybrid and reranked search on Cranfield and CISI, compared with BM25.

    OPENIIR_DATA=... python benchmarks/retrieval.py [--dimensions 100]

Needs the Cranfield 1400 and CISI collections in SMART format (`ir-cranfield/original`, `ir-cisi`). The weight
of BM25 in the hybrid, and then that of the neighbours in the second stage, are chosen on Cranfield's
odd-numbered queries by nDCG@10 and reported on its even-numbered ones and on CISI.

How judgements are read. Cranfield's original grades run from 1 (a complete answer) to 4 (of minimum
interest), and one document a query bears -1. Gains are 5 minus the grade, and a -1 document, which rankers
place above those of grade 1, gains as much as a grade 1. Queries are joined to judgements by position, since
the numbers in the query file are not the ones judged. Cranfield's text field opens with the title, so it is
indexed alone; CISI's documents and queries are title and text, without authors and cross-references. CISI's
judgements are binary; its queries without judgements are left out.
"""

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import AP, nDCG
from numpy.typing import NDArray

from measuring import data_folder, run_command
from openiir.core.retrieval.hybrid import RERANKED, HybridIndex, best_positions, mix, smooth
from openiir.core.retrieval.vectors import DIMENSIONS, LSA
from openiir.kit.statistics import paired_difference

MEASURES = [nDCG @ 10, AP]
WEIGHTS = [round(0.05 * i, 2) for i in range(21)]
DEPTH = 1_000


@dataclass(frozen=True)
class Collection:
    """A test collection: documents and queries by id, and gains by query and document."""

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    judged: dict[str, dict[str, int]]


def smart(text: str, fields: str) -> list[tuple[str, str]]:
    """Parse a SMART file: (number, text of the wanted fields) of each record, in order."""
    records = []
    for record in re.split(r"^\.I\s+", text, flags=re.MULTILINE)[1:]:
        number, _, body = record.partition("\n")
        parts = re.split(r"^\.([A-Z])[^\S\n]*\n", body, flags=re.MULTILINE)
        named = zip(parts[1::2], parts[2::2], strict=True)
        wanted = [content.strip() for field, content in named if field in fields]
        records.append((number.strip().lstrip("0"), "\n".join(wanted)))
    return records


def cranfield(root: Path, unnumbered: int = 4) -> Collection:
    """Load Cranfield 1400 with grades converted to gains of 1 to 4, and -1 to `unnumbered`."""
    folder = root / "ir-cranfield" / "original"
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / "cranqrel").read_text().splitlines():
        query, document, grade = line.split()[:3]
        judged.setdefault(query, {})[document] = unnumbered if grade == "-1" else 5 - int(grade)
    asked = smart((folder / "cran.qry").read_text(), "W")
    queries = {str(place): text for place, (_, text) in enumerate(asked, 1)}
    return Collection("Cranfield", dict(smart((folder / "cran.all.1400").read_text(), "W")), queries, judged)


def cisi(root: Path) -> Collection:
    """Load CISI with its binary judgements; queries without judgements are dropped."""
    folder = root / "ir-cisi"
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / "CISI.REL").read_text().splitlines():
        if line.strip():
            query, document = line.split()[:2]
            judged.setdefault(query, {})[document] = 1
    queries = {n: text for n, text in smart((folder / "CISI.QRY").read_text(), "TW") if n in judged}
    return Collection("CISI", dict(smart((folder / "CISI.ALL").read_text(), "TW")), queries, judged)


Run = dict[str, dict[str, float]]
Scores = dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]


async def score(index: HybridIndex[str], queries: dict[str, str]) -> Scores:
    """Compute BM25 and cosine of every document for each query."""
    return {
        number: (await index.scores(text, "keyword"), await index.scores(text, "vector"))
        for number, text in queries.items()
    }


def rank(index: HybridIndex[str], scores: Scores, weight: float, smoothing: float = 0.0) -> Run:
    """Rank the first documents of each query, with ranks as scores to preserve the index's tie-breaking."""
    ranked: Run = {}
    for number, (lexical, similarity) in scores.items():
        mixed = mix(lexical, similarity, weight)
        if smoothing:
            first = best_positions(mixed, RERANKED, index.ids, above=0.0)
            mixed[first] = smooth(mixed[first], index._units[first], smoothing)
        best = best_positions(mixed, DEPTH, index.ids)
        ranked[number] = {index.ids[at]: float(DEPTH - place) for place, at in enumerate(best)}
    return ranked


def evaluate(collection: Collection, ranked: Run) -> dict[str, float]:
    """Compute mean measures over the queries; a query without results counts as 0."""
    judged = {query: collection.judged[query] for query in ranked}
    means = ir_measures.calc_aggregate(MEASURES, judged, ranked)
    return {str(measure): float(value) for measure, value in means.items()}


def by_query(collection: Collection, ranked: Run) -> list[float]:
    """Compute nDCG@10 of each query, in the order of the run."""
    found = ir_measures.iter_calc([nDCG @ 10], {query: collection.judged[query] for query in ranked}, ranked)
    value = {one.query_id: float(one.value) for one in found}
    return [value.get(query, 0.0) for query in ranked]


def parity(queries: dict[str, str], odd: bool) -> dict[str, str]:
    return {number: text for number, text in queries.items() if int(number) % 2 == odd}


def choose(index: HybridIndex[str], collection: Collection, odd: Scores) -> tuple[float, float]:
    """Choose the weights of BM25 and of neighbours on odd-numbered queries."""
    weight = best_of("BM25", {w: evaluate(collection, rank(index, odd, w))["nDCG@10"] for w in WEIGHTS})
    gains = {w: evaluate(collection, rank(index, odd, weight, w))["nDCG@10"] for w in WEIGHTS}
    return weight, best_of("the neighbours", gains)


def best_of(what: str, gains: dict[float, float]) -> float:
    """Choose the weight with the best nDCG@10; ties go to the one nearest 0.5."""
    print(f"weight of {what} and nDCG@10 on odd-numbered Cranfield queries")
    for row in range(0, len(WEIGHTS), 7):
        print("  " + "  ".join(f"{w:.2f} {gains[w]:.4f}" for w in WEIGHTS[row : row + 7]))
    return max(WEIGHTS, key=lambda w: (round(gains[w], 4), -abs(w - 0.5)))


def report(
    collection: Collection, index: HybridIndex[str], scores: Scores, weight: float, smoothing: float
) -> None:
    """Print BM25 (weight 1), LSA (weight 0), hybrid and reranked, with their ratio to BM25.

    The last line is the paired difference of reranked to hybrid over queries, with its interval.
    """
    print(f"\n{collection.name}: {len(collection.documents)} documents, {len(scores)} queries")
    print(f"  {'':<14}{'nDCG@10':>9}{'ratio':>8}{'MAP':>9}{'ratio':>8}")
    base = evaluate(collection, rank(index, scores, 1.0))
    ways = (("BM25", 1.0, 0.0), ("LSA", 0.0, 0.0), (f"hybrid {weight:g}", weight, 0.0))
    for label, share, second in (*ways, (f"rerank {smoothing:g}", weight, smoothing)):
        means = evaluate(collection, rank(index, scores, share, second))
        cells = "".join(f"{means[str(m)]:>9.4f}{means[str(m)] / base[str(m)]:>8.3f}" for m in MEASURES)
        print(f"  {label:<14}{cells}")
    pair = (by_query(collection, rank(index, scores, weight, second)) for second in (0.0, smoothing))
    gain = paired_difference(*pair)
    print(f"  rerank to hybrid, nDCG@10 {gain.value:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]")


async def build(collection: Collection, dimensions: int) -> HybridIndex[str]:
    texts = list(collection.documents.values())
    return await HybridIndex.build(list(collection.documents), texts, LSA.fit(texts, dimensions))


async def measure(root: Path, dimensions: int) -> None:
    first, second = cranfield(root), cisi(root)
    index = await build(first, dimensions)
    weights = choose(index, first, await score(index, parity(first.queries, odd=True)))
    even = await score(index, parity(first.queries, odd=False))
    report(first, index, even, *weights)
    print("\nThe same with every -1 judged irrelevant:", end="")
    report(cranfield(root, unnumbered=0), index, even, *weights)
    index = await build(second, dimensions)
    report(second, index, await score(index, second.queries), *weights)


def main(dimensions: int = DIMENSIONS) -> None:
    asyncio.run(measure(data_folder(), dimensions))


if __name__ == "__main__":
    run_command(main)
