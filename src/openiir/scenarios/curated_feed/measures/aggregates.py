"""Read a feed's logged sums over all users, by feed and week."""

from functools import cached_property
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats
from openiir.plugin import Log


class CachedTables:
    """Cached tables of a run's log; each column is read once."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._read: dict[str, dict[str, Any]] = {}

    def columns(self, table: str, names: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Read the columns of a table, all or those named; empty where the table has no rows."""
        if names is None:
            if table not in self._read:
                self._read[table] = self.log.columns(table)
            return self._read[table]
        there = self._read.setdefault(table, {})
        there |= self.log.columns(table, [name for name in names if name not in there])
        return {name: there[name] for name in names} if there else {}

    def of(self, table: str, feed: str, names: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Read the columns of a table, restricted to the rows of one feed."""
        columns = self.columns(table, None if names is None else ("feed", *names))
        if not columns:
            return {}
        mine = columns["feed"] == feed
        return {name: column[mine] for name, column in columns.items() if name != "feed"}

    @property
    def feeds(self) -> list[str]:
        """Names of the run's feeds, the one under study first."""
        return list(dict.fromkeys(self.columns("weeks").get("feed", ())))


class Aggregates:
    """Logged sums over the users of one feed, up to a week (the last one by default)."""

    def __init__(self, tables: CachedTables, feed: str, week: int | None = None) -> None:
        self.tables, self.feed = tables, feed
        weeks = self._of("weeks")
        self.week = int(weeks["week"].max(initial=0)) if week is None else week
        now = weeks["week"] <= self.week
        self.weeks = {name: column[now] for name, column in weeks.items()}

    def _of(self, table: str) -> dict[str, Any]:
        nothing = {name: np.zeros(0) for name in ("week", "topic", "users", "shown", "slates")}
        return self.tables.of(table, self.feed) or nothing

    def _now(self, table: str) -> dict[str, Any]:
        columns = self._of(table)
        now = columns["week"] == self.week
        return {name: column[now] for name, column in columns.items()}

    def last(self, name: str) -> Any:
        """Look up a column's value in the latest week."""
        return self.weeks[name][-1]

    def total(self, name: str) -> float:
        """Sum a column over the weeks."""
        return float(self.weeks[name].sum())

    @property
    def users(self) -> int:
        return int(self.last("users"))

    @cached_property
    def topics(self) -> dict[str, Any]:
        """Sum of beliefs, exposure so far and items in the catalogue, for each topic."""
        return self._now("topics")

    @cached_property
    def products(self) -> Floats:
        """Cross-product matrix (k, k) of the users' beliefs, summed over users."""
        pairs, k = self._now("products"), len(self.topics["topic"])
        cross = np.zeros((k, k))
        one, other = pairs["topic"].astype(np.int64) - 1, pairs["other"].astype(np.int64) - 1
        cross[one, other] = cross[other, one] = pairs["product_sum"]
        return cross

    @cached_property
    def opinions(self) -> list[tuple[Floats, Floats]]:
        """Histogram of beliefs for each topic, as numbers of users and belief values."""
        bins = self._now("opinions")
        groups = [bins["topic"] == topic + 1 for topic in range(len(self.topics["topic"]))]
        return [(bins["users"][at], bins["belief"][at]) for at in groups]

    @cached_property
    def item_shown(self) -> Floats:
        """Impressions of each item of the catalogue so far."""
        counts, items = np.zeros(int(self.last("items"))), self._now("items")
        counts[items["item"]] = items["shown"]
        return counts
