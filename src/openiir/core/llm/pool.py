"""Calls of endpoints: to the least loaded working one, with retries, failing at once after one given up."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from openiir.core.errors import EndpointError
from openiir.core.hashing import fingerprint
from openiir.core.llm.failures import ENDPOINT_DOWN, RequestRefused, TransientFailure, failure_remedy
from openiir.core.llm.provider import Provider, Reply, Request
from openiir.core.llm.response_body import estimated_tokens
from openiir.core.llm.shared_use import RequestSize, SharedUse
from openiir.core.sums import int_sum
from openiir.core.transport import GivenUp, Patience, TryFailed, call_with_retries

T = TypeVar("T")
W = TypeVar("W", bound=Provider)
LONGEST_ASIDE = 60.0
"""Most seconds before a failed endpoint is tried again, unless it asked for longer."""


@dataclass
class EndpointMember(Generic[W]):
    """One endpoint of a pool of equal ones, with its load and failures."""

    name: str
    wire: W
    width: int
    """Number of concurrent calls."""
    label: str = ""
    """Name in records."""
    shared: SharedUse | None = None
    """Its part in limits that runs share; None without any."""
    busy: int = 0
    failures: int = 0
    """Failures of the endpoint since its last reply; if any, other endpoints are preferred."""
    due: float = 0.0
    """Time of the next try after a failure, by the pool's clock."""


