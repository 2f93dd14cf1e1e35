"""How long failed calls wait, and what is made of failures that may and may not be repeated."""

import asyncio

import pytest

from openiir.core.transport import GivenUp, Patience, TryFailed, call_with_retries, listen_to_tries


def test_retry_after_is_waited_at_least_and_jittered_by_little():
    waits = [Patience(first_wait=0.5).wait(1, 7.0, f"call {i}") for i in range(200)]
    assert min(waits) > 7.0 and max(waits) < 7.5 and len(set(waits)) == 200


@pytest.mark.parametrize(("number", "most"), [(1, 0.5), (2, 1.0), (3, 2.0), (5, 8.0), (12, 60.0), (40, 60.0)])
def test_back_off_is_uniform_below_a_doubling_and_capped_bound(number, most):
    waits = sorted(Patience().wait(number, None, f"call {i}") / most for i in range(2000))
    assert waits[0] > 0.0 and waits[-1] < 1.0
    farthest = max(abs(u - (i + 0.5) / 2000) for i, u in enumerate(waits))
    assert farthest < 1.95 / 2000**0.5  # Kolmogorov-Smirnov at 0.001


def test_the_wait_is_a_function_of_the_call_and_the_try():
    patience = Patience()
    assert patience.wait(2, None, "a") == patience.wait(2, None, "a") != patience.wait(2, None, "b")


def test_a_failure_that_may_not_be_repeated_is_reported_and_ends_the_call():
    told, failure = [], TryFailed("broken off")
    failure.what, failure.repeatable = "broken off", False

    async def once():
        raise failure

    with listen_to_tries(lambda *one: told.append(one)), pytest.raises(GivenUp) as last:
        asyncio.run(call_with_retries(once, Patience(tries=9)))
    assert told == [(1, "broken off", 0.0)] and last.value.failure is failure


def test_without_a_name_waits_are_the_bounds_themselves():
    patience = Patience(first_wait=0.5, longest_wait=3.0)
    assert [patience.wait(number) for number in range(1, 6)] == [0.5, 1.0, 2.0, 3.0, 3.0]
