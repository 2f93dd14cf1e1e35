"""Crowds: populations stored as arrays and processed in blocks of users on several threads."""

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
class Parallelism:
    """Number of threads and block size for crowd computations; neither changes a result."""

    workers: int = 1
    """Number of threads."""
    block: int = 4096
    """Number of users in a block."""


class Crowd:
    """A population of `size` users, whose data are rows of arrays that the scenario type holds."""

    def __init__(self, size: int, spread: Parallelism | None = None) -> None:
        if size < 0:
            raise InputError(f"a crowd of {size} users was asked for; 0 is the smallest")
        self.size = size
        self.spread = spread or Parallelism()

    def each(self, work: Callable[[slice], T]) -> list[T]:
        """Apply `work` to each block of users concurrently; returns one result per block, in order.

        A block is a slice of users, such as slice(0, 4096). `work` must be a pure function of the slice, of
        arrays that are not written meanwhile, and of arrays that it writes in its slice alone; then neither
        the number of workers nor the block size changes a result. (Sums of floats over blocks do depend on
        the blocks: sum over the whole array instead.) After all blocks, the error of the first failed one is
        raised. Linear algebra uses one thread a block.
        """
        blocks = [
            slice(start, min(start + self.spread.block, self.size))
            for start in range(0, self.size, self.spread.block)
        ]
        with _blas_threads(len(sys.modules)).limit(limits=1, user_api="blas"):
            workers = min(self.spread.workers, len(blocks))
            if workers <= 1:
                results = [_try_block(work, block) for block in blocks]
            else:
                with ThreadPoolExecutor(workers, thread_name_prefix="crowd") as threads:
                    coming = [threads.submit(copy_context().run, _try_block, work, block) for block in blocks]
                results = [one.result() for one in coming]
        for result in results:
            if isinstance(result, Exception):
                raise result
        return results  # type: ignore[return-value]


@lru_cache(maxsize=1)
def _blas_threads(modules: int) -> Any:
    """Return a controller of BLAS threads; rebuilt (some milliseconds) when more modules are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _try_block(work: Callable[[slice], T], block: slice) -> T | Exception:
    try:
        return work(block)
    except Exception as error:  # raised after the other blocks
        return error
