"""Measures of a run: outcomes of both worlds, their differences, and when the worlds come apart."""

from collections.abc import Mapping

import numpy as np

from openiir.plugin import Log, Measure, undefined_measure
from openiir.scenarios.twin_ecosystem.model.outcomes import TABLES, PageOutcomes
from openiir.scenarios.twin_ecosystem.run import FREE, REGULATED


def read_outcomes(log: Log) -> PageOutcomes | None:
    """Read what a run showed and what came of it; None before its first round has ended."""
    tables = {name: log.columns(name) for name in TABLES}
    return PageOutcomes.of_tables(tables) if tables["pages"] else None


def ecosystem_measures(log: Log) -> Mapping[str, Measure]:
    """Compute outcomes as means over rounds, the parts of their differences, and when worlds come apart."""
    if (found := read_outcomes(log)) is None:
        return {"total/utility": undefined_measure("no round has ended")}
    measures = {}
    for name, values in found.by_round.items():
        series = {FREE: values[:, 0], REGULATED: values[:, 1], **found.differences(name)}
        for part, mean in ((part, float(one.mean())) for part, one in series.items()):
            unjudged = undefined_measure("no document is judged harmful")
            measures[f"{part}/{name}"] = unjudged if np.isnan(mean) else Measure(mean)
        if tested := found.compare_needs(name):
            measures[f"equivalence/{name}"] = Measure(tested.p, tested.reason)
    for name, part in (("first_divergence", "total"), ("first_feedback", "feedback")):
        first, never = found.first_rounds[part], undefined_measure("they show the same in all rounds")
        measures[name] = never if first is None else Measure(float(first))
    return measures
