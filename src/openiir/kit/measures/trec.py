"""The two file formats of TREC: runs of six columns and relevance judgements (qrels) of four.

A run's line is `topic Q0 item rank score tag`, a qrels' line `topic iteration item relevance`, parted by white
space; so ids cannot hold any, and a blank in one of ours is written as %20 (and % as %25), and read back.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from openiir.core.files import read_text
from openiir.plugin import InputError, Ranked, Ranking

_WRITTEN = {mark: quote(mark, safe="") for mark in ("%", *filter(str.isspace, map(chr, range(0x3001))))}
_READ = {written: mark for mark, written in _WRITTEN.items()}
_ESCAPES = re.compile("|".join(_READ))


class Judgement(NamedTuple):
    """How relevant an item is to a topic."""

    topic: str
    item: str
    relevance: int
    """0 or less is not relevant; grades are above."""
    iteration: str = "0"


def _written(name: str) -> str:
    """An id as the files hold it: white space and % as in a URL, so that no two ids become one."""
    return "".join(_WRITTEN.get(mark, mark) for mark in name)


def _as_read(name: str) -> str:
    return _ESCAPES.sub(lambda found: _READ[found[0]], name) if "%" in name else name


def to_trec(ranking: Ranking) -> str:
    """A ranking as a TREC run, one line a row, without the last line's end; scores as exact as they are."""
    rows = ((_written(r.topic), _written(r.item), r.rank, r.score, _written(r.tag)) for r in ranking.rows)
    return "\n".join(f"{topic} Q0 {item} {rank} {score!r} {tag}" for topic, item, rank, score, tag in rows)


def run_of(path: Path) -> Ranking:
    """A TREC run, ranked by score, ties by id, as every program ranks it whatever its rank column says.

    Topics stand in the order of the file. Raises InputError naming file and line.
    """
    lists: dict[str, dict[str, tuple[float, str]]] = {}
    for where, (topic, _, item, _, score, tag) in _lines(path, 6, "run"):
        try:
            value = float(score)
        except ValueError:
            value = float("nan")
        if not abs(value) < float("inf"):
            raise InputError(f"{where}: the score {score!r} is no finite number")
        found = lists.setdefault(topic, {})
        if item in found:
            raise InputError(f"{where}: topic {topic} ranks {item} a second time; keep one line of it")
        found[item] = (value, tag)
    return Ranking(
        rows=tuple(
            Ranked(topic=topic, item=item, rank=rank, score=found[item][0], tag=found[item][1])
            for topic, found in lists.items()
            for rank, item in enumerate(sorted(found, key=lambda item: (-found[item][0], item)), 1)
        )
    )


def qrels_of(path: Path) -> tuple[Judgement, ...]:
    """Relevance judgements of a TREC qrels file, plain or .gz, in its order.

    Raises InputError naming file and line for a line without four columns, a relevance that is no whole number,
    and an item that is judged twice for a topic in different ways.
    """
    judged: dict[tuple[str, str], Judgement] = {}
    for where, (topic, iteration, item, relevance) in _lines(path, 4, "qrels"):
        if not re.fullmatch(r"[+-]?\d+", relevance):
            raise InputError(f"{where}: the relevance {relevance!r} is no whole number")
        one = Judgement(topic, item, int(relevance), iteration)
        before = judged.setdefault((topic, item), one)
        if before.relevance != one.relevance:
            raise InputError(
                f"{where}: topic {topic} judges {item} as {one.relevance}, but as {before.relevance} above; keep one"
            )
    return tuple(judged.values())


def _lines(path: Path, columns: int, what: str) -> Iterator[tuple[str, Sequence[str]]]:
    """(file and line number, columns) of each line that is not blank; raises InputError."""
    empty = True
    for number, line in enumerate(read_text(path).splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != columns:
            expected = "topic Q0 item rank score tag" if columns == 6 else "topic iteration item relevance"
            raise InputError(
                f"{path} line {number}: a TREC {what} has {columns} columns ({expected}), this line has {len(parts)}"
            )
        empty = False
        yield f"{path} line {number}", [_as_read(part) for part in parts]
    if empty:
        raise InputError(f"the {what} file {path} holds no line; name one with lines of {columns} columns")
