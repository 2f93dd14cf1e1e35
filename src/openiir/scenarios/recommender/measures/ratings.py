"""Measures of rating prediction: errors, coverage and rating distributions; ratings of batteries."""

from collections.abc import Mapping

import numpy as np

from openiir.plugin import Log, Measure
from openiir.scenarios.recommender.measures.consistency import check_rating_errors, refuse
from openiir.scenarios.recommender.measures.errors import (
    HistogramDistances,
    RatingErrors,
    rating_difference,
    rating_errors,
)
from openiir.scenarios.recommender.measures.systems import find_answerers
from openiir.scenarios.recommender.questions.rate import RateTitles
from openiir.scenarios.recommender.run.actions import DataRead

Columns = Mapping[str, np.ndarray]
VALUES = (1, 2, 3, 4, 5)
HOW = {
    "given": "what the visitor answered",
    "expected": "behaviour model: expectation (not whole)",
    "likeliest": "behaviour model: most likely value",
    "matched": "behaviour model: matched to the training quantiles",
    "bias": "baseline: user and item bias",
    "item_mean": "baseline: the item's mean",
}
"""Ways to obtain a rating, described in words."""
WHOLE = ("given", "likeliest", "matched")


def rating_measures(log: Log) -> dict[str, Measure]:
    """Compute `rating.METHOD.NAME` for all rated items and for groups of them.

    Groups are items known to the answerer, `rating.known.HOW.NAME`, others, and visitors by answerer,
    `rating.MODEL.HOW.NAME`.
    """
    found: dict[str, Measure] = {}
    for group, columns in rating_groups(log).items():
        for how, (errors, difference) in errors_by_method(columns).items():
            name = f"rating.{group}{how}"
            found |= {f"{name}.{key}": measure for key, measure in errors.measures().items()}
            if difference is not None:
                found[f"{name}.js_bits"] = difference.jensen_shannon
                found[f"{name}.earth_mover"] = difference.earth_mover
            rmse, mae = errors.rmse_of_rated.value, errors.mae_of_rated.value
            if not np.isnan(rmse):
                refuse(check_rating_errors(rmse, mae, errors.whole), name)
    return found | _battery(log)


def rating_groups(log: Log) -> dict[str, Columns]:
    """Group the table of ratings: all, by whether the item is known, and by answerer."""
    table = log.columns("rated")
    if not table:
        return {}
    table = {
        **table,
        "given": np.where(table["given"] > 0, table["given"], np.nan),
        "matched": match_quantiles(log, table["expected"]),
    }
    masks = {"": np.ones(len(table["item"]), dtype=bool)}
    if familiar := log.columns("familiar"):
        known = np.isin(table["item"].astype(str), familiar["item"][familiar["known"]].astype(str))
        masks |= {"known.": known, "unknown.": ~known}
    by = find_rating_answerers(log)
    who = np.array([by.get(visitor, "") for visitor in table["visitor"].tolist()])
    names = sorted(set(by.values()))
    masks |= {f"{name}.": who == name for name in names if len(names) > 1}
    return {name: {key: column[mask] for key, column in table.items()} for name, mask in masks.items()}


def find_rating_answerers(log: Log) -> dict[str, str]:
    """Look up the answerer (model or person) behind each visitor's ratings."""
    return {visitor: by for (_, visitor), by in find_answerers(log, RateTitles.kind).items()}


def match_quantiles(log: Log, expected: np.ndarray) -> np.ndarray:
    """Convert expected ratings to whole ones by quantile matching with the training ratings."""
    shares = np.array(next(log.events(DataRead.kind)).payload["shares"], dtype=np.float64)
    bounds = np.quantile(expected, np.cumsum(shares / shares.sum())[:-1])
    return np.searchsorted(bounds, expected, side="left") + 1.0


def errors_by_method(columns: Columns) -> dict[str, tuple[RatingErrors, HistogramDistances | None]]:
    """Compute each rating method's errors, and its distribution's distance from the real one.

    There is no distance for ratings that are not whole.
    """
    real = np.clip(np.floor(columns["truth"] + 0.5), 1, 5)
    return {
        how: (
            rating_errors(columns["visitor"], columns["truth"], columns[how]),
            rating_difference(columns[how], real, VALUES) if how in WHOLE else None,
        )
        for how in HOW
    }


def _battery(log: Log) -> dict[str, Measure]:
    """Compute `battery.PAGE.rating`: mean rating of the battery after each page."""
    table = log.columns("battery", ("page", "rating"))
    pages = sorted(set(table["page"].tolist())) if table else ()
    return {
        f"battery.page {page}.rating": Measure(float(table["rating"][table["page"] == page].mean()))
        for page in pages
    }
