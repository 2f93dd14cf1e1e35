"""Rows of Arrow columns in the binary format of PostgreSQL's COPY, formed a block at a time by NumPy."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from openiir.core.hashing import canonical
from openiir.core.storage.columns import fill_missing, logical_type, text_buffers
from openiir.core.storage.postgres.texts import MARK, encode_text

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
_BLOCK = 1 << 12
"""Rows that are formed at a time: a megabyte or so, which fits into the processor's cache."""
_PADDED = 1 << 24
"""Most bytes of a block whose texts are padded to one length; a larger one of several rows is divided."""
_WIDTHS = {"smallint": ">i2", "integer": ">i4", "bigint": ">i8", "real": ">f4", "double precision": ">f8"}
_DIGITS, _BASE, _NEGATIVE = 5, 10_000, 0x4000
"""Digits of a `numeric` for any integer of 64 bits, their base, and the sign of one below 0."""


def encode_rows(columns: Sequence[Any], types: Sequence[str]) -> Iterator[bytes]:
    """Yield Arrow columns of equal length as rows of these PostgreSQL types, without header and trailer."""
    for start in range(0, len(columns[0]), _BLOCK):
        block = [column.slice(start, _BLOCK) for column in columns]
        plain = [
            _as_texts(one) if type in ("text", "json") else one
            for one, type in zip(block, types, strict=True)
        ]
        yield from _encode_block(plain, types)


def _encode_block(columns: Sequence[Any], types: Sequence[str]) -> Iterator[bytes]:
    values = [_values(column, type) for column, type in zip(columns, types, strict=True)]
    places: list[Any] = [("fields", ">i2")]
    for n, (array, letters) in enumerate(values):
        width = array.dtype if letters is None else f"({max(1, int(array.max(initial=0)))},)u1"
        shape = array.shape[1:] if letters is None else ()
        places += [(f"length{n}", ">i4"), (f"value{n}", width, shape)]
    layout = np.dtype(places)
    rows = len(columns[0])
    if rows > 1 and rows * layout.itemsize > _PADDED:
        for start, stop in ((0, rows // 2), (rows // 2, rows)):
            yield from _encode_block([column.slice(start, stop - start) for column in columns], types)
        return
    block = np.empty(rows, layout)
    raw = block.view(np.uint8).reshape(rows, layout.itemsize)
    kept = None
    block["fields"] = len(columns)
    for n, (column, (array, letters)) in enumerate(zip(columns, values, strict=True)):
        kind, place = cast(Any, layout.fields)[f"value{n}"][:2]
        cells = slice(place, place + kind.itemsize)
        if letters is None:
            block[f"length{n}"], block[f"value{n}"] = kind.itemsize, array
        else:
            block[f"length{n}"] = array
            if len(letters) == rows * kind.itemsize:  # all of one length, as names that each row repeats
                raw[:, cells] = letters.reshape(rows, kind.itemsize)
            else:
                there = np.arange(kind.itemsize) < array[:, None]
                raw[:, cells][there] = letters
                kept = np.ones(raw.shape, bool) if kept is None else kept
                kept[:, cells] = there
        if column.null_count:
            absent = np.asarray(column.is_null())
            block[f"length{n}"][absent] = -1
            kept = np.ones(raw.shape, bool) if kept is None else kept
            kept[absent, cells] = False
    yield (raw if kept is None else raw[kept]).tobytes()


def _as_texts(column: Any) -> Any:
    """Return texts, or values as JSON, as texts that PostgreSQL stores."""
    import pyarrow as pa

    if logical_type(column.type) == "json":
        texts = [None if value is None else canonical(value) for value in column.to_pylist()]
    elif any(_holds_odd(chunk) for chunk in column.chunks):
        texts = column.to_pylist()
    else:
        return column
    return pa.chunked_array([[text and encode_text(text) for text in texts]], pa.large_string())


def _holds_odd(chunk: Any) -> bool:
    """Whether a text may hold what `encode_text` changes."""
    offsets, letters = text_buffers(chunk)
    there = b"" if letters is None else bytes(letters[int(offsets[0]) : int(offsets[-1])])
    return b"\0" in there or MARK.encode() in there


def _values(column: Any, type: str) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
    """Return values as PostgreSQL takes them; for texts their lengths and all their letters."""
    full = fill_missing(column, logical_type(column.type) or "")
    if type in ("text", "json"):
        found = [text_buffers(chunk) for chunk in full.chunks if len(chunk)]
        lengths = [np.diff(offsets) for offsets, _ in found]
        letters = [
            np.frombuffer(there, np.uint8)[int(offsets[0]) : int(offsets[-1])]
            for offsets, there in found
            if there is not None
        ]
        return np.concatenate(lengths).astype(np.int64), np.concatenate([np.zeros(0, np.uint8), *letters])
    numbers = full.to_numpy()
    if type == "numeric":
        return _as_numeric(numbers), None
    return numbers.astype("u1" if type == "boolean" else _WIDTHS[type]), None


def _as_numeric(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return integers as values of the type `numeric`: count of digits, weight, sign, scale, digits."""
    below = numbers < 0
    rest = numbers.astype(np.uint64)
    rest[below] = -rest[below]
    made = np.zeros((len(numbers), 4 + _DIGITS), ">i2")
    made[:, 0], made[:, 1], made[:, 2] = _DIGITS, _DIGITS - 1, below * _NEGATIVE
    for n in reversed(range(_DIGITS)):
        made[:, 4 + n] = rest % _BASE
        rest //= _BASE
    return made
