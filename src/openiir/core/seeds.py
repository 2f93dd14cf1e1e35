"""Random draws keyed by (seed, purpose, agent, item, step): one counter-based hash, scalar and vectorised.

There is no stream and no state. A draw is a pure function of its name, so adding an agent, a draw or a
question changes no other draw, two arms of an experiment share their noise, and an array's element equals the
scalar draw of the same name. The mixer is the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014;
constants by Stafford, "Mix13"), applied once per part of the name. Products wrap at 2^64, as they must.
"""

import hashlib
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.grid import round_array, round_float

Part = str | int | NDArray[np.integer[Any]]
"""A part of a draw's key: an id, an index of at least 0, or an array of indices (broadcast)."""

_GOLDEN, _MIX1, _MIX2, _MASK = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, (1 << 64) - 1
_PARTS = frozenset({"agent", "item", "step"})


def _mix(x: int) -> int:
    x = (x + _GOLDEN) & _MASK
    x = ((x ^ (x >> 30)) * _MIX1) & _MASK
    x = ((x ^ (x >> 27)) * _MIX2) & _MASK
    return x ^ (x >> 31)


def _mix_array(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = x + np.uint64(_GOLDEN)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_MIX1)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_MIX2)
    return x ^ (x >> np.uint64(31))


@lru_cache(maxsize=65_536)
def _text_key(part: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )


def _key(part: str | int) -> int:
    """Hash one part of the key to 64 bits; BLAKE2b for strings, so that none collides with a small index."""
    if isinstance(part, str):
        return _text_key(part)
    index = operator.index(part)
    if not 0 <= index <= _MASK:
        raise ValueError(f"a draw's index is 0 to 2^64 - 1, got {part}")
    return index


