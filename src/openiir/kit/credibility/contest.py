"""A contest of producers and detectors of texts: survival and attention to the first, calibrated rejection to the second."""

import math
from collections.abc import Sequence

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.evolution import share_fitness
from openiir.kit.measures.compatibility import measure_help_and_harm
from openiir.kit.measures.judgements import (
    brier_parts,
    brier_score,
    calibration_error,
    discriminate_pairs,
    draw_calibration_null,
    recall_at_false_positives,
    roc_auc,
)
from openiir.kit.measures.trec import Judgement
from openiir.kit.statistics import cluster_bootstrap
from openiir.plugin import Draw, Ranking

TRUE, FALSE = 0, 1
"""Places of the versions."""
NULL_DRAWS = 20
"""Draws of labels for the calibration error by chance."""


def share_attention(score: Floats) -> Floats:
    """Share attention among the posts for each claim (writers, claims), 1 on average, by how well they match it.

    Readers who search for the claim's words look at the r-th post with weight 1 / log2(1 + r), the discount of nDCG
    (Järvelin & Kekäläinen, TOIS 2002); ties share their weights.
    """
    weight = 1 / np.log2(2 + np.arange(len(score)))
    ahead, level = (score > score[:, None]).sum(axis=1), (score == score[:, None]).sum(axis=1)
    added = np.append(0.0, np.cumsum(weight))
    return np.asarray((added[ahead + level] - added[ahead]) / level / weight.mean())


def weigh_fitness(survival: Floats, attention: Floats, p: Floats, posted: Bools) -> tuple[Floats, Floats]:
    """Compute what a contest is worth to authors and to judges, before the cost of reading.

    An author's is the mean of survival times attention over the false versions (authors, pairs, versions). A judge's is 1
    less the Brier score, balanced between true and false posts, of its judgements (opposing authors, pairs, versions,
    judges) of the posts there are; without posts of a kind, that kind counts as judged at .5.
    """
    loss = [
        np.where(there[..., None], (p[:, :, kind] - kind) ** 2, 0.0).sum(axis=(0, 1)) / there.sum()
        if there.any()
        else 0.25
        for kind in (TRUE, FALSE)
        for there in (posted[:, :, kind],)
    ]
    return (survival * attention)[..., FALSE].mean(axis=1), np.asarray(1 - (loss[TRUE] + loss[FALSE]) / 2)


def share_wins(p: Floats) -> tuple[Floats, Floats]:
    """Compute competitive fitness sharing of authors and judges (authors, pairs, versions, judges), as shares of opponents.

    An author beats a judge who holds its false posts, on average, for less likely false than its true ones; the judge
    beats the author if more likely. A tie is nobody's.
    """
    false, true = p[:, :, FALSE].mean(axis=1), p[:, :, TRUE].mean(axis=1)
    return share_fitness(false < true) / p.shape[3], share_fitness((false > true).T) / len(p)


def summarise_judgements(p: Floats, posted: Bools) -> dict[str, float]:
    """Measure judgements (producers, pairs, versions, detectors) of the posts there are; NaN where it is undefined."""
    there, both = np.broadcast_to(posted[..., None], p.shape), posted.all(axis=2)
    kept, false = p[there], np.broadcast_to(np.array([False, True])[:, None], p.shape)[there]
    parts = brier_parts(kept, false)
    return {
        "brier": float(brier_score(kept, false)),
        "reliability": parts.reliability,
        "resolution": parts.resolution,
        "calibration_error": float(calibration_error(kept, false)),
        "auc": float(roc_auc(kept, false)),
        "recall": float(recall_at_false_positives(kept, false)),
        "discrimination": discriminate_pairs(p[both][:, FALSE].ravel(), p[both][:, TRUE].ravel()).share.value,
    }


def score_versions(p: Floats) -> tuple[float, float]:
    """Score the mean judgements of pairs (pairs, 2) by Brier and the share of pairs with the false version ahead, ties half."""
    if not len(p):
        return math.nan, math.nan
    gap = p[:, FALSE] - p[:, TRUE]
    labels = np.tile((False, True), len(p))
    return float(brier_score(p.ravel(), labels)), float(((gap > 0) + (gap == 0) / 2).mean())


def measure_contest(p: Floats, words: Ints, draw: Draw) -> dict[str, float]:
    """Measure judgements (authors, pairs, versions, judges) of posts with so many words, 0 for none; NaN where undefined.

    Pairs are the units of the interval and of McNemar's p-value, since many judge each; the calibration error by chance
    takes judgements as independent, and is too small. `majority` says of a version what most judgements of it say, and
    `length` suspects the longer posts.
    """
    there: Bools = np.asarray(words > 0)
    both: Bools = np.asarray(there.all(axis=2))[..., None]
    right, apart = (
        np.where(both, one, False).sum(axis=(0, 2))
        for one in (p[:, :, FALSE] > p[:, :, TRUE], p[:, :, FALSE] != p[:, :, TRUE])
    )
    share = cluster_bootstrap(right, apart, draw=draw.at("pairs"))
    number = np.maximum(there.sum(axis=0), 1) * p.shape[3]
    mean, most = (np.where(there[..., None], one, 0.0).sum(axis=(0, 3)) / number for one in (p, p > 0.5))
    written: Bools = np.asarray(np.asarray(there.any(axis=0)).all(axis=1))
    brier, ahead = score_versions(mean[written])
    false = np.broadcast_to(np.array([False, True]), there.shape)[there]
    return {
        "calibration_error.by_chance": draw_calibration_null(p[there].ravel(), draw.at("null"), NULL_DRAWS).value,
        "discrimination.last.low": share.low, "discrimination.last.high": share.high,
        "mcnemar": discriminate_pairs(mean[written, FALSE], mean[written, TRUE]).p if written.any() else math.nan,
        "majority.brier": float(((most[written] > 0.5) != np.array([False, True])).mean()) if written.any() else math.nan,
        "length.auc": float(roc_auc(words[there] / max(words.max(), 1), false)),
        "train.brier": brier, "train.discrimination": ahead,
    }  # fmt: skip


def measure_compatibility(p: Floats, there: Bools, topics: Sequence[str]) -> tuple[float, float]:
    """Rank each topic's posts (authors, pairs, versions) by falling trust; gives compatibility with the true and the false.

    `topics` has that of each pair. Clarke, Vtyurina & Smucker (TOIS 2021), to depth 1,000.
    """
    places = [(topics[b], f"{a}/{b}/{c}", -float(p[a, b, c]), c) for a, b, c in np.argwhere(there).tolist()]
    true, false = (
        [Judgement(topic, post, 1) for topic, post, _, kind in places if kind == one] for one in (TRUE, FALSE)
    )
    ranking = Ranking.of(sorted((one[:3] for one in places), key=lambda one: one[0]), "trust")
    found = measure_help_and_harm(ranking, true, false)
    return found.helpful.measure("none").value, found.harmful.measure("none").value
