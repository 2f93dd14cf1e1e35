import asyncio

import pytest

from openiir.core.errors import EndpointError
from openiir.core.llm import Reply
from openiir.core.llm.circuit_breaker import CircuitBreaker
from openiir.core.llm.failures import RequestRefused, TransientFailure
from openiir.core.llm.pool import EndpointMember, EndpointPool
from openiir.core.llm.retrying import Patience, Retrying


class Dead:
    """Never answers, and counts how often it was tried."""

    def __init__(self, error):
        self.error, self.tries = error, 0

    async def complete(self, request):
        self.tries += 1
        await asyncio.sleep(0)
        raise self.error


async def no_wait(seconds):
    await asyncio.sleep(0)


def stack(wire, width=2, tries=3):
    pool = EndpointPool([EndpointMember("here", wire, width)])
    return Retrying(pool, Patience(tries=tries, sleep=no_wait), breaker=pool.breaker)


def ask_many(provider, ask, n):
    async def run():
        calls = (provider.complete(ask(f"q{i}")) for i in range(n))
        return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(run())


def test_calls_that_wait_are_not_tried_once_one_was_given_up(ask):
    dead = Dead(TransientFailure("time-out"))
    results = ask_many(stack(dead), ask, 100)
    assert all(isinstance(result, EndpointError) for result in results)
    assert "time-out" in str(results[-1]), "the reason of the one given up is told to the others"
    assert dead.tries < 210, "without the fuse there are 300 tries"


def test_a_later_call_fails_at_once_with_the_first_reason(ask):
    dead = Dead(TransientFailure("time-out"))
    provider = stack(dead)
    first = ask_many(provider, ask, 1)[0]
    tried = dead.tries
    second = ask_many(provider, ask, 1)[0]
    assert dead.tries == tried and str(first) in str(second)


def test_a_refusal_of_one_request_leaves_the_others_alone(ask):
    class Picky:
        async def complete(self, request):
            if request.messages[-1].text == "q1":
                raise RequestRefused(400, "this prompt is too long", "")
            return Reply("yes", "m", 1, 1)

    results = ask_many(stack(Picky()), ask, 4)
    assert [isinstance(result, Reply) for result in results] == [True, False, True, True]


@pytest.mark.parametrize("reason", ["", "gone"])
def test_a_fuse_is_whole_until_it_has_a_reason(reason):
    if reason:
        with pytest.raises(EndpointError, match="gone"):
            CircuitBreaker(reason).check()
    else:
        CircuitBreaker(reason).check()
