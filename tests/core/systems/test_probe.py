import asyncio
import sys

import pytest
from aiohttp import web

from openiir.core.systems import probe_system, read_system


def tried(table, **request):
    report = asyncio.run(
        probe_system(read_system({"connector": "http", "url": "http://127.0.0.1:1/"} | table), request)
    )
    return report, "\n".join(report.lines())


def tried_against(web_server, handler, **keys):
    async def main():
        async with web_server(handler) as url:
            return await probe_system(
                read_system({"connector": "http", "url": url, "response": "reply"} | keys)
            )

    report = asyncio.run(main())
    return report, "\n".join(report.lines())


async def echo(request):
    body = await request.json()
    return web.json_response({"reply": f"{body}", "nested": {"say": "hello"}, "done": True})


def test_a_system_that_works_is_said_to_step_by_step(web_server):
    report, said = tried_against(web_server, echo, request={"q": "{text}", "user": "{user}"})
    assert report.ok
    assert [step.what for step in report.steps] == [
        *("declaration", "session", "utterance", "answer", "for programs", "end signal"),
        *("second utterance", "closing"),
    ]
    assert "'test' for user" in said
    assert "FAILED" not in said


def test_a_wrong_path_is_answered_with_the_right_ones(web_server):
    report, said = tried_against(web_server, echo, response="answer.text")
    assert not report.ok
    assert report.steps[-1].what == "utterance"
    assert "texts stand at $.reply, $.nested.say" in said


def test_a_whole_answer_taken_for_the_text_is_pointed_out(web_server):
    report, _ = tried_against(web_server, echo, response="text")
    assert report.ok
    assert "from $.reply or $.nested.say" in report.steps[3].remedy


def test_an_end_signal_in_the_first_answer_is_suspect(web_server):
    report, said = tried_against(web_server, echo, end={"path": "done"})
    assert not report.ok
    assert "make end more specific" in said


def test_an_empty_answer_is_suspect(web_server):
    async def mute(request):
        return web.json_response({"reply": " "})

    report, said = tried_against(web_server, mute)
    assert not report.ok
    assert "the text is empty" in said


def test_a_closing_request_that_fails_is_told(web_server):
    async def no_exit(request):
        body = await request.json()
        return web.Response(status=500) if body == "/exit" else web.json_response({"reply": "hi"})

    report, said = tried_against(web_server, no_exit, close={"request": "/exit"})
    assert not report.ok
    assert "closing: " in said
    assert "answered status 500" in said


def test_where_nothing_listens_the_report_says_what_to_start(free_port):
    report, said = tried({"url": f"http://127.0.0.1:{free_port}/", "response": "text", "tries": 1})
    assert not report.ok
    assert "start the system, or correct url" in said


def test_an_unset_variable_stops_before_anything_is_sent(monkeypatch):
    monkeypatch.delenv("MOVIES_KEY", raising=False)
    report, said = tried({"response": "text", "headers": {"X-Key": "${MOVIES_KEY}"}})
    assert not report.ok
    assert report.steps[-1].what == "variable MOVIES_KEY"
    assert "export MOVIES_KEY=..." in said


@pytest.mark.parametrize("exists", [True, False])
def test_a_program_is_started_or_said_to_be_missing(exists):
    program = "for line in __import__('sys').stdin: print('hi', flush=True)"
    command = [sys.executable if exists else "/no/such/python", "-c", program]
    report = asyncio.run(
        probe_system(read_system({"connector": "stdio", "command": command, "format": "text"}))
    )
    assert report.ok is exists
    assert exists or "correct command" in report.steps[-1].remedy


def test_a_callable_that_does_not_exist_is_said_to():
    report = asyncio.run(probe_system(read_system({"connector": "python", "callable": "no_such_module:f"})))
    assert not report.ok
    assert "PYTHONPATH" in report.steps[-1].remedy
