"""The file in which all runs on a machine count what they use of endpoints: requests, tokens, money."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import NamedTuple

from openiir.core.records import RateGrant, RateLimits
from openiir.core.storage import database
from openiir.core.storage.receipts import state_folder
from openiir.core.sums import int_sum

SLOTS = 100
"""Slots in a limit's stretch of time. A grant counts until its slot and one more have left the stretch, so
that requests which reach the endpoint late do not add up to more than the limit."""
LEASE = 3.0
"""Seconds after which a run that has not asked again loses its place in the queue."""
LONGEST_PAUSE = 60.0
"""Most seconds of a pause for all runs; a run that is refused after it waits by itself, as it is told."""
_SOONEST, _LATEST = 0.01, 1.0
"""Seconds between two questions of a waiting run."""


class _Room(NamedTuple):
    """What is left of a limit, and the rows whose slots free more, oldest first."""

    limits: RateLimits
    requests: int
    tokens: int
    rows: Sequence[tuple[int, int, int]]

    def count_fitting(self, tokens: Sequence[int], runs: int) -> int:
        """Count the requests of these sizes, from the first on, that fit into the share of one of the runs.

        One request may take more than its share.
        """
        share, share_of_tokens = max(1, self.requests // runs), self.tokens // runs
        used = count = 0
        for size in tokens:
            used += self._size(size)
            if count >= min(share, self.requests) or used > (share_of_tokens if count else self.tokens):
                break
            count += 1
        return count

    def free_slot(self, requests: int, tokens: int) -> tuple[int, str]:
        """Find the slot that must leave before this fits (0 for none), and the limit that is in the way."""
        more_requests = min(requests, self.limits.requests or requests) - self.requests
        more_tokens = self._size(tokens) - self.tokens
        slot, reason = 0, "requests" if more_requests > 0 else "tokens" if more_tokens > 0 else ""
        for number, freed, freed_tokens in self.rows:
            if more_requests <= 0 and more_tokens <= 0:
                break
            slot, more_requests, more_tokens = number, more_requests - freed, more_tokens - freed_tokens
        return slot, reason

    def _size(self, tokens: int) -> int:
        """Return a request's tokens; one of more than the limit may go when nothing else counts."""
        return tokens if self.limits.tokens is None else min(tokens, self.limits.tokens)


