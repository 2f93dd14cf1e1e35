"""Rumour cascades of Twitter15 and Twitter16 (Ma, Gao & Wong, ACL 2017), read from their published files."""

import io
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lab.cascades.observed_shares import CleanedTrees, clean_shares
from openiir.core.errors import InputError
from openiir.core.files import check_size, read_bytes, read_text
from openiir.scenarios.social_media.model.cascades import NOBODY

_LINE = re.compile(
    r"^\['([^'\n]+)', '[^'\n]*', '[^'\n]*'\]->\['([^'\n]+)', '[^'\n]*', '(-?[0-9]+(?:[.][0-9]+)?)'\][ \r]*$",
    re.MULTILINE,
)
_ROOT = "ROOT"


class RumourTrees(NamedTuple):
    """Cascades as published, cleaned by the rules of `clean_shares`; times are minutes after the source."""

    cleaned: CleanedTrees
    sources: tuple[str, ...]
    """Id of each tree's source tweet, in order of the trees."""
    labels: tuple[str, ...]
    """Verdict on each tree: true, false, unverified or non-rumor."""


def read_rumour_trees(folder: Path, name: str = "twitter15") -> RumourTrees:
    """Read the cascades of `name`_tree.tar.gz with the labels of `name`_label.txt.

    A line is an edge from one account's tweet to another's, with minutes after the source. Accounts are the
    members. Raises InputError for a line of another form, a file without a source, and a tree without a
    label.
    """
    verdicts: dict[str, str] = {}
    path = folder / f"{name}_label.txt"
    for number, line in enumerate(read_text(path).split(), 1):
        verdict, colon, source = line.partition(":")
        if not colon:
            raise InputError(f"{path}, row {number}: {line!r:.60} is not label:source; mend that row")
        verdicts[source] = verdict
    sources: list[str] = []
    edges: list[tuple[str, str, str]] = []
    ends: list[int] = []
    for source, text in _tree_files(folder / f"{name}_tree.tar.gz"):
        if source not in verdicts:
            raise InputError(f"{path} has no label of the tree {source}; add it, or take the tree out")
        edges += _read_edges(text, source)
        sources.append(source)
        ends.append(len(edges))
    item = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    numbers = {account: n for n, account in enumerate(dict.fromkeys(member for _, member, _ in edges))}
    numbers[_ROOT] = NOBODY
    if len(unknown := sorted({sharer for sharer, _, _ in edges} - numbers.keys())):
        raise InputError(f"account {unknown[0]} shows a tweet that it never got; add the line where it did")
    member = np.array([numbers[member] for _, member, _ in edges], dtype=np.int64)
    shown_by = np.array([numbers[sharer] for sharer, _, _ in edges], dtype=np.int64)
    minute = np.array([float(minute) for _, _, minute in edges])
    cleaned = clean_shares(item, member, shown_by, minute)
    if len(cleaned.trees) != len(sources):
        raise InputError(f"{len(sources)} tree files hold {len(cleaned.trees)} sources; a tree has one")
    return RumourTrees(cleaned, tuple(sources), tuple(verdicts[source] for source in sources))


def _tree_files(path: Path) -> Iterator[tuple[str, str]]:
    """Read the trees of an archive in order of their names: source tweet and text."""
    try:
        with tarfile.open(fileobj=io.BytesIO(read_bytes(path))) as archive:
            files = sorted((m for m in archive if m.name.endswith(".txt")), key=lambda member: member.name)
            for member in files:
                check_size(path, member.size)
                yield Path(member.name).stem, archive.extractfile(member).read().decode()
    except (tarfile.TarError, EOFError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no archive of trees: {error}; fetch it anew") from None


def _read_edges(text: str, source: str) -> list[tuple[str, str, str]]:
    """Read a tree's lines as sharer, member and minute."""
    found = _LINE.findall(text)
    if len(found) == len(lines := [line for line in text.splitlines() if line.strip()]):
        return found
    bad = next(line for line in lines if not _LINE.search(line))
    form = "['account', 'tweet', 'minutes']->[the same]"
    raise InputError(f"tree {source}: the line {bad!r:.120} is not {form}; mend it")
