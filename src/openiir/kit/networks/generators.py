"""Random follower graphs: power law, blocks with homophily, hubs with homophily.

Each is a pure function of its draw. Members are numbered from 0, every follow begins at step 0, and pairs
that a generator draws twice count once.
"""

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats, Ints, number_within
from openiir.kit.counts import draw_counts
from openiir.kit.networks.follower_graph import FollowerGraph, build_graph
from openiir.plugin import order_by


def power_law_graph(
    members: int,
    draw: Draw,
    alpha: float = 2.3,
    least: int = 2,
    most: int | None = None,
    directed: bool = True,
) -> FollowerGraph:
    """Generate a configuration-model graph whose number of followers k has P(k) proportional to k^-alpha.

    k runs from `least` to `most` (by default all other members). Directed, each follower is drawn uniformly
    from the other members, so that whom one follows says nothing about one's own audience. Undirected, link
    ends are paired at random and every follow is mutual (Molloy & Reed, Random Struct. Algorithms 1995); the
    last of an odd number of ends, self-follows and repeated pairs are left out.
    """
    top = members - 1 if most is None else most
    if not (alpha > 1 and 1 <= least <= top < members):
        raise InputError(
            f"a power law of exponent {alpha} from {least} to {top} followers among {members} members was "
            "asked for; it needs an exponent above 1 and 1 <= least <= most < members"
        )
    degree = draw_power_law(members, draw.at("degree"), alpha, least, top)
    followee = np.repeat(np.arange(members), degree)
    if directed:
        other = draw.at("follower").below(members - 1, item=np.arange(len(followee)))
        return build_graph(members, other + (other >= followee), followee).graph
    shuffled = followee[order_by(draw.at("pairing").bits(item=np.arange(len(followee))))]
    ends = shuffled[: len(shuffled) // 2 * 2].reshape(-1, 2)
    return build_graph(members, ends.ravel(), ends[:, ::-1].ravel()).graph


def draw_power_law(size: int, draw: Draw, alpha: float, least: int, most: int) -> Ints:
    """Draw `size` integers k from `least` to `most` with P(k) proportional to k^-alpha, by inversion."""
    values = np.arange(least, most + 1)
    cumulative = np.cumsum(values.astype(np.float64) ** -alpha)
    found = np.searchsorted(cumulative, draw.uniform(item=np.arange(size)) * cumulative[-1])
    return values[np.minimum(found, len(values) - 1)]


def block_graph(labels: ArrayLike, draw: Draw, following: float, within: float) -> FollowerGraph:
    """Generate a stochastic block model, homophilous by label (Holland et al., Soc. Netw. 1983).

    `labels` hold one value a member, such as the sign of its stance. Each member follows `following` others
    on average, the share `within` of them of its own label: the label's share of the population is no
    homophily, 1 leaves none between labels. Each pair is drawn independently, by geometric gaps between links
    (Batagelj & Brandes, Phys. Rev. E 2005).
    """
    names, block = np.unique(np.asarray(labels), return_inverse=True)
    groups = [np.flatnonzero(block == b) for b in range(len(names))]
    n = len(block)
    if len(names) < 2 or not (0 <= within <= 1 and following >= 0):
        raise InputError(
            f"{len(names)} labels, {following} follows and a share of {within} within a label were asked "
            "for; homophily needs two labels or more, follows of at least 0 and a share from 0 to 1"
        )
    pairs = []
    for a, own in enumerate(groups):
        for b, others in enumerate(groups):
            wanted, size = (within, len(own) - 1) if a == b else (1 - within, n - len(own))
            chance = following * wanted / max(size, 1)
            if chance > 1:
                raise InputError(
                    f"members labelled {names[a]} cannot follow {following * wanted:g} of {size} members; "
                    "lower `following`, or change `within`"
                )
            columns = size if a == b else len(others)
            found = _bernoulli(len(own) * columns, chance, draw.at("pairs", agent=a, step=b))
            row, column = np.divmod(found, max(columns, 1))
            pairs.append((own[row], others[column + (column >= row) if a == b else column]))
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return build_graph(n, first, second).graph


def attraction_graph(
    labels: ArrayLike, draw: Draw, following: float, within: float, alpha: float = 2.3
) -> FollowerGraph:
    """Generate a graph with homophily on a label and a power-law tail of follower counts.

    `labels` hold one value a member. Each member follows a Poisson number of others with mean `following`,
    each time with probability `within` one of its own label, and there with a probability proportional to a
    Pareto weight drawn for each member (a directed form of Chung & Lu, Ann. Comb. 2002). Whom one draws twice
    one follows once, so that the mean is lower in small populations.
    """
    names, block = np.unique(np.asarray(labels), return_inverse=True)
    n = len(block)
    if len(names) != 2 or not (0 <= within <= 1 and following >= 0 and alpha > 2):
        raise InputError(
            f"{len(names)} labels, {following} follows, a share of {within} within a label and an exponent "
            f"of {alpha} were asked for; give two labels, follows of at least 0, a share from 0 to 1 and "
            "an exponent above 2"
        )
    members = np.arange(n)
    weight = draw.at("weight").uniform(agent=members) ** (-1 / (alpha - 1))
    follower = np.repeat(members, draw_counts(draw.at("count"), members, np.full(n, following)))
    each = draw.at(agent=follower, item=number_within(follower))
    label = np.where(each.at("own").chance(within), block[follower], 1 - block[follower])
    unit, followee = each.at("whom").uniform(), np.zeros(len(follower), dtype=np.int64)
    for one in range(2):
        group, wanted = np.flatnonzero(block == one), label == one
        ends = np.cumsum(weight[group])
        found = np.searchsorted(ends, unit[wanted] * ends[-1], side="right")
        followee[wanted] = group[np.minimum(found, len(group) - 1)]
    return build_graph(n, follower, followee).graph


def _bernoulli(cells: int, chance: float, draw: Draw) -> Ints:
    """Draw the cells of 0..cells-1 that come up where each does with some chance, by their geometric gaps."""
    if not (cells and chance > 0):
        return np.zeros(0, dtype=np.int64)
    if chance == 1:
        return np.arange(cells)
    expected = cells * chance
    block = int(expected + 6 * np.sqrt(expected)) + 16
    found: list[Ints] = []
    last = number = 0
    while last < cells:
        unit: Floats = draw.uniform(item=np.arange(number, number + block))
        gaps = np.minimum(np.floor(np.log(unit) / np.log1p(-chance)) + 1, cells + 1).astype(np.int64)
        found.append(last + np.cumsum(gaps))
        last, number = int(found[-1][-1]), number + block
    places = np.concatenate(found) - 1
    return places[places < cells]
