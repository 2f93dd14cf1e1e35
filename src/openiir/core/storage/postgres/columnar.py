"""Columnar tables as tables of PostgreSQL: types, names, and COPY in both directions."""

import io
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from openiir.core.errors import DamagedRun
from openiir.core.files import check_size
from openiir.core.hashing import canonical, sha256
from openiir.core.storage.columns import logical_type
from openiir.core.storage.postgres.binary_rows import HEADER, TRAILER, encode_rows
from openiir.core.storage.postgres.connection import lock
from openiir.core.storage.postgres.texts import MARK, decode_text

KEYS = ("run", "step", "n")
"""Columns that every table has before those of the type: the run's number, the step, and the row from 0."""
_TYPES = {
    **dict.fromkeys(("int8", "uint8", "int16"), "smallint"),
    **dict.fromkeys(("uint16", "int32"), "integer"),
    **dict.fromkeys(("uint32", "int64"), "bigint"),
    "uint64": "numeric",
    "float32": "real",
    "float64": "double precision",
    "string": "text",
    "bool": "boolean",
    "json": "json",
}
_FAMILIES = {
    "int": ("smallint", "integer", "bigint", "numeric"),
    "float": ("real", "double precision"),
    "text": ("text",),
    "bool": ("boolean",),
    "json": ("json",),
}
"""Types by family, each wider than the one before: a column of a family takes the widest that it met."""
_RESERVED = {*KEYS, "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}
_LONGEST = 63
"""Most bytes of a name in PostgreSQL."""


def shorten(name: str) -> str:
    """Return a name as PostgreSQL keeps it whole: a long one is cut, with a hash at its end."""
    raw = name.encode()
    return name if len(raw) <= _LONGEST else f"{raw[:50].decode('utf-8', 'ignore')}${sha256(name)[:8]}"


def postgres_type(arrow: Any) -> str | None:
    """Return the PostgreSQL type for an Arrow type; None for a column of nothing but missing values."""
    return _TYPES.get(logical_type(arrow) or "")


def _family(type: str) -> str:
    return next(name for name, types in _FAMILIES.items() if type in types)


def column_name(name: str, type: str, there: Mapping[str, str]) -> str:
    """Name the column for values of a type in a table with these columns.

    No name of a type's has a `$`; one that PostgreSQL has taken, or values of another family, gets one.
    """
    place = shorten(f"{name}$" if name in _RESERVED else name)
    if place in there and _family(there[place]) != _family(type):
        return shorten(f"{name}${_family(type)}")
    return place


def find_relation(connection: Any, type: str, table: str) -> str | None:
    """Find the name of the table for a columnar table of a type; None where there is none yet."""
    row = connection.execute(
        "select relation from openiir.columnar where type = %s and tbl = %s", (type, table)
    ).fetchone()
    return row and str(row[0])


def columns_of(connection: Any, relation: str) -> dict[str, str]:
    """Return the types of a table's columns by name."""
    rows = connection.execute(
        "select attname, format_type(atttypid, null) "
        "from pg_attribute join pg_class on pg_class.oid = attrelid "
        "where relnamespace = 'openiir'::regnamespace and relname = %s and attnum > 0 and not attisdropped",
        (relation,),
    )
    return dict(rows.fetchall())


def prepare_relation(connection: Any, type: str, table: str, schema: Any) -> str:
    """Make the table for a columnar table, or the columns that it lacks; returns the table's name."""
    from psycopg import sql

    wanted = {field.name: kind for field in schema if (kind := postgres_type(field.type)) is not None}
    with connection.transaction():
        lock(connection, "openiir/columnar")
        relation = find_relation(connection, type, table) or _create_relation(connection, type, table)
        there = columns_of(connection, relation)
        changes = []
        for name, kind in wanted.items():
            place = column_name(name, kind, there)
            types = _FAMILIES[_family(kind)]
            if place not in there:
                changes.append(sql.SQL("add column {} " + kind).format(sql.Identifier(place)))
            elif types.index(there[place]) < types.index(kind):
                changes.append(sql.SQL("alter column {} type " + kind).format(sql.Identifier(place)))
            else:
                continue
            there[place] = kind
        if changes:
            altered = sql.Identifier("openiir", relation)
            connection.execute(sql.SQL("alter table {} {}").format(altered, sql.SQL(", ").join(changes)))
    return relation


def _create_relation(connection: Any, type: str, table: str) -> str:
    from psycopg import sql

    relation = shorten(f"{type}_{table}")
    taken = connection.execute(
        "select 1 from pg_class where relnamespace = 'openiir'::regnamespace and relname = %s", (relation,)
    ).fetchone()
    if taken:
        relation = shorten(f"{relation[:50]}${sha256(canonical([type, table]))[:8]}")
    place = sql.Identifier("openiir", relation)
    connection.execute(
        sql.SQL("create table {} (run integer not null, step bigint not null, n bigint not null)").format(
            place
        )
    )
    connection.execute(sql.SQL("create index on {} using brin (run, step)").format(place))
    connection.execute("insert into openiir.columnar values (%s, %s, %s)", (relation, type, table))
    return relation


def place_columns(
    connection: Any, relation: str, run: int, step: int, rows: Any
) -> tuple[list[str], list[str], list[Any]]:
    """List the columns of a PostgreSQL table that rows go to, keys first: names, types, contents."""
    import pyarrow as pa

    there, length = columns_of(connection, relation), len(rows)
    keys = [pa.repeat(pa.scalar(one), length) for one in (run, step)] + [pa.array(np.arange(length))]
    names, columns = list(KEYS), [pa.chunked_array([one]) for one in keys]
    for field in rows.schema:
        if (kind := postgres_type(field.type)) is not None:
            names.append(column_name(field.name, kind, there))
            columns.append(rows[field.name])
    return names, [there[name] for name in names], columns


def send_part(connection: Any, relation: str, run: int, step: int, rows: Any) -> None:
    """Send an Arrow table as rows of a PostgreSQL table; each block is formed while one is sent."""
    from psycopg import sql

    names, types, columns = place_columns(connection, relation, run, step, rows)
    copy_in = sql.SQL("copy {} ({}) from stdin (format binary)").format(
        sql.Identifier("openiir", relation), sql.SQL(", ").join(map(sql.Identifier, names))
    )
    blocks = encode_rows(columns, types)
    with ThreadPoolExecutor(1) as beside, connection.cursor().copy(copy_in) as copy:
        copy.write(HEADER)
        waiting = beside.submit(next, blocks, None)
        while (block := waiting.result()) is not None:
            waiting = beside.submit(next, blocks, None)
            copy.write(block)
        copy.write(TRAILER)


def read_part(connection: Any, relation: str, run: int, step: int, schema: Any) -> Any:
    """Read back the rows of a part as an Arrow table of this schema; raises DamagedRun, Unreadable."""
    from psycopg import sql

    there = columns_of(connection, relation)
    kinds = {field.name: postgres_type(field.type) for field in schema}
    places = {name: column_name(name, kind, there) for name, kind in kinds.items() if kind is not None}
    if missing := [place for place in places.values() if place not in there]:
        raise DamagedRun(f"the table {relation} of the database lacks the column {missing[0]!a:.60}")
    copy_out = sql.SQL(
        "copy (select {} from {} where run = {} and step = {} order by n) to stdout (format csv)"
    )
    names = sql.SQL(", ").join(map(sql.Identifier, ("n", *places.values())))
    statement = copy_out.format(names, sql.Identifier("openiir", relation), run, step)
    data = io.BytesIO()
    with connection.cursor().copy(statement) as copy:
        for block in copy:
            data.write(block)
            check_size(f"the table {relation}", data.tell())
    try:
        return _parse(data, schema, list(places))
    except Exception as error:  # rows and schemas of a stranger make the reader fail in any way they like
        why = " ".join(str(error).split())[:200]
        raise DamagedRun(f"rows of the table {relation} of the database cannot be read: {why}") from None


def _parse(data: io.BytesIO, schema: Any, sent: Sequence[str]) -> Any:
    """Parse CSV of row numbers and the columns that were sent; those without any value were not."""
    import pyarrow as pa
    from pyarrow import csv

    types = {name: schema.field(name).type for name in sent}
    texts = {
        name: pa.large_string() for name, type in types.items() if logical_type(type) in ("json", "string")
    }
    data.seek(0)
    read = csv.read_csv(
        data,
        read_options=csv.ReadOptions(column_names=["\0", *sent], use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            column_types={"\0": pa.int64(), **types, **texts},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        ),
    )
    columns = [
        _from_csv_column(read[field.name], field.type)
        if field.name in types
        else pa.nulls(len(read), field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _from_csv_column(column: Any, type: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = logical_type(type)
    if kind == "json":
        texts = column.to_pylist()
        return pa.array([None if text is None else json.loads(decode_text(text)) for text in texts], type)
    if kind == "string":
        if pc.any(pc.match_substring(column, MARK)).as_py():
            column = pa.chunked_array(
                [[None if text is None else decode_text(text) for text in column.to_pylist()]],
                pa.large_string(),
            )
        return column.cast(type)
    return column
