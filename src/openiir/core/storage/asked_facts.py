"""Blocks of what the prompts of questions answered offline are made of, so that reading one executes no run.

A block is JSON, compressed: the classes of questions, the personas asked, and for each question the number of
its `asked` event, the places of its classes and its persona in these lists, its facts and its reply.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from openiir.core.errors import DamagedRun
from openiir.core.storage.database import has_table

BLOCK = 512
"""Most questions in a block: equal sentences of many prompts are stored once in it."""
_MOST_BYTES = 64_000_000
"""Most bytes of an unpacked block; larger ones are not written."""


class AskedFacts(NamedTuple):
    """The facts from which a question's prompt was written, and the reply, each as JSON."""

    event: int
    """Place of the `asked` event among the events of the step, later its number."""
    classes: tuple[str, ...]
    """Name of the question's class as `module:class`; in earlier releases that of its facts follows."""
    persona: str
    """Empty for a role."""
    facts: str
    reply: str


def pack_blocks(rows: Sequence[AskedFacts], before: int) -> Iterator[tuple[int, int, bytes]]:
    """Pack a step's questions into blocks: (number of the first event, unpacked size, packed bytes).

    `before` is the number of the last event of the step before.
    """
    for start in range(0, len(rows), BLOCK):
        classes, personas = dict[tuple[str, ...], int](), dict[str, int]()
        found = [
            f"[{before + 1 + row.event},{classes.setdefault(row.classes, len(classes))},"
            f"{personas.setdefault(row.persona, len(personas)) if row.persona else -1},"
            f"{row.facts},{row.reply}]"
            for row in rows[start : start + BLOCK]
        ]
        body = f"[{json.dumps(list(classes))},[{','.join(personas)}],[{','.join(found)}]]".encode()
        if len(body) <= _MOST_BYTES:
            yield before + 1 + rows[start].event, len(body), _codec().compress(body, asbytes=True)


def find_facts(db: sqlite3.Connection, seq: int) -> AskedFacts | None:
    """Find the facts behind the prompt of an `asked` event by its number; None if not recorded.

    Raises DamagedRun for a block that cannot be read.
    """
    if not has_table(db, "asked_facts"):
        return None
    sql = "select bytes, body from asked_facts where seq <= ? order by seq desc limit 1"
    row = db.execute(sql, (seq,)).fetchone()
    if row is None:
        return None
    try:
        classes, personas, rows = _read_block(*row)
        found = next((one for one in rows if one[0] == seq), None)
        if found is None:
            return None
        _, kind, persona, facts, reply = found
        who = _write(personas[persona]) if persona >= 0 else ""
        return AskedFacts(seq, tuple(map(str, classes[kind])), who, _write(facts), _write(reply))
    except (ValueError, TypeError, LookupError, RecursionError, OSError) as error:
        raise DamagedRun(
            f"the facts of the question {seq} cannot be read ({error}); restore the run from a copy"
        ) from None


def _codec() -> Any:
    import pyarrow as pa

    return pa.Codec("zstd", compression_level=1)


@lru_cache(maxsize=2)
def _read_block(size: int, body: bytes) -> Any:
    if not 0 < size <= _MOST_BYTES:
        raise ValueError(f"a block of {size:,} bytes")
    return json.loads(_codec().decompress(body, size, asbytes=True))


def _write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
