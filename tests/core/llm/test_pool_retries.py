import asyncio
import re
from dataclasses import dataclass, field

import pytest

from openiir.core.errors import EndpointError
from openiir.core.llm import Reply
from openiir.core.llm.failures import RequestRefused, TransientFailure
from openiir.core.llm.pool import EndpointMember, EndpointPool
from openiir.core.transport import Patience, listen_to_tries

REPLY = Reply("yes", "m", 1, 1)


@dataclass
class Clock:
    """Time that passes only by sleeping."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    def patience(self, **settings):
        return Patience(**settings, sleep=self.sleep, clock=lambda: self.now)


@dataclass
class Failing:
    """A provider that fails in the given ways, then replies."""

    failures: list[EndpointError]
    asked: int = 0

    async def complete(self, request):
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return REPLY


def pool(wire, patience, width=99, tell=lambda text: None):
    """A pool of one endpoint."""
    return EndpointPool([EndpointMember("http://here/v1", wire, width)], patience, tell)


def heard(provider, request):
    """The reply or error, and what the listener was told."""
    told = []

    async def call():
        with listen_to_tries(lambda *one: told.append(one)):
            return await provider.complete(request)

    try:
        return asyncio.run(call()), told
    except EndpointError as error:
        return error, told


def test_a_passing_failure_is_tried_again_and_each_try_is_reported(ask):
    clock, inner = Clock(), Failing([TransientFailure("429"), TransientFailure("time-out")])
    outcome, told = heard(pool(inner, clock.patience()), ask())
    assert outcome is REPLY
    assert [(number, what) for number, what, _ in told] == [(1, "429"), (2, "time-out")]
    assert [waited for _, _, waited in told] == clock.slept


def test_tries_are_bounded_and_the_last_is_reported_as_waiting_for_nothing(ask):
    clock, inner = Clock(), Failing([TransientFailure("500", "boom")] * 9)
    outcome, told = heard(pool(inner, clock.patience(tries=4)), ask())
    assert inner.asked == 4 and len(clock.slept) == 3
    assert told[-1] == (4, "500", 0.0)
    assert isinstance(outcome, EndpointError)
    for part in ("http://here/v1", "'standin'", "4 tries", "500: boom", "resume"):
        assert part in str(outcome)


def test_time_is_bounded_even_where_tries_are_left(ask):
    clock, inner = Clock(), Failing([TransientFailure("429", retry_after=40.0)] * 99)
    outcome, told = heard(pool(inner, clock.patience(tries=99, total=100.0)), ask())
    assert isinstance(outcome, EndpointError) and inner.asked == 3
    assert clock.now <= 100.0
    assert "beyond the 100 s allowed" in str(outcome) and "width" in str(outcome)


def test_a_wait_beyond_the_time_allowed_is_not_begun(ask):
    clock, inner = Clock(), Failing([TransientFailure("429", retry_after=3600.0)])
    outcome, told = heard(pool(inner, clock.patience(total=60.0)), ask())
    assert isinstance(outcome, EndpointError) and clock.slept == [] and told == [(1, "429", 0.0)]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_not_tried_again(ask, status):
    refusal = RequestRefused(status, "no", "")
    inner = Failing([refusal])
    outcome, told = heard(pool(inner, Clock().patience()), ask())
    assert outcome is refusal and inner.asked == 1 and told == []


def test_concurrent_calls_keep_their_listeners_apart(ask):
    class FailsOnce:
        def __init__(self):
            self.seen = set()

        async def complete(self, request):
            await asyncio.sleep(0)
            text = request.messages[-1].text
            if text not in self.seen:
                self.seen.add(text)
                raise TransientFailure(f"first of {text}")
            return REPLY

    provider = pool(FailsOnce(), Clock().patience())

    async def one(name):
        told = []
        with listen_to_tries(lambda number, what, waited: told.append(what)):
            await provider.complete(ask(name))
        return told

    async def all_of_them():
        return await asyncio.gather(*(one(f"q{i}") for i in range(20)))

    assert asyncio.run(all_of_them()) == [[f"first of q{i}"] for i in range(20)]


def failed_at_once(tries, provider, n, ask):
    """So many calls at the same time whose first tries all fail, one after another; the answers."""

    class FailsAll:
        tried = 0

        async def complete(self, request):
            self.tried += 1
            await asyncio.sleep(0)
            if self.tried <= tries * n:
                raise TransientFailure("connection refused")
            return REPLY

    async def run():
        provider.members[0].wire = FailsAll()
        return await asyncio.gather(*(provider.complete(ask(f"q{i}")) for i in range(n)))

    return asyncio.run(run())


def test_a_wait_for_a_silent_endpoint_is_told_once_for_all_calls(ask):
    told = []
    assert failed_at_once(3, pool(None, Clock().patience(), 32, told.append), 32, ask) == [REPLY] * 32
    assert [line.partition("s (")[2] for line in told] == ["2 of 6)", "3 of 6)", "4 of 6)"]
    form = r"endpoint http://here/v1: connection refused; next try in \d+\.\d s \(. of 6\)"
    assert all(re.fullmatch(form, line) for line in told)


def test_after_an_answer_a_silence_is_told_of_anew(ask):
    told = []
    provider = pool(None, Clock().patience(), 1, told.append)
    for _ in range(2):
        failed_at_once(1, provider, 1, ask)
    assert [line[-7:] for line in told] == ["2 of 6)", "2 of 6)"] and provider.calls == 0


def test_a_wait_of_one_call_is_not_told_while_others_are_answered(ask):
    told = []

    class FailsFirst(Failing):
        async def complete(self, request):
            await asyncio.sleep(0)
            return await super().complete(request)

    async def run():
        provider = pool(FailsFirst([TransientFailure("429")]), Clock().patience(), 8, told.append)
        return await asyncio.gather(*(provider.complete(ask(f"q{i}")) for i in range(8)))

    assert asyncio.run(run()) == [REPLY] * 8 and told == []


def ask_one_by_one(wire, ask, n):
    """So many calls at the same time of an endpoint that takes two."""

    async def sleep(seconds):
        await asyncio.sleep(0)

    async def run():
        provider = pool(wire, Patience(tries=3, sleep=sleep), 2)
        calls = (provider.complete(ask(f"q{i}")) for i in range(n))
        results = await asyncio.gather(*calls, return_exceptions=True)
        return results, await asyncio.gather(provider.complete(ask("later")), return_exceptions=True)

    return asyncio.run(run())


def test_once_a_call_was_given_up_others_fail_at_once_with_its_reason(ask):
    dead = Failing([TransientFailure("time-out")] * 999)
    results, [later] = ask_one_by_one(dead, ask, 100)
    assert all(isinstance(result, EndpointError) for result in results)
    assert str(results[0]) in str(results[-1]) and str(results[0]) in str(later)
    assert dead.asked < 210, "without the limit there are 300 tries"


def test_a_refusal_of_one_request_leaves_the_others_alone(ask):
    class Picky:
        async def complete(self, request):
            if request.messages[-1].text == "q1":
                raise RequestRefused(400, "this prompt is too long", "")
            return REPLY

    results, later = ask_one_by_one(Picky(), ask, 4)
    assert [isinstance(result, Reply) for result in [*results, *later]] == [True, False, True, True, True]
