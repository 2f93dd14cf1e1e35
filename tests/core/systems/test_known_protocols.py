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
