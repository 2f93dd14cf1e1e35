import asyncio

import pytest

from openiir.core.llm import Meter, Prices, Reply
from openiir.core.llm.priced import Priced


class Echo:
    """Says what it was asked, unless that is to fail."""

    async def complete(self, request):
        text = request.messages[-1].text
        if text == "fail":
            raise RuntimeError("no")
        return Reply(text, "m", prompt_tokens=10, reply_tokens=3)


def test_the_meter_counts_replies_and_not_failures(ask):
    meter = Meter(Prices(prompt=2.0, reply=8.0, embedding=0.1))

    async def run():
        priced = Priced(Echo(), meter)
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
