"""How good the judgements of a contest are: discrimination, a vote, length, calibration, compatibility."""

import math
from collections.abc import Sequence

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.measures.compatibility import measure_help_and_harm
from openiir.kit.measures.judgements import (
    brier_score,
    discriminate_pairs,
    draw_calibration_null,
    roc_auc,
)
from openiir.kit.measures.trec import Judgement
from openiir.kit.statistics import cluster_bootstrap
from openiir.plugin import Draw, Ranking
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE, TRUE

NULL_DRAWS = 20
"""Draws of labels for the calibration error by chance."""
VERSION_SCORES = (
    "brier auc discrimination majority.brier majority.discrimination length.discrimination".split()
)
"""Names of what `score_versions` returns."""


def score_versions(p: Floats, most: Floats, words: Floats) -> dict[str, float]:
    """Score mean judgements of true-false pairs, (pairs, 2), beside a majority vote and text length.

    `discrimination` is the share of pairs with the false version ahead, ties half. `majority` is a vote: it
    says of a version, 0 or 1, whether more than half of the judgements (`most` is their share) hold it for
    false. `length` suspects the version with more `words`. Who always says .5 has a Brier score of .25, and
    an AUC and a discrimination of .5.
    """
    if not len(p):
        return dict.fromkeys(VERSION_SCORES, math.nan)
    labels, said = np.tile((False, True), len(p)), np.where(most > 0.5, 1.0, 0.0)
    brier = [float(brier_score(one.ravel(), labels)) for one in (p, said)]
    ahead = [float((np.sign(one[:, FALSE] - one[:, TRUE]) / 2 + 0.5).mean()) for one in (p, said, words)]
    values = (brier[0], float(roc_auc(p.ravel(), labels)), ahead[0], brier[1], *ahead[1:])
    return dict(zip(VERSION_SCORES, values, strict=True))


def measure_contest(p: Floats, words: Ints, draw: Draw) -> dict[str, float]:
    """Measure judgements (authors, pairs, versions, judges) of posts with these word counts, 0 for no post.

    Pairs are the units of the interval and of McNemar's p-value, since many judge each; the calibration error
    by chance takes judgements as independent, and is too small. `train.*` are of `score_versions`.
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
    by_chance = draw_calibration_null(p[there].ravel(), draw.at("null"), NULL_DRAWS)
    told = mean[written, FALSE], mean[written, TRUE]
    return {
        "calibration_error.by_chance": by_chance.value,
        "discrimination.last.low": share.low,
        "discrimination.last.high": share.high,
        "mcnemar": discriminate_pairs(*told).p if written.any() else math.nan,
        **{f"train.{name}": value for name, value in versions.items()},
    }


def measure_compatibility(p: Floats, there: Bools, topics: Sequence[str]) -> tuple[float, float]:
    """Compute the compatibility of each topic's trust ranking of posts with its true and its false posts.

    `topics` has that of each pair. Clarke, Vtyurina & Smucker (TOIS 2021), to depth 1,000.
    """
    places = [(topics[b], f"{a}/{b}/{c}", -float(p[a, b, c]), c) for a, b, c in np.argwhere(there).tolist()]
    true, false = (
        [Judgement(topic, post, 1) for topic, post, _, kind in places if kind == one] for one in (TRUE, FALSE)
    )
    ranking = Ranking.of(sorted((one[:3] for one in places), key=lambda one: one[0]), "trust")
    found = measure_help_and_harm(ranking, true, false)
    return found.helpful.measure("none").value, found.harmful.measure("none").value