def _array_key(part: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    if part.dtype.kind not in "iu":
        raise TypeError(f"a draw's indices are integers, got an array of {part.dtype}")
    if part.dtype.kind == "i" and part.size and part.min() < 0:
        raise ValueError(f"a draw's index is 0 to 2^64 - 1, got {part.min()}")
    return part.astype(np.uint64)


def _absorb(state: Any, part: Part) -> Any:
    if type(part) is str and type(state) is int:  # the two ways that single decisions take, first
        return _mix(state ^ _text_key(part))
    if type(part) is int and type(state) is int and 0 <= part <= _MASK:
        return _mix(state ^ part)
    if isinstance(part, np.ndarray) and part.ndim:
        return _mix_array(np.uint64(state) ^ _array_key(part))
    key = _key(part.item() if isinstance(part, np.ndarray) else part)
    if isinstance(state, np.ndarray):
        return _mix_array(state ^ np.uint64(key))
    return _mix(state ^ key)


def _unit(bits: Any) -> Any:
    if isinstance(bits, np.ndarray):
        return ((bits >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    return ((bits >> 12) + 0.5) * 2.0**-52


@dataclass(frozen=True)
class Draw:
    """Source of random numbers that depend only on a key: seed, purpose, agent, item and step.

    Every method takes the parts `agent`, `item` and `step`, by default those the draw is bound to: each an
    id, an index of at least 0, or an array of indices. Without arrays a draw is one value; with them it is an
    array of their broadcast shape, equal element by element to the scalar draws. A type gets draws from
    `stage.draw(purpose)`, bound to the step, and in `offline(draw)`, bound to the question and who is asked.
    """

    seed: int
    purpose: str
    agent: Part = ""
    item: Part = ""
    step: Part = 0

    def at(self, purpose: str | None = None, **parts: Part) -> "Draw":
        """Return a draw with parts of its key replaced; `purpose` is appended to the present one."""
        name: dict[str, Part] = {"agent": self.agent, "item": self.item, "step": self.step, **parts}
        return Draw(self.seed, f"{self.purpose}/{purpose}" if purpose else self.purpose, **name)

    def bits(self, **parts: Part) -> Any:
        """Draw 64 uniform bits: an int, or an array of uint64."""
        if parts and not parts.keys() <= _PARTS:
            raise TypeError(f"a draw has the parts agent, item and step, got {', '.join(sorted(parts))}")
        if "step" not in parts and "agent" not in parts:
            return _absorb(self._asker, parts.get("item", self.item))
        state: Any = _root(self.seed, self.purpose)
        state = _absorb(state, parts.get("step", self.step))
        state = _absorb(state, parts.get("agent", self.agent))
        return _absorb(state, parts.get("item", self.item))

    @cached_property
    def _asker(self) -> Any:
        """Hash state after step and agent, cached for use with many items."""
        return _absorb(_absorb(_root(self.seed, self.purpose), self.step), self.agent)

    def uniform(self, **parts: Part) -> Any:
        """Draw uniformly from the open interval (0, 1), in steps of 2^-52."""
        return _unit(self.bits(**parts))

    def normal(self, mean: float = 0.0, sd: float = 1.0, **parts: Part) -> Any:
        """Draw from a normal distribution, by inversion of one uniform."""
        from scipy.special import ndtri

        value = mean + sd * ndtri(self.uniform(**parts))
        return value if isinstance(value, np.ndarray) else float(value)

    def gumbel(self, **parts: Part) -> Any:
        """Draw from the standard Gumbel; the argmax of utilities plus such noise samples their softmax."""
        value = -np.log(-np.log(self.uniform(**parts)))
        return value if isinstance(value, np.ndarray) else float(value)

    def chance(self, p: float | NDArray[np.float64], **parts: Part) -> Any:
        """Draw a truth value that is True with probability p, or one for each p of an array."""
        return happens(self.uniform(**parts), p)

    def below(self, n: int, **parts: Part) -> Any:
        """Draw an integer from 0..n-1 (bias under n / 2^52); `n` is at least 1."""
        if n < 1:
            raise ValueError(f"there is nothing to draw from below {n}")
        value = np.floor(self.uniform(**parts) * n)
        return value.astype(np.int64) if isinstance(value, np.ndarray) else int(value)

    def choose(self, options: Sequence[str], utilities: Sequence[float] | None = None, **parts: Part) -> str:
        """Choose one option by the multinomial logit of its utility (McFadden 1974), uniformly by default.

        Each option's noise is drawn under its own id (Gumbel-max), so taking an option away leaves the noise
        of the others as it was. Noisy utilities are compared on the grid of 2^-20, ties going to the smaller
        id. A utility of minus infinity is never chosen before a finite one; NaN raises ValueError.
        """
        scores = [0.0] * len(options) if utilities is None else utilities
        if len(scores) != len(options):
            raise ValueError(f"{len(options)} options with {len(scores)} utilities")
        return options[int(self.choices(options, np.asarray(scores, dtype=np.float64), **parts))]

    def choices(
        self, options: Sequence[str], utilities: NDArray[np.float64], **parts: Part
    ) -> NDArray[np.int64]:
        """Choose for many deciders at once: utilities of shape (deciders, options) to option indices.

        The parts' broadcast shape is that of the deciders; each one's choice is that of `choose`.
        """
        if not options:
            raise ValueError("there is nothing to choose from")
        if np.isnan(utilities).any():
            raise ValueError("a utility is NaN; an option that cannot be weighed must not be offered")
        by_id = sorted(range(len(options)), key=options.__getitem__)
        bits = self.bits(**parts)
        noise = np.array([_absorb(bits, options[i]) for i in by_id], dtype=np.uint64)
        gumbel = -np.log(-np.log(_unit(noise if noise.ndim == 1 else np.moveaxis(noise, 0, -1))))
        scores = np.round((utilities[..., by_id] + gumbel) * 2.0**20)
        return np.asarray(np.array(by_id)[scores.argmax(axis=-1)])

    def order(self, options: Sequence[str], **parts: Part) -> list[str]:
        """Shuffle options; each option's sort key depends on its own id only."""
        bits = self.bits(**parts)
        return sorted(options, key=lambda o: (_absorb(bits, o), o))


def happens(unit: Any, p: float | NDArray[np.float64]) -> Any:
    """Whether uniform draws fall below probabilities `p`, which are rounded to the grid of 2^-20 first."""
    return unit < (round_float(p) if type(p) is float else round_array(np.asarray(p)))


@lru_cache(maxsize=4_096)
def _root(seed: int, purpose: str) -> int:
    return _mix(_mix(int(seed) & _MASK) ^ _text_key(purpose))
