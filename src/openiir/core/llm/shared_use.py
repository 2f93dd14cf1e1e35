"""Use of one endpoint by all runs on a machine: rate limits, pauses that it asks for, money spent."""

import asyncio
import os
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from openiir.core.errors import RunBusy, RunStopped
from openiir.core.llm.failures import TransientFailure
from openiir.core.llm.prices import Prices
from openiir.core.llm.provider import Reply
from openiir.core.records import RateGrant, RateLimits, SpendingLimit

T = TypeVar("T")
_BUSY = 0.003
"""Seconds after which a file that another process writes is tried again."""
_TRIES = 3_000
_UNTOLD = 1.0
"""Seconds of waiting that are not worth a message."""


class UsageStore(Protocol):
    """Interface of the record that runs share (see `core.storage.UsageFile`)."""

    def take(self, account: str, limits: RateLimits, tokens: Sequence[int], who: str) -> RateGrant: ...
    def leave(self, account: str, who: str) -> None: ...
    def pause(self, account: str, seconds: float) -> None: ...
    def correct(self, account: str, slot: int, requests: int, tokens: int) -> None: ...
    def spend(self, account: str, prompt_tokens: int, reply_tokens: int, money: float) -> None: ...
    def money_spent(self, account: str, per: str) -> float: ...


@dataclass(frozen=True)
class RequestSize:
    """What is known of a request's tokens before it is sent."""

    prompt: int = 0
    """Tokens of the prompt, estimated from its words."""
    most: int | None = 0
    """Most tokens of the reply; None for no limit."""


@dataclass
class TokenEstimate:
    """Estimate of a call's tokens, from those of a run's calls so far."""

    counted: int = 0
    estimated: int = 0
    replies: int = 0
    reply_tokens: int = 0

    def estimate(self, size: RequestSize) -> int:
        """Estimate prompt and reply together; before any reply came, that it takes all it may."""
        prompt = size.prompt * self.counted // self.estimated if self.estimated else size.prompt
        reply = self.reply_tokens // self.replies if self.replies else size.most or 0
        return prompt + (reply if size.most is None else min(reply, size.most))

    def learn(self, size: RequestSize, reply: Reply) -> None:
        self.counted += reply.prompt_tokens
        self.estimated += size.prompt
        self.replies += 1
        self.reply_tokens += reply.reply_tokens


