import asyncio

import pytest

from openiir.core.llm import Meter, Prices, Reply
from openiir.core.llm.failures import Passing
from openiir.core.llm.limited import Limited
from openiir.core.llm.priced import Priced
from openiir.core.llm.retrying import Patience, Retrying


class Watched:
    """Replies after yielding a few times, and notes how many were inside at once."""

    def __init__(self):
        self.inside = self.most = 0

    async def complete(self, request):
        self.inside += 1
        self.most = max(self.most, self.inside)
        for _ in range(5):
            await asyncio.sleep(0)
        self.inside -= 1
        text = request.messages[-1].text
        if text == "fail":
            raise RuntimeError("no")
        return Reply(text, "m", prompt_tokens=10, reply_tokens=3)


@pytest.mark.parametrize("width", [1, 3, 8])
def test_no_more_than_the_width_are_inside_and_all_are_answered_in_order(ask, width):
    watched = Watched()

    async def run():
        limited = Limited(watched, asyncio.Semaphore(width))
        return await asyncio.gather(*(limited.complete(ask(f"q{i}")) for i in range(20)))

    assert [reply.text for reply in asyncio.run(run())] == [f"q{i}" for i in range(20)]
    assert watched.most == width


def test_a_failed_call_gives_its_place_back(ask):
    async def run():
        limited = Limited(Watched(), asyncio.Semaphore(1))
        with pytest.raises(RuntimeError):
            await limited.complete(ask("fail"))
        return await limited.complete(ask("after"))

    assert asyncio.run(run()).text == "after"


def test_a_call_that_backs_off_leaves_its_place_to_others(ask):
    class FailsFirst:
        def __init__(self):
            self.answered = []

        async def complete(self, request):
            text = request.messages[-1].text
            if text == "first" and not self.answered:
                raise Passing("429")
            self.answered.append(text)
            return Reply(text, "m", 1, 1)

    async def run():
        others_done = asyncio.Event()
        inner = FailsFirst()

        async def sleep(seconds):
            await others_done.wait()

        provider = Retrying(Limited(inner, asyncio.Semaphore(1)), Patience(sleep=sleep))
        first = asyncio.create_task(provider.complete(ask("first")))
        await asyncio.gather(*(provider.complete(ask(f"q{i}")) for i in range(3)))
        others_done.set()
        await first
        return inner.answered

    assert asyncio.run(run()) == ["q0", "q1", "q2", "first"]


def test_the_meter_counts_replies_and_not_failures(ask):
    meter = Meter(Prices(prompt=2.0, reply=8.0, embedding=0.1))

    async def run():
        priced = Priced(Watched(), meter)
        await asyncio.gather(*(priced.complete(ask(f"q{i}")) for i in range(4)))
        with pytest.raises(RuntimeError):
            await priced.complete(ask("fail"))

    asyncio.run(run())
    meter.add_embedding(1_000_000)
    assert (meter.calls, meter.prompt_tokens, meter.reply_tokens, meter.embedded_tokens) == (
        5,
        40,
        12,
        1_000_000,
    )
    assert meter.money == pytest.approx((40 * 2.0 + 12 * 8.0) / 1e6 + 0.1)


def test_a_local_endpoint_costs_nothing():
    meter = Meter()
    meter.add(Reply("x", "m", 1000, 1000))
    assert meter.money == 0.0
