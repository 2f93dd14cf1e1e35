import tomllib

import pytest

from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.systems import SystemSpec, read_system, read_systems

HTTP = {"connector": "http", "url": "http://127.0.0.1:1/", "response": "text"}
STDIO = {"connector": "stdio", "command": "bot", "response": "text"}
SOCKET = {"connector": "websocket", "url": "ws://127.0.0.1:1/", "response": "text"}
IO = {"connector": "socketio", "url": "http://127.0.0.1:1/", "response": "text"}
PYTHON = {"connector": "python", "callable": "a.b:c"}

FULL = """
connector = "http"
url = "https://crs.example/chat/{session}"
method = "PUT"
headers = { Authorization = "Bearer ${CRS_KEY}", X-Session = "{session}" }
request = { context = "{history}", message = { text = "{text}" } }
response = ["message.text", "text"]
data = "message.items"
keep = { token = "next" }
timeout = 5
tries = 2
backoff = 0.1
repeatable = true
[open]
url = "https://crs.example/open"
request = { user = "{session_name}" }
keep = { conversation = "id" }
[close]
method = "DELETE"
[end]
path = "message.intent"
value = "END"
"""


@pytest.mark.parametrize("table", [HTTP, STDIO, SOCKET, IO, PYTHON, tomllib.loads(FULL)])
def test_a_declaration_survives_being_stored(table):
    spec = read_system(table)
    assert SystemSpec.model_validate_json(canonical(spec)) == spec


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (HTTP | {"respons": "a"}, "no key 'respons'; did you mean 'response'"),
        (HTTP | {"open": {"requst": 1}}, "no key 'open.requst'; did you mean 'request'"),
        (HTTP | {"connector": "htp"}, "connector = 'htp': input should be 'http', 'websocket', 'socketio'"),
        ({"url": "http://x/"}, "connector is missing; add it, or name a ready declaration .*moviebot"),
        ({"redy": "moviebot"}, "connector is missing; add it, or name a ready declaration .*moviebot"),
        (
            SOCKET | {"url": "ws://x/{user}"},
            r"url asks for \{user\}; a connection knows but session, session_name",
        ),
        (SOCKET | {"settle": 30}, "settle is 30 s and timeout 30"),
        (SOCKET | {"event": "say"}, "event belongs to socketio and means nothing to websocket"),
        (SOCKET | {"open": {"event": "say"}}, "event in open and close belong to socketio"),
        (HTTP | {"settle": 1}, "settle belongs to websocket, socketio and stdio and means nothing to http"),
        (
            IO | {"format": "text"},
            "format belongs to http, websocket and stdio and means nothing to socketio",
        ),
        (IO | {"namespace": "chat"}, "namespace = 'chat': string should match pattern"),
        (IO | {"url": "ftp://h"}, "does not begin with http://HOST or https://HOST or ws://HOST"),
        ({"connector": "http"}, "connector http needs url; such as url ="),
        ({"connector": "stdio", "response": "text"}, "connector stdio needs command"),
        ({"connector": "python"}, "connector python needs callable"),
        ({"connector": "stdio", "command": "x"}, "response is missing; say where"),
        (
            STDIO | {"url": "http://x/"},
            "url belongs to http, websocket and socketio and means nothing to stdio",
        ),
        (SOCKET | {"method": "GET"}, "method belongs to http"),
        (SOCKET | {"open": {"url": "http://x/"}}, "url and method in open and close belong to http"),
        (PYTHON | {"tries": 5}, "tries belongs to http, websocket and socketio"),
        (HTTP | {"ignore": {"text": "a"}}, "ignore belongs to websocket, socketio and stdio"),
        (HTTP | {"url": "ws://x/"}, "does not begin with http://HOST or https://HOST"),
        (SOCKET | {"url": "http://x/"}, "does not begin with ws://HOST"),
        (HTTP | {"url": "http:///x"}, "does not begin with"),
        (HTTP | {"url": "http://x:99999/"}, "is no address"),
        (HTTP | {"url": "http://me:pw@x/"}, "put credentials into headers"),
        (HTTP | {"url": "http://{text}/"}, "placeholder before its path"),
        (
            HTTP | {"headers": {"Authorization": "Bearer abc"}},
            "headers.Authorization spells out a credential",
        ),
        (HTTP | {"headers": {"X-A": "a\nb"}}, "headers.X-A holds a line break"),
        (HTTP | {"headers": {"X-A": "{text}"}}, r"headers.X-A asks for \{text\}; only"),
        (HTTP | {"request": {"key": "${KEY}"}}, "request.key names an environment variable"),
        (HTTP | {"request": {"x": float("nan")}}, "request.x = nan: a finite number is needed here"),
        (HTTP | {"request": tomllib.loads("d = 2020-01-01")}, "request.d holds a date"),
        (HTTP | {"method": "GET", "request": "{text}"}, "request must be a table"),
        (HTTP | {"format": "form", "request": "{text}"}, "request must be a table"),
        (HTTP | {"format": "text", "request": {"a": 1}}, "request must be a text"),
        (STDIO | {"format": "form"}, 'format "form" belongs to http'),
        (HTTP | {"response": "a..b"}, r"response.*cannot be read from '\.\.b' on"),
        (HTTP | {"response": []}, "response is missing"),
        (HTTP | {"keep": {"x": "a["}}, "cannot be read from"),
        (HTTP | {"keep": {"session": "id"}}, "keep.session would replace"),
        (
            HTTP | {"open": {"request": "{text}"}},
            r"open asks for \{text\}; known there: session, session_name",
        ),
        (HTTP | {"close": {"request": "{id}"}, "open": {}}, r"close asks for \{id\}"),
        (HTTP | {"end": {}}, "end = {}: give path"),
        (HTTP | {"end": {"value": 1}}, "value needs a path"),
        (HTTP | {"end": {"closed": True}}, "closed = true has a meaning only under end"),
        (STDIO | {"ignore": {"closed": True}}, "closed = true has a meaning only under end"),
        (HTTP | {"timeout": 0}, "timeout = 0: input should be greater than 0"),
        (HTTP | {"tries": 11}, "tries = 11: input should be less than or equal to 10"),
        (PYTHON | {"callable": "a.b"}, "not of the form package.module:name"),
        (PYTHON | {"callable": "a-b:c"}, "not of the form package.module:name"),
    ],
)
def test_a_mistake_is_named_with_its_key_and_remedy(table, message):
    with pytest.raises(InputError, match=message) as caught:
        read_system(table, "study.toml: system.movies")
    assert str(caught.value).startswith("study.toml: system.movies: ")
    assert "pydantic" not in str(caught.value)


