"""A population in columns: work over blocks of users, on as many threads as the settings give."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from openiir.core.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True)
class Spread:
    """How a crowd's work is spread over the machine; it changes no result."""

    workers: int = 1
    """Threads."""
    block: int = 4096
    """Users that are worked on at a time."""


class Crowd:
    """`size` users, who are rows of the type's own arrays."""

    def __init__(self, size: int, spread: Spread | None = None) -> None:
        if size < 0:
            raise InputError(f"a crowd of {size} users was asked for; 0 is the smallest")
        self.size = size
        self._spread = spread or Spread()

    def each(self, work: Callable[[slice], T]) -> list[T]:
        """What `work` returns for each block of users, in the order of the blocks.

        A block is a slice of users, such as slice(0, 4096). Blocks are worked on at the same time, so `work` must be
        a pure function of the slice, of arrays that nobody writes, and of arrays that it alone writes in its slice;
        then neither the number of workers nor the size of a block changes a result. (Sums of floats over blocks do
        depend on the blocks: sum over the whole array instead.) The error of the first block that failed is raised
        when all blocks have been worked on. Linear algebra keeps to one thread a block.
        """
        blocks = [
            slice(start, min(start + self._spread.block, self.size))
            for start in range(0, self.size, self._spread.block)
        ]
        with _algebra(len(sys.modules)).limit(limits=1, user_api="blas"):
            results = self._worked(work, blocks)
        for result in results:
            if isinstance(result, _Failed):
                raise result.error
        return results  # type: ignore[return-value]

    def _worked(self, work: Callable[[slice], T], blocks: list[slice]) -> "list[T | _Failed]":
        workers = min(self._spread.workers, len(blocks))
        if workers <= 1:
            return [_tried(work, block) for block in blocks]
        with ThreadPoolExecutor(workers, thread_name_prefix="crowd") as threads:
            coming = [threads.submit(copy_context().run, _tried, work, block) for block in blocks]
            return [one.result() for one in coming]


@lru_cache(maxsize=1)
def _algebra(modules: int) -> Any:
    """The libraries whose threads can be limited; looked for anew (some milliseconds) once more modules are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@dataclass(frozen=True)
class _Failed:
    error: Exception


def _tried(work: Callable[[slice], T], block: slice) -> "T | _Failed":
    try:
        return work(block)
    except Exception as error:  # told when the other blocks have come home
        return _Failed(error)
