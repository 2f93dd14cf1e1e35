"""Read the served slates from the log, as arrays and as ranked lists."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools
from openiir.plugin import Log, Ranking
from openiir.scenarios.curated_feed.config import MAIN


@dataclass(frozen=True)
class ServedSlates:
    """n logged slates of up to K positions, in the order they were served."""

    user: NDArray[Any]
    """(n,) number of the user who got each slate."""
    columns: dict[str, NDArray[Any]]
    """Logged columns by name, (n, K) each. Positions after the end of a short slate hold -1 (items) or 0."""
    there: Bools
    """(n, K) mask of positions where an item was shown."""


def slates(log: Log, table: str, names: tuple[str, ...]) -> ServedSlates:
    """Read the slates of the feed under study with the named columns of the table `impressions` or `oracle`.

    Empty where no impressions were logged.
    """
    rows = log.columns(table, ("feed", "user", "position", "item", *names))
    mine = rows["feed"] == MAIN if rows else np.zeros(0, dtype=np.bool_)
    if not mine.any():
        none = np.zeros((0, 0))
        return ServedSlates(np.zeros(0), dict.fromkeys(("item", *names), none), none.astype(np.bool_))
    place = rows["position"][mine].astype(np.int64) - 1
    slate = np.cumsum(place == 0) - 1
    shape = (int(slate[-1]) + 1, int(place.max()) + 1)
    there = np.zeros(shape, dtype=np.bool_)
    there[slate, place] = True
    columns = {}
    for name in ("item", *names):
        values = rows[name][mine]
        filled = np.full(shape, -1 if values.dtype.kind == "i" else 0, dtype=values.dtype)
        filled[slate, place] = values
        columns[name] = filled
    return ServedSlates(rows["user"][mine][place == 0], columns, there)


def ranking(log: Log, agent: str | None = None) -> Ranking:
    """Build ranked lists of the feed under study for retrieval measures.

    A topic is a user, whose items come in the order in which they were first shown.
    """
    found = slates(log, "impressions", ())
    catalogue = log.columns("catalogue", ("item", "id"))
    ids = dict(zip(catalogue.get("item", np.zeros(0)).tolist(), catalogue.get("id", ()), strict=False))
    names = log.members.id
    shown: dict[int, dict[int, None]] = {}
    for user, items in zip(found.user.tolist(), found.columns["item"], strict=True):
        shown.setdefault(user, {}).update(dict.fromkeys(int(item) for item in items if item >= 0))
    scored = [
        (names(user), ids[item], float(len(items) - n))
        for user, items in sorted(shown.items())
        if agent in (None, names(user))
        for n, item in enumerate(items)
    ]
    return Ranking.of(scored, tag=log.study["config"]["ranker"])


def list_logged_users(log: Log) -> list[str]:
    """List the names of the users whose impressions are logged."""
    name = log.members.id
    return [name(user) for user in log.columns("users", ("user",)).get("user", np.zeros(0)).tolist()]
