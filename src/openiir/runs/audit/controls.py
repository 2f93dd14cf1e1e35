"""Run a type's controls: comparisons whose outcome is known, which it has to find."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openiir.core.errors import UnknownName
from openiir.core.records import Measure
from openiir.core.storage import Log, RunFile
from openiir.core.sums import int_sum
from openiir.core.toml import validate_record
from openiir.plugin import Control, Scenario, Twins
from openiir.runs.audit.auditing import RecordedRuns
from openiir.runs.build import study_folder
from openiir.runs.columns import table_names
from openiir.runs.study import LoadedStudy


@dataclass(frozen=True)
class ControlVerdict:
    """What a control showed."""

    control: Control
    effect: float
    """The difference that was found; NaN where a measure has no value."""
    words: str
    """The effect, or why there is none."""

    @property
    def holds(self) -> bool:
        """Whether the null is as small, or the positive control's effect as large, as is due."""
        least = self.control.least
        return abs(self.effect) <= self.control.within if least is None else self.effect >= least


def run_controls(loaded: LoadedStudy) -> Iterator[ControlVerdict]:
    """Run the controls of a study's type offline, its twins first, one after the other.

    Raises InputError for keys, and UnknownName for a measure, that the type does not have.
    """
    with TemporaryDirectory(prefix="openiir-controls-") as scratch:
        runs = RecordedRuns(loaded.offline(), Path(scratch), "controls")
        if twins := loaded.scenario.twins:
            yield _compare_twins(twins, runs.beside({**loaded.scenario.audited, **twins.config}))

        @cache
        def measure(folder: Path) -> Mapping[str, Measure]:
            return _measure(loaded.scenario, folder)

        def find(sets: Mapping[str, Any], name: str) -> Measure:
            if name not in (found := measure(runs.beside(sets))):
                raise UnknownName(f"measure for a control of the type {loaded.scenario.name!r}", name, found)
            return found[name]

        for control in loaded.scenario.controls:
            found, other = find(control.config, control.measure), Measure(value=0.0)
            if control.less:
                other = find(control.config, control.less)
            elif control.baseline is not None:
                other = find(control.baseline, control.measure)
            effect = found.value - other.value
            reason = found.reason or other.reason or "a measure has no value"
            yield ControlVerdict(control, effect, reason if math.isnan(effect) else f"{effect:.4g}")


def _compare_twins(twins: Twins, folder: Path) -> ControlVerdict:
    """Count the rows in which the tables of two arms differ that nothing tells apart."""
    with RunFile.open(folder) as run:
        log, differing, compared = Log(run), 0, 0
        for table in table_names(run):
            by_arm: dict[str, list[str]] = {name: [] for name in twins.names}
            for row in log.table(table) if twins.column in log.columns(table) else ():
                by_arm.get(row.pop(twins.column), []).append(json.dumps(row, default=str))
            pairs = list(zip_longest(*by_arm.values()))
            compared += len(pairs)
            differing += int_sum(one != other for one, other in pairs)
    says = f"the arms {' and '.join(twins.names)}, which nothing tells apart"
    null = Control(says, f"rows with another {twins.column}", twins.config)
    if not compared:
        return ControlVerdict(null, math.nan, f"no table has rows of them in a column {twins.column!r}")
    return ControlVerdict(null, differing, f"differ in {differing} of {compared}")


def _measure(scenario: Scenario, folder: Path) -> Mapping[str, Measure]:
    with RunFile.open(folder) as run:
        scenario.folder = study_folder(run, scenario)
        kept = validate_record(scenario.Measuring, {}, f"Measuring of the type {scenario.name!r}")
        return scenario.metrics(Log(run, measuring=kept))
