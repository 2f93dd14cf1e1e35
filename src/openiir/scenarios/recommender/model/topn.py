"""Offline measures of top-N recommendation per user: nDCG, recall and F1 at k against held-out items.

Binary gain: a held-out item is relevant, any other is not. nDCG discounts by log2(rank + 1) and is normalised
by the best list of k there could be (Järvelin & Kekäläinen, TOIS 2002).
"""

from typing import Any, NamedTuple

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.measures.average import Average
from openiir.kit.measures.discounted_gain import discounts
from openiir.kit.statistics.resampling import divide_arrays


class TopN(NamedTuple):
    """nDCG, recall and F1 of each user's list, (B,); NaN for a user without a relevant item."""

    ndcg: Floats
    recall: Floats
    f1: Floats
    """Harmonic mean of precision, hits / k, and recall; 0 where both are 0."""

    def averages(self) -> dict[str, Average]:
        """Average each measure over the users that have a value."""
        return {name: Average.of(values) for name, values in self._asdict().items()}


def top_n(shown: Ints, relevant: Any) -> TopN:
    """Compute nDCG, recall and F1 at k of ranked lists (B, k).

    Lists are best first, -1 after the last; `relevant` is a CSR array (B, items). What is stored in
    `relevant` counts as relevant, whatever its value. A short list is measured at k all the same. Raises
    ValueError where a list holds an item twice.
    """
    users, k = shown.shape
    there = shown >= 0
    row = np.repeat(np.arange(users), k)[there.ravel()]
    keys = row * relevant.shape[1] + shown[there]
    if len(np.unique(keys)) < len(keys):
        raise ValueError("a list holds an item twice")
    sizes = np.diff(relevant.indptr)
    wanted = np.repeat(np.arange(users), sizes) * relevant.shape[1] + relevant.indices
    hit = np.zeros(shown.shape)
    hit[there] = np.isin(keys, wanted)
    weight = discounts(k)
    ideal = np.concatenate([[0.0], np.cumsum(weight)])[np.minimum(sizes, k)]
    hits = hit.sum(axis=1)
    # F1 = 2PR / (P + R) with P = hits / k and R = hits / n is 2 hits / (k + n).
    return TopN(
        ndcg=divide_arrays((hit * weight).sum(axis=1), ideal),
        recall=divide_arrays(hits, sizes),
        f1=np.where(sizes > 0, 2 * hits / (k + sizes), np.nan),
    )
