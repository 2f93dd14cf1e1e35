import asyncio

import pytest
from pydantic import ValidationError

from openiir.core.errors import EndpointError
from openiir.core.llm import Endpoint, Prices, connect
from openiir.core.transport import listen_to_tries
from openiir.testing.standin import Faults


def complete_all(endpoint, requests):
    """The replies or errors, and what each call's listener heard."""

    async def one(models, request):
        told = []
        with listen_to_tries(lambda number, what, waited: told.append((number, what))):
            try:
                return await models.complete(request), told
            except EndpointError as error:
                return error, told

    async def run():
        async with connect(endpoint) as models:
            return await asyncio.gather(*(one(models, request) for request in requests))

    return asyncio.run(run())


def test_a_url_is_enough():
    endpoint = Endpoint(url="http://localhost:11434/v1/")
    assert endpoint.url == "http://localhost:11434/v1"
    assert endpoint.key_env is None and endpoint.prices == Prices()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "localhost:11434"}, "must look like"),
        ({"url": "ftp://host/v1"}, "must look like"),
        ({"url": "http://"}, "must look like"),
        ({"url": "http://host:port/v1"}, "must look like"),
        ({"url": "http://host:99999/v1"}, "must look like"),
        ({"url": "http://[::1/v1"}, "must look like"),
        ({"url": "http://a:b@host/v1"}, "key_env"),
        ({"url": "http://host/v1", "key_env": "sk-123"}, "not the key itself"),
        ({"url": "http://host/v1", "width": 0}, "greater than or equal to 1"),
        ({"url": "http://host/v1", "timeout": 0}, "greater than 0"),
        ({"url": "http://host/v1", "retries": 3}, "retries"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_the_remedy(settings, said):
    with pytest.raises(ValidationError, match=said):
        Endpoint(**settings)


def test_faulty_tries_change_neither_replies_nor_usage(standin, quick, ask):
    requests = [ask(f"q{i}", bound=i % 2 == 0) for i in range(60)]
    clean = complete_all(quick(standin().url), requests)
    server = standin(faults=Faults(share=0.3, retry_after=0.0))
    faulty = complete_all(quick(server.url, width=16), requests)
    assert [reply for reply, _ in clean] == [reply for reply, _ in faulty]
    told = [what for _, heard in faulty for _, what in heard]
    assert len(told) == server.counts.faults.total() >= 10
    assert all(heard == [] for _, heard in clean)


def test_each_failed_try_is_heard_in_its_order(standin, quick, ask):
    server = standin(faults=Faults(share=1.0, kinds=("429",), most=3))
    [(reply, told)] = complete_all(quick(server.url), [ask()])
    assert reply.text and told == [(1, "429"), (2, "429"), (3, "429")]


def test_an_endpoint_that_only_fails_ends_in_an_error_that_says_so(standin, quick, ask):
    server = standin(faults=Faults(share=1.0, kinds=("503",), most=99))
    [(error, told)] = complete_all(quick(server.url, tries=3), [ask()])
    assert isinstance(error, EndpointError)
    for part in (server.url, "'standin'", "3 tries", "503", "resume"):
        assert part in str(error)
    assert len(told) == 3 == server.counts.requests


def test_a_hanging_server_is_left_after_the_time_out_and_asked_again(standin, quick, ask):
    server = standin(faults=Faults(share=1.0, kinds=("hang",), most=1, hang=60.0))
    [(reply, told)] = complete_all(quick(server.url, timeout=0.2), [ask()])
    assert reply.text and told == [(1, "time-out")]


@pytest.mark.parametrize("width", [1, 5])
def test_the_width_holds_on_the_wire(standin, quick, ask, width):
    server = standin(latency=0.05)
    complete_all(quick(server.url, width=width), [ask(f"q{i}") for i in range(3 * width)])
    assert server.counts.most_at_once == width


def test_a_cancelled_call_is_not_tried_again_and_frees_its_place(standin, quick, ask):
    server = standin(faults=Faults(share=1.0, kinds=("hang",), most=1, hang=60.0))

    async def run():
        async with connect(quick(server.url, width=1, timeout=30.0)) as models:
            call = asyncio.create_task(models.complete(ask()))
            for _ in range(1000):
                await asyncio.sleep(0.005)
                if server.counts.requests:
                    break
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await models.complete(ask())

    assert asyncio.run(run()).text
    assert server.counts.requests == 2


def test_a_closed_connection_can_be_used_again(standin, quick, ask):
    server = standin()

    async def run():
        async with connect(quick(server.url)) as models:
            first = await models.complete(ask())
            await models.aclose()
            return first == await models.complete(ask())

    assert asyncio.run(run())
