"""Arrow columns of tables: logical types, content hashes, and comparison row by row."""

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.hashing import canonical, fingerprint, hash_rows

_BLOCK = 1 << 16
"""Number of values normalised at a time: half a megabyte, which fits into the processor's cache."""


def table_hash(columns: dict[str, str], rows: int) -> str:
    """Hash a part of a table from the hashes of its columns, regardless of their order."""
    return fingerprint([rows, columns])


def logical_type(kind: Any) -> str | None:
    """Return the name of an Arrow type; None for a type that tables do not support.

    `json` is any list or structure, `null` a column of nothing but missing values.
    """
    import pyarrow.types as of

    return "json" if of.is_nested(kind) else _plain_types().get(kind)


@cache
def _plain_types() -> dict[Any, str]:
    import pyarrow as pa

    names = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 null string large_string bool_"
    return {getattr(pa, name)(): name.removeprefix("large_").removesuffix("_") for name in names.split()}


def column_hash(name: str, column: Any) -> str:
    """Hash a column's content: name, logical type, length, which values are missing, and the values.

    It depends neither on how the column is cut into chunks nor on what stands behind a missing value; every
    NaN counts as the same one, and -0.0 as 0.0. Raises InputError for values of a type that a table cannot
    hold.
    """
    kind = logical_type(column.type)
    if kind is None:
        raise InputError(
            f"the column {name!r} holds {column.type}; a table holds bool, integers, floats, text, lists or "
            "tables of these"
        )
    digest = hashlib.sha256()
    head = canonical([name, kind, len(column), column.null_count]).encode()
    digest.update(len(head).to_bytes(8, "little") + head)
    if column.null_count:
        for chunk in column.chunks:
            digest.update(memoryview(chunk.is_valid().to_numpy(zero_copy_only=False)))
    for block in _value_blocks(column, kind):
        digest.update(block)
    return digest.hexdigest()


def _value_blocks(column: Any, kind: str) -> Iterator[Any]:
    """Iterate over the values as bytes: little-endian numbers; for texts all lengths, then all letters."""
    if kind == "null":
        return
    if kind == "json":
        yield hash_rows(canonical(value) for value in column.to_pylist()).encode()
        return
    full = fill_missing(column, kind)
    if kind == "string":
        texts = [text_buffers(chunk) for chunk in full.chunks if len(chunk)]
        for offsets, _ in texts:
            yield np.diff(offsets).astype("<u4")
        for offsets, letters in texts:
            if letters is not None:
                yield letters[int(offsets[0]) : int(offsets[-1])]
        return
    for chunk in full.chunks:
        values = chunk.to_numpy(zero_copy_only=kind != "bool")
        little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        yield from _canonical_floats(little) if kind.startswith("float") else (little,)


def fill_missing(column: Any, kind: str) -> Any:
    """Replace missing values by zero or an empty text, since the memory behind them is arbitrary."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not column.null_count:
        return column
    zero: Any = {"string": "", "bool": False}.get(kind, 0)
    return pc.fill_null(column, pa.scalar(zero, column.type))


def _canonical_floats(values: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for start in range(0, len(values), _BLOCK):
        with np.errstate(invalid="ignore"):  # a signalling NaN
            block = values[start : start + _BLOCK] + values.dtype.type(0.0)
        absent = np.isnan(block)
        if absent.any():
            block[absent] = np.nan
        yield block


def text_buffers(chunk: Any) -> tuple[NDArray[Any], Any]:
    """Return the start and end offsets of each text, and the buffer of all letters."""
    import pyarrow as pa

    _, offsets, letters = chunk.buffers()
    width = np.int64 if pa.types.is_large_string(chunk.type) else np.int32
    return np.frombuffer(offsets, width)[chunk.offset : chunk.offset + len(chunk) + 1], letters


def first_unequal(was: Any, now: Any) -> int | None:
    """Find the first row in which two columns of one type differ, up to the end of the shorter one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    shared = min(len(was), len(now))
    was, now = was.slice(0, shared), now.slice(0, shared)
    if logical_type(was.type) == "json":
        pairs = zip(was.to_pylist(), now.to_pylist(), strict=True)
        return next((n for n, (old, new) in enumerate(pairs) if canonical(old) != canonical(new)), None)
    if logical_type(was.type) == "null":
        return None
    unequal = _to_flags(pc.not_equal(was, now)) | (_to_flags(pc.is_null(was)) != _to_flags(pc.is_null(now)))
    if pa.types.is_floating(was.type):
        unequal &= ~(_to_flags(pc.is_nan(was)) & _to_flags(pc.is_nan(now)))
    return int(unequal.argmax()) if unequal.any() else None


def _to_flags(column: Any) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(column, False).to_numpy(), dtype=bool)


def as_array(column: Any) -> NDArray[Any]:
    """Convert a column to NumPy: missing numbers as NaN, missing texts as None, texts as objects."""
    return np.asarray(column.to_numpy())
