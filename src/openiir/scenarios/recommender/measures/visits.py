"""Measures of visits to a recommender: shares viewed and liked, pages, satisfaction."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.measures.per_user import UserMean
from openiir.kit.statistics.resampling import divide_arrays
from openiir.plugin import InputError
from openiir.scenarios.recommender.measures.definitions import average_users


def visit_measures(
    shown: ArrayLike,
    watched: ArrayLike,
    liked: ArrayLike,
    pages: ArrayLike,
    satisfaction: ArrayLike,
    level: float = 0.95,
) -> dict[str, UserMean]:
    """Compute means over users of the visit measures from columns with one entry per user.

    An entry holds sums where a user made several visits. `P_view` is watched / shown, `P_like` liked / shown,
    each per user first and never over what was watched, so that P_like <= P_view; `N_like` liked items,
    `N_exit` pages until leaving, `S_sat` satisfaction at leaving (NaN for who was not asked). Raises
    InputError where a user likes more than was watched, or watches more than was shown.
    """
    given = {"shown": shown, "watched": watched, "liked": liked, "pages": pages, "satisfaction": satisfaction}
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in given.items()}
    shapes = {name: column.shape for name, column in columns.items()}
    if len(set(shapes.values())) > 1 or columns["shown"].ndim != 1:
        raise InputError(f"visits are columns of one length, got {shapes}")
    for name in ("shown", "watched", "liked", "pages"):
        if (wrong := ~(np.isfinite(columns[name]) & (columns[name] >= 0))).any():
            row = int(wrong.argmax())
            raise InputError(f"{name} of user {row} is {columns[name][row]}; it is a count of at least 0")
    for fewer, more in (("watched", "shown"), ("liked", "watched")):
        if (wrong := columns[fewer] > columns[more]).any():
            row = int(wrong.argmax())
            raise InputError(
                f"user {row} {fewer} {columns[fewer][row]:g} items of {columns[more][row]:g} {more}; "
                f"only what was {more} can be {fewer}, each item once"
            )
    values = {
        "P_view": divide_arrays(columns["watched"], columns["shown"]),
        "N_like": columns["liked"],
        "P_like": divide_arrays(columns["liked"], columns["shown"]),
        "N_exit": columns["pages"],
    }
    means = {name: average_users(name, column, "nothing was shown", level) for name, column in values.items()}
    unasked = "satisfaction was not asked for"
    return means | {"S_sat": average_users("S_sat", columns["satisfaction"], unasked, level)}
