"""A fast stream of pseudo-random choices determined by a key."""

import hashlib
import struct
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class ChoiceStream:
    """Stream of numbers from SHAKE-256 of a key: the same key gives the same choices in the same order."""

    def __init__(self, key: str) -> None:
        self._hash = hashlib.shake_256(key.encode("utf-8", "surrogatepass"))
        self._numbers: tuple[int, ...] = ()
        self._next = 0

    def below(self, n: int) -> int:
        """Draw an integer in 0..n-1."""
        if self._next == len(self._numbers):
            count = max(64, 4 * len(self._numbers))
            self._numbers = struct.unpack(f">{count}I", self._hash.digest(4 * count))
        self._next += 1
        return self._numbers[self._next - 1] * n >> 32

    def between(self, low: int, high: int) -> int:
        """Draw an integer in low..high, both included."""
        return low + self.below(high - low + 1)

    def uniform(self) -> float:
        """Draw a number in [0, 1)."""
        return self.below(1 << 32) / (1 << 32)

    def one_of(self, options: Sequence[T]) -> T:
        """Draw one of the options uniformly."""
        return options[self.below(len(options))]
