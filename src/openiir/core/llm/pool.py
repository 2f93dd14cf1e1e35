"""Load balancing: each call goes to the least loaded working endpoint, up to its number of concurrent calls."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from openiir.core.llm.circuit_breaker import CircuitBreaker
from openiir.core.llm.failures import ENDPOINT_DOWN, TransientFailure
from openiir.core.llm.provider import Provider, Reply, Request

T = TypeVar("T")
W = TypeVar("W", bound=Provider)
LONGEST_ASIDE = 60.0
"""Most seconds before a failed endpoint is tried again, unless it asked for longer."""


@dataclass
class EndpointMember(Generic[W]):
    """One endpoint of a pool, with its load and failures."""

    name: str
    wire: W
    width: int
    """Number of concurrent calls."""
    busy: int = 0
    failures: int = 0
    """Failures of the endpoint since its last reply; if any, other endpoints are preferred."""
    due: float = 0.0
    """Time of the next try after a failure, by the pool's clock."""


@dataclass
class EndpointPool(Generic[W]):
    """Provider that passes each call to an endpoint with free capacity and queues further calls.

    A member that fails is set aside and tried again with one call at a time, after twice as long each time. Where
    every member has failed, all are used as if none had.
    """

    members: Sequence[EndpointMember[W]]
    tell: Callable[[str], None] = lambda text: None
    first_aside: float = 0.5
    """Seconds before the next try of an endpoint after its first failure."""
    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    """Circuit breaker, checked whenever a queued call gets its turn."""
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _waiting: deque[asyncio.Future[EndpointMember[W]]] = field(default_factory=deque, repr=False)

    async def complete(self, request: Request) -> Reply:
        """Get a reply from a member endpoint; with several members, the reply names it."""
        member, reply = await self.call(lambda wire: wire.complete(request))
        return reply if len(self.members) == 1 else replace(reply, endpoint=member.name)

    async def call(self, work: Callable[[W], Awaitable[T]]) -> tuple[EndpointMember[W], T]:
        """Run `work` with a member's client; returns the member and the result."""
        member = await self._acquire_member()
        try:
            self.breaker.check()
            result = await work(member.wire)
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
            now = self.clock()
            fit = [m for m in fit if not m.failures or (m.due <= now and not m.busy)]
        room = [member for member in fit if member.busy < member.width]
        return min(room, key=lambda member: member.busy / member.width, default=None)

    def _set_aside(self, member: EndpointMember[W], failure: TransientFailure) -> None:
        if len(self.members) == 1:
            return
        failure.endpoint = member.name
        now = self.clock()
        if failure.what in ENDPOINT_DOWN and not (member.failures and now < member.due):
            if not member.failures:
                self._report(f"{member.name} is set aside ({failure.what}) and tried again from time to time")
            aside = min(LONGEST_ASIDE, self.first_aside * 2.0 ** min(member.failures, 10))
            member.due = now + max(aside, failure.retry_after or 0.0)
            member.failures += 1
        if any(not other.failures for other in self.members):
            failure.retry_after = None  # the next try need not wait for this endpoint

    def _report(self, text: str) -> None:
        if len(self.members) > 1:
            self.tell(f"endpoint {text}")
