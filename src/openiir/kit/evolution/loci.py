"""Kinds of loci: what a gene may hold, how it mutates, and how far two values are apart."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Floats
from openiir.plugin import Draw, InputError, quantise

Value = str | int | float
"""What a locus holds."""


@dataclass(frozen=True, kw_only=True)
class NumberLocus:
    """A number that mutates by normal (integers: uniform) steps, which are reflected at its bounds.

    Reflection leaves a uniform population uniform, so that without selection no bound attracts or repels;
    clipping would gather values at the bounds.
    """

    rate: float = 0.15
    """Probability that a birth mutates it: 0 never, 1 at every birth."""
    low: float = -math.inf
    high: float = math.inf
    size: float = 0.2
    """Standard deviation of a step; of a whole number, the largest step, all as likely."""
    span: float = 1.0
    """Without two bounds: standard deviation of random values, and difference of distance 1."""
    whole: bool = False

    def __post_init__(self) -> None:
        possible = self.low < self.high and 0 < self.size < math.inf and 0 < self.span < math.inf
        ends = (self.low, self.high, self.size)
        if not possible or (self.whole and not all(math.isfinite(x) and x == int(x) for x in ends)):
            raise InputError(
                f"a number from {self.low:g} to {self.high:g} with steps of {self.size:g} and span "
                f"{self.span:g} cannot be; give the lower bound first, sizes above 0, and whole bounds and "
                "steps to whole numbers"
            )

    @property
    def _range(self) -> float:
        width = self.high - self.low
        return width if math.isfinite(width) else self.span

    def check(self, value: Value) -> Value:
        """Return a valid number, a real one rounded to the grid of 2^-20 of its range."""
        if isinstance(value, (str, bool)) or not self.low <= value <= self.high or not math.isfinite(value):
            raise InputError(f"{value!r} is no number from {self.low:g} to {self.high:g}")
        if self.whole and int(value) != value:
            raise InputError(f"{value!r} is no whole number; write one from {self.low:g} to {self.high:g}")
        grid = float(quantise(float(value), self._range))
        return int(value) if self.whole else min(max(grid, self.low), self.high)

    def random(self, draw: Draw) -> Value:
        """Draw a founder's value: uniformly between two bounds, else normally around 0 by `span`."""
        if self.whole:
            return int(self.low) + int(draw.below(int(self.high - self.low) + 1))
        if math.isfinite(self.high - self.low):
            return self.check(self.low + draw.uniform() * (self.high - self.low))
        return self.check(self._reflect(draw.normal(0.0, self.span)))

    def mutate(self, value: Value, draw: Draw) -> Value:
        """Draw a child's value: a step, reflected at the bounds (half a unit outside for a whole number)."""
        if not self.whole:
            return self.check(self._reflect(float(value) + draw.normal(0.0, self.size)))
        step = draw.below(2 * int(self.size)) - int(self.size)
        return int(self._reflect(float(value) + (step if step < 0 else step + 1), 0.5))

    def _reflect(self, x: float, beyond: float = 0.0) -> float:
        low, high = self.low - beyond, self.high + beyond
        if math.isfinite(high - low):
            return high - abs((x - low) % (2 * (high - low)) - (high - low))
        return low + abs(x - low) if math.isfinite(low) else high - abs(high - x) if high < math.inf else x

    def distances(self, values: Sequence[Value]) -> Floats:
        """Compute pairwise differences (n, n) over range or `span`, at most 1 (Gower, Biometrics 1971)."""
        x = np.array(values, dtype=np.float64)
        return np.minimum(np.abs(x[:, None] - x) / self._range, 1.0)


@dataclass(frozen=True, kw_only=True)
class TextLocus:
    """A text that mutates, such as a prompt template or a bio: one of `options`, or a model's own."""

    rate: float = 0.05
    options: Mapping[str, str]
    """Texts by id, among which random values and mutations without a model choose."""
    most: int = 600
    """Largest number of characters."""

    def __post_init__(self) -> None:
        if not self.options or len(set(self.options.values())) < len(self.options):
            raise InputError("a text locus needs options, each with its own text; give one at least")
        for text in self.options.values():
            self.check(text)

    def check(self, value: Value) -> Value:
        """Return a valid text unchanged; raises InputError for another."""
        if not isinstance(value, str) or not value.strip() or len(value) > self.most:
            raise InputError(f"{value!r:.80} is no text of 1 to {self.most} characters; shorten it")
        return value

    def random(self, draw: Draw) -> Value:
        """Draw a founder's text, one of the options."""
        return self.options[draw.choose(list(self.options))]

    def mutate(self, value: Value, draw: Draw) -> Value:
        """Draw a child's text, an option other than the parent's; the parent's where there is no other."""
        others = [name for name, text in self.options.items() if text != value]
        return self.options[draw.choose(others)] if others else value

    def shorten(self, text: str) -> str:
        """Cut a text that a language model wrote at the last word that fits."""
        kept = text.strip()
        head = kept if len(kept) <= self.most else kept[: self.most + 1].rpartition(" ")[0]
        return (head or kept[: self.most]).rstrip()

    def distances(self, values: Sequence[Value]) -> Floats:
        """Compute pairwise distances (n, n): 0 for equal texts, 1 for different ones."""
        labels = np.unique(np.array(values), return_inverse=True)[1]
        return (labels[:, None] != labels).astype(np.float64)


Locus = NumberLocus | TextLocus
