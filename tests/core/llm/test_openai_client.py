import asyncio
import json

import pytest

from openiir.core.llm import estimated_tokens
from openiir.core.llm.failures import RequestRefused, TransientFailure
from openiir.core.llm.openai_client import OpenAIClient
from openiir.core.llm.response_body import (
    text_and_reasoning,
    token_usage,
    with_reasoning,
    without_reasoning,
)
from openiir.core.transport import listen_to_tries
from openiir.testing.standin import TRANSPORT_FAULTS, Faults
from openiir.testing.standin.thoughts import THINKING


def once(url, request, **settings):
    """One try over the wire."""

    async def call():
        wire = OpenAIClient(url, **settings)
        try:
            return await wire.complete(request)
        finally:
            await wire.aclose()

    return asyncio.run(call())


NAMES = {
    "429": "429",
    "429-after": "429",
    "429-date": "429",
    "500": "500",
    "503": "503",
    "garbage": "body is not JSON",
    "truncated": "body is not JSON",
    "wrong-shape": "body of the wrong shape",
    "empty": "empty body",
    "cut-short": "dropped connection",
    "dropped": "dropped connection",
    "hang": "time-out",
}


@pytest.mark.parametrize("fault", TRANSPORT_FAULTS)
@pytest.mark.parametrize("bound", [False, True])
def test_each_fault_is_a_passing_failure_with_its_name(standin, ask, fault, bound):
    server = standin(faults=Faults(share=1.0, kinds=(fault,), retry_after=30.0))
    with pytest.raises(TransientFailure) as failure:
        once(server.url, ask(bound=bound), timeout=0.3)
    assert failure.value.what == NAMES[fault]
    wanted = {"429-after": 30.0, "429-date": pytest.approx(29.0, abs=1.5)}.get(fault)
    assert failure.value.retry_after == wanted


@pytest.mark.parametrize(
    "content",
    [
        [],
        "text",
        {"choices": None},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"message": "hello"}]},
        {"error": {"message": "overloaded", "code": 502}},
    ],
)
def test_json_of_any_wrong_shape_is_a_passing_failure(scripted, ask, content):
    url, _ = scripted(lambda path, body: (200, {}, content))
    with pytest.raises(TransientFailure):
        once(url, ask())


@pytest.mark.parametrize(
    "content", [b"[" * 200_000, b'{"choices": ' + b"9" * 5000 + b"}", b"\xff\xfe{}", b"nan", b" \n"]
)
def test_bytes_that_upset_a_json_reader_are_a_passing_failure(scripted, ask, content):
    url, _ = scripted(lambda path, body: (200, {}, content))
    with pytest.raises(TransientFailure):
        once(url, ask())


def test_nothing_listening_is_named_as_that(ask):
    with pytest.raises(TransientFailure) as failure:
        once("http://127.0.0.1:9/v1", ask())
    assert failure.value.what == "connection refused"


def test_what_is_sent_is_what_the_request_says(scripted, ask, completion):
    url, seen = scripted(lambda path, body: (200, {}, completion("fine")))
    request = ask(
        "Hm?",
        model="m1",
        temperature=0.3,
        top_p=0.9,
        max_tokens=77,
        seed=5,
        stop=("END",),
        extra={"top_k": 9},
    )
    reply = once(url, request)
    sent = {key: value for key, value in seen[0].items() if key != "_headers"}
    assert sent == {
        "model": "m1",
        "messages": [{"role": "system", "content": "You are Ada."}, {"role": "user", "content": "Hm?"}],
        "temperature": 0.3,
        "top_p": 0.9,
        "max_tokens": 77,
        "seed": 5,
        "stop": ["END"],
        "top_k": 9,
    }
    named = {name.lower() for name in seen[0]["_headers"]}
    assert "authorization" not in named and not [name for name in named if name.startswith("x-stainless")]
    assert (reply.text, reply.model) == ("fine", "m")


