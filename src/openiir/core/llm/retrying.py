"""Retries with exponential back-off and full jitter (Brooker, "Exponential Backoff And Jitter", AWS, 2015)."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from openiir.core.errors import EndpointError
from openiir.core.hashing import fingerprint
from openiir.core.llm.circuit_breaker import CircuitBreaker
from openiir.core.llm.failures import RequestRefused, TransientFailure, remedy
from openiir.core.llm.provider import Provider, Reply, Request
from openiir.core.seeds import Draw

T = TypeVar("T")
OnTry = Callable[[int, str, float], None]
"""Callback for each failed try: its number from 1, what happened, seconds until the next try (0 after the last)."""

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


@dataclass(frozen=True)
class Patience:
    """Limits of retries: number of tries, waits and total time."""

    tries: int = 6
    first_wait: float = 0.5
    """Seconds; the wait before try n + 1 is uniform on 0 to min(longest_wait, first_wait * 2^(n - 1))."""
    longest_wait: float = 60.0
    total: float = 600.0
    """Seconds from the first try after which no further try starts."""
    sleep: Callable[[float], Awaitable[Any]] = field(default=asyncio.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def wait(self, number: int, failure: TransientFailure, name: str) -> float:
        """Compute the seconds to wait after failed try `number` of the call with this name.

        An endpoint that says how long (Retry-After) is given at least that, and a jitter of up to `first_wait`.
        """
        u = float(_JITTER.uniform(agent=name, step=number))
        if failure.retry_after is not None:
            return failure.retry_after + u * self.first_wait
        return u * min(self.longest_wait, self.first_wait * 2.0 ** (number - 1))


@dataclass
class WaitReporter:
    """Reporter of waits for an endpoint that answers no call: each wait once, however many calls wait."""

    where: str = "the endpoint"
    """Name of the endpoint in messages."""
    width: int = 1
    """Number of concurrent calls that the endpoint takes."""
    tell: Callable[[str], None] = lambda text: None
    calls: int = 0
    """Number of calls still waiting for a reply."""
    failed: int = 0
    """Number of failed tries since the last reply."""
    told: int = 0
    """Highest try number reported since the last reply."""

    def failure(self, number: int, tries: int, failure: TransientFailure, wait: float) -> None:
        """Count a failed try, and report its wait unless already reported or other calls succeed."""
        self.failed += 1
        if number > self.told and self.failed >= min(self.calls, self.width):
            self.told = number
            self.tell(f"{self.where}: {failure}; next try in {wait:.1f} s ({number + 1} of {tries})")

    def answer(self) -> None:
        """Reset the counts, since a call was answered."""
        self.failed = self.told = 0


async def call_with_retries(
    call: Callable[[], Awaitable[T]],
    asked: str,
    name: Callable[[], str],
    patience: Patience,
    waits: WaitReporter,
) -> T:
    """Return the result of `call`, repeating it while it raises TransientFailure.

    `asked` says in words what was asked for; `name` names the call for its jitter, and is computed only after a
    failure. Raises EndpointError when tries or time run out; other errors pass at once.
    """
    waits.calls += 1
    try:
        reply = await _repeat_call(call, asked, name, patience, waits)
    finally:
        waits.calls -= 1
    waits.answer()
    return reply


async def _repeat_call(
    call: Callable[[], Awaitable[T]],
    asked: str,
    name: Callable[[], str],
    patience: Patience,
    waits: WaitReporter,
) -> T:
    started = patience.clock()
    on_try = _listener.get() or (lambda number, what, waited: None)
    number = 0
    while True:
        number += 1
        failure: TransientFailure
        try:
            return await call()
        except TransientFailure as passing:
            failure = passing
        wait = patience.wait(number, failure, name())
        spent = patience.clock() - started
        what = f"{failure.what} ({failure.endpoint})" if failure.endpoint else failure.what
        if number >= patience.tries or spent + wait > patience.total:
            on_try(number, what, 0.0)
            break
        on_try(number, what, wait)
        waits.failure(number, patience.tries, failure, wait)
        await patience.sleep(wait)
    raise EndpointError(
        _failure_message(f"asked {waits.where} for {asked}", number, spent, wait, failure, patience)
    )


def _failure_message(
    asked: str, number: int, spent: float, wait: float, failure: TransientFailure, patience: Patience
) -> str:
    tries = "1 try" if number == 1 else f"{number} tries"
    early = (
        f" (the next was due in {wait:.0f} s, beyond the {patience.total:.0f} s allowed)"
        if number < patience.tries
        else ""
    )
    return f"{asked}: no answer after {tries} in {spent:.1f} s{early}; the last ended in {failure}; {remedy(failure)}"


@dataclass(frozen=True)
class Retrying:
    """Provider that retries transient failures; a call given up opens the circuit breaker."""

    inner: Provider
    patience: Patience = Patience()
    waits: WaitReporter = field(default_factory=WaitReporter)
    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)

    async def complete(self, request: Request) -> Reply:
        """Return the reply; raises EndpointError with request, failure and advice."""
        try:
            return await call_with_retries(
                lambda: self.inner.complete(request),
                f"a reply of {request.model!r}",
                lambda: fingerprint(request.plain()),
                self.patience,
                self.waits,
            )
        except RequestRefused:
            raise
        except EndpointError as given_up:
            self.breaker.reason = self.breaker.reason or str(given_up)
            raise
