"""A contest over texts: producers win by survival and attention, detectors by calibrated rejection."""

import numpy as np

from openiir.kit.arrays import Bools, Floats
from openiir.kit.evolution import share_fitness
from openiir.kit.measures.discounted_gain import discounts
from openiir.kit.measures.judgements import (
    brier_parts,
    brier_score,
    calibration_error,
    discriminate_pairs,
    recall_at_false_positives,
    roc_auc,
)
from openiir.plugin import quantise

TRUE, FALSE = 0, 1
"""Places of the versions."""


def share_attention(score: Floats) -> Floats:
    """Distribute attention over the posts on each claim (writers, claims) by match score; the mean is 1.

    Readers who search for the claim's words look at the r-th post with weight 1 / log2(1 + r), the discount
    of nDCG (Järvelin & Kekäläinen, TOIS 2002); ties share their weights.
    """
    weight = discounts(len(score))
    ahead, level = (score > score[:, None]).sum(axis=1), (score == score[:, None]).sum(axis=1)
    added = np.append(0.0, np.cumsum(weight))
    return np.asarray(quantise((added[ahead + level] - added[ahead]) / level / weight.mean()))


def weigh_fitness(survival: Floats, attention: Floats, p: Floats, posted: Bools) -> tuple[Floats, Floats]:
    """Compute the fitness that a contest gives to authors and to judges, before the cost of reading.

    An author's is the mean of survival times attention over the false versions (authors, pairs, versions). A
    judge's is 1 less the Brier score, balanced between true and false posts, of its judgements (opposing
    authors, pairs, versions, judges) of the posts there are; without posts of a kind, that kind counts as
    judged at .5.
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
    """Compute competitive fitness sharing (a win counts more if few win) for authors and for judges.

    `p` is (authors, pairs, versions, judges). An author beats a judge who holds its false posts, on average,
    for less likely false than its true ones; the judge beats the author if more likely. A tie, and an author
    without posts of a kind, is nobody's.
    """
    written = posted.sum(axis=1)
    mean = np.where(posted[..., None], p, 0.0).sum(axis=1) / np.maximum(written, 1)[..., None]
    gap = np.where(written.all(axis=1)[:, None], mean[:, FALSE] - mean[:, TRUE], 0.0)
    return share_fitness(gap < 0) / p.shape[3], share_fitness((gap > 0).T) / len(p)


def summarise_judgements(p: Floats, posted: Bools) -> dict[str, float]:
    """Measure judgements (producers, pairs, versions, detectors) of existing posts; NaN if undefined."""
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
