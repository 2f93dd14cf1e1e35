"""The two TREC file formats: write and read runs (six columns), read relevance judgements (qrels, four
columns).

A run's line is `topic Q0 item rank score tag`, a qrels' line `topic iteration item relevance`, parted by
white space; so ids cannot hold any, and a blank in one of ours is written as %20 (and % as %25), and read
back.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from openiir.core.files import read_text
from openiir.plugin import InputError, Ranking

_ESCAPED = {mark: quote(mark, safe="") for mark in ("%", *filter(str.isspace, map(chr, range(0x3001))))}
_UNESCAPED = {written: mark for mark, written in _ESCAPED.items()}
_ESCAPES = re.compile("|".join(_UNESCAPED))


class Judgement(NamedTuple):
    """Relevance judgement of an item for a topic."""

    topic: str
    item: str
    relevance: int
    """Relevance grade; 0 or less is not relevant."""
    iteration: str = "0"


def _escape(name: str) -> str:
    """Percent-encode white space and % in an id, so that ids stay distinct in a file."""
    return "".join(_ESCAPED.get(mark, mark) for mark in name)


def to_trec(ranking: Ranking) -> str:
    """Format a ranking as a TREC run, a line for each row, with scores in full precision.

    There is no line break at the end.
    """
    rows = ((_escape(r.topic), _escape(r.item), r.rank, r.score, _escape(r.tag)) for r in ranking.rows)
    return "\n".join(f"{topic} Q0 {item} {rank} {score!r} {tag}" for topic, item, rank, score, tag in rows)


def read_run(path: Path) -> Ranking:
    """Read a TREC run, plain or .gz, sorting each topic's items by score instead of the written rank.

    Raises InputError naming file and line for a line without six columns, a score that is no number, an item
    that comes twice for a topic, and a file without a line.
    """
    scores: dict[tuple[str, str], float] = {}
    tag = ""
    for where, row in read_rows(path, "run", "topic Q0 item rank score tag"):
        topic, _, item, _, score, tag = row
        if (topic, item) in scores:
            raise InputError(f"{where}: topic {topic} ranks {item} a second time; keep one line")
        scores[topic, item] = read_score(score, where)
    if not scores:
        raise InputError(f"the run {path} holds no line; name one with lines of 6 columns")
    return Ranking.of(((topic, item, score) for (topic, item), score in scores.items()), tag)


def read_score(text: str, where: str) -> float:
    """Read a score of a run. Raises InputError unless it is a finite number."""
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{where}: the score {text!r} is no number; mend that line")
    return score


def read_rows(path: Path, what: str, names: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the place of each line that is not empty, for errors, and its columns with white space read back.

    `names` are those of the columns. Raises InputError for a line with more or fewer.
    """
    needed = len(names.split())
    for number, line in enumerate(read_text(path).splitlines(), 1):
        columns, where = (
            [_ESCAPES.sub(lambda found: _UNESCAPED[found[0]], part) for part in line.split()],
            f"{path} line {number}",
        )
        if columns and len(columns) != needed:
            raise InputError(
                f"{where}: a TREC {what} has {needed} columns ({names}), this line has {len(columns)}"
            )
        if columns:
            yield where, columns


def qrels_of(path: Path) -> tuple[Judgement, ...]:
    """Read the relevance judgements of a TREC qrels file, plain or .gz, in its order.

    Raises InputError naming file and line for a line without four columns, a relevance that is no whole
    number, and an item that is judged twice for a topic in different ways.
    """
    judged: dict[tuple[str, str], Judgement] = {}
    for where, row in read_rows(path, "qrels", "topic iteration item relevance"):
        topic, iteration, item, relevance = row
        if not re.fullmatch(r"[+-]?\d+", relevance):
            raise InputError(f"{where}: the relevance {relevance!r} is no whole number")
        one = Judgement(topic, item, int(relevance), iteration)
        before = judged.setdefault((topic, item), one)
        if before.relevance != one.relevance:
            raise InputError(
                f"{where}: topic {topic} judges {item} as {one.relevance}, but as {before.relevance} "
                "above; keep one"
            )
    if not judged:
        raise InputError(f"the qrels file {path} holds no line; name one with lines of 4 columns")
    return tuple(judged.values())
