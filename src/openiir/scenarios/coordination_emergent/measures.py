"""Measures of a run, from the log alone: overlap against its null, clusters, hoarding and denials."""

from collections.abc import Mapping

from openiir.plugin import Log, Measure
from openiir.scenarios.coordination_emergent.model.access import HIDDEN
from openiir.scenarios.coordination_emergent.model.record import ArmRecord


def co_access_measures(log: Log) -> Mapping[str, Measure]:
    """Compute the measures of each arm over the second half of the run, with the clusters of all of it."""
    found: dict[str, Measure] = {}
    for arm, record in ArmRecord.read_all(log).items():
        measures = {**record.measure_overlap(), **record.measure_access()}
        if arm != HIDDEN:
            own, base = measures["excess"], found[f"{HIDDEN}/excess"]
            measures["over_hidden"] = own._replace(value=own.value - base.value)
        found |= {f"{arm}/{name}": value for name, value in measures.items()}
    return found
