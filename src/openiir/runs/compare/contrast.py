"""Contrast two arms in one measure: difference, significance tests and effect sizes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from openiir.core.records import Measure
from openiir.core.records.measure import UNBOUNDED, Bounds, undefined_measure
from openiir.kit import statistics
from openiir.kit.statistics import Estimate
from openiir.runs.compare.records import ALPHA, Contrast, EquivalenceTest, Number, NumberInterval, SeedValue


@dataclass(frozen=True)
class MeasureSamples:
    """Values of one measure in one arm by seed; a seed may have several runs."""

    by_seed: Mapping[int, Sequence[Measure]]
    bounds: Bounds = UNBOUNDED

    def values_at(self, seed: int) -> list[float]:
        """Return the defined values of the measure at a seed."""
        return [m.value for m in self.by_seed.get(seed, ()) if m.defined]

    def points(self) -> tuple[SeedValue, ...]:
        """Return the measure's value at each seed, by seed; the mean where several runs have that seed."""
        found = []
        for seed, measures in sorted(self.by_seed.items()):
            values = self.values_at(seed)
            reason = None if values else next((m.reason for m in measures), None)
            mean = float(np.mean(values)) if values else None
            found.append(SeedValue(seed=seed, value=mean, reason=reason, runs=len(measures)))
        return tuple(found)

    def mean(self, seeds: Sequence[int]) -> NumberInterval:
        """Compute the mean over these seeds, with its interval."""
        kept = [seed for seed in seeds if self.values_at(seed)]
        if not kept:
            return NumberInterval(reason=self.why(seeds))
        groups = [self.values_at(seed) for seed in kept]
        if any(len(group) > 1 for group in groups):  # seeds, then runs within
            return NumberInterval.of(statistics.hierarchical_bootstrap(groups))
        return NumberInterval.of(statistics.mean_interval([group[0] for group in groups], bounds=self.bounds))

    def why(self, seeds: Sequence[int]) -> str:
        """Return the first reason why the measure is undefined at these seeds."""
        reasons = [m.reason for seed in seeds for m in self.by_seed.get(seed, ()) if m.reason]
        return reasons[0] if reasons else "not measured in this arm"


def compare_arms(
    names: tuple[str, str], base: MeasureSamples, arm: MeasureSamples, smallest: float | None, tests: int
) -> Contrast:
    """Compare `arm` with `base` at the seeds where both have a value; `names` are ids, the arm's first.

    `tests` is how many the confirmatory family has: the sign-flip test needs seeds enough for all of them.
    """
    shared = sorted(base.by_seed.keys() & arm.by_seed.keys())
    kept = [seed for seed in shared if base.values_at(seed) and arm.values_at(seed)]
    if not kept:
        return _empty_contrast(names, len(shared), _why_none(shared, base, arm))
    a = np.array([np.mean(base.values_at(seed)) for seed in kept])
    b = np.array([np.mean(arm.values_at(seed)) for seed in kept])
    d = statistics.difference(a, b)
    several = any(len(side.values_at(seed)) > 1 for side in (base, arm) for seed in kept)
    pairs = [[y - x for x in base.values_at(s) for y in arm.values_at(s)] for s in kept]
    difference = (
        statistics.hierarchical_bootstrap(pairs)
        if several
        else statistics.paired_difference(a, b, bounds=base.bounds)
    )
    positive = bool((a >= 0).all() and (b >= 0).all())
    signed = Estimate(math.nan, reason="values below 0: a ratio would mean nothing")
    needed = [_seeds_needed(d, smallest, power, tests) for power in (0.8, 0.9)]
    return Contrast(
        arm=names[0],
        baseline=names[1],
        seeds=len(kept),
        undefined=len(shared) - len(kept),
        higher=int((d > 0).sum()),
        lower=int((d < 0).sum()),
        difference=NumberInterval.of(difference),
        percent=Number.of(statistics.percent_difference.measure(a, b)),
        ratio=NumberInterval.of(statistics.ratio_of_sums(a, b) if positive else signed),
        p=Number.of(statistics.sign_flip.measure(d)),
        exact=statistics.is_exact(len(kept)),
        adjusted=Number(reason="not yet corrected"),
        d_z=Number.of(statistics.d_z.measure(d)),
        cliffs_delta=Number.of(statistics.cliffs_delta.measure(a, b)),
        correlation=Number.of(statistics.correlation.measure(a, b)),
        spread_ratio=Number.of(statistics.spread_ratio.measure(a, b)),
        equivalence=None if smallest is None else _test_equivalence(d, smallest, base.bounds),
        seeds_needed_80=needed[0],
        seeds_needed_90=needed[1],
    )


def _why_none(shared: Sequence[int], base: MeasureSamples, arm: MeasureSamples) -> str:
    if not shared:
        return "no seed is shared"
    for side in (arm, base):
        if not any(side.values_at(seed) for seed in shared):
            return side.why(shared)
    return "at no seed do both have a value"


def _empty_contrast(names: tuple[str, str], shared: int, reason: str) -> Contrast:
    none, unbounded = Number(reason=reason), NumberInterval(reason=reason)
    numbers = (
        "percent p adjusted d_z cliffs_delta correlation spread_ratio seeds_needed_80 seeds_needed_90".split()
    )
    return Contrast(
        arm=names[0],
        baseline=names[1],
        seeds=0,
        undefined=shared,
        higher=0,
        lower=0,
        exact=True,
        difference=unbounded,
        ratio=unbounded,
        equivalence=None,
        **dict.fromkeys(numbers, none),
    )


def _test_equivalence(d: np.ndarray, smallest: float, bounds: Bounds) -> EquivalenceTest:
    found, most = statistics.tost(d, smallest, ALPHA), bounds[1] - bounds[0]
    ends = (found.p, max(found.low, -most), min(found.high, most))
    p, low, high = (x if math.isfinite(x) else None for x in ends)
    return EquivalenceTest(
        smallest=smallest, p=p, low=low, high=high, verdict=found.verdict, reason=found.reason
    )


def _seeds_needed(d: np.ndarray, smallest: float | None, power: float, tests: int) -> Number:
    """Compute how many seeds would show the declared smallest effect, or the observed one, at this power."""
    effect = statistics.d_z.measure(d)
    if not effect.defined:
        return Number.of(effect)
    if smallest is not None:
        effect = Measure(smallest / float(d.std(ddof=1)))
    found = statistics.seeds_needed.measure(effect.value, power, ALPHA)
    if not found.defined:
        return Number.of(undefined_measure(str(found.reason)))
    return Number(value=max(found.value, float(statistics.fewest_seeds(ALPHA, tests))))
