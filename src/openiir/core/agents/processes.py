"""Lives lived in processes beside this one, where nobody but the behaviour model answers and they change nothing."""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether a process can be had that knows all that this one does; on macOS system libraries do not survive it."""


class Suspends(Exception):
    """A life waited for something; lives apart never do."""


def finished(life: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits. Raises Suspends for one that does."""
    try:
        life.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    life.close()
    raise Suspends("a life that was said to change nothing waited for something")


def in_processes(names: Sequence[str], work: Callable[[str], T], workers: int) -> Mapping[str, T]:
    """What `work` returns by name, computed here and in forked processes beside this one, `workers` in all.

    A share that fails beside this one, for whatever reason, is missing from the result: whoever asked does it over
    again, and meets the error in person. What `work` changes beside this process is lost with its own.
    """
    own, *others = [names[n::workers] for n in range(workers)]
    children = [_forked(share, work) for share in others if share]
    found = {name: work(name) for name in own}
    for child, reading in children:
        with os.fdopen(reading, "rb") as stream, suppress(EOFError, pickle.UnpicklingError):
            found.update(pickle.load(stream))
        os.waitpid(child, 0)
    return found


def _forked(share: Sequence[str], work: Callable[[str], T]) -> tuple[int, int]:
    """A child that computes its whole share before it sends it, since nobody reads while this process works."""
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(
                number, signal.SIG_DFL
            )  # this process's own handlers wait for a loop that never turns there
        os.close(reading)
        with os.fdopen(writing, "wb") as stream:
            pickle.dump(_done(share, work, parent), stream, protocol=pickle.HIGHEST_PROTOCOL)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _done(share: Sequence[str], work: Callable[[str], T], parent: int) -> dict[str, T]:
    found = {}
    for name in share:
        if os.getppid() != parent:
            os._exit(1)  # nobody is left to read it
        found[name] = work(name)
    return found