@dataclass
class EndpointPool(Generic[W]):
    """Provider that passes each call to an endpoint with free capacity, queues further calls, and retries.

    A member that fails is set aside and tried again with one call at a time, after twice as long each time.
    Where every member has failed, all are used as if none had. Once a request was given up after its tries,
    further calls fail at once; a refused request has no such effect.
    """

    members: Sequence[EndpointMember[W]]
    patience: Patience = Patience()
    tell: Callable[[str], None] = lambda text: None
    given_up: str = ""
    """Why a request was given up; empty while none was."""
    calls: int = 0
    """Number of calls still waiting for a reply."""
    _failed: int = 0
    """Number of failed tries since the last reply."""
    _told: int = 0
    """Highest try number whose wait was told since the last reply."""
    _waiting: deque[asyncio.Future[EndpointMember[W]]] = field(default_factory=deque, repr=False)

    @property
    def where(self) -> str:
        """Names of the endpoints in messages."""
        return " or ".join(member.name for member in self.members)

    async def complete(self, request: Request) -> Reply:
        """Get a reply that names its endpoint, if there are several or it has a label.

        Raises EndpointError with advice.
        """
        try:
            member, reply = await self.call(
                lambda wire: wire.complete(request),
                f"a reply of {request.model!r}",
                lambda: fingerprint(request.plain()),
                lambda: _size_of(request),
            )
        except RequestRefused:
            raise
        except EndpointError as failed:
            self.given_up = self.given_up or str(failed)
            raise
        label = member.label or (member.name if len(self.members) > 1 else "")
        return replace(reply, details=reply.details._replace(endpoint=label)) if label else reply

    async def call(
        self,
        work: Callable[[W], Awaitable[T]],
        asked: str,
        name: Callable[[], str],
        size: Callable[[], RequestSize] = RequestSize,
    ) -> tuple[EndpointMember[W], T]:
        """Run `work` with the client of a free endpoint, retrying transient failures; returns both.

        `asked` says in words what is asked for, `name` names the call for its jitter, and `size` is what is
        known of its tokens. Raises EndpointError
        when tries or time run out; other errors pass at once.
        """
        self.calls += 1
        try:
            answered = await call_with_retries(
                lambda: self.call_once(work, size), self.patience, name, self._tell_wait
            )
        except GivenUp as last:
            raise EndpointError(self._failure_text(asked, last)) from None
        finally:
            self.calls -= 1
        self._failed = self._told = 0
        return answered

    async def call_once(
        self, work: Callable[[W], Awaitable[T]], size: Callable[[], RequestSize] = RequestSize
    ) -> tuple[EndpointMember[W], T]:
        """Run `work` once, with the client of an endpoint that has capacity; exceptions pass through."""
        member = await self._acquire_member()
        try:
            if member.shared is None:
                result = await self._try_once(member, work)
            else:
                result = await member.shared.run(lambda: self._try_once(member, work), size())
        except TransientFailure as failure:
            self._set_aside(member, failure)
            raise
        else:
            if member.failures:
                member.failures = 0
                self._report(f"{member.name} answers again")
            return member, result
        finally:
            member.busy -= 1
            self._admit_waiting()

    async def _try_once(self, member: EndpointMember[W], work: Callable[[W], Awaitable[T]]) -> T:
        if self.given_up:
            raise EndpointError(f"not asked any more, since an earlier call was given up: {self.given_up}")
        return await work(member.wire)

    async def _acquire_member(self) -> EndpointMember[W]:
        member = None if self._waiting else self._least_loaded()
        if member is not None:
            member.busy += 1
            return member
        waiter: asyncio.Future[EndpointMember[W]] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled():
                waiter.result().busy -= 1
                self._admit_waiting()
            raise

    def _admit_waiting(self) -> None:
        """Assign free capacity to queued calls, in order."""
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
            elif (member := self._least_loaded()) is not None:
                member.busy += 1
                self._waiting.popleft().set_result(member)
            else:
                return

    def _least_loaded(self) -> EndpointMember[W] | None:
        """Return the least loaded member with free capacity, or None."""
        fit = self.members
        if any(not member.failures for member in fit):
            now = self.patience.clock()
            fit = [m for m in fit if not m.failures or (m.due <= now and not m.busy)]
        room = [member for member in fit if member.busy < member.width]
        return min(room, key=lambda member: member.busy / member.width, default=None)

    def _set_aside(self, member: EndpointMember[W], failure: TransientFailure) -> None:
        if len(self.members) == 1:
            return
        failure.endpoint = member.name
        now = self.patience.clock()
        if failure.what in ENDPOINT_DOWN and not (member.failures and now < member.due):
            if not member.failures:
                self._report(f"{member.name} is set aside ({failure.what}) and tried again from time to time")
            aside = min(LONGEST_ASIDE, self.patience.first_wait * 2.0 ** min(member.failures, 10))
            member.due = now + max(aside, failure.retry_after or 0.0)
            member.failures += 1
        if any(not other.failures for other in self.members):
            failure.retry_after = None  # the next try need not wait for this endpoint

    def _report(self, text: str) -> None:
        if len(self.members) > 1:
            self.tell(f"endpoint {text}")

    def _tell_wait(self, number: int, failure: TryFailed, wait: float) -> None:
        """Tell of a wait once, however many calls wait, and only while none is answered."""
        self._failed += 1
        width = int_sum(member.width for member in self.members)
        if number > self._told and self._failed >= min(self.calls, width):
            self._told = number
            next_try = f"next try in {wait:.1f} s ({number + 1} of {self.patience.tries})"
            self.tell(f"endpoint {self.where}: {failure}; {next_try}")

    def _failure_text(self, asked: str, last: GivenUp) -> str:
        tries = "1 try" if last.number == 1 else f"{last.number} tries"
        if last.number < self.patience.tries:
            allowed = f"beyond the {self.patience.total:.0f} s allowed"
            tries += f" in {last.spent:.1f} s (the next was due in {last.wait:.0f} s, {allowed})"
        else:
            tries += f" in {last.spent:.1f} s"
        return (
            f"asked {self.where} for {asked}: no answer after {tries}; the last ended in {last.failure}; "
            f"{failure_remedy(last.failure)}"
        )


def _size_of(request: Request) -> RequestSize:
    prompt = int_sum(estimated_tokens(message.text) for message in request.messages)
    return RequestSize(prompt, request.sampling.max_tokens)
