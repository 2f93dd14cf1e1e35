import asyncio
import io
import logging
import pickle
import traceback

import pytest
from pydantic import ValidationError

from openiir.core.errors import EndpointError, InputError
from openiir.core.llm import Endpoint, connect
from openiir.core.llm.endpoint import read_api_key
from openiir.core.llm.probe import probe_endpoint
from openiir.testing.standin import TRANSPORT_FAULTS, Faults

PLANTED = "sk-planted/7f3a+9c1e=canary"


@pytest.fixture
def planted(monkeypatch):
    """A key in an environment variable."""
    monkeypatch.setenv("TEST_LLM_KEY", PLANTED)
    return "TEST_LLM_KEY"


def everything_said(error):
    """All that a log, a traceback or a debugger would show of an error and of what it is chained to."""
    shown = ["".join(traceback.format_exception(error))]
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        shown += [str(error), repr(error), repr(error.args), repr(vars(error))]
        error = error.__cause__ or error.__context__
    return "\n".join(shown)


def test_the_key_is_sent(planted, standin, quick, ask):
    server = standin(key=PLANTED)

    async def call():
        async with connect(quick(server.url, key_env=planted)) as models:
            return await models.complete(ask())

    assert asyncio.run(call()).text


def test_a_key_shows_in_no_form_of_itself(planted):
    key = read_api_key(planted)
    assert key.reveal() == PLANTED and key
    for shown in (repr(key), str(key), f"{key}"):
        assert PLANTED not in shown and planted in shown
    with pytest.raises(TypeError):
        pickle.dumps(key)


def echoing(status):
    """An answer that quotes the request's key in its body, plain and URL-quoted."""
    quoted = "sk-planted%2F7f3a%2B9c1e%3Dcanary"
    return lambda path, body: (status, {}, {"error": {"message": f"bad key {PLANTED} ({quoted})"}})


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
@pytest.mark.parametrize("what", ["chat", "bound", "embeddings", "models"])
def test_an_endpoint_that_echoes_the_key_gives_it_to_no_error(
    planted, scripted, quick, ask, status, what, caplog
):
    url, seen = scripted(echoing(status))
    caplog.set_level(logging.DEBUG)
    told = []

    async def call():
        async with connect(quick(url, key_env=planted, tries=2)) as models:
            shown = [repr(models), repr(models.pool)]
            told.extend([*shown, repr(models.embedder("e"))])
            calls = {
                "chat": lambda: models.complete(ask()),
                "bound": lambda: models.complete(ask(bound=True)),
                "embeddings": lambda: models.embedder("e").embed(["x"]),
                "models": models.models,
            }
            with pytest.raises(EndpointError) as failure:
                await calls[what]()
            return failure.value

    error = asyncio.run(call())
    assert seen[0]["_headers"]["authorization"] == f"Bearer {PLANTED}"
    for text in (everything_said(error), *told, caplog.text):
        assert "canary" not in text
    assert f"${{{planted}}}" in str(error)


@pytest.mark.parametrize("fault", [fault for fault in TRANSPORT_FAULTS if fault != "hang"])
def test_no_fault_brings_the_key_out(planted, standin, quick, ask, fault):
    server = standin(key=PLANTED, faults=Faults(share=1.0, kinds=(fault,), most=99, retry_after=0.0))

    async def call():
        async with connect(quick(server.url, key_env=planted, tries=2)) as models:
            with pytest.raises(EndpointError) as failure:
                await models.complete(ask())
            return failure.value

    assert "canary" not in everything_said(asyncio.run(call()))


def test_a_reply_that_quotes_the_key_is_kept_without_it(planted, scripted, quick, ask, completion):
    url, _ = scripted(lambda path, body: (200, {}, completion(f"your key is {PLANTED}", model=PLANTED)))

    async def call():
        async with connect(quick(url, key_env=planted)) as models:
            return await models.complete(ask())

    reply = asyncio.run(call())
    assert reply.text == f"your key is ${{{planted}}}" and "canary" not in repr(reply)


