"""Run coroutines from blocking code, with Ctrl-C as a cancellation; all event loops start here."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

T = TypeVar("T")


class _Stop:
    """A request to stop a blocking call, which cancels the task in its event loop."""

    def __init__(self) -> None:
        self.asked = False
        self.cancel: Callable[[], object] | None = None

    def ask(self, *_: object) -> None:
        """Request the stop, also as a signal handler; a second request raises KeyboardInterrupt."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        if self.cancel is not None:
            self.cancel()


_stop: ContextVar[_Stop | None] = ContextVar("stop", default=None)
"""The stop request of the present worker thread, by which Ctrl-C or a cancellation reaches it."""


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a new event loop; Ctrl-C cancels it and raises KeyboardInterrupt.

    The interpreter's own handler may interrupt at a point where a cancellation is lost. Within a running
    event loop, call the function that uses this through `call_blocking` or `call_in_thread`.
    """
    stop = _stop.get() or _Stop()

    async def interruptible() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        stop.cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        if stop.asked:
            task.cancel()
        with suppress(RuntimeError, ValueError):  # outside the main thread, or not POSIX
            loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            return await work
        finally:
            stop.cancel = None
            with suppress(RuntimeError, ValueError):
                loop.remove_signal_handler(signal.SIGINT)

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def call_blocking(function: Callable[[], T]) -> T:
    """Call a function that uses `run_coroutine`, in another thread if an event loop runs (a notebook).

    Ctrl-C stops it cleanly there too: KeyboardInterrupt is raised once the thread has ended.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    stop, before = _Stop(), None
    future = _start_thread(function, stop)
    with suppress(ValueError):  # outside the main thread, which alone is told of signals
        before = signal.signal(signal.SIGINT, stop.ask)
    try:
        return future.result()
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


async def call_in_thread(function: Callable[[], T]) -> T:
    """Await in a thread a function that uses `run_coroutine`; cancelling waits until it has stopped."""
    stop = _Stop()
    future = asyncio.wrap_future(_start_thread(function, stop))
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        stop.ask()
        with suppress(Exception, asyncio.CancelledError, KeyboardInterrupt):
            await future
        raise


def _start_thread(function: Callable[[], T], stop: _Stop) -> "Future[T]":
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # from now on it ends by itself alone

    def work() -> None:
        _stop.set(stop)
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(work,), name="openiir", daemon=True).start()
    return future