def test_a_command_is_split_as_a_shell_would_but_a_list_is_left_alone():
    assert read_system(STDIO | {"command": "python 'my bot.py' -v"}).command == ("python", "my bot.py", "-v")
    assert read_system(STDIO | {"command": ["my bot", "a b"]}).command == ("my bot", "a b")


def test_a_file_of_its_own_is_called_by_its_stem(tmp_path):
    file = tmp_path / "movies.toml"
    file.write_text(FULL)
    assert read_systems(file) == {"movies": read_system(tomllib.loads(FULL))}


def test_the_systems_of_a_study_file_are_found_beside_all_else(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('type = "panel"\n[system.a]\nconnector = "python"\ncallable = "x:y"\n')
    assert read_systems(file) == {"a": read_system({"connector": "python", "callable": "x:y"})}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"connector = ", "is not TOML"),
        (b"\xff\xfe", "(?i:is not utf-8)"),
        (b"[system]\na = 1", "holds no named tables"),
        (b"[system.a]\nconnector = 'python'", "f.toml: system.a: connector python needs callable"),
    ],
)
def test_a_file_that_declares_nothing_usable_is_named(tmp_path, content, message):
    file = tmp_path / "f.toml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_systems(file)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml does not exist"):
        read_systems(tmp_path / "none.toml")
