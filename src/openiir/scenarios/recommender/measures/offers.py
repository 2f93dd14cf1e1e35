"""Measures of the experiments on thumbnails and coherence: shares of pictures clicked and offers taken."""

import numpy as np

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.plugin import Log, Measure


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
        variant: over_users(rates, "nothing was shown") for variant, (_, rates) in _by_visitor(log).items()
    }


def against_poster(log: Log) -> dict[str, UserMean]:
    """Compute the difference of each variant's click rate to the poster's, visitor by visitor."""
    by = _by_visitor(log)
    if "poster" not in by:
        return {}
    poster = dict(zip(*by["poster"], strict=True))
    found = {}
    for variant, (visitors, rates) in by.items():
        if variant != "poster":
            pairs = [rate - poster[v] for v, rate in zip(visitors, rates, strict=True) if v in poster]
            found[variant] = over_users(pairs, "nothing was shown")
    return found


def _by_visitor(log: Log) -> dict[str, tuple[list[str], list[float]]]:
    table = log.columns("clicked")
    found: dict[str, tuple[list[str], list[float]]] = {}
    for variant in dict.fromkeys(table["variant"].tolist()) if table else ():
        mask = table["variant"] == variant
        visitors, row = np.unique(table["visitor"][mask].astype(str), return_inverse=True)
        rates = np.bincount(row, weights=table["click"][mask]) / np.bincount(row)
        found[str(variant)] = visitors.tolist(), rates.tolist()
    return found


def offer_measures(log: Log) -> dict[str, Measure]:
    """Compute `coherence.*`: shares of good and bad offers taken, and of bad ones among those taken."""
    return {f"coherence.{name}": mean.measure for name, mean in coherence(log).items()}


def coherence(log: Log) -> dict[str, UserMean]:
    """Average over visitors the shares of offers taken that fit the request, and of others."""
    table = log.columns("offers")
    if not table:
        return {}
    _, row = np.unique(table["visitor"].astype(str), return_inverse=True)
    n = np.bincount(row)
    good, bad, both = (
        np.bincount(row, weights=flags.astype(np.float64))
        for flags in (table["took_good"], table["took_bad"], table["took_good"] & ~table["took_bad"])
    )
    taken = good + bad
    wrong = np.divide(bad, taken, out=np.full(len(n), np.nan), where=taken > 0)
    return {
        "took_good": over_users(good / n, "nothing was asked for"),
        "took_bad": over_users(bad / n, "nothing was asked for"),
        "coherent": over_users(both / n, "nothing was asked for"),
        "bad_of_taken": over_users(wrong, "nothing was taken"),
    }
