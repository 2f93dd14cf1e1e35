"""Measures by answerer: group users by who answers for them, where it is not behaviour models alone."""

from math import nan

import numpy as np

from openiir.kit import measures
from openiir.kit.arrays import Floats
from openiir.kit.rankers import row_lengths
from openiir.plugin import Measure, ratio
from openiir.scenarios.curated_feed.measures.aggregates import Aggregates

_GRID = 2.0**20
"""Grid to which each user's drift is rounded before it is summed, as in the table `weeks`."""


def group_by_answerer(sums: Aggregates) -> dict[str, dict[str, Measure]]:
    """Compute measures by answerer (model or person), `offline` first; empty if only `offline` answers.

    They are users, opinion_variance (at the end), drift and click_rate.
    Users count by who answered for them in the last week, impressions by who answered on them.
    """
    rows = sums.tables.of("standings", sums.feed)
    if not rows or all((rows[name] == "offline").all() for name in ("belief_by", "clicks_by")):
        return {}
    k, by = len(sums.topics["topic"]), {}
    last, there = rows["week"] == sums.week, rows["week"] <= sums.week
    names = sorted({*rows["belief_by"][last], *rows["clicks_by"][there]} - {"offline"})
    left = [
        sums.users,
        sums.topics["belief_sum"],
        np.diag(sums.products),
        float(sums.last("drift_sum")),
        sums.total("shown"),
        sums.total("clicks"),
    ]
    for name in names:
        own, clicked = last & (rows["belief_by"] == name), there & (rows["clicks_by"] == name)
        belief, first = (np.asarray(rows[column][own]).reshape(-1, k) for column in ("belief", "first"))
        moved = float(np.rint(row_lengths(belief - first) * _GRID).sum()) / _GRID
        parts = [len(belief), belief.sum(axis=0), (belief**2).sum(axis=0), moved]
        parts += [float(np.rint(rows[column][clicked].sum())) for column in ("shown", "clicked")]
        by[name] = _group(*parts)
        left = [whole - part for whole, part in zip(left, parts, strict=True)]
    return {"offline": _group(*left), **by}


def _group(
    users: int, first: Floats, squares: Floats, drift: float, shown: float, clicks: float
) -> dict[str, Measure]:
    none = "no users are left"
    variance = measures.opinion_variance.measure(first, squares, users) if users else Measure(nan, none)
    return {
        "users": Measure(float(users)),
        "opinion_variance": variance,
        "drift": ratio(max(drift, 0.0), users, none),
        "click_rate": ratio(clicks, shown, "nobody was shown anything"),
    }