def test_what_is_none_is_left_to_the_endpoint(scripted, ask, completion):
    url, seen = scripted(lambda path, body: (200, {}, completion("fine")))
    once(url, ask(temperature=None, max_tokens=None))
    assert set(seen[0]) == {"model", "messages", "_headers"}


def test_usage_is_reported_or_else_estimated(scripted, ask, completion):
    usage = {"prompt_tokens": 11, "completion_tokens": 22}
    url, _ = scripted(
        lambda path, body: (
            200,
            {},
            completion("one two three four", **({"usage": usage} if body["model"] == "counts" else {})),
        )
    )
    counted, estimated = once(url, ask(model="counts")), once(url, ask("a b c d e"))
    assert (counted.prompt_tokens, counted.reply_tokens) == (11, 22)
    assert (estimated.prompt_tokens, estimated.reply_tokens) == (4 + 7, 6)


@pytest.mark.parametrize("count", [10**30, 2**63 - 1, -1, 1.5, "12", True], ids=str)
def test_an_impossible_usage_is_estimated(count, scripted, ask, completion):
    usage = {"prompt_tokens": count, "completion_tokens": count}
    url, _ = scripted(lambda path, body: (200, {}, completion("one two three four", usage=usage)))
    reply = once(url, ask("a b c d e"))
    assert (reply.prompt_tokens, reply.reply_tokens) == (4 + 7, 6)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("one", 2), ("one two three", 4), (" a  b\nc d ", 6)])
def test_estimated_tokens_are_words_times_four_thirds_rounded_up(text, tokens):
    assert estimated_tokens(text) == tokens


def test_the_model_is_reported_with_its_fingerprint(scripted, ask, completion):
    url, _ = scripted(lambda path, body: (200, {}, completion("x", model="m-2", system_fingerprint="fp_1")))
    assert once(url, ask()).model == "m-2 fp_1"


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "plain"}, "plain", ""),
        ({"content": "<think>so\n\nmany</think>\n\nanswer"}, "answer", "so\n\nmany"),
        ({"content": " \n<thinking>x</thinking>answer"}, "answer", "x"),
        ({"content": "I should say this.</think>\n{}"}, "{}", "I should say this."),
        ({"content": "<think>cut off before it sai"}, "", "cut off before it sai"),
        ({"content": 'say "<think>" to think'}, 'say "<think>" to think', ""),
        ({"content": "I think so"}, "I think so", ""),
        ({"content": "answer", "reasoning_content": "hm "}, "answer", "hm"),
        ({"content": "<think>b</think>answer", "reasoning": "a"}, "answer", "a\nb"),
        ({"content": None, "reasoning_content": '{"a": 1}'}, "", '{"a": 1}'),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", ""),
        ({"content": None, "thinking": "hm"}, "", "hm"),
        ({"content": "[THINK]so[/THINK]answer"}, "answer", "so"),
        ({"content": "[think] aloud"}, "[think] aloud", ""),
        (
            {"content": [{"type": "thinking", "thinking": "so"}, {"type": "text", "text": "a"}]},
            "a",
            "so",
        ),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "so"}]}, {"text": "a"}]},
            "a",
            "so",
        ),
        (
            {"content": [{"type": "reasoning", "text": "so"}, {"type": "redacted_thinking", "data": "x"}]},
            "",
            "so",
        ),
        ({"content": None, "refusal": "I cannot"}, "I cannot", ""),
        ({"content": None}, "", ""),
    ],
)
def test_reasoning_is_apart_from_the_reply_and_both_are_kept(message, text, reasoning):
    assert text_and_reasoning(message) == (text, reasoning)
    kept = with_reasoning(text, reasoning)
    assert without_reasoning(kept) == text and reasoning in kept
    assert without_reasoning(with_reasoning(text, f"{reasoning}</think>\nno reply")) == text


