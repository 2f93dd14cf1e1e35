"""What an endpoint may make us take in, and where it may send us."""

import asyncio
import json
import tracemalloc
import zlib

import aiohttp  # noqa: F401 - what importing it takes is not to be measured
import pytest

from openiir.core.errors import EndpointError, InputError
from openiir.core.llm import connect
from openiir.core.llm.failures import RequestRefused, TransientFailure
from openiir.core.llm.openai_client import OpenAIClient, _proxy

PLANTED = "sk-planted-canary-0123"
CALLS = {
    "chat": lambda models, ask: models.complete(ask()),
    "embeddings": lambda models, ask: models.embedder("e").embed(["x"]),
    "models": lambda models, ask: models.models(),
}


def failure_of(endpoint, what, ask):
    async def call():
        async with connect(endpoint) as models:
            with pytest.raises(EndpointError) as failure:
                await CALLS[what](models, ask)
            return failure.value

    return asyncio.run(call())


def bomb(mebibytes):
    """So much white space, packed to a thousandth."""
    return zlib.compress(b" " * mebibytes * 2**20, 1, wbits=31)


@pytest.mark.parametrize(("what", "status"), [*((what, 200) for what in CALLS), ("chat", 400)])
def test_an_answer_that_unpacks_to_more_than_is_allowed_is_not_read_on(scripted, quick, ask, what, status):
    packed = bomb(48)
    url, _ = scripted(lambda path, body: (status, {"Content-Encoding": "gzip"}, packed))
    tracemalloc.start()
    failure = failure_of(quick(url, tries=2, largest=1), what, ask)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    for part in ("2 tries", "answer too large", "more than 1 MiB", "`largest`"):
        assert part in str(failure)
    assert peak < 8 * 2**20


def test_an_answer_of_the_allowed_size_is_read_packed_or_not(scripted, ask, completion):
    long = "long " * 200_000
    packed = zlib.compress(json.dumps(completion(long)).encode(), wbits=31)
    answers = [({}, completion(long)), ({"Content-Encoding": "gzip"}, packed)]
    url, seen = scripted(lambda path, body: (200, *answers[len(seen) - 1]))

    async def read():
        wire = OpenAIClient(url, largest=1)
        try:
            return [(await wire.complete(ask())).text for _ in answers]
        finally:
            await wire.aclose()

    assert asyncio.run(read()) == [long, long]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("what", CALLS)
def test_a_redirect_is_told_and_neither_key_nor_prompt_follows(
    monkeypatch, scripted, quick, ask, what, status
):
    monkeypatch.setenv("TEST_LLM_KEY", PLANTED)
    other, met = scripted(lambda path, body: (200, {}, {}))
    url, seen = scripted(lambda path, body: (status, {"Location": other + path.removeprefix("/v1")}, {}))
    failure = failure_of(quick(url, key_env="TEST_LLM_KEY"), what, ask)
    assert isinstance(failure, RequestRefused) and met == [] and len(seen) == 1
    for part in (f"asked {url}", str(status), f"ask elsewhere: {other};", "`url`"):
        assert part in str(failure)


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/v2/chat/completions", "/v2; neither"),
        (
            "https://elsewhere.test/api/v1/chat/completions",
            "elsewhere: https://elsewhere.test/api/v1; neither",
        ),
        (f"https://elsewhere.test/{PLANTED}", "${TEST_LLM_KEY}; neither"),
        ("", "but not where; mend `url`"),
    ],
)
def test_the_url_that_a_redirect_would_need_is_named(monkeypatch, scripted, quick, ask, location, said):
    monkeypatch.setenv("TEST_LLM_KEY", PLANTED)
    url, _ = scripted(lambda path, body: (307, {"Location": location}, {}))
    assert said in str(failure_of(quick(url, key_env="TEST_LLM_KEY"), "chat", ask))


def test_the_environments_proxy_is_asked_but_for_loopback_and_what_it_excepts(monkeypatch):
    for name, value in {"HTTPS_PROXY": "http://proxy.test:3128", "NO_PROXY": "lab.test"}.items():
        monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv(name, value)
    urls = (
        "https://api.test/v1",
        "https://lab.test/v1",
        "https://localhost/v1",
        "https://127.0.0.1/v1",
        "https://127.api.test/v1",
    )
    assert [_proxy(url) for url in urls] == [
        "http://proxy.test:3128",
        None,
        None,
        None,
        "http://proxy.test:3128",
    ]
    monkeypatch.setenv("HTTPS_PROXY", "socks5://proxy.test:1080")
    with pytest.raises(InputError, match="HTTPS_PROXY"):
        _proxy(urls[0])


def test_a_call_goes_through_the_proxy_and_nothing_of_netrc_with_it(
    monkeypatch, tmp_path, scripted, ask, completion
):
    (tmp_path / "netrc").write_text("machine api.test login me password canary\n")
    proxy, seen = scripted(lambda path, body: (200, {}, completion(path)))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)

    async def call():
        wire = OpenAIClient("http://api.test/v1")
        try:
            return await wire.complete(ask())
        finally:
            await wire.aclose()

    assert asyncio.run(call()).text == "http://api.test/v1/chat/completions"
    assert "authorization" not in seen[0]["_headers"]


def test_a_limit_is_a_failure_of_its_own_kind(scripted, ask):
    url, _ = scripted(lambda path, body: (200, {}, b" " * 2**18))

    async def call():
        wire = OpenAIClient(url, largest=0.1)
        try:
            await wire.complete(ask())
        finally:
            await wire.aclose()

    with pytest.raises(TransientFailure) as failure:
        asyncio.run(call())
    assert failure.value.what == "answer too large"
