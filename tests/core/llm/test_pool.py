import asyncio

import pytest

from openiir.core.errors import EndpointError
from openiir.core.llm import Reply, connect
from openiir.core.llm.failures import TransientFailure
from openiir.core.llm.pool import EndpointMember, EndpointPool
from openiir.core.transport import Patience, listen_to_tries
from openiir.testing.standin import Faults


class Watched:
    """Replies after yielding a few times, and notes how many were inside at once."""

    def __init__(self):
        self.inside = self.most = self.calls = 0
        self.failures = []

    async def complete(self, request):
        self.calls += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        for _ in range(5):
            await asyncio.sleep(0)
        self.inside -= 1
        text = request.messages[-1].text
        if self.failures:
            raise self.failures.pop(0)
        if text == "fail":
            raise RuntimeError("no")
        return Reply(text, "m", prompt_tokens=10, reply_tokens=3)


class Clock:
    """Time that stands until it is moved."""

    now = 0.0

    def __call__(self):
        return self.now


def pooled(*widths):
    """A pool of watched endpoints a, b, ... of these widths, its clock, and the list of what it told."""
    told, clock = [], Clock()
    members = [EndpointMember(chr(97 + i), Watched(), width) for i, width in enumerate(widths)]
    return EndpointPool(members, Patience(first_wait=1.0, clock=clock), told.append), clock, told


def ask_all(pool, ask, n):
    async def run():
        calls = (pool.call_once(lambda wire, i=i: wire.complete(ask(f"q{i}"))) for i in range(n))
        return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(run())


@pytest.mark.parametrize("width", [1, 3, 8])
def test_no_more_than_the_width_are_inside_and_all_are_answered_in_order(ask, width):
    watched = Watched()

    async def run():
        pool = EndpointPool([EndpointMember("here", watched, width)])
        return await asyncio.gather(*(pool.complete(ask(f"q{i}")) for i in range(20)))

    assert [reply.text for reply in asyncio.run(run())] == [f"q{i}" for i in range(20)]
    assert watched.most == width


def test_a_failed_call_gives_its_place_back(ask):
    async def run():
        pool = EndpointPool([EndpointMember("here", Watched(), 1)])
        with pytest.raises(RuntimeError):
            await pool.complete(ask("fail"))
        return await pool.complete(ask("after"))

    assert asyncio.run(run()).text == "after"


def test_a_call_that_backs_off_leaves_its_place_to_others(ask):
    class FailsFirst:
        def __init__(self):
            self.answered = []

        async def complete(self, request):
            text = request.messages[-1].text
            if text == "first" and not self.answered:
                raise TransientFailure("429")
            self.answered.append(text)
            return Reply(text, "m", 1, 1)

    async def run():
        others_done = asyncio.Event()
        inner = FailsFirst()

        async def sleep(seconds):
            await others_done.wait()

        provider = EndpointPool([EndpointMember("here", inner, 1)], Patience(sleep=sleep))
        first = asyncio.create_task(provider.complete(ask("first")))
        await asyncio.gather(*(provider.complete(ask(f"q{i}")) for i in range(3)))
        others_done.set()
        await first
        return inner.answered

    assert asyncio.run(run()) == ["q0", "q1", "q2", "first"]


def test_calls_go_to_the_least_loaded_each_up_to_its_width(ask):
    pool, _, _ = pooled(2, 6)
    replies = ask_all(pool, ask, 40)
    assert [reply.text for _, reply in replies] == [f"q{i}" for i in range(40)]
    assert [member.wire.most for member in pool.members] == [2, 6]
    assert [member.name for member, _ in replies].count("a") == pool.members[0].wire.calls == 10
    small, _, _ = pooled(8, 8)
    ask_all(small, ask, 8)
    assert [member.wire.most for member in small.members] == [4, 4]


