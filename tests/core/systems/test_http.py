import asyncio
import logging

import pytest
from aiohttp import web

from openiir.core.errors import EndpointError, InputError
from openiir.core.systems import SystemFault, open_session, read_system
from openiir.core.transport import listen_to_tries


def declared(url, **keys):
    base = {"connector": "http", "url": url, "response": "reply", "request": {"q": "{text}"}, "backoff": 0}
    return read_system(base | {"timeout": 5} | keys)


async def ask(url, *texts, notice=None, **keys):
    session = await open_session(declared(url, **keys), "test")
    try:
        with listen_to_tries(notice or (lambda *what: None)):
            return [await session.send({"text": text}) for text in texts]
    finally:
        await session.close()


def test_a_turn_is_sent_as_the_template_says_and_read_where_the_path_says(web_server):
    async def echo(request):
        body = await request.json()
        return web.json_response({"reply": f"{request.method} {request.content_type} {body['q']}"})

    async def main():
        async with web_server(echo) as url:
            replies = await ask(url, 'a "quoted" {text} 😀\n')
            assert replies[0].text == 'POST application/json a "quoted" {text} 😀\n'

    asyncio.run(main())


def test_cookies_are_kept_within_a_session_and_not_between_two(web_server):
    async def count(request):
        turn = int(request.cookies.get("turn", "0")) + 1
        response = web.json_response({"reply": str(turn)})
        response.set_cookie("turn", str(turn))
        return response

    async def main():
        async with web_server(count) as url:
            first = await ask(url, "a", "b", "c")
            second = await ask(url, "a")
            assert [r.text for r in first] == ["1", "2", "3"]
            assert [r.text for r in second] == ["1"]

    asyncio.run(main())


def test_without_a_template_the_request_goes_as_asked_with_the_session(web_server):
    async def keys(request):
        return web.json_response({"reply": sorted(await request.json())})

    async def main():
        async with web_server(keys) as url:
            session = await open_session(declared(url, request=None), "test")
            reply = await session.send({"text": "hi", "user": 7})
            await session.close()
            assert reply.text == '["session","text","user"]'

    asyncio.run(main())


def test_get_puts_the_template_into_the_query_and_placeholders_into_the_path(web_server):
    async def show(request):
        return web.json_response({"reply": [request.method, request.raw_path, dict(request.query)]})

    async def main():
        async with web_server(show) as url:
            keys = {"method": "GET", "request": {"q": "{text}", "n": 2, "l": [1]}}
            method, path, query = (await ask(f"{url}/u/{{text}}", "a/b?é", **keys))[0].data["reply"]
            assert method == "GET"
            assert path.startswith("/u/a%2Fb%3F%C3%A9?")
            assert query == {"q": "a/b?é", "n": "2", "l": "[1]"}

    asyncio.run(main())


def test_forms_and_plain_texts_are_sent_as_such(web_server):
    async def show(request):
        form = dict(await request.post())
        return web.json_response({"reply": [request.content_type, form or await request.text()]})

    async def main():
        async with web_server(show) as url:
            form = await ask(url, "a&b", format="form")
            text = await ask(url, "a&b", format="text", request=None)
            assert form[0].data["reply"] == ["application/x-www-form-urlencoded", {"q": "a&b"}]
            assert text[0].data["reply"] == ["text/plain", "a&b"]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (500, "answered status 500: '<h1>Oops</h1>'; look into the system's log"),
        (404, "answered status 404.*correct the path of url"),
        (405, "correct method, which is POST"),
        (401, r"its secret as \$\{NAME\}"),
        (422, "compare request with"),
        (200, "answered an HTML page where JSON was declared: '<h1>Oops</h1>'"),
        (302, "a redirect to '/login'; declare the address"),
    ],
)
def test_a_page_instead_of_an_answer_is_quoted_and_not_asked_for_again(web_server, status, message):
    asked = []

    async def page(request):
        asked.append(1)
        headers = {"Location": "/login"} if status == 302 else {}
        return web.Response(status=status, text="<h1>Oops</h1>", content_type="text/html", headers=headers)

    async def main():
        async with web_server(page) as url:
            with pytest.raises(EndpointError, match=message):
                await ask(url, "hi")

    asyncio.run(main())
    assert asked == [1]


def test_a_slow_answer_is_given_up_on_and_the_next_turn_can_go_on(web_server):
    async def slow_at_first(request):
        if (await request.json())["q"] == "slow":
            await asyncio.sleep(30)
        return web.json_response({"reply": "quick"})

    async def main():
        async with web_server(slow_at_first) as url:
            session = await open_session(declared(url, timeout=0.2), "test")
            with pytest.raises(SystemFault, match="no answer within 0.2 s; see what keeps"):
                await session.send({"text": "slow"})
            assert (await session.send({"text": "quick"})).text == "quick"
            await session.close()

    asyncio.run(main())


def test_where_nothing_listens_every_try_is_told_of_and_the_remedy_given(free_port):
    told = []

    async def main():
        url = f"http://127.0.0.1:{free_port}/"
        with pytest.raises(SystemFault, match=f"no connection to 127.0.0.1:{free_port} .*; start the system"):
            await ask(url, "hi", tries=3, backoff=0.001, notice=lambda *what: told.append(what))

    asyncio.run(main())
    assert [(number, wait) for number, _, wait in told] == [(1, 0.001), (2, 0.002), (3, 0)]


GOOD = b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{"reply": "ok"}'
CUT = GOOD[:-5]


@pytest.mark.parametrize("failure", [b"", CUT], ids=["no answer", "cut short"])
def test_a_request_that_may_have_been_heard_is_not_sent_twice(raw_server, failure):
    async def main():
        async with raw_server([failure, GOOD]) as (address, heard):
            with pytest.raises(SystemFault, match="broke before the answer was complete.*repeatable = true"):
                await ask(f"http://{address}/", "hi")
            assert len(heard) == 1

    asyncio.run(main())


