"""Line charts of the experiments' results; empty for runs of other experiments."""

import numpy as np

from openiir.plugin import Log, Series
from openiir.scenarios.recommender.measuring.discrimination import answers_by_task, judgements
from openiir.scenarios.recommender.measuring.rating import rating_groups
from openiir.scenarios.recommender.measuring.visits import by_system

Points = tuple[tuple[int, float], ...]


def pages(log: Log) -> Series:
    """Share of titles taken on the first, second, ... page of each system.

    Over the visitors who reached the page.
    """
    found: dict[str, Points] = {}
    for system, columns in by_system(log, "views").items():
        shown = np.bincount(columns["page"])
        taken = np.bincount(columns["page"], weights=columns["rating"] > 0)
        found[system] = tuple(
            (page, round(float(taken[page] / shown[page]), 4)) for page in np.flatnonzero(shown).tolist()
        )
    return _series("page", "share of titles taken", found)


def accuracy(log: Log) -> Series:
    """Accuracy of each scorer by the number of negatives for each positive.

    With the threshold fitted at 1:1.
    """
    found: dict[str, list[tuple[int, float]]] = {}
    for (kind, ratio), columns in answers_by_task(log).items():
        for scorer, judged in judgements(log, kind, ratio, columns).items():
            if "told" not in scorer:
                found.setdefault(f"{kind}: {scorer}", []).append(
                    (ratio, round(judged.means()["accuracy"].value, 4))
                )
    return _series(
        "items never met for each that was",
        "accuracy",
        {name: tuple(points) for name, points in found.items()},
    )


def distribution(log: Log) -> Series:
    """Shares of the ratings 1 to 5: real ratings, answers, and matched expectations."""
    columns = rating_groups(log).get("")
    if columns is None:
        return _series("rating", "share", {})
    kinds = {"real": columns["truth"], **{how: columns[how] for how in ("given", "likeliest", "matched")}}
    return _series("rating", "share", {name: _shares(ratings) for name, ratings in kinds.items()})


def _shares(ratings: np.ndarray) -> Points:
    whole = np.clip(np.floor(ratings[~np.isnan(ratings)] + 0.5), 1, 5).astype(np.int64)
    counts = np.bincount(whole, minlength=6)[1:]
    return tuple((n, round(float(count / max(1, counts.sum())), 4)) for n, count in enumerate(counts, 1))


def exposure(log: Log) -> Series:
    """Mean rating of a random sample of items by genre, after increasing numbers of pages."""
    table = log.columns("battery", ("page", "item", "rating"))
    named = {row["item"]: row["genres"].split("|") for row in log.table("genres")}
    sums: dict[str, dict[int, list[float]]] = {}
    if table:
        for page, item, rating in zip(
            table["page"].tolist(), table["item"].tolist(), table["rating"].tolist(), strict=True
        ):
            for genre in named.get(item, ()):
                sums.setdefault(genre, {}).setdefault(page, []).append(float(rating))
    found = {
        g: tuple((p, round(float(np.mean(v)), 4)) for p, v in sorted(by.items()))
        for g, by in sorted(sums.items())
    }
    return _series("pages", "mean rating", found)


def _series(along: str, unit: str, lines: dict[str, Points]) -> Series:
    highest = max((value for line in lines.values() for _, value in line), default=0.0)
    return Series(
        along=along,
        unit=unit,
        low=0.0,
        high=highest,
        lines={name: line for name, line in lines.items() if line},
    )
