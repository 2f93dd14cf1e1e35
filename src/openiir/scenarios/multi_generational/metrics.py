"""Measures of a run, computed from the log alone."""

from collections.abc import Mapping

from openiir.plugin import Log, Measure


def evolution_measures(log: Log) -> Mapping[str, Measure]:
    """Compute."""
    rows = log.table("generations")
    return {f"landing.{row['arm']}": Measure(row["landing"]) for row in rows}
