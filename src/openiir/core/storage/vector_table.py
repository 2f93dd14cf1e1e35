"""Cache of text embeddings in the run file, so that a replay needs no endpoint."""

from collections.abc import Mapping, Sequence

from openiir.core.hashing import sha256
from openiir.core.storage.run_database import RunDatabase


class VectorTable(RunDatabase):
    """Table of embeddings in a run file, by content hash."""

    def get_many(self, hashes: Sequence[str]) -> dict[str, bytes]:
        """Return stored vectors by hash, leaving out missing ones."""
        found: dict[str, bytes] = {}
        for n in range(0, len(hashes), 500):
            some = hashes[n : n + 500]
            marks = ",".join("?" * len(some))
            found.update(self.db.execute(f"select hash, vector from embedding where hash in ({marks})", some))
        return found

    def put_many(self, vectors: Mapping[str, bytes]) -> None:
        """Store vectors; a hash that is already stored keeps its vector."""
        with self._write() as db:
            rows = [(name, vector, sha256(vector)) for name, vector in vectors.items()]
            db.executemany("insert or ignore into embedding values (?, ?, ?)", rows)