def test_a_key_that_is_a_word_leaves_replies_alone(monkeypatch, scripted, quick, ask, completion):
    monkeypatch.setenv("SHORT", "ollama")
    answers = [(200, {}, completion("ollama is a server")), (400, {}, {"error": "bad key ollama"})]
    url, seen = scripted(lambda path, body: answers[len(seen) - 1])

    async def call():
        async with connect(quick(url, key_env="SHORT")) as models:
            reply = await models.complete(ask())
            with pytest.raises(EndpointError, match=r"bad key \$\{SHORT\}"):
                await models.complete(ask())
            return reply.text

    assert asyncio.run(call()) == "ollama is a server"


def test_a_wrong_key_is_told_by_its_variable(planted, standin, quick, ask):
    server = standin(key="another")

    async def call():
        async with connect(quick(server.url, key_env=planted)) as models:
            with pytest.raises(EndpointError) as failure:
                await models.complete(ask())
            return failure.value

    error = asyncio.run(call())
    assert f"${planted}" in str(error) and "401" in str(error) and "canary" not in everything_said(error)
    assert server.counts.requests == 0


def test_a_probe_report_does_not_hold_the_key(planted, standin, quick):
    for key in (PLANTED, "another"):
        server = standin(key=key)
        report = asyncio.run(probe_endpoint(quick(server.url, key_env=planted)))
        assert report.ok is (key == PLANTED)
        assert "canary" not in report.model_dump_json() + repr(report)


@pytest.mark.parametrize("value", [None, "", "  "])
def test_an_empty_variable_is_told_before_anything_is_sent(monkeypatch, value):
    monkeypatch.delenv("ABSENT_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("ABSENT_KEY", value)
    with pytest.raises(InputError, match=r"ABSENT_KEY.*unset or empty"):
        connect(Endpoint(url="http://127.0.0.1:9/v1", key_env="ABSENT_KEY"))


@pytest.mark.parametrize("value", ["two words", "line\nbreak canary", "clé-canary"])
def test_a_variable_that_holds_no_key_is_told_without_its_value(monkeypatch, value):
    monkeypatch.setenv("ODD", value)
    with pytest.raises(InputError) as error:
        read_api_key("ODD")
    assert "canary" not in everything_said(error.value)


def test_white_space_around_a_key_is_not_part_of_it(monkeypatch):
    monkeypatch.setenv("K", f" {PLANTED}\n")
    assert read_api_key("K").reveal() == PLANTED


@pytest.mark.parametrize(
    "settings",
    [
        {"url": f"http://user:{PLANTED}@host/v1"},
        {"url": f"http://host/v1?key={PLANTED}"},
        {"url": f"{PLANTED}"},
        {"url": "http://host/v1", "key_env": PLANTED},
        {"url": "http://host/v1", "key": PLANTED},
        {"url": "http://host/v1", "timeout": PLANTED},
    ],
)
def test_a_key_written_into_the_settings_is_refused_without_being_shown(settings):
    with pytest.raises(ValidationError) as error:
        Endpoint(**settings)
    stream = io.StringIO()
    traceback.print_exception(error.value, file=stream)
    assert "canary" not in stream.getvalue()


@pytest.mark.parametrize(
    "settings", [{"url": f"http://u:{PLANTED}@host/v1"}, {"url": "http://host/v1", "key_env": PLANTED}]
)
def test_a_mistake_that_may_hold_a_key_is_marked_for_those_who_tell_of_it(settings):
    with pytest.raises(ValidationError) as error:
        Endpoint(**settings)
    assert [mistake["type"] for mistake in error.value.errors()] == ["secret"]


def test_without_key_env_no_key_of_the_environment_is_sent(monkeypatch, scripted, quick, ask, completion):
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED)
    url, seen = scripted(lambda path, body: (200, {}, completion("x")))

    async def call():
        async with connect(quick(url)) as models:
            await models.complete(ask())

    asyncio.run(call())
    assert "canary" not in repr(seen)
