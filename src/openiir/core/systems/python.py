"""Python connector for systems under test: a function or an instance, called with the request."""

import asyncio
import contextlib
import contextvars
import inspect
import queue
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import PurePath
from typing import Any

from openiir.core.callables import load_callable
from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import LARGEST, SystemFault
from openiir.core.systems.own_code import place_raised, time_own_code
from openiir.core.systems.replies import parse_answer

_SHOWN = 300
_ADDRESS = re.compile(r"0x[0-9A-Fa-f]{6,}")
"""Pattern of an object's memory address, which differs between runs."""


class PythonTransport:
    """Transport that calls a Python function or instance on one thread per session, for thread-bound state.

    Coroutine functions run on the event loop instead. A class is made once a session, without arguments, and
    its `close()`, where it has one, is called at the end.
    """

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._thread = _SessionThread()
        self._callee: Callable[..., Any] | None = None
        self._stuck = False

    async def open(self) -> None:
        """Import the callable and instantiate it if it is a class; raises InputError if it does not exist."""
        found = load_callable(self._spec.callable or "")
        self._callee = await self._call(found) if inspect.isclass(found) else found
        if not callable(self._callee):
            raise InputError(
                f"{self._spec.label} is a class without __call__; give it __call__(self, request)"
            )

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """Call the function; returns a text unchanged, all else as canonical JSON. Raises SystemFault."""
        if message is None or self._callee is None:
            return ""
        # Through JSON, so that the callable gets what a remote system would, not the caller's objects.
        with time_own_code(f"callable {self._spec.callable!r}"):
            result = await self._call(self._callee, parse_answer(canonical(message)))
        if not exchange.reply:
            return ""
        if isinstance(result, str):
            return self._check_length(result)
        if result is None:
            raise SystemFault(
                self._spec.label, "returned nothing", "return a text, or JSON data that holds one"
            )
        try:
            return self._check_length(canonical(result))
        except TypeError as exc:
            saw = f"returned what has no JSON form ({exc})"
        except (ValueError, RecursionError):
            saw = "returned what has no JSON form (a number that is not finite, or a tree that has no end)"
        raise SystemFault(self._spec.label, saw, "return a text, or lists and dicts of plain values")

    def _check_length(self, text: str) -> str:
        if len(text) > LARGEST:
            saw = f"returned more than {LARGEST // 2**20} million characters"
            raise SystemFault(self._spec.label, saw, "have the callable answer with less")
        return text

    async def close(self) -> None:
        """Call the `close()` of the user's instance, if it has one, and end the thread."""
        ending = getattr(self._callee, "close", None)
        if callable(ending) and not self._stuck:
            with contextlib.suppress(SystemFault):
                await self._call(ending)
        self._thread.end()

    async def _call(self, callee: Callable[..., Any], *arguments: Any) -> Any:
        if self._stuck:
            saw = "the session is over: a call that was given up on is still running"
            raise SystemFault(self._spec.label, saw, "open a new one")
        try:
            async with asyncio.timeout(self._spec.timeout) as limit:
                if _is_async(callee):
                    return await callee(*arguments)
                self._stuck = True
                result = await self._thread.run(callee, *arguments)
                self._stuck = False
                return await result if inspect.isawaitable(result) else result
        except (Exception, SystemExit) as exc:
            if limit.expired():
                saw = f"no result within {self._spec.timeout:g} s"
                raise SystemFault(
                    self._spec.label, saw, "make the callable faster, or raise timeout"
                ) from None
            self._stuck = False
            raise SystemFault(self._spec.label, _what_was_raised(exc, callee), "mend the callable") from exc


def _what_was_raised(exc: BaseException, callee: Callable[..., Any]) -> str:
    file, line = place_raised(exc, callee)
    said = _ADDRESS.sub("0x...", str(exc))[:_SHOWN]
    return f"raised {type(exc).__name__}: {said}" + (f" ({PurePath(file).name}, line {line})" if line else "")


def _is_async(callee: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(callee) or (
        not inspect.isclass(callee) and inspect.iscoroutinefunction(getattr(callee, "__call__", None))  # noqa: B004
    )


class _SessionThread:
    """Daemon thread of a session, started when needed; a hanging callable cannot keep the program alive."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._started = False

    async def run(self, callee: Callable[..., Any], *arguments: Any) -> Any:
        if not self._started:
            self._started = True
            threading.Thread(target=self._work, name="openiir-system", daemon=True).start()
        future: Future[Any] = Future()
        self._jobs.put((future, partial(contextvars.copy_context().run, callee, *arguments)))
        return await asyncio.wrap_future(future)

    def end(self) -> None:
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as exc:
                    future.set_exception(_for_the_loop(exc))


def _for_the_loop(exc: BaseException) -> Exception:
    """Replace StopIteration, SystemExit and their like, which mean something else to the event loop."""
    if isinstance(exc, Exception) and not isinstance(exc, StopIteration):
        return exc
    return RuntimeError(f"{type(exc).__name__}: {exc}").with_traceback(exc.__traceback__)
