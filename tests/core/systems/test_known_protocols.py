"""Declarations, and nothing else, carry the protocols of systems that people test, quirks included."""

import asyncio

from aiohttp import web

from openiir.core.systems import open_session, read_system


def talk(web_server, handler, *texts, path="/", **keys):
    async def main():
        async with web_server(handler) as url:
            spec = read_system({"connector": "http", "url": f"{url}{path}", "timeout": 5} | keys)
            session = await open_session(spec, "dialogue 1")
            replies = [await session.send({"text": text}) for text in texts]
            assert await session.close() is None
            return session, replies

    return asyncio.run(main())


def test_a_bot_of_messenger_form_with_commands_and_a_page_at_the_end(web_server):
    heard = []

    def envelope(text):
        return {"entry": [{"messaging": [{"message": {"text": text}, "sender": {"id": "{session}"}}]}]}

    async def bot(request):
        event = (await request.json())["entry"][0]["messaging"][0]
        heard.append((event["sender"]["id"], event["message"]["text"]))
        if heard[-1][1] == "/exit":
            return web.Response(text="Message Processed", content_type="text/html")
        return web.json_response({"message": {"text": f"re: {heard[-1][1]}", "intent": ""}})

    session, replies = talk(
        web_server,
        bot,
        "a film",
        request=envelope("{text}"),
        response="message.text",
        open={"request": envelope("/start")},
        close={"request": envelope("/exit")},
    )
    assert session.opening.text == "re: /start"
    assert replies[0].text == "re: a film"
    assert [text for _, text in heard] == ["/start", "a film", "/exit"]
    assert len({sender for sender, _ in heard}) == 1


def test_a_model_server_that_wants_the_context_and_keeps_its_state_in_a_cookie(web_server):
    async def arena(request):
        body = await request.json()
        turn = int(request.cookies.get("state", "0"))
        response = web.json_response({"response": f"{turn} {body['context']} {body['message']}"})
        response.set_cookie("state", str(turn + 1))
        return response

    keys = {"request": {"context": "{history}", "message": "{text}"}, "response": "response"}
    _, replies = talk(web_server, arena, "a", "b", **keys)
    assert replies[0].text == "0 [] a"
    assert replies[1].text == "1 ['a', '0 [] a'] b"


def test_a_chat_completions_endpoint(web_server):
    async def model(request):
        last = (await request.json())["messages"][-1]
        return web.json_response(
            {"choices": [{"message": {"content": f"{last['role']}: {last['content']}"}}]}
        )

    keys = {"request": {"model": "m", "messages": "{messages}"}, "response": "choices[0].message.content"}
    assert talk(web_server, model, "hi", **keys)[1][0].text == "user: hi"


def test_a_bot_that_answers_in_several_messages(web_server):
    async def bubbles(request):
        return web.json_response([{"text": "one"}, {"image": "x.png"}, {"text": "two"}])

    assert talk(web_server, bubbles, "hi", response="[*].text")[1][0].text == "one\ntwo"


def test_a_system_that_gives_out_its_session_ids(web_server):
    async def service(request):
        if request.method == "PUT":
            return web.json_response({"conversation": {"id": 7}}, status=201)
        if request.method == "DELETE":
            return web.Response(status=204)
        return web.json_response({"text": f"in {request.path}"})

    async def main():
        async with web_server(service) as url:
            spec = read_system(
                {
                    "connector": "http",
                    "url": f"{url}/chat/{{conversation}}",
                    "request": {"say": "{text}"},
                    "response": "$.text",
                    "open": {
                        "url": f"{url}/chat",
                        "method": "PUT",
                        "response": [],
                        "keep": {"conversation": "conversation.id"},
                    },
                    "close": {"method": "DELETE"},
                }
            )
            session = await open_session(spec, "dialogue 1")
            reply = await session.send({"text": "hi"})
            assert session.opening.text == ""
            assert await session.close() is None
            return reply.text

    assert asyncio.run(main()) == "in /chat/7"


def test_a_recommender_that_answers_with_a_list_of_items(web_server):
    async def recommend(request):
        user, n = request.query["user"], int(request.query["n"])
        return web.json_response({"items": [{"id": f"{user}-{i}"} for i in range(n)]})

    async def main():
        async with web_server(recommend) as url:
            spec = read_system(
                {
                    "connector": "http",
                    "url": url,
                    "method": "GET",
                    "request": {"user": "{user}", "n": "{n}"},
                    "response": "text",
                    "data": "items[*].id",
                }
            )
            session = await open_session(spec, "page 1")
            reply = await session.send({"user": "u1", "n": 3})
            await session.close()
            return reply.data

    assert asyncio.run(main()) == ["u1-0", "u1-1", "u1-2"]
