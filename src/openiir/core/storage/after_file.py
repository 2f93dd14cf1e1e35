"""The after-file `after.db`: interviews, validations and measures made after a run ended."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from openiir.core.errors import DamagedRun, InputError
from openiir.core.hashing import canonical
from openiir.core.storage import database


class AfterFile(AbstractContextManager["AfterFile"]):
    """`after.db` beside a finished run, created when first opened; a read-only folder allows reading only."""

    def __init__(self, folder: Path, content: str) -> None:
        self.path = folder / "after.db"
        if self.path.exists() and database.version_of(self.path):
            self.db = database.open_existing(self.path, writable=database.is_writable(folder))
            self._check(content)
        else:
            self.check_writable()
            self.db = database.create(self.path, "after")
            with database.transaction(self.db, self.path) as db:
                db.execute("insert into run values (?)", (content,))

    def check_writable(self) -> None:
        """Raise InputError if the folder is read-only."""
        if not database.is_writable(self.path.parent):
            raise InputError(
                f"{self.path.parent} is read-only, and answers are kept there, in {self.path.name}; "
                "copy the run into a folder of yours and name the copy"
            )

    def _check(self, content: str) -> None:
        try:
            with database.translate_errors(self.path):
                verdict = self.db.execute("pragma integrity_check(1)").fetchone()[0]
                named = self.db.execute("select content from run").fetchone()
            if verdict != "ok" or named is None:
                raise DamagedRun(
                    f"{self.path} is damaged: {verdict}; restore it from a copy, or move it away"
                )
            if named[0] != content:
                raise DamagedRun(
                    f"{self.path} belongs to the run {named[0]}, this one is {content}; move it away"
                )
        except BaseException:
            self.db.close()
            raise

    def __exit__(self, *_: object) -> None:
        database.fold_log(self.db)
        self.db.close()

    def add_interview(self, agent: str, question: str, reply: str | None, answerer: str, call: Any) -> None:
        with database.transaction(self.db, self.path) as db:
            db.execute(
                "insert into interview (agent, question, reply, answerer, document) values (?, ?, ?, ?, ?)",
                (agent, question, reply, answerer, canonical(call)),
            )

    def add_validation(self, agent: str, statement: str, verdict: str, comment: str = "") -> None:
        with database.transaction(self.db, self.path) as db:
            db.execute(
                "insert into validation (agent, statement, verdict, comment) values (?, ?, ?, ?)",
                (agent, statement, verdict, comment),
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

    def validations(self) -> list[tuple[str, str, str, str]]:
        """List validations as (agent, statement, verdict, comment), in the order given."""
        sql = "select agent, statement, verdict, comment from validation order by id"
        return list(self.db.execute(sql))

    def interviews(self) -> list[tuple[str, str, str | None, str]]:
        """List interviews as (agent, question, reply, answerer), in the order asked."""
        return list(self.db.execute("select agent, question, reply, answerer from interview order by id"))