@pytest.mark.parametrize(
    ("body", "counted"),
    [
        ({}, (4, 6, 0, 4)),
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 12}}, (9, 12, 0, 8)),
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}}, (9, 12, 0, 8)),
        (
            {"usage": {"completion_tokens": 12, "completion_tokens_details": {"reasoning_tokens": 7}}},
            (4, 12, 0, 7),
        ),
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 51}}, (9, 42, 0, 30)),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 5}}}, (9, 6, 5, 4)),
        ({"usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 5}}, (9, 6, 5, 4)),
        ({"usage": {"prompt_tokens": 9}, "timings": {"cache_n": 20}}, (9, 6, 9, 4)),
        ({"usage": {"prompt_tokens_details": None, "completion_tokens_details": [1]}}, (4, 6, 0, 4)),
    ],
)
def test_tokens_of_caches_and_of_reasoning_are_counted_apart(body, counted):
    assert token_usage(body, ["a b c"], "it is so", "yes") == counted


PLACES = [place for place in THINKING if place not in ("", "hidden")]


@pytest.mark.parametrize("place", PLACES)
def test_reasoning_is_found_where_servers_put_it(standin, ask, place):
    plain = once(standin().url, ask())
    server = standin(thinking=place, thoughts=40, cached=0.5)
    reply = once(server.url, ask())
    assert reply.text == plain.text and reply.reasoning and reply.reply_tokens == plain.reply_tokens + 40
    details = reply.details
    assert details.finish == "stop" and details.form == "text"
    assert details.cached_tokens == reply.prompt_tokens // 2
    assert details.reasoning_tokens == 40 if place == "parts" else 0 < details.reasoning_tokens < 40
    cut = once(server.url, ask(max_tokens=40))
    assert (cut.text, cut.reply_tokens, cut.details.finish) == ("", 40, "length")
    assert cut.reasoning == reply.reasoning and cut.details.reasoning_tokens == 40


def test_reasoning_that_is_counted_and_not_told_is_counted_apart(standin, ask):
    server = standin(thinking="hidden", thoughts=40)
    reply = once(server.url, ask(max_tokens=100))
    assert reply.text and not reply.reasoning and reply.details.reasoning_tokens == 40
    assert once(server.url, ask(max_tokens=30)).details.finish == "length"


@pytest.mark.parametrize(
    ("structured", "schemas", "form"),
    [
        ("auto", "honoured", "strict"),
        ("auto", "json_object", "json_object"),
        ("auto", "refused", "text"),
        ("schema", "honoured", "strict"),
        ("json", "json_object", "json_object"),
        ("example", "honoured", "text"),
    ],
)
def test_the_settings_choose_the_form_of_a_schema(standin, ask, structured, schemas, form):
    server = standin(schemas=schemas)
    reply = once(server.url, ask(bound=True), structured=structured)
    assert reply.details.form == form
    assert server.counts.requests == (
        1 if form == "strict" or structured != "auto" else {"text": 4}.get(form, 3)
    )


@pytest.mark.parametrize(("structured", "schemas"), [("schema", "json_object"), ("json", "refused")])
def test_a_chosen_form_that_is_refused_is_not_replaced_by_another(standin, ask, structured, schemas):
    server = standin(schemas=schemas)
    for _ in range(2):
        with pytest.raises(RequestRefused, match=f'structured = "{structured}".*400 .*choose another form'):
            once(server.url, ask(bound=True), structured=structured)
    assert once(server.url, ask(), structured=structured).details.form == "text"


def test_a_schema_is_kept_to_where_the_endpoint_can(standin, ask, fits):
    server = standin()
    assert fits(once(server.url, ask(bound=True)).text)
    assert not fits(once(server.url, ask()).text)


@pytest.mark.parametrize(("ways", "asked"), [("refused", 4), ("json_object", 3), ("ignored", 1)])
def test_an_endpoint_without_schemas_still_answers(standin, ask, ways, asked):
    server = standin(schemas=ways)
    assert once(server.url, ask(bound=True)).text
    assert server.counts.requests == asked


