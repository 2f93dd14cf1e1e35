"""The true wire: llama.cpp's own server, on a model of random weights."""

import asyncio
import json

import numpy as np
import pytest

from openiir.core.errors import EndpointError
from openiir.core.llm import Endpoint, connect
from openiir.core.llm.probe import probe_endpoint
from openiir.core.transport import listen_to_tries
from openiir.testing.standin import Faults


def replies(url, requests, **settings):
    async def one(models, request):
        try:
            return await models.complete(request)
        except EndpointError as error:
            return error

    async def run():
        async with connect(Endpoint(url=url, first_wait=0.001, **settings)) as models:
            return await asyncio.gather(*(one(models, request) for request in requests))

    return asyncio.run(run())


def test_it_keeps_to_a_json_schema(tiny_model, ask, fits):
    requests = [ask(f"question {i}", bound=True, seed=i, max_tokens=400) for i in range(10)]
    answers = replies(tiny_model, requests)
    assert all(fits(reply.text) for reply in answers)
    assert len({reply.text for reply in answers}) > 1


def test_without_a_schema_it_writes_text(tiny_model, ask):
    [reply] = replies(tiny_model, [ask(seed=1, max_tokens=40)])
    assert reply.text and all(" " <= c <= "~" for c in reply.text)
    with pytest.raises(ValueError):
        json.loads(reply.text)


def test_it_reports_its_name_and_what_it_counted(tiny_model, ask):
    short, long = replies(tiny_model, [ask("short", max_tokens=20), ask("long " * 50, max_tokens=20)])
    assert short.model.startswith("tiny-random ")
    assert 0 < short.prompt_tokens < long.prompt_tokens
    assert 0 < short.reply_tokens <= 20


def test_the_same_seed_gives_the_same_reply_at_any_width(tiny_model, ask):
    requests = [ask(f"question {i}", bound=i % 2 == 0, seed=i, max_tokens=200) for i in range(12)]
    one = [reply.text for reply in replies(tiny_model, requests, width=1)]
    eight = [reply.text for reply in replies(tiny_model, requests, width=8)]
    assert one == eight
    other = [reply.text for reply in replies(tiny_model, [ask("question 1", seed=99, max_tokens=200)])]
    assert other[0] != one[1]


def test_it_embeds(tiny_model):
    async def run():
        async with connect(Endpoint(url=tiny_model, batch=2)) as models:
            return await models.embedder("tiny-random").embed(["wind power", "tidal power", "wind power"])

    vectors = asyncio.run(run())
    assert vectors.shape == (3, 64) and np.allclose(vectors[0], vectors[2], atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1], atol=1e-3)


def test_a_prompt_beyond_its_context_is_refused_at_once(tiny_model, ask):
    told = []
    with listen_to_tries(lambda *one: told.append(one)):
        [error] = replies(tiny_model, [ask("word " * 20_000)])
    assert isinstance(error, EndpointError) and "400" in str(error) and told == []


def test_the_probe_finds_everything(tiny_model):
    report = asyncio.run(probe_endpoint(Endpoint(url=tiny_model)))
    assert report.ok
    assert {step.what: step.ok for step in report.steps} == dict.fromkeys(
        ["answers", "models", "reply", "schema", "embeddings"], True
    )


def test_without_its_bias_some_answers_are_500_and_the_error_says_so(unbiased_tiny_model, ask, fits):
    requests = [ask(f"question {i}", bound=True, seed=i, max_tokens=400) for i in range(12)]
    answers = replies(unbiased_tiny_model, requests, tries=2)
    errors = [answer for answer in answers if isinstance(answer, EndpointError)]
    assert errors and all("500" in str(error) and "2 tries" in str(error) for error in errors)
    kept = [answer for answer in answers if not isinstance(answer, EndpointError)]
    assert all(fits(reply.text) for reply in kept)


def test_faults_before_it_change_no_reply(tiny_model, standin, ask):
    requests = [ask(f"question {i}", bound=i % 2 == 0, seed=i, max_tokens=200) for i in range(20)]
    server = standin(upstream=tiny_model, faults=Faults(share=0.4, most=2))
    assert replies(server.url, requests) == replies(tiny_model, requests)
    assert server.counts.faults.total() >= 5
    report = asyncio.run(probe_endpoint(Endpoint(url=server.url, first_wait=0.001, tries=4)))
    assert any(step.what == "reply" and "tiny-random" in step.saw for step in report.steps)
