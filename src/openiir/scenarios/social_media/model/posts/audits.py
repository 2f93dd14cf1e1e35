"""Audits of exposure: how often each side of a question is seen, and by whom."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from openiir.kit.arrays import Bools, Ints
from openiir.kit.networks import build_graph, random_walk_controversy
from openiir.plugin import Measure, ratio


def audit_sides(
    side: Ints, reader: Ints, author: Ints, shown_by: Ints, reposted: Bools
) -> dict[str, Measure]:
    """Measure from looks, one row each, how often each side is seen and how far apart the two are.

    `side` is by member: 1 for, 0 against, -1 neither. `exposure.for` and `exposure.against` are looks at what the members of
    a side wrote, by member of it: the amplification of Huszar et al. (PNAS 2022) is how much larger it is than under another
    ranker, less 1. `cross_cutting` is the share of looks at authors of the other side (Bakshy et al., Science 2015), and
    `controversy` that of the network of reposts (Garimella et al., WSDM 2016).
    """
    seen, own = side[author], side[reader]
    both = (seen >= 0) & (own >= 0)
    names, place = np.unique(np.concatenate((reader[reposted], shown_by[reposted])), return_inverse=True)
    names = names.astype(np.int64)
    graph = build_graph(len(names), *np.split(place, 2)).graph
    return {
        "exposure.for": ratio(int((seen == 1).sum()), int((side == 1).sum()), "nobody is for it"),
        "exposure.against": ratio(int((seen == 0).sum()), int((side == 0).sum()), "nobody is against it"),
        "cross_cutting": ratio(
            int((seen != own)[both].sum()), int(both.sum()), "nobody looked at either side"
        ),
        "controversy": random_walk_controversy.measure(graph, side[names]),
    }


def compare_veracity(post: Ints, reposted: Bools, false: Sequence[int], true: Sequence[int]) -> Measure:
    """Divide the share of looks at false posts that are reposts by that of true ones; one row a look, posts by id."""
    rates = []
    for name, posts in (("false", false), ("true", true)):
        looked = np.isin(post, posts)
        if not looked.any():
            return Measure(math.nan, f"nobody looked at a post with the veracity {name!r}")
        rates.append(float(reposted[looked].mean()))
    return ratio(rates[0], rates[1], "no true post was reposted")


def audit_groups(
    groups: Mapping[str, Bools], side: Ints, reader: Ints, author: Ints, liked: Bools, reposted: Bools
) -> list[tuple[str | float, ...]]:
    """Tabulate for each group of members, given as a mask, who is seen by whom; one row a look.

    Columns are the group, its members, looks at theirs by member, the share of those that are likes and reposts, their own
    looks by member, and the share of those that go to the other side.
    """
    rows: list[tuple[str | float, ...]] = []
    for name, group in groups.items():
        size, seen, reads = int(group.sum()), group[author], group[reader]
        across = int((reads & (side[author] + side[reader] == 1)).sum())
        rates = (float(did[seen].mean()) if seen.any() else math.nan for did in (liked, reposted))
        looked = int(reads.sum())
        rows.append(
            (
                name,
                size,
                int(seen.sum()) / max(size, 1),
                *rates,
                looked / max(size, 1),
                across / max(looked, 1),
            )
        )
    return rows
