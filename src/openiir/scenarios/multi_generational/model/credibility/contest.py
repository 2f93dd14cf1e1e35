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
from openiir.plugin import Draw, Ranking, quantise

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
    return np.asarray(quantise((added[ahead + level] - added[ahead]) / level / weight.mean()))


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


def share_wins(p: Floats, posted: Bools) -> tuple[Floats, Floats]:
    """Compute competitive fitness sharing of authors and judges (authors, pairs, versions, judges), as shares of opponents.

    An author beats a judge who holds its false posts, on average, for less likely false than its true ones; the judge
    beats the author if more likely. A tie, and an author without posts of a kind, is nobody's.
    """
    written = posted.sum(axis=1)
    mean = np.where(posted[..., None], p, 0.0).sum(axis=1) / np.maximum(written, 1)[..., None]
    gap = np.where(written.all(axis=1)[:, None], mean[:, FALSE] - mean[:, TRUE], 0.0)
    return share_fitness(gap < 0) / p.shape[3], share_fitness((gap > 0).T) / len(p)


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


def score_versions(p: Floats, most: Floats, words: Floats) -> dict[str, float]:
    """Score mean judgements of pairs (pairs, 2), and beside them what needs no probabilities, or no judgement at all.

    `discrimination` is the share of pairs with the false version ahead, ties half. `majority` is a vote: it says of a
    version, 0 or 1, whether more than half of the judgements (`most` is their share) hold it for false. `length` suspects
    the version with more `words`. Who always says .5 has a Brier score of .25, and an AUC and a discrimination of .5.
    """
    names = (
        "brier",
        "auc",
        "discrimination",
        "majority.brier",
        "majority.discrimination",
        "length.discrimination",
    )
    if not len(p):
        return dict.fromkeys(names, math.nan)
    labels, said = np.tile((False, True), len(p)), np.where(most > 0.5, 1.0, 0.0)
    brier = [float(brier_score(one.ravel(), labels)) for one in (p, said)]
    ahead = [float((np.sign(one[:, FALSE] - one[:, TRUE]) / 2 + 0.5).mean()) for one in (p, said, words)]
    values = (brier[0], float(roc_auc(p.ravel(), labels)), ahead[0], brier[1], *ahead[1:])
    return dict(zip(names, values, strict=True))


def measure_contest(p: Floats, words: Ints, draw: Draw) -> dict[str, float]:
    """Measure judgements (authors, pairs, versions, judges) of posts with so many words, 0 for none; NaN where undefined.

    Pairs are the units of the interval and of McNemar's p-value, since many judge each; the calibration error by chance
    takes judgements as independent, and is too small. `train.*` are of `score_versions`.
    """
    there: Bools = np.asarray(words > 0)
    both: Bools = np.asarray(there.all(axis=2))[..., None]
    right, apart = (
        np.where(both, one, False).sum(axis=(0, 2))
        for one in (p[:, :, FALSE] > p[:, :, TRUE], p[:, :, FALSE] != p[:, :, TRUE])
    )
    share = cluster_bootstrap(right, apart, draw=draw.at("pairs"))
    number = np.maximum(there.sum(axis=0), 1)
    mean, most = (
        np.where(there[..., None], one, 0.0).sum(axis=(0, 3)) / number / p.shape[3] for one in (p, p > 0.5)
    )
    written: Bools = np.asarray(np.asarray(there.any(axis=0)).all(axis=1))
    versions = score_versions(mean[written], most[written], (words.sum(axis=0) / number)[written])
    return {
        "calibration_error.by_chance": draw_calibration_null(p[there].ravel(), draw.at("null"), NULL_DRAWS).value,
        "discrimination.last.low": share.low, "discrimination.last.high": share.high,
        "mcnemar": discriminate_pairs(mean[written, FALSE], mean[written, TRUE]).p if written.any() else math.nan,
        **{f"train.{name}": value for name, value in versions.items()},
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