class UsageFile(AbstractContextManager["UsageFile"]):
    """The shared file; each process opens it by itself, and one that dies soon holds nothing (see LEASE).

    Every method is one short transaction. While another process writes, RunBusy is raised at once: an event
    loop asks again later instead of being blocked.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.clock = clock
        self._db: Connection | None = None

    def take(self, account: str, limits: RateLimits, tokens: Sequence[int], who: str) -> RateGrant:
        """Count the first of the waiting requests, given by their tokens, as sent, as far as limits allow.

        The others keep or get a place in the queue under the name `who`. Where several runs wait, each gets
        its share of what is free.
        """
        width, count, reason = limits.window / SLOTS, 0, "pause"
        with self._transaction() as db:
            now = self.clock()  # only now, since no other process writes any more
            slot = int(now // width)
            queue = _read_queue(db, account, now)
            others = [one for one in queue if one != who]
            place = queue.index(who) if who in queue else len(others)
            wait = _read_pause(db, account, now)
            if wait <= 0.0:
                room = _read_room(db, account, limits, slot)
                if place == 0:
                    count = room.count_fitting(tokens, len(others) + 1)
                if count:
                    db.execute(_GRANT, (account, slot, count, int_sum(tokens[:count])))
                    db.execute(_LEAVE, (account, who))
                if count == len(tokens):
                    return RateGrant(count, slot)
                if count:
                    place, room = len(others), _read_room(db, account, limits, slot)
                freed, reason = room.free_slot(place + 1, tokens[count])
                wait = (freed + SLOTS + 2) * width - now if freed else 0.0
            db.execute(_QUEUE_UP, (account, who, now + LEASE))
        return RateGrant(count, slot, min(max(wait, _SOONEST), _LATEST), reason)

    def leave(self, account: str, who: str) -> None:
        """Give up a place in the queue."""
        with self._transaction() as db:
            db.execute(_LEAVE, (account, who))

    def pause(self, account: str, seconds: float) -> None:
        """Let no run send anything for some seconds, at most LONGEST_PAUSE."""
        with self._transaction() as db:
            db.execute(_PAUSE, (account, self.clock() + min(seconds, LONGEST_PAUSE)))

    def correct(self, account: str, slot: int, requests: int, tokens: int) -> None:
        """Add to what was granted in a slot; negative numbers give back."""
        with self._transaction() as db:
            db.execute(_CORRECT, (requests, tokens, account, slot))

    def spend(self, account: str, prompt_tokens: int, reply_tokens: int, money: float) -> None:
        """Count a call that was answered."""
        with self._transaction() as db:
            db.execute(_SPEND, (account, self._today(), prompt_tokens, reply_tokens, money))

    def money_spent(self, account: str, per: str) -> float:
        """Return the money spent in the present day or month (UTC), or `ever`."""
        since = {"day": self._today(), "month": self._today()[:7]}.get(per, "")
        sql = "select coalesce(sum(money), 0.0) from spent where account = ? and day >= ?"
        with database.translate_errors(self.path):
            return float(self._open().execute(sql, (account, since)).fetchone()[0])

    def count_recent(self, account: str, limits: RateLimits) -> tuple[int, int]:
        """Return the requests and tokens within the present stretch of time."""
        sql = "select coalesce(sum(requests), 0), coalesce(sum(tokens), 0) from granted"
        sql += " where account = ? and slot > ?"
        slot = int(self.clock() // (limits.window / SLOTS))
        with database.translate_errors(self.path):
            requests, tokens = self._open().execute(sql, (account, slot - SLOTS)).fetchone()
        return requests, tokens

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _today(self) -> str:
        return datetime.fromtimestamp(self.clock(), UTC).date().isoformat()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with database.transaction(self._open(), self.path) as db:
            yield db

    def _open(self) -> Connection:
        if self._db is None:
            self._db = database.open_shared(self.path, "usage")
        return self._db


def default_usage_file() -> Path:
    """Return the file in which use is counted unless the settings name another."""
    return state_folder() / "usage.db"


def _read_queue(db: Connection, account: str, now: float) -> list[str]:
    """Read who waits, in order, without those that have died or waited by another clock."""
    db.execute("delete from waiting where until not between ? and ?", (now, now + LEASE))
    sql = "select who from waiting where account = ? order by ticket"
    return [who for (who,) in db.execute(sql, (account,))]


def _read_pause(db: Connection, account: str, now: float) -> float:
    row = db.execute("select until from pause where account = ?", (account,)).fetchone()
    left = row[0] - now if row else 0.0
    return left if left <= LONGEST_PAUSE else 0.0  # of a clock that was set back since


def _read_room(db: Connection, account: str, limits: RateLimits, slot: int) -> _Room:
    db.execute(
        "delete from granted where account = ? and slot not between ? and ?",
        (account, slot - SLOTS - 1, slot + SLOTS),
    )
    sql = "select slot, requests, tokens from granted where account = ? order by slot"
    rows = db.execute(sql, (account,)).fetchall()
    requests, tokens = (int_sum(row[n] for row in rows) for n in (1, 2))
    most = limits.requests if limits.requests is not None else _UNLIMITED
    most_tokens = limits.tokens if limits.tokens is not None else _UNLIMITED
    return _Room(limits, most - requests, most_tokens - tokens, rows)


_UNLIMITED = 2**60
_GRANT = (
    "insert into granted values (?, ?, ?, ?) on conflict do update set "
    "requests = requests + excluded.requests, tokens = tokens + excluded.tokens"
)
_CORRECT = (
    "update granted set requests = max(0, requests + ?), tokens = max(0, tokens + ?) "
    "where account = ? and slot = ?"
)
_QUEUE_UP = (
    "insert into waiting (account, who, until) values (?, ?, ?) "
    "on conflict (account, who) do update set until = excluded.until"
)
_LEAVE = "delete from waiting where account = ? and who = ?"
_PAUSE = "insert into pause values (?, ?) on conflict do update set until = max(until, excluded.until)"
_SPEND = (
    "insert into spent values (?, ?, 1, ?, ?, ?) on conflict do update set calls = calls + 1, "
    "prompt_tokens = prompt_tokens + excluded.prompt_tokens, "
    "reply_tokens = reply_tokens + excluded.reply_tokens, money = money + excluded.money"
)
