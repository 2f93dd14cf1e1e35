"""A population in columns, processed in blocks of users on several threads."""

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
    """Threads and block size for crowd work; they change no result."""

    workers: int = 1
    """Threads."""
    block: int = 4096
    """Users in a block."""


class Crowd:
    """A population of `size` users, whose data are rows of the type's own arrays."""

    def __init__(self, size: int, spread: Parallelism | None = None) -> None:
        if size < 0:
            raise InputError(f"a crowd of {size} users was asked for; 0 is the smallest")
        self.size = size
        self._spread = spread or Parallelism()

    def each(self, work: Callable[[slice], T]) -> list[T]:
        """Apply `work` to each block of users concurrently; returns the results in the order of the blocks.

        A block is a slice of users, such as slice(0, 4096). `work` must be a pure function of the slice, of arrays that
        are not written meanwhile, and of arrays that it writes in its slice alone; then neither the number of workers
        nor the block size changes a result. (Sums of floats over blocks do depend on the blocks: sum over the whole
        array instead.) After all blocks, the error of the first failed one is raised. Linear algebra uses one thread a
        block.
        """
        blocks = [
            slice(start, min(start + self._spread.block, self.size))
            for start in range(0, self.size, self._spread.block)
        ]
        with _blas_threads(len(sys.modules)).limit(limits=1, user_api="blas"):
            workers = min(self._spread.workers, len(blocks))
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
    """Controller of BLAS threads; made anew (some milliseconds) once more modules are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _try_block(work: Callable[[slice], T], block: slice) -> T | Exception:
    try:
        return work(block)
    except Exception as error:  # raised after the other blocks
        return error