def test_one_that_fails_is_set_aside_told_once_and_tried_again_by_one_call(ask):
    pool, clock, told = pooled(4, 4)
    sick, well = (member.wire for member in pool.members)
    sick.failures = [TransientFailure("connection refused") for _ in range(5)]
    assert len([r for r in ask_all(pool, ask, 8) if isinstance(r, TransientFailure)]) == 4
    assert told == ["endpoint a is set aside (connection refused) and tried again from time to time"]
    clock.now = 0.9
    ask_all(pool, ask, 4)
    assert sick.calls == 4, "it is not yet due"
    clock.now = 1.0
    assert len([r for r in ask_all(pool, ask, 8) if isinstance(r, TransientFailure)]) == 1
    clock.now = 2.9
    ask_all(pool, ask, 4)
    assert sick.calls == 5 and len(told) == 1, (
        "the second time it is left alone for twice as long, in silence"
    )
    clock.now = 3.0
    ask_all(pool, ask, 12)
    assert sick.most == 4 and told[1:] == ["endpoint a answers again"]
    assert sick.calls + well.calls == 8 + 4 + 8 + 4 + 12


def test_where_all_have_failed_all_are_tried_as_one_would_be(ask):
    pool, _, _ = pooled(4, 4)
    for member in pool.members:
        member.wire.failures = [TransientFailure("503") for _ in range(8)]
    assert all(isinstance(r, TransientFailure) for r in ask_all(pool, ask, 16))
    assert [member.wire.most for member in pool.members] == [4, 4]


def test_a_failure_of_the_request_sets_no_endpoint_aside(ask):
    pool, _, told = pooled(1, 1)
    pool.members[0].wire.failures = [TransientFailure("500"), TransientFailure("body is not JSON")]
    ask_all(pool, ask, 8)
    assert told == [] and pool.members[0].wire.calls == 4


def test_who_asks_one_endpoint_to_wait_need_not_while_another_is_well(ask):
    pool, _, _ = pooled(1, 1)
    pool.members[0].wire.failures = [TransientFailure("429", retry_after=30.0)]
    [failure, _] = ask_all(pool, ask, 2)
    assert failure.retry_after is None and pool.members[0].due == 30.0
    alone, _, told = pooled(1)
    alone.members[0].wire.failures = [TransientFailure("429", retry_after=30.0)]
    assert ask_all(alone, ask, 1)[0].retry_after == 30.0 and told == []


def test_a_cancelled_call_that_was_just_let_in_gives_its_place_back(ask):
    async def run():
        pool, _, _ = pooled(1)
        calls = [asyncio.create_task(pool.complete(ask(f"q{i}"))) for i in range(3)]
        await calls[0]
        calls[1].cancel()
        return (await calls[2]).text, pool.members[0].busy

    assert asyncio.run(run()) == ("q2", 0)


def test_a_study_uses_all_endpoints_and_a_dead_one_costs_no_reply(standin, quick, ask):
    servers = [standin(), standin(), standin(faults=Faults(share=1.0, kinds=("dropped",), most=999))]
    tries, told = [], []

    async def run():
        endpoints = [quick(server.url, width=4) for server in [*servers]] + [quick("http://127.0.0.1:9/v1")]
        async with connect(*endpoints, tell=told.append) as models:
            with listen_to_tries(lambda number, what, waited: tries.append(what)):
                replies = await asyncio.gather(*(models.complete(ask(f"q{i}")) for i in range(60)))
                return replies, await models.embedder("e").embed(["x", "y"])

    replies, vectors = asyncio.run(run())
    answered = [reply.details.endpoint for reply in replies]
    assert set(answered) == {server.url for server in servers[:2]} and vectors.shape == (2, 32)
    assert all(answered.count(url) >= 10 for url in set(answered))
    assert set(tries) == {
        f"dropped connection ({servers[2].url})",
        "connection refused (http://127.0.0.1:9/v1)",
    }
    assert len([line for line in told if "is set aside" in line]) == 2


def test_endpoints_that_are_all_dead_end_in_one_error_that_names_them(quick, ask):
    async def run():
        async with connect(*(quick(f"http://127.0.0.1:{n}/v1", tries=2) for n in (9, 11))) as models:
            await models.complete(ask())

    with pytest.raises(
        EndpointError, match=r"asked http://127.0.0.1:9/v1 or http://127.0.0.1:11/v1 for a reply.*2 tries"
    ):
        asyncio.run(run())
