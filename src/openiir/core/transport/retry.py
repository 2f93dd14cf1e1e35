"""Retries with exponential back-off, and the listener to failed tries.

Calls with a name wait with full jitter (Brooker, "Exponential Backoff And Jitter", AWS, 2015).
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from openiir.core.errors import EndpointError
from openiir.core.seeds import Draw

T = TypeVar("T")
OnTry = Callable[[int, str, float], None]
"""Callback for each failed try: its number from 1, what happened, seconds until the next (0: none)."""

_listener: ContextVar[OnTry | None] = ContextVar("openiir_on_try", default=None)
_JITTER = Draw(0, "llm.back-off")


@contextmanager
def listen_to_tries(on_try: OnTry) -> Iterator[None]:
    """Call `on_try` for each failed try of calls awaited inside this block.

    The listener belongs to the task that entered the block and to the tasks it starts, so concurrent calls
    keep theirs apart through any stack of wrappers.
    """
    token = _listener.set(on_try)
    try:
        yield
    finally:
        _listener.reset(token)


def report_try(number: int, what: str, waited: float) -> None:
    """Report a failed try to the listener set by `listen_to_tries` in this context, if any."""
    if (on_try := _listener.get()) is not None:
        on_try(number, what, waited)


class TryFailed(EndpointError):
    """Raised if a try failed in transport, so that another may succeed."""

    what = ""
    """What happened, in a few words for the table of tries."""
    endpoint = ""
    """The endpoint that failed, where there are several."""
    retry_after: float | None = None
    """Seconds that the endpoint asked to be left alone."""
    repeatable = True
    held = 0.0
    """Seconds that the try waited for a limit of our own before it began."""


class GivenUp(Exception):
    """Raised after the last try: its failure and number, the seconds spent, and the wait not begun."""

    def __init__(self, failure: TryFailed, number: int, spent: float, wait: float) -> None:
        super().__init__(str(failure))
        self.failure, self.number, self.spent, self.wait = failure, number, spent, wait


@dataclass(frozen=True)
class Patience:
    """Limits of retries: number of tries, waits and total time."""

    tries: int = 6
    first_wait: float = 0.5
    """Seconds; the wait before try n + 1 is at most min(longest_wait, first_wait * 2^(n - 1))."""
    longest_wait: float = 60.0
    total: float = math.inf
    """Seconds from the first try after which no further try starts."""
    sleep: Callable[[float], Awaitable[Any]] = field(default=asyncio.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def wait(self, number: int, retry_after: float | None = None, name: str | None = None) -> float:
        """Compute the seconds to wait after failed try `number`, with jitter if the call has a name.

        An endpoint that says how long (Retry-After) is given at least that, and a jitter of up to
        `first_wait`.
        """
        u = 1.0 if name is None else float(_JITTER.uniform(agent=name, step=number))
        if retry_after is not None:
            return retry_after + u * self.first_wait
        return u * min(self.longest_wait, self.first_wait * 2.0 ** (number - 1))


async def call_with_retries(
    once: Callable[[], Awaitable[T]],
    patience: Patience,
    name: Callable[[], str] | None = None,
    on_wait: Callable[[int, TryFailed, float], None] = lambda number, failure, wait: None,
) -> T:
    """Return the result of `once`, repeating it while it raises a TryFailed that is repeatable.

    Each failed try is reported to the listener. `name` names the call for its jitter, computed only after a
    failure. Raises GivenUp after the last try; other errors pass at once.
    """
    started, number = patience.clock(), 0
    while True:
        number += 1
        try:
            return await once()
        except TryFailed as failed:
            failure = failed
        started += failure.held
        wait = patience.wait(number, failure.retry_after, name and name())
        spent = patience.clock() - started
        last = number >= patience.tries or spent + wait > patience.total or not failure.repeatable
        what = f"{failure.what} ({failure.endpoint})" if failure.endpoint else failure.what
        report_try(number, what, 0.0 if last else wait)
        if last:
            raise GivenUp(failure, number, spent, wait)
        on_wait(number, failure, wait)
        await patience.sleep(wait)
