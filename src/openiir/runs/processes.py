"""Start pools of worker processes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


@contextmanager
def process_pool(workers: int) -> "Iterator[ProcessPoolExecutor]":
    """Start spawned worker processes that do not execute the main script again; an error stops them early."""
    from concurrent.futures import ProcessPoolExecutor  # loaded here, since few commands start processes
    from multiprocessing import get_context

    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        sys.modules["__main__"] = main