def test_what_was_refused_once_is_not_asked_again(standin, ask):
    server = standin(schemas="refused")

    async def calls():
        wire = OpenAIClient(server.url)
        for i in range(5):
            await wire.complete(ask(f"q{i}", bound=True))
        await wire.aclose()

    asyncio.run(calls())
    assert server.counts.requests == 4 + 4


def test_the_reply_does_not_depend_on_how_the_schema_was_refused(standin, ask):
    request = ask(f"Answer as {json.dumps(ask(bound=True).schema)}", bound=True)
    replies = {once(standin(schemas=ways).url, request).text for ways in ("refused", "ignored")}
    assert len(replies) == 1


def test_a_refusal_for_another_reason_is_told_at_once(scripted, ask):
    url, seen = scripted(lambda path, body: (400, {}, {"error": {"message": "context length is 4096"}}))
    with pytest.raises(RequestRefused) as refusal:
        once(url, ask(bound=True))
    assert len(seen) == 1
    for part in (url, "'standin'", "400", "context length is 4096", "study"):
        assert part in str(refusal.value)


def test_an_endpoint_that_wants_max_completion_tokens_gets_it(scripted, ask, completion):
    def answer(path, body):
        if "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return 400, {}, {"error": {"message": message}}
        return 200, {}, completion(str(body["max_completion_tokens"]))

    url, seen = scripted(answer)

    async def twice():
        wire = OpenAIClient(url)
        replies = [await wire.complete(ask(max_tokens=9)) for _ in range(2)]
        await wire.aclose()
        return [reply.text for reply in replies]

    assert asyncio.run(twice()) == ["9", "9"]
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("status", "part"), [(401, "no key was sent"), (403, "no key was sent"), (404, "/v1"), (413, "study")]
)
def test_a_refusal_says_what_to_do(scripted, ask, status, part):
    url, _ = scripted(lambda path, body: (status, {}, {"error": {"message": "no"}}))
    with pytest.raises(RequestRefused, match=part):
        once(url, ask())


def test_models_are_listed_in_any_of_the_known_forms(scripted):
    forms = [{"data": [{"id": "b"}, {"id": "a"}]}, {"models": [{"name": "b"}, {"name": "a"}]}, {"data": None}]
    url, seen = scripted(lambda path, body: (200, {}, forms[len(seen) - 1]))

    async def lists():
        wire = OpenAIClient(url)
        names = [sorted(await wire.contexts()) for _ in forms]
        await wire.aclose()
        return names

    assert asyncio.run(lists()) == [["a", "b"], ["a", "b"], []]


def test_a_slow_drip_is_cut_off_at_the_time_out(ask):
    async def drip(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n")
        try:
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        except OSError:
            hung_up.set()
        finally:
            writer.transport.abort()

    hung_up = asyncio.Event()

    async def call():
        server = await asyncio.start_server(drip, "127.0.0.1", 0)
        wire = OpenAIClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", timeout=0.2)
        try:
            with pytest.raises(TransientFailure) as failure:
                await wire.complete(ask())
        finally:
            await wire.aclose()
            await hung_up.wait()
            server.close()
        return failure.value

    failure = asyncio.run(call())
    assert failure.what == "time-out" and "0.2 s" in str(failure)


def test_text_beyond_the_basic_plane_and_lone_surrogates_go_and_come(scripted, ask, completion):
    url, seen = scripted(lambda path, body: (200, {}, completion(body["messages"][1]["content"])))
    assert once(url, ask("naïve 🙂 𝒳")).text == "naïve 🙂 𝒳"
    assert once(url, ask("lone \ud800!")).text == "lone \ufffd!"


def test_a_lone_surrogate_in_a_reply_becomes_one_that_can_be_written(scripted, ask, completion):
    url, _ = scripted(lambda path, body: (200, {}, completion("half \ud83d of \ud83d\ude42")))
    assert once(url, ask()).text == "half \ufffd of \U0001f642"


def test_a_listener_hears_nothing_of_a_call_that_succeeds(standin, ask):
    told = []
    with listen_to_tries(lambda *one: told.append(one)):
        once(standin().url, ask())
    assert told == []
