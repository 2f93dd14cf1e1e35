"""Audits of exposure: how often each side of a question is seen, and by whom."""

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
