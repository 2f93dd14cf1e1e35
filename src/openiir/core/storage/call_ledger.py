"""Storage of a run's ledger: replies by place, failed tries, and sessions with systems under test."""

from collections.abc import Iterator, Sequence
from typing import Any

from openiir.core.records import Call, CallDetails, Place, TransportTry
from openiir.core.storage import call_rows as callrows
from openiir.core.storage import database
from openiir.core.storage.run_database import RunDatabase

_COUNT_SESSIONS = "select count(*) from opening where system = ? and lane = ? and asker = ? and step = ?"
_NEXT_LIFE = "select coalesce(max(life), 0) + 1 from abandoned where lane = ? and step = ?"


class CallLedger(RunDatabase):
    """Ledger tables of a run file: replies that cannot be recomputed."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._unwritten: list[Call] = []
        """Calls of a scratch run that are not yet in the database."""
        self._unwritten_details: list[tuple[Call, CallDetails]] = []

    def find_call(self, place: Place, attempt: int, prompt: tuple[str, str] = ("", "")) -> Call | None:
        """Find the reply recorded under a ledger key (`Place`) and attempt, or None.

        `prompt` is (hash, body) where known: the body of a call with this hash is not read again.
        """
        self._write_calls()
        row = self.db.execute(callrows.FIND, callrows.call_key(place, attempt)).fetchone()
        return callrows.find_call_body(self.db, place, row, prompt)

    def record_call(self, *calls: Call, details: Sequence[tuple[Call, CallDetails]] = ()) -> None:
        """Append replies received together; committed at once, so that a crash cannot lose paid replies.

        A scratch run keeps them back until the step is committed or calls are read.
        """
        self._unwritten += calls
        self._unwritten_details += details
        if self.commit_each_call:
            self._write_calls()

    def _write_calls(self) -> None:
        if self._unwritten:
            kept, self._unwritten = self._unwritten, []
            details, self._unwritten_details = self._unwritten_details, []
            with self._write() as db:
                db.executemany(callrows.INSERT_PROMPT, [(call.prompt_hash, call.request) for call in kept])
                db.executemany(callrows.INSERT, [callrows.call_row(call) for call in kept])
                db.executemany(callrows.INSERT_DETAILS, [callrows.details_row(*each) for each in details])

    def record_try(self, tried: TransportTry) -> None:
        """Record a request try that got no reply."""
        with self._write() as db:
            db.execute(callrows.INSERT_TRY, callrows.try_row(tried))

    def note_opening(self, system: str, place: Place) -> int:
        """Record that a session with a system will open; returns its number in this lane and step, from 1."""
        with self._write() as db:
            key = (system, place.lane, place.asker, place.step)
            number = int(db.execute(_COUNT_SESSIONS, key).fetchone()[0]) + 1
            db.execute("insert into opening values (?, ?, ?, ?, ?)", (*key, number))
            return number

    def abandon(self, lane: str, step: int) -> None:
        """Mark a lane's replies in a step as abandoned: kept in the run file, left out of its hash."""
        with self._write() as db:
            (life,) = db.execute(_NEXT_LIFE, (lane, step)).fetchone()
            db.execute(
                "insert into abandoned select *, ? from call where lane = ? and step = ?", (life, lane, step)
            )
            db.execute("delete from call where lane = ? and step = ?", (lane, step))

    def find_details(self, place: Place, attempt: int) -> CallDetails | None:
        """Find how a model's reply came about, or None, as for runs of earlier releases."""
        self._write_calls()
        if not database.has_table(self.db, "call_details"):
            return None
        row = self.db.execute(callrows.FIND_DETAILS, callrows.call_key(place, attempt)).fetchone()
        return row and CallDetails(*row)

    def calls(self) -> Iterator[Call]:
        """Iterate over all recorded replies, sorted by ledger key."""
        self._write_calls()
        for row in self.db.execute(f"{callrows.SELECT} order by {callrows.PLACE}, attempt"):
            yield callrows.read_call(row)

    def usage(self, abandoned: bool = False) -> dict[str, int]:
        """Count calls, prompt tokens and reply tokens so far; with `abandoned`, include abandoned replies."""
        self._write_calls()
        rows = "select prompt_tokens as sent, reply_tokens as came from call"
        if abandoned:
            rows += " union all select prompt_tokens, reply_tokens from abandoned"
        row = self.db.execute(
            f"select count(*), coalesce(sum(sent), 0), coalesce(sum(came), 0) from ({rows})"
        ).fetchone()
        return dict(zip(("calls", "prompt_tokens", "reply_tokens"), row, strict=True))

    def special_tokens(self) -> tuple[int, int]:
        """Count the prompt tokens from endpoints' caches and the reply tokens of reasoning so far."""
        self._write_calls()
        sql = "select coalesce(sum(cached_tokens), 0), coalesce(sum(reasoning_tokens), 0) from call_details"
        cached, reasoning = self.db.execute(sql).fetchone()
        return cached, reasoning
