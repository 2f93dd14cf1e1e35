"""Views."""

from openiir.plugin import Interview, Log, Surface, Table


def tabulate_summary(log: Log) -> Table:
    rows = log.table("generations")
    return Table(columns=tuple(rows[0]), rows=tuple(tuple(row.values()) for row in rows))


SURFACES: tuple[Surface | Interview, ...] = (Surface("summary", "table", "Summary", tabulate_summary),)
