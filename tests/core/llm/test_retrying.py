import asyncio
import re
from dataclasses import dataclass, field

import pytest

from openiir.core.errors import EndpointError
from openiir.core.llm import Reply, listen_to_tries
from openiir.core.llm.failures import RequestRefused, TransientFailure
from openiir.core.llm.retrying import Patience, Retrying, WaitReporter

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
    outcome, told = heard(Retrying(inner, clock.patience()), ask())
    assert outcome is REPLY
    assert [(number, what) for number, what, _ in told] == [(1, "429"), (2, "time-out")]
    assert [waited for _, _, waited in told] == clock.slept


def test_tries_are_bounded_and_the_last_is_reported_as_waiting_for_nothing(ask):
    clock, inner = Clock(), Failing([TransientFailure("500", "boom")] * 9)
    outcome, told = heard(Retrying(inner, clock.patience(tries=4), WaitReporter("http://here/v1")), ask())
    assert inner.asked == 4 and len(clock.slept) == 3
    assert told[-1] == (4, "500", 0.0)
    assert isinstance(outcome, EndpointError)
    for part in ("http://here/v1", "'standin'", "4 tries", "500: boom", "resume"):
        assert part in str(outcome)


def test_time_is_bounded_even_where_tries_are_left(ask):
    clock, inner = Clock(), Failing([TransientFailure("429", retry_after=40.0)] * 99)
    outcome, told = heard(Retrying(inner, clock.patience(tries=99, total=100.0)), ask())
    assert isinstance(outcome, EndpointError) and inner.asked == 3
    assert clock.now <= 100.0
    assert "beyond the 100 s allowed" in str(outcome) and "width" in str(outcome)


def test_a_wait_beyond_the_time_allowed_is_not_begun(ask):
    clock, inner = Clock(), Failing([TransientFailure("429", retry_after=3600.0)])
    outcome, told = heard(Retrying(inner, clock.patience(total=60.0)), ask())
    assert isinstance(outcome, EndpointError) and clock.slept == [] and told == [(1, "429", 0.0)]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_not_tried_again(ask, status):
    refusal = RequestRefused(status, "no", "")
    inner = Failing([refusal])
    outcome, told = heard(Retrying(inner, Clock().patience()), ask())
    assert outcome is refusal and inner.asked == 1 and told == []


def test_retry_after_is_waited_at_least_and_jittered_by_little():
    waits = [
        Patience(first_wait=0.5).wait(1, TransientFailure("429", retry_after=7.0), f"call {i}")
        for i in range(200)
    ]
    assert min(waits) > 7.0 and max(waits) < 7.5 and len(set(waits)) == 200


@pytest.mark.parametrize(("number", "most"), [(1, 0.5), (2, 1.0), (3, 2.0), (5, 8.0), (12, 60.0), (40, 60.0)])
def test_back_off_is_uniform_below_a_doubling_and_capped_bound(number, most):
    waits = sorted(Patience().wait(number, TransientFailure("500"), f"call {i}") / most for i in range(2000))
    assert waits[0] > 0.0 and waits[-1] < 1.0
    farthest = max(abs(u - (i + 0.5) / 2000) for i, u in enumerate(waits))
    assert farthest < 1.95 / 2000**0.5  # Kolmogorov-Smirnov at 0.001


def test_the_wait_is_a_function_of_the_call_and_the_try():
    patience, failure = Patience(), TransientFailure("500")
    assert patience.wait(2, failure, "a") == patience.wait(2, failure, "a") != patience.wait(2, failure, "b")


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

    provider = Retrying(FailsOnce(), Clock().patience())

    async def one(name):
        told = []
        with listen_to_tries(lambda number, what, waited: told.append(what)):
            await provider.complete(ask(name))
        return told

    async def all_of_them():
        return await asyncio.gather(*(one(f"q{i}") for i in range(20)))

    assert asyncio.run(all_of_them()) == [[f"first of q{i}"] for i in range(20)]


def failed_at_once(tries, waits, n, ask):
    """So many calls at the same time whose first tries all fail, one after another; how many were answered."""
    clock = Clock()

    class FailsAll:
        tried = 0

        async def complete(self, request):
            self.tried += 1
            await asyncio.sleep(0)
            if self.tried <= tries * n:
                raise TransientFailure("connection refused")
            return REPLY

    async def run():
        provider = Retrying(FailsAll(), clock.patience(), waits)
        return await asyncio.gather(*(provider.complete(ask(f"q{i}")) for i in range(n)))

    return asyncio.run(run())


def test_a_wait_for_a_silent_endpoint_is_told_once_for_all_calls(ask):
    told = []
    waits = WaitReporter("http://here/v1", 32, told.append)
    assert failed_at_once(3, waits, 32, ask) == [REPLY] * 32
    assert [line.partition("s (")[2] for line in told] == ["2 of 6)", "3 of 6)", "4 of 6)"]
    assert all(
        re.fullmatch(r"http://here/v1: connection refused; next try in \d+\.\d s \(. of 6\)", t) for t in told
    )


def test_after_an_answer_a_silence_is_told_of_anew(ask):
    told = []
    waits = WaitReporter("here", 1, told.append)
    for _ in range(2):
        failed_at_once(1, waits, 1, ask)
    assert [line[-7:] for line in told] == ["2 of 6)", "2 of 6)"] and waits.calls == 0


def test_a_wait_of_one_call_is_not_told_while_others_are_answered(ask):
    told = []
    waits = WaitReporter("here", 8, told.append)

    class FailsFirst(Failing):
        async def complete(self, request):
            await asyncio.sleep(0)
            return await super().complete(request)

    async def run():
        provider = Retrying(FailsFirst([TransientFailure("429")]), Clock().patience(), waits)
        return await asyncio.gather(*(provider.complete(ask(f"q{i}")) for i in range(8)))

    assert asyncio.run(run()) == [REPLY] * 8 and told == []
