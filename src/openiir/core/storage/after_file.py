"""The after-file `after.db`: interviews, validations and measures made after a run ended."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

from openiir.core.errors import DamagedRun, InputError
from openiir.core.hashing import canonical
from openiir.core.records import Message
from openiir.core.storage import database, receipts
from openiir.core.storage.gate import check_folder

NAME = "after.db"
Verdict = Literal["agree", "disagree", "unsure"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


class StoredInterview(NamedTuple):
    """An agent's answer to a question asked after the run ended."""

    agent: str
    question: str
    reply: str | None
    """The reply as JSON; None where no usable answer came."""
    answerer: str
    thread: str = ""
    """Id that a question shares with its follow-ups; empty for a question without any."""
    given: str = ""
    """Time in ISO 8601 (UTC); empty if an earlier release stored it."""
    prompt: str = "[]"
    """The messages that the agent was given, as a JSON array; empty if an earlier release stored it."""


class StoredValidation(NamedTuple):
    """A person's verdict on a statement of an agent."""

    agent: str
    statement: str
    verdict: Verdict
    comment: str = ""
    person: str = ""
    """Name of who judged; empty if not given."""
    given: str = ""
    """Time in ISO 8601 (UTC); empty if an earlier release stored it."""


class AfterFile(AbstractContextManager["AfterFile"]):
    """`after.db` beside a finished run, created when first opened; a read-only folder allows reading only."""

    def __init__(self, folder: Path, content: str) -> None:
        self.path = folder / NAME
        check_folder(folder)
        ours = receipts.has_receipt(folder)
        if self.path.exists() and database.is_fully_created(self.path, ours=ours):
            self._open(content, database.is_writable(folder), ours)
        else:
            self.check_writable()
            self.db = database.create_database(self.path, "after")
            with database.transaction(self.db, self.path) as db:
                db.execute("insert into run values (?)", (content,))

    @classmethod
    def read(cls, folder: Path, content: str) -> Self | None:
        """Open a run's after-file for reading only; None where nothing was asked or measured yet."""
        after = cls.__new__(cls)
        after.path = folder / NAME
        check_folder(folder)
        ours = receipts.has_receipt(folder)
        if not after.path.exists() or not database.is_fully_created(after.path, ours=ours):
            return None
        after._open(content, writable=False, ours=ours)
        return after

    def _open(self, content: str, writable: bool, ours: bool) -> None:
        if writable and (ours or not database.is_half_written(self.path)):
            self.db = database.open_writable(self.path, "after")
        else:
            self.db = database.open_reading(self.path, "after", ours=ours)
        with database.closing_on_error(self.db):
            self._check(content)
            present = "select 1 from pragma_table_info('validation') where name = 'person'"
            if not self.db.execute(present).fetchone():
                self._complete(writable)

    def _check(self, content: str) -> None:
        with database.translate_errors(self.path):
            verdict = self.db.execute("pragma integrity_check(1)").fetchone()[0]
            named = self.db.execute("select content from run").fetchone()
        if verdict != "ok" or named is None:
            raise DamagedRun(f"{self.path} is damaged: {verdict}; restore it from a copy, or move it away")
        if named[0] != content:
            raise DamagedRun(
                f"{self.path} belongs to the run {named[0]}, this one is {content}; move it away"
            )

    def _complete(self, writable: bool) -> None:
        """Bring a file of an earlier release to the present columns; in memory if it may not be written."""
        if not writable:
            copy = sqlite3.connect(":memory:", isolation_level=None)
            self.db.backup(copy)
            self.db.close()
            self.db = copy
        database.upgrade_schema(self.db, self.path, "after")

    def check_writable(self) -> None:
        """Raise InputError if the folder is read-only."""
        if not database.is_writable(self.path.parent):
            raise InputError(
                f"{self.path.parent} is read-only, and answers are kept there, in {self.path.name}; "
                "copy the run into a folder of yours and name the copy"
            )

    def __exit__(self, *_: object) -> None:
        database.merge_write_ahead_log(self.db)
        self.db.close()

    def add_interview(
        self,
        agent: str,
        question: str,
        reply: str | None,
        answerer: str,
        call: Any,
        thread: str = "",
        prompt: Sequence[Message] = (),
    ) -> None:
        """Store an answer with its prompt, and with the recorded call if a model or a person gave it."""
        document = {"call": call, "prompt": [message.model_dump(mode="json") for message in prompt]}
        with database.transaction(self.db, self.path) as db:
            db.execute(
                "insert into interview (agent, question, reply, answerer, document, thread, given) "
                "values (?, ?, ?, ?, ?, ?, ?)",
                (agent, question, reply, answerer, canonical(document), thread, _now()),
            )

    def add_validation(
        self, agent: str, statement: str, verdict: Verdict, comment: str = "", person: str = ""
    ) -> None:
        """Store a person's verdict on a statement; it replaces the person's earlier one in summaries."""
        with database.transaction(self.db, self.path) as db:
            db.execute(
                "insert into validation (agent, statement, verdict, comment, person, given) "
                "values (?, ?, ?, ?, ?, ?)",
                (agent, statement, verdict, comment, person, _now()),
            )

    def add_measures(
        self, measures: Mapping[str, tuple[float | None, str | None]], settings: Mapping[str, Any]
    ) -> None:
        """Store measures by name, as (value, reason); the value is null if there is a reason."""
        with database.transaction(self.db, self.path) as db:
            db.executemany(
                "insert into measure (name, value, reason, set_by) values (?, ?, ?, ?)",
                [(name, v, r, canonical(dict(settings))) for name, (v, r) in measures.items()],
            )

    def validations(self) -> list[StoredValidation]:
        """List all validations in the order given, including those that the same person later replaced."""
        sql = f"select {', '.join(StoredValidation._fields)} from validation order by id"
        return [StoredValidation(*row) for row in self.db.execute(sql)]

    def interviews(self) -> list[StoredInterview]:
        """List interviews in the order asked."""
        columns = ", ".join(StoredInterview._fields[:-1])
        sql = f"select {columns}, coalesce(document ->> '$.prompt', '[]') from interview order by id"
        return [StoredInterview(*row) for row in self.db.execute(sql)]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
