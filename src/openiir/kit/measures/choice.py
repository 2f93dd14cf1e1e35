"""Choosing a few of many options: Borda count and greedy coverage."""

from collections.abc import Collection, Mapping, Sequence

from openiir.kit.statistics.statistic import Statistic, Undefined


def borda(
    ballots: Sequence[Sequence[str]],
    options: Collection[str] = (),
    approvals: Mapping[str, int] | None = None,
) -> list[tuple[str, float]]:
    """Rank options by Borda count, best first; ties by approvals, then by id.

    With n options the first place earns n - 1 points and the last 0; those a ballot leaves out share its
    lowest places evenly. Options are those on any ballot and in `options`. Raises ValueError for a ballot
    that names an option twice.
    """
    names = sorted({*options, *(name for ballot in ballots for name in ballot)})
    points = dict.fromkeys(names, 0.0)
    for ballot in ballots:
        if len(set(ballot)) != len(ballot):
            raise ValueError(f"a ballot names an option twice: {', '.join(ballot)}")
        listed = set(ballot)
        for place, name in enumerate(ballot):
            points[name] += len(names) - 1 - place
        for name in names:
            if name not in listed:
                points[name] += (len(names) - len(ballot) - 1) / 2
    liked = approvals or {}
    return sorted(points.items(), key=lambda row: (-row[1], -liked.get(row[0], 0), row[0]))


def greedy_coverage(covers: Mapping[str, Collection[str]], k: int) -> list[str]:
    """Choose up to `k` options greedily, each adding the most uncovered items; ties by id.

    Stops where nothing is added. Covers at least 1 - 1/e of what the best k could (Nemhauser, Wolsey &
    Fisher, Math. Programming 1978).
    """
    chosen: list[str] = []
    covered: set[str] = set()
    while len(chosen) < k:
        gains = [(-len(set(covers[name]) - covered), name) for name in covers if name not in chosen]
        if not gains or min(gains)[0] == 0:
            break
        name = min(gains)[1]
        chosen.append(name)
        covered |= set(covers[name])
    return chosen


@Statistic
def coverage(chosen: Collection[str], covers: Mapping[str, Collection[str]]) -> float:
    """Compute the share of the items covered by all options that the chosen ones cover."""
    everything = {item for items in covers.values() for item in items}
    if not everything:
        raise Undefined("the options cover nothing")
    return len({item for name in chosen for item in covers[name]}) / len(everything)
