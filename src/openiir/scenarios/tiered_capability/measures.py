"""Measures of a run, from the log alone: the gap between tiers, inequality, exposure, and retrieval."""

from pydantic import Field

from openiir.plugin import ConfigTable, Log, Measure, undefined_measure
from openiir.scenarios.tiered_capability.model.divide import MIXED, Divide, measure_retrieval


class TierMeasuring(ConfigTable):
    """Options of `openiir measure RUN --set`."""

    retrieval: tuple[str, ...] = Field((), examples=[["AP"]])
    """Measures of ir_measures, such as "nDCG@10", of the first pages of each tier."""


def tier_measures(log: Log) -> dict[str, Measure]:
    """Compute the measures of each arm (`ARM/NAME`), and of retrieval where they are asked for."""
    divide, asked = Divide.read(log), log.options(TierMeasuring).retrieval
    if not divide.arms:
        return {f"{MIXED}/gap": undefined_measure("no round has ended")}
    return divide.measure() | (measure_retrieval(log, asked) if asked else {})
