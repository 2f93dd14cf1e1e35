"""Rows for COPY beside a plain writer of the same format."""

import struct

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.hashing import canonical
from openiir.core.storage.postgres import binary_rows
from openiir.core.storage.postgres.binary_rows import encode_rows
from openiir.core.storage.postgres.texts import MARK, decode_text, encode_text

FORMATS = {
    "smallint": ">h",
    "integer": ">i",
    "bigint": ">q",
    "real": ">f",
    "double precision": ">d",
    "boolean": "?",
}


def plain_value(value, type):
    if value is None:
        return struct.pack(">i", -1)
    if type == "numeric":
        digits, rest = [], abs(value)
        for _ in range(5):
            rest, digit = divmod(rest, 10_000)
            digits.insert(0, digit)
        packed = struct.pack(">hhHh5h", 5, 4, 0x4000 if value < 0 else 0, 0, *digits)
    elif type in ("text", "json"):
        packed = encode_text(canonical(value) if type == "json" else value).encode()
    else:
        packed = struct.pack(FORMATS[type], value)
    return struct.pack(">i", len(packed)) + packed


def plain_rows(columns, types):
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return b"".join(struct.pack(">h", len(types)) + b"".join(map(plain_value, row, types)) for row in rows)


COLUMNS = {
    "smallint": (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    "integer": (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "bigint": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "numeric": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "double precision": (pa.float64(), st.floats(allow_nan=False)),
    "boolean": (pa.bool_(), st.booleans()),
    "text": (pa.string(), st.text(max_size=9) | st.sampled_from([MARK, "\0", f"a{MARK}0\0", "b" * 400])),
    "json": (pa.list_(pa.int64()), st.lists(st.integers(0, 9), max_size=3)),
}


@st.composite
def tables(draw):
    types = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=5))
    rows = draw(st.integers(1, 12))
    columns = []
    for type in types:
        arrow, values = COLUMNS[type]
        cells = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
        cut = draw(st.integers(0, rows))
        columns.append(pa.chunked_array([pa.array(cells[:cut], arrow), pa.array(cells[cut:], arrow)]))
    return columns, types


@given(tables(), st.sampled_from([1, 3, 1 << 15]), st.sampled_from([40, 1 << 24]))
def test_rows_are_those_of_a_plain_writer(table, block, padded):
    columns, types = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary_rows, "_BLOCK", block)
        patch.setattr(binary_rows, "_PADDED", padded)
        assert b"".join(encode_rows(columns, types)) == plain_rows(columns, types)


def test_values_may_be_narrower_than_their_column():
    columns = [pa.chunked_array([pa.array([-3, 4], pa.int8())])] * 3 + [
        pa.chunked_array([pa.array([0.1, 0.2], pa.float32())])
    ]
    types = ["integer", "bigint", "numeric", "double precision"]
    assert b"".join(encode_rows(columns, types)) == plain_rows(columns, types)


@given(st.text() | st.text(alphabet=[MARK, "\0", "0", "1", "a"]))
def test_every_text_comes_back(text):
    there = encode_text(text)
    assert "\0" not in there and decode_text(there) == text
    assert there == text or MARK in text or "\0" in text
