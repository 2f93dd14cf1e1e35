"""Records of a comparison: the JSON that `openiir compare --format json` writes."""

import math
from typing import Any, Literal

from openiir.core.records import Measure, Record
from openiir.kit.statistics import Estimate

FORMAT = 1
ALPHA = 0.05


class Number(Record):
    """A statistic: its value, or null and the reason why it is undefined."""

    value: float | None = None
    reason: str | None = None

    @classmethod
    def of(cls, measure: Measure) -> "Number":
        return cls(value=_finite(measure.value), reason=measure.reason)


class NumberInterval(Record):
    """A statistic with its 95 % interval, or null with the reason why it is undefined."""

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
    """A run that was compared: folder, seed and content hash."""

    folder: str
    seed: int
    content: str


class ComparedArm(Record):
    """An arm of a comparison: runs whose studies are equal except for seed and name."""

    id: str
    """Letter of the arm: A, B, C ... in the order given."""
    label: str
    setting: dict[str, Any]
    """The keys in which the arms differ, with this arm's values."""
    runs: tuple[RunUsed, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the arm's runs, in ascending order."""
        return tuple(sorted({run.seed for run in self.runs}))


class SeedValue(Record):
    """A measure's value in an arm at one seed; the mean of several runs with that seed."""

    seed: int
    value: float | None
    reason: str | None = None
    runs: int = 1


class ArmValues(Record):
    """A measure in one arm: its mean with interval, and its values by seed."""

    arm: str
    mean: NumberInterval
    points: tuple[SeedValue, ...]


class EquivalenceTest(Record):
    """Equivalence test (TOST) of a difference against the declared smallest effect that matters."""

    smallest: float
    p: float | None
    low: float | None
    high: float | None
    """Upper end of the 90 % interval that decides; `low` is the lower end."""
    verdict: Literal["equivalent", "larger", "undecided", "undefined"]
    reason: str | None = None


class Contrast(Record):
    """Difference of an arm from the baseline in one measure, over the seeds where both have a value."""

    arm: str
    baseline: str
    seeds: int
    undefined: int
    """Number of shared seeds that were dropped, because one of the two arms has no value there."""
    higher: int
    lower: int
    difference: NumberInterval
    percent: Number
    ratio: NumberInterval
    """Ratio of the two arms' sums, with an interval from resampling pairs of seeds."""
    p: Number
    exact: bool
    adjusted: Number
    """The p value, corrected for the tests of its family."""
    d_z: Number
    cliffs_delta: Number
    correlation: Number
    spread_ratio: Number
    equivalence: EquivalenceTest | None
    seeds_needed_80: Number
    seeds_needed_90: Number

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p value is below ALPHA."""
        return self.adjusted.value is not None and self.adjusted.value < ALPHA

    def rank(self) -> tuple[float, float]:
        """Return the sort key of a contrast: smallest corrected p first, then the largest effect."""
        p, size = self.adjusted.value, self.d_z.value
        return (2.0 if p is None else p, -abs(size) if size is not None else 0.0)


class ComparedMeasure(Record):
    """A measure with its values in each arm and the contrasts with the baseline."""

    measure: str
    family: Literal["confirmatory", "exploratory"]
    arms: tuple[ArmValues, ...]
    contrasts: tuple[Contrast, ...]


class Family(Record):
    """A family of tests whose p values are corrected together."""

    name: Literal["confirmatory", "exploratory"]
    correction: str
    tests: int


class Comparison(Record):
    """Comparison of two or more arms, measure by measure."""

    format: int = FORMAT
    openiir: str
    types: tuple[str, ...]
    baseline: str
    keys: tuple[str, ...]
    """Keys named by `--key` or varied by the sweep; empty where every difference counts as intended."""
    differs: dict[str, dict[str, Any]]
    """Values that are not the same in all arms, by key and by arm."""
    beyond: tuple[str, ...]
    """Keys that differ between the arms although they are not named in `keys`."""
    warnings: tuple[str, ...]
    left_out: tuple[str, ...]
    measuring: dict[str, Any]
    paired: bool
    """Whether anything was tested; False where the arms share no seed or only one."""
    arms: tuple[ComparedArm, ...]
    families: tuple[Family, ...]
    measures: tuple[ComparedMeasure, ...]

    def arm(self, id: str) -> ComparedArm:
        """Return the arm with this id."""
        return next(arm for arm in self.arms if arm.id == id)


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None
