"""Measures of the experiments on thumbnails and coherence: shares of pictures clicked and offers taken."""

import numpy as np

from openiir.kit.measures.per_user import UserMean
from openiir.kit.statistics.resampling import divide_arrays
from openiir.plugin import Log, Measure
from openiir.scenarios.recommender.measures.definitions import average_users

_NOTHING = "nothing was shown"


def click_measures(log: Log) -> dict[str, Measure]:
    """Compute `thumbnails.VARIANT.click_rate` and its difference to the poster, averaged over visitors."""
    rates = click_rates(log)
    found = {f"thumbnails.{variant}.click_rate": mean.measure for variant, mean in rates.items()}
    return found | {
        f"thumbnails.{variant}.less_poster": mean.measure for variant, mean in against_poster(log).items()
    }


def click_rates(log: Log) -> dict[str, UserMean]:
    """Compute the share of items clicked for each variant of the picture."""
    return {
        variant: average_users(f"thumbnails.{variant}.click_rate", list(rates.values()), _NOTHING)
        for variant, rates in _by_visitor(log).items()
    }


def against_poster(log: Log) -> dict[str, UserMean]:
    """Compute each variant's difference in click rate to the poster, paired by visitor."""
    by = _by_visitor(log)
    poster = by.pop("poster", {})
    return {
        variant: average_users(
            f"thumbnails.{variant}.less_poster",
            [rate - poster[v] for v, rate in rates.items() if v in poster],
            _NOTHING,
        )
        for variant, rates in by.items()
        if poster
    }


def _by_visitor(log: Log) -> dict[str, dict[str, float]]:
    """Compute each visitor's share of items clicked, by variant."""
    table = log.columns("clicked")
    found: dict[str, dict[str, float]] = {}
    for variant in dict.fromkeys(table["variant"].tolist()) if table else ():
        mask = table["variant"] == variant
        visitors, row = np.unique(table["visitor"][mask].astype(str), return_inverse=True)
        rates = np.bincount(row, weights=table["click"][mask]) / np.bincount(row)
        found[variant] = dict(zip(visitors.tolist(), rates.tolist(), strict=True))
    return found


def offer_measures(log: Log) -> dict[str, Measure]:
    """Compute `coherence.*`: shares of fitting and of unfitting offers taken, and unfitting among taken."""
    return {f"coherence.{name}": mean.measure for name, mean in measure_coherence(log).items()}


def measure_coherence(log: Log) -> dict[str, UserMean]:
    """Average over visitors the shares taken of offers that fit the request and of those that do not."""
    table = log.columns("offers")
    if not table:
        return {}
    _, row = np.unique(table["visitor"].astype(str), return_inverse=True)
    n = np.bincount(row)
    good, bad, both = (
        np.bincount(row, weights=flags).astype(np.float64)
        for flags in (table["took_good"], table["took_bad"], table["took_good"] & ~table["took_bad"])
    )
    asked = "nothing was asked for"
    return {
        "took_good": average_users("coherence.took_good", good / n, asked),
        "took_bad": average_users("coherence.took_bad", bad / n, asked),
        "coherent": average_users("coherence.coherent", both / n, asked),
        "bad_of_taken": average_users(
            "coherence.bad_of_taken", divide_arrays(bad, good + bad), "nothing was taken"
        ),
    }
