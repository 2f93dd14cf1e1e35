"""Line charts of the experiments' results; empty for runs of other experiments."""

import numpy as np

from openiir.plugin import Log, Series
from openiir.scenarios.recommender.measures.definitions import average_users
from openiir.scenarios.recommender.measures.ratings import rating_groups
from openiir.scenarios.recommender.measures.recognition import answers_by_task, judgements
from openiir.scenarios.recommender.measures.systems import group_by_system

Points = tuple[tuple[int, float], ...]
REACHED = 20
"""Fewest visitors from whom a share on a page is shown."""


def pages_series(log: Log) -> Series:
    """Plot the share of titles taken by page and system, averaged over visitors, with intervals.

    Pages that fewer than `REACHED` visitors of the system reached are left out, or fewer than half where it
    has few.
    """
    found: dict[str, Points] = {}
    bands: dict[str, tuple[tuple[int, float, float], ...]] = {}
    for system, columns in group_by_system(log, "views").items():
        who = np.unique(columns["visitor"], return_inverse=True)[1]
        (visitor, page), row = np.unique([who, columns["page"]], axis=1, return_inverse=True)
        share = np.bincount(row, weights=columns["rating"] > 0) / np.bincount(row)
        least = min(REACHED, -(-len(set(visitor.tolist())) // 2))
        means = {
            n: average_users("P_view", share[page == n], "nothing was shown")
            for n in sorted(set(page.tolist()))
        }
        kept = {n: mean for n, mean in means.items() if mean.users >= least}
        found[system] = tuple((n, round(mean.value, 4)) for n, mean in kept.items())
        bands[system] = tuple(
            (n, round(mean.low, 4), round(mean.high, 4)) for n, mean in kept.items() if not np.isnan(mean.low)
        )
    highest = max((high for band in bands.values() for *_, high in band), default=0.0)
    drawn = _series("page", "share of titles taken", found)
    own = {name: bands[name] for name in drawn.lines}
    return drawn.model_copy(update={"bands": own, "high": max(drawn.high, highest)})


def accuracy_series(log: Log) -> Series:
    """Plot each scorer's accuracy by the number of negatives per positive.

    With the threshold fitted at 1:1.
    """
    found: dict[str, Points] = {}
    for (kind, ratio), columns in answers_by_task(log).items():
        for scorer, judged in judgements(log, kind, ratio, columns).items():
            if "told" not in scorer:
                name, point = f"{kind}: {scorer}", (ratio, round(judged.means()["accuracy"].value, 4))
                found[name] = (*found.get(name, ()), point)
    return _series("items never met for each that was", "accuracy", found)


def distribution_series(log: Log) -> Series:
    """Plot the shares of ratings 1 to 5: real, simulated, and expected ones after quantile matching."""
    columns = rating_groups(log).get("")
    if columns is None:
        return _series("rating", "share", {})
    kinds = {"real": columns["truth"], **{how: columns[how] for how in ("given", "likeliest", "matched")}}
    return _series("rating", "share", {name: _shares(ratings) for name, ratings in kinds.items()})


def _shares(ratings: np.ndarray) -> Points:
    whole = np.clip(np.floor(ratings[~np.isnan(ratings)] + 0.5), 1, 5).astype(np.int64)
    counts = np.bincount(whole, minlength=6)[1:]
    return tuple((n, round(float(count / max(1, counts.sum())), 4)) for n, count in enumerate(counts, 1))


def exposure_series(log: Log) -> Series:
    """Plot the mean rating of a random sample of items by genre, after increasing numbers of pages."""
    table = log.columns("battery")
    rows = zip(*(table[name].tolist() for name in ("page", "item", "rating")), strict=True) if table else ()
    named = {row["item"]: row["genres"].split("|") for row in log.table("genres")}
    rated: dict[str, dict[int, list[float]]] = {}
    for page, item, rating in rows:
        for genre in named.get(item, ()):
            rated.setdefault(genre, {}).setdefault(page, []).append(float(rating))
    found = {
        g: tuple((p, round(float(np.mean(v)), 4)) for p, v in sorted(by.items()))
        for g, by in sorted(rated.items())
    }
    return _series("pages", "mean rating", found)


def _series(along: str, unit: str, lines: dict[str, Points]) -> Series:
    highest = max((value for line in lines.values() for _, value in line), default=0.0)
    kept = {name: line for name, line in lines.items() if line}
    return Series(along=along, unit=unit, low=0.0, high=highest, lines=kept)
