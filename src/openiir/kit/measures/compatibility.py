"""Compatibility: the similarity of a ranking to the best ranking that judgements allow, by rank-biased
overlap.

Clarke, Vtyurina & Smucker, "Assessing top-k preferences", TOIS 2021. The track on health misinformation of
TREC 2020 to 2022 reports it against helpful and against harmful documents.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from openiir.core.records.measure import undefined_measure
from openiir.kit.measures.average import Average
from openiir.kit.measures.trec import Judgement
from openiir.plugin import Measure, Ranking

PERSISTENCE, DEPTH = 0.95, 1_000
"""Default chance of going on to the next rank, and deepest rank that counts.

The value depends on the depth as soon as there are fewer judged items than that: compare values of one depth
alone.
"""


def rank_biased_overlap(
    one: Sequence[str], other: Sequence[str], p: float = PERSISTENCE, depth: int = DEPTH
) -> float:
    """Compute the truncated rank-biased overlap of two rankings (Webber, Moffat & Zobel, TOIS 2010), 0 to 1.

    The overlap at rank d is the number of items in both first d divided by d, also where a ranking is
    shorter; the weights p^(d-1) are normalised over ranks 1 to `depth`. No item may come twice in a ranking.
    """
    place = {item: rank for rank, item in enumerate(one[:depth])}
    met = [max(place[item], rank) for rank, item in enumerate(other[:depth]) if item in place]
    overlap = np.bincount(np.array(met, dtype=np.int64), minlength=depth).cumsum() / np.arange(1, depth + 1)
    weight = p ** np.arange(depth)
    return float((weight * overlap).sum() / weight.sum())


def compatibility(
    ranking: Sequence[str], grades: Mapping[str, float], p: float = PERSISTENCE, depth: int = DEPTH
) -> Measure:
    """Compute the largest rank-biased overlap with an ideal ranking, normalised to 0 to 1.

    Ideal rankings hold the items with a positive grade by falling grade. Among equal grades the ranking's own
    order is the best, and items that it lacks come last, by id. Undefined where no grade is positive.
    """
    rank = {item: n for n, item in enumerate(ranking)}
    ideal = sorted(
        (item for item, grade in grades.items() if grade > 0),
        key=lambda item: (-grades[item], rank.get(item, len(rank)), item),
    )
    if not ideal:
        return undefined_measure("no item has a positive grade")
    best = rank_biased_overlap(ideal, ideal, p, depth)
    return Measure(rank_biased_overlap(ranking, ideal, p, depth) / best)


class HelpAndHarm(NamedTuple):
    """Mean compatibility with helpful items (high is good) and with harmful ones (low is good)."""

    helpful: Average
    harmful: Average

    @property
    def difference(self) -> Measure:
        """Mean compatibility with helpful items minus that with harmful ones, -1 to 1."""
        reason = "no topic has a helpful item, or none a harmful one"
        one, other = self.helpful.measure(reason), self.harmful.measure(reason)
        return Measure(one.value - other.value, one.reason or other.reason)


def measure_help_and_harm(
    ranking: Ranking,
    helpful: Sequence[Judgement],
    harmful: Sequence[Judgement],
    p: float = PERSISTENCE,
    depth: int = DEPTH,
) -> HelpAndHarm:
    """Measure a ranking against helpful and harmful judgements.

    A judged topic that the ranking lacks counts as 0, since nothing was retrieved for it.
    """
    lists: dict[str, list[str]] = {}
    for row in ranking.rows:
        lists.setdefault(row.topic, []).append(row.item)

    def average(judgements: Sequence[Judgement]) -> Average:
        grades: dict[str, dict[str, float]] = {}
        for one in judgements:
            grades.setdefault(one.topic, {})[one.item] = one.relevance
        found = [compatibility(lists.get(topic, ()), graded, p, depth) for topic, graded in grades.items()]
        return Average.of([measure.value for measure in found])

    return HelpAndHarm(average(helpful), average(harmful))
