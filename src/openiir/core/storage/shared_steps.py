"""Copying of a run's first steps into its fork."""

import sqlite3
from dataclasses import dataclass

from openiir.core.storage.database import has_table, translate_errors
from openiir.core.storage.gate import copy_file
from openiir.core.storage.run_file import RunFile
from openiir.core.storage.tables import part_path

_BY_STEP = ("event", "claim", "edge", "search", "part")
"""Tables whose rows belong to a step; tables come after those that they refer to."""
_REST = 2**62


@dataclass(frozen=True)
class SharedSteps:
    """The first steps of a parent run, with the replies they depend on, to be copied into a fork."""

    run: RunFile
    steps: int
    begun: bool = False
    """Whether to copy the replies of a step that began but did not finish as well."""

    def copy_to(self, run: RunFile, db: sqlite3.Connection) -> None:
        """Copy rows and table parts into a run that is being declared; the caller commits."""
        with translate_errors(run.path):
            for name, source in self._queries().items():
                rows = self.run.db.execute(source)
                marks = ",".join("?" * len(rows.description))
                db.executemany(f"insert into {name} values ({marks})", rows)
            for (file,) in db.execute("select file from part").fetchall():
                copy_file(part_path(self.run.folder, file), part_path(run.folder, file))

    def _queries(self) -> dict[str, str]:
        calls = _REST if self.begun else self.steps
        queries = {
            "embedding": "select * from embedding",
            "prompt": "select * from prompt where hash in "
            f"(select prompt_hash from call where step <= {calls})",
            "chunk": f"select * from chunk where step between 1 and {self.steps}",
            **{name: f"select * from {name} where step <= {self.steps} order by rowid" for name in _BY_STEP},
            "call": f"select * from call where step <= {calls}",
            "step": f"select * from step where number <= {self.steps}",
        }
        for name, until in (("asked_facts", self.steps), ("call_details", calls)):
            if has_table(self.run.db, name):
                queries[name] = f"select * from {name} where step <= {until}"
        return queries