@dataclass
class SharedUse:
    """A run's part in the use of one endpoint: it waits for its turn, and counts what it used."""

    name: str
    """The endpoint's address, for messages."""
    account: str
    limits: RateLimits
    budget: SpendingLimit | None
    prices: Prices
    store: UsageStore
    tell: Callable[[str], None]
    _who: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(6)}")
    _size: TokenEstimate = field(default_factory=TokenEstimate)
    _waiting: deque[tuple[int, asyncio.Future[int]]] = field(default_factory=deque)
    """Tokens of the requests that wait, each with the slot that it gets."""
    _turns: asyncio.Task[None] | None = None
    _told: set[str] = field(default_factory=set)

    async def run(self, once: Callable[[], Awaitable[T]], size: RequestSize) -> T:
        """Do one request when limits and budget allow; a reply is returned with the seconds it waited.

        Raises RunStopped where the budget is spent.
        """
        await self._check_budget()
        loop = asyncio.get_running_loop()
        started, tokens = loop.time(), self._size.estimate(size)
        slot = await self._take_turn(tokens)
        held = loop.time() - started
        await self._check_budget()  # others may have spent the rest meanwhile
        try:
            result = await once()
        except TransientFailure as failure:
            failure.held = held
            if slot is not None:
                await self._use(lambda: self.store.correct(self.account, slot, 0, -tokens))
            if failure.what == "429" and failure.retry_after:
                pause = failure.retry_after
                await self._use(lambda: self.store.pause(self.account, pause))
            raise
        if not isinstance(result, Reply):  # vectors or a list of models, whose tokens are not told
            await self._spend(size.prompt, 0, self.prices.of(size.prompt, 0))
            return result
        self._size.learn(size, result)
        used, details = (result.prompt_tokens, result.reply_tokens), result.details
        if slot is not None and self.limits.tokens is not None:
            more = used[0] + used[1] - tokens
            await self._use(lambda: self.store.correct(self.account, slot, 0, more))
        await self._spend(*used, self.prices.of(*used, details.cached_tokens, details.reasoning_tokens))
        return replace(result, details=details._replace(held=round(held, 3)))

    async def aclose(self) -> None:
        """Give up the place in the queue; nothing may wait any more."""
        if self._turns is not None:
            self._turns.cancel()
            await asyncio.wait([self._turns])

    async def _spend(self, prompt_tokens: int, reply_tokens: int, money: float) -> None:
        if self.budget is not None and prompt_tokens + reply_tokens:
            used = (prompt_tokens, reply_tokens)
            await self._use(lambda: self.store.spend(self.account, *used, money))

    async def _use(self, work: Callable[[], T]) -> T:
        """Do something with the shared file as soon as no other process writes it."""
        for _ in range(_TRIES):
            with suppress(RunBusy):
                return work()
            await asyncio.sleep(_BUSY)
        return work()

    async def _check_budget(self) -> None:
        if (budget := self.budget) is None:
            return
        spent = await self._use(lambda: self.store.money_spent(self.account, budget.per))
        if spent >= budget.money:
            later = "" if budget.per == "ever" else f", or resume next {budget.per}"
            raise RunStopped(
                f"all runs on this machine have spent {spent:.4f} at {self.name}{budget.when}, and its "
                f"budget is {budget.money:g}; raise `budget` of the endpoint in the settings and "
                f"resume{later}"
            )

    async def _take_turn(self, tokens: int) -> int | None:
        """Wait until a request of this size may be sent; returns the slot it is counted to."""
        if self.limits.requests is None and self.limits.tokens is None:
            return None
        if not self._waiting:
            with suppress(RunBusy):
                grant = self.store.take(self.account, self.limits, [tokens], self._who)
                if grant.granted:
                    return grant.slot
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((tokens, turn))
        if self._turns is None or self._turns.done():
            self._turns = asyncio.create_task(self._give_turns())
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                slot = turn.result()
                with suppress(RunBusy):  # then it counts until it has left the stretch of time
                    self.store.correct(self.account, slot, -1, -tokens)
            raise

    async def _give_turns(self) -> None:
        """Let requests go in the order in which they came, as long as any waits."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            while self._drop_cancelled():
                wanted = [tokens for tokens, _ in self._waiting]
                try:
                    grant = self.store.take(self.account, self.limits, wanted, self._who)
                except RunBusy:
                    await asyncio.sleep(_BUSY)
                    continue
                for _ in range(grant.granted):
                    self._waiting.popleft()[1].set_result(grant.slot)
                if self._waiting:
                    if loop.time() - started >= _UNTOLD:
                        self._tell_wait(grant)
                    await asyncio.sleep(grant.wait)
        except Exception as error:
            while self._waiting:
                if not (turn := self._waiting.popleft()[1]).done():
                    turn.set_exception(error)
        finally:
            with suppress(RunBusy):  # its place is lost soon
                self.store.leave(self.account, self._who)

    def _drop_cancelled(self) -> bool:
        """Forget the requests that nobody waits for any more; returns whether any is left."""
        self._waiting = deque(one for one in self._waiting if not one[1].done())
        return bool(self._waiting)

    def _tell_wait(self, grant: RateGrant) -> None:
        """Tell once for each reason why requests wait."""
        if not grant.reason or grant.reason in self._told:
            return
        self._told.add(grant.reason)
        what = "some seconds of rest, as it asked another run"
        if grant.reason != "pause":
            stretch = "a minute" if self.limits.window == 60.0 else f"in {self.limits.window:g} s"
            most = self.limits.requests if grant.reason == "requests" else self.limits.tokens
            what = f"its limit of {most} {grant.reason} {stretch}, which all runs on this machine share"
        self.tell(f"endpoint {self.name}: calls wait for {what}")
