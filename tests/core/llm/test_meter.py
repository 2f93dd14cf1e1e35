import pytest

from openiir.core.llm import Meter, Prices, Reply


def test_the_meter_counts_replies_and_embeddings():
    meter = Meter(Prices(prompt=2.0, reply=8.0, embedding=0.1))
    for _ in range(4):
        meter.add(Reply("x", "m", prompt_tokens=10, reply_tokens=3))
    meter.add_embedding(1_000_000)
    assert (meter.calls, meter.prompt_tokens, meter.reply_tokens) == (5, 40, 12)
    assert meter.embedded_tokens == 1_000_000
    assert meter.cost == pytest.approx((40 * 2.0 + 12 * 8.0) / 1e6 + 0.1)


def test_a_local_endpoint_costs_nothing():
    meter = Meter()
    meter.add(Reply("x", "m", 1000, 1000))
    assert meter.cost == 0.0
