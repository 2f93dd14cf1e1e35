"""What a meeting is worth: survival and attention to producers, calibrated rejection to detectors."""

import numpy as np

from openiir.kit.arrays import Bools, Floats
from openiir.kit.evolution import share_fitness

TRUE, FALSE = 0, 1
"""Places of the versions."""


def share_attention(score: Floats) -> Floats:
    """Share attention among the posts for each claim (writers, claims), 1 on average, by how well they match it.

    Readers who search for the claim's words look at the r-th post with weight 1 / log2(1 + r), the discount of nDCG
    (Järvelin & Kekäläinen, TOIS 2002); ties share their weights.
    """
    weight = 1 / np.log2(2 + np.arange(len(score)))
    ahead, level = (score > score[:, None]).sum(axis=1), (score == score[:, None]).sum(axis=1)
    added = np.append(0.0, np.cumsum(weight))
    return np.asarray((added[ahead + level] - added[ahead]) / level / weight.mean())


def producer_fitness(survival: Floats, attention: Floats, depth: Floats, cost: float) -> Floats:
    """Compute the mean of survival times attention over the false versions of the pairs, less what look-ups cost.

    Tables are (producers, pairs, versions); `depth` is the number of passages read, and `cost` that of reading 10.
    """
    return np.asarray((survival * attention)[..., FALSE].mean(axis=1) - cost * depth / 10)


def detector_fitness(p: Floats, posted: Bools, depth: Floats, cost: float) -> Floats:
    """Compute 1 less the Brier score, balanced between true and false posts, less what look-ups cost.

    `p` are the judgements (producers, pairs, versions, detectors), `posted` the posts there are; without posts of a
    kind, that kind counts as judged at .5.
    """
    loss = [
        np.where(there[..., None], (p[:, :, kind] - kind) ** 2, 0.0).sum(axis=(0, 1)) / there.sum() if there.any() else 0.25
        for kind in (TRUE, FALSE)
        for there in (posted[:, :, kind],)
    ]
    return np.asarray(1 - (loss[TRUE] + loss[FALSE]) / 2 - cost * depth / 10)


def shared_fitness(p: Floats) -> tuple[Floats, Floats]:
    """Compute competitive fitness sharing of producers and detectors, as shares of their opponents.

    A producer beats a detector who holds its false posts, on average, for no likelier false than its true ones; else
    the detector beats it. `p` as in `detector_fitness`.
    """
    fooled = p[:, :, FALSE].mean(axis=1) <= p[:, :, TRUE].mean(axis=1)
    return share_fitness(fooled) / fooled.shape[1], share_fitness(~fooled.T) / fooled.shape[0]
