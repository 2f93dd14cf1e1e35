"""Records of a comparison: the JSON that `openiir compare --format json` writes."""

import math
from typing import Any, Literal

from openiir.core.records import Measure, Record
from openiir.kit.statistics import Estimate

FORMAT = 1
ALPHA = 0.05


class Number(Record):
    """A number, or null and the reason."""

    value: float | None = None
    reason: str | None = None

    @classmethod
    def of(cls, measure: Measure) -> "Number":
        return cls(value=_finite(measure.value), reason=measure.reason)


class NumberInterval(Record):
    """A number with its 95 % interval; null where undefined, with the reason."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    reason: str | None = None

    @classmethod
    def of(cls, estimate: Estimate) -> "NumberInterval":
        value, low, high = map(_finite, estimate[:3])
        return cls(value=value, low=low, high=high, method=estimate.method, reason=estimate.reason)


class RunUsed(Record):
    """A run that was compared."""

    folder: str
    seed: int
    content: str


class ComparedArm(Record):
    """Runs whose studies are equal but for seed and name."""

    id: str
    """A, B, C ... in the order given."""
    label: str
    setting: dict[str, Any]
    """The keys in which the arms differ, with this arm's values."""
    runs: tuple[RunUsed, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """Its seeds, smallest first."""
        return tuple(sorted({run.seed for run in self.runs}))


class SeedValue(Record):
    """An arm's value at one seed; the mean where the arm has several runs with that seed."""

    seed: int
    value: float | None
    reason: str | None = None
    runs: int = 1


class ArmValues(Record):
    """A measure in one arm."""

    arm: str
    mean: NumberInterval
    points: tuple[SeedValue, ...]


class EquivalenceTest(Record):
    """An equivalence test against the declared smallest effect."""

    smallest: float
    p: float | None
    low: float | None
    high: float | None
    """The 90 % interval that decides."""
    verdict: Literal["equivalent", "larger", "undecided", "undefined"]
    reason: str | None = None


class Contrast(Record):
    """An arm less the baseline, in one measure, over the seeds that both have it for."""

    arm: str
    baseline: str
    seeds: int
    undefined: int
    """Shared seeds that were dropped, because one of the two has no value there."""
    higher: int
    lower: int
    difference: NumberInterval
    percent: Number
    ratio: NumberInterval
    """Sum over sum, seeds resampled in pairs."""
    p: Number
    exact: bool
    adjusted: Number
    """p after the correction of its family."""
    d_z: Number
    cliffs_delta: Number
    correlation: Number
    spread_ratio: Number
    equivalence: EquivalenceTest | None
    seeds_needed_80: Number
    seeds_needed_90: Number

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p is below ALPHA."""
        return self.adjusted.value is not None and self.adjusted.value < ALPHA

    def rank(self) -> tuple[float, float]:
        """Return the sort key of contrasts: the smallest corrected p first, then the largest effect."""
        p, size = self.adjusted.value, self.d_z.value
        return (2.0 if p is None else p, -abs(size) if size is not None else 0.0)


class ComparedMeasure(Record):
    """A measure across the arms."""

    measure: str
    family: Literal["confirmatory", "exploratory"]
    arms: tuple[ArmValues, ...]
    contrasts: tuple[Contrast, ...]


class Family(Record):
    """The tests that were corrected together."""

    name: Literal["confirmatory", "exploratory"]
    correction: str
    tests: int


class Comparison(Record):
    """Two or more arms side by side."""

    format: int = FORMAT
    openiir: str
    types: tuple[str, ...]
    baseline: str
    keys: tuple[str, ...]
    """The keys named by `--key` or by the sweep's axes; none where everything that differs is taken as meant."""
    differs: dict[str, dict[str, Any]]
    """By key, by arm: every value that is not the same in all arms."""
    beyond: tuple[str, ...]
    """Keys that differ although they are not named."""
    warnings: tuple[str, ...]
    left_out: tuple[str, ...]
    measuring: dict[str, Any]
    paired: bool
    """False where nothing could be tested: no seed is shared, or there is but one."""
    arms: tuple[ComparedArm, ...]
    families: tuple[Family, ...]
    measures: tuple[ComparedMeasure, ...]

    def arm(self, id: str) -> ComparedArm:
        """The arm with this id."""
        return next(arm for arm in self.arms if arm.id == id)


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None
