"""What the items of a collection are called, read from their titles once and kept on disk for the next process.

What is kept never decides anything: a file is found by the sha256 of the titles and of the code that reads them, and
what does not carry its own sha256 in front is not read. A folder that cannot be written to is no error.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import mkstemp
from typing import NamedTuple

from openiir.kit.items import titling
from openiir.kit.items.titling import ARTICLES, key_of, normalised, read_title

FOLDER = "OPENIIR_CACHE"
"""The variable that names another folder than `~/.cache/openiir`; `off` keeps nothing."""
KEPT_FROM = 5_000
"""Items from which on reading the file is worth its while."""
_DIGEST = 32
_MOST = 32
"""Files that stay; older ones go when another is written."""


class Called(NamedTuple):
    """Names in columns: the first four have a row a name, in order of item, the last two a row an item."""

    keys: list[str]
    items: list[int]
    main: list[bool]
    """Whether it is the item's main name; others stand in parentheses."""
    article: list[bool]
    """Whether it has an article in front."""
    years: list[str]
    """The year in the title; empty without."""
    short: list[str]
    """The key of what stands before a colon in the main name; empty without."""


def called(titles: Sequence[str]) -> Called:
    """The names in these titles, from disk where they were read before."""
    if len(titles) < KEPT_FROM or (folder := _folder()) is None:
        return read_names(titles)
    whole = hashlib.sha256(_code())
    for title in titles:
        whole.update(title.encode("utf-8", "surrogatepass") + b"\0")
    file = folder / f"names-{whole.hexdigest()}.arrow"
    found = _from_disk(file)
    if found is None:
        found = read_names(titles)
        _to_disk(file, found)
    return found


def read_names(titles: Sequence[str]) -> Called:
    """The names in these titles."""
    found = Called([], [], [], [], [], [])
    for item, title in enumerate(titles):
        names, year = read_title(title)
        for n, name in enumerate(names):
            words = normalised(name)
            found.keys.append(key_of(words))
            found.items.append(item)
            found.main.append(n == 0)
            first, _, rest = words.partition(" ")
            found.article.append(first in ARTICLES and rest != "")
        head, colon, _ = names[0].partition(": ")
        found.years.append(year)
        found.short.append(key_of(normalised(head)) if colon else "")
    return found


def _folder() -> Path | None:
    said = os.environ.get(FOLDER, "")
    if said == "off":
        return None
    try:
        return Path(said or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "openiir").expanduser()
    except RuntimeError:  # nobody's process: there is no home
        return None


@lru_cache(maxsize=1)
def _code() -> bytes:
    """The sha256 of the code that reads titles, so that another version finds nothing of this one."""
    files = (Path(__file__), Path(titling.__file__))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).digest()


def _from_disk(file: Path) -> Called | None:
    import pyarrow as pa

    try:
        data = file.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
        return None
    columns = pa.ipc.open_stream(pa.py_buffer(data[_DIGEST:])).read_all().to_pydict()
    return Called(*(columns[name][0] for name in Called._fields))


def _to_disk(file: Path, found: Called) -> None:
    """In one step, so that no other process reads half of it; titles that UTF-8 cannot hold are not kept."""
    with suppress(OSError, UnicodeError):
        data = _packed(found)
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, part = mkstemp(dir=file.parent, prefix=".names-")
        try:
            with os.fdopen(handle, "wb") as written:
                written.write(hashlib.sha256(data).digest() + data)
            Path(part).replace(file)
        finally:
            Path(part).unlink(missing_ok=True)
        aged = sorted(
            file.parent.glob("names-*.arrow"), key=lambda kept: (-kept.stat().st_mtime_ns, kept.name)
        )
        for old in aged[_MOST:]:
            old.unlink(missing_ok=True)


def _packed(found: Called) -> bytes:
    import pyarrow as pa

    types = (pa.string(), pa.int64(), pa.bool_(), pa.bool_(), pa.string(), pa.string())
    columns = [pa.array([column], pa.list_(type)) for column, type in zip(found, types, strict=True)]
    table = pa.table(columns, names=list(Called._fields))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())