@pytest.mark.parametrize("failure", [b"", CUT], ids=["no answer", "cut short"])
def test_unless_the_system_may_hear_it_twice(raw_server, failure):
    async def main():
        async with raw_server([failure, GOOD]) as (address, heard):
            replies = await ask(f"http://{address}/", "hi", repeatable=True)
            assert [r.text for r in replies] == ["ok"]
            assert len(heard) == 2

    asyncio.run(main())


@pytest.mark.parametrize(("status", "repeatable", "heard"), [(503, True, 2), (503, False, 1), (404, True, 1)])
def test_a_server_that_fails_is_asked_again_where_it_may_hear_it_twice(raw_server, status, repeatable, heard):
    told = []

    async def main():
        page = b"HTTP/1.1 %d Oops\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy" % status
        async with raw_server([page, GOOD]) as (address, requests):
            sent = ask(
                f"http://{address}/",
                "hi",
                repeatable=repeatable,
                backoff=0.001,
                notice=lambda *what: told.append(what),
            )
            if heard == 2:
                assert [r.text for r in await sent] == ["ok"]
            else:
                with pytest.raises(SystemFault, match=f"answered status {status}"):
                    await sent
            assert len(requests) == heard

    asyncio.run(main())
    assert told == ([(1, "answered status 503: 'busy'", 0.001 * (heard - 1))] if status == 503 else [])


def test_what_speaks_no_http_is_said_to(raw_server):
    async def main():
        async with raw_server([b"220 mail.example ESMTP\r\n"]) as (address, _):
            with pytest.raises(SystemFault, match="no proper HTTP"):
                await ask(f"http://{address}/", "hi")

    asyncio.run(main())


def test_an_unknown_charset_and_broken_utf8_do_not_stop_a_dialogue(web_server):
    async def odd(request):
        body = b'{"reply": "caf\xe9"}'
        return web.Response(body=body, headers={"Content-Type": "application/json; charset=klingon"})

    async def main():
        async with web_server(odd) as url:
            assert (await ask(url, "hi"))[0].text == "caf\ufffd"

    asyncio.run(main())


@pytest.mark.parametrize("status", [200, 500])
def test_a_secret_reaches_the_system_and_nothing_else(web_server, monkeypatch, caplog, status):
    secret = 'k3y "with quotes"/+'
    monkeypatch.setenv("MOVIES_KEY", secret)
    caplog.set_level(logging.DEBUG)
    seen = []

    async def telltale(request):
        seen.append(request.headers["Authorization"])
        page = {"reply": f"you sent {request.headers['Authorization']}", "path": secret, "pad": "x" * 9}
        return web.json_response(page, status=status)

    async def main():
        async with web_server(telltale) as url:
            spec = declared(url, headers={"Authorization": "Bearer ${MOVIES_KEY}"})
            session = await open_session(spec, "test")
            try:
                return repr(await session.send({"text": "hi"})) + repr(spec)
            except SystemFault as fault:
                return f"{fault} {fault!r} {fault.saw} {fault.__context__!r}"
            finally:
                await session.close()

    said = asyncio.run(main())
    assert seen == [f"Bearer {secret}"]
    assert "k3y" not in said
    assert "k3y" not in caplog.text
    assert "${MOVIES_KEY}" in said


@pytest.mark.parametrize(
    ("value", "why"), [(None, "is unset or empty"), ("ab", "fewer than 4"), ("a" * 9 + "\nb", "line break")]
)
def test_an_unusable_variable_is_named_before_anything_is_sent(monkeypatch, value, why):
    monkeypatch.delenv("MOVIES_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MOVIES_KEY", value)
    with pytest.raises(InputError, match=f"MOVIES_KEY.*{why}") as caught:
        asyncio.run(ask("http://127.0.0.1:1/", "hi", headers={"X-Key": "${MOVIES_KEY}"}))
    assert "aaaaaaaaa" not in str(caught.value)


def test_a_secret_is_taken_out_before_a_page_is_cut_short(web_server, monkeypatch):
    monkeypatch.setenv("MOVIES_KEY", "abcdefghijklmnop")

    async def page(request):
        return web.Response(status=500, text="x" * 195 + request.headers["X-Key"])

    async def main():
        async with web_server(page) as url:
            await ask(url, "hi", headers={"X-Key": "${MOVIES_KEY}"})

    with pytest.raises(SystemFault) as caught:
        asyncio.run(main())
    assert "xabcd" not in str(caught.value)


def test_declared_headers_are_sent_and_stand_before_the_usual_ones(web_server):
    async def show(request):
        names = ("X-Session", "Accept", "Content-Type")
        return web.json_response({"reply": [request.headers.getall(name) for name in names]})

    async def main():
        async with web_server(show) as url:
            headers = {
                "X-Session": "<{session}>",
                "accept": "text/json",
                "Content-Type": "application/ld+json",
            }
            session = await open_session(declared(url, headers=headers), "test")
            reply = await session.send({"text": "hi"})
            await session.close()
            assert reply.data["reply"] == [[f"<{session.id}>"], ["text/json"], ["application/ld+json"]]

    asyncio.run(main())


def test_an_endless_answer_is_cut_off(web_server, monkeypatch):
    monkeypatch.setattr("openiir.core.systems.http.LARGEST", 2**20)

    async def flood(request):
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 2**16)

    async def main():
        async with web_server(flood) as url:
            with pytest.raises(SystemFault, match="longer than 1 MiB"):
                await ask(url, "hi")

    asyncio.run(main())
