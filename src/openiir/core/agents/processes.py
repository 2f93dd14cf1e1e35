"""Execution of lanes in forked processes, for runs in which every question is answered offline."""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether this platform supports forking; macOS does not, since its system libraries fail after a fork."""


def may_fork() -> bool:
    """Whether this thread may fork: only the main one, since others may hold locks a child needs."""
    return FORKS and threading.current_thread() is threading.main_thread()


class Suspended(Exception):
    """Raised when a coroutine awaits something, which is not allowed in a forked process."""


def run_unsuspended(life: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never awaits anything and return its result; raises Suspended otherwise."""
    try:
        life.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    life.close()
    raise Suspended("a lane that was declared pure waited for something; leave out pure=True")


def map_in_processes(
    names: Sequence[str],
    work: Callable[[str], T],
    workers: int,
    tell: Callable[[str, int], None] = lambda name, done: None,
) -> Mapping[str, T]:
    """Compute `work(name)` for each name, in this process and forked ones (`workers` processes in all).

    `tell` is called in this process with each name that it has computed, and how many these are by then.

    Names whose process failed, for any reason, are missing from the result: the caller computes them again
    and meets the error itself. Changes that `work` makes to a forked process are lost.
    """
    own, *others = [names[n::workers] for n in range(workers)]
    children = [_fork_child(share, work) for share in others if share]
    found: dict[str, T] = {}
    for done, name in enumerate(own, 1):
        found[name] = work(name)
        tell(name, done)
    for child, reading in children:
        with os.fdopen(reading, "rb") as stream, suppress(EOFError, pickle.UnpicklingError):
            found.update(pickle.load(stream))
        os.waitpid(child, 0)
    return found


def _fork_child(share: Sequence[str], work: Callable[[str], T]) -> tuple[int, int]:
    """Fork a child that computes its share of names and sends the results through a pipe.

    It computes the whole share before sending, since this process reads only afterwards."""
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        # The parent's handlers wait for an event loop that does not run in the child.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.close(reading)
        found = {}
        for name in share:
            if os.getppid() != parent:
                os._exit(1)  # the parent is gone
            found[name] = work(name)
        with os.fdopen(writing, "wb") as stream:
            pickle.dump(found, stream, protocol=pickle.HIGHEST_PROTOCOL)
    except BaseException:
        os._exit(1)
    os._exit(0)
