import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from itertools import pairwise

import pytest

from openiir.testing.standin import CONTENT_FAULTS, Behaviour, Faults, StandIn

SCHEMA = {
    "type": "object",
    "properties": {"vote": {"enum": ["yes", "no"]}, "n": {"type": "integer", "minimum": 0, "maximum": 9}},
    "required": ["vote", "n"],
    "additionalProperties": False,
}
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def body(text="Do you agree?", schema=None, **more):
    asked = {"model": "standin", "messages": [{"role": "user", "content": text}], **more}
    if schema is not None:
        asked["response_format"] = {"type": "json_schema", "json_schema": {"name": "v", "schema": schema}}
    return asked


def post(url, asked, path="/chat/completions"):
    """Status and content of one answer."""
    raw = asked if isinstance(asked, bytes) else json.dumps(asked).encode()
    try:
        with OPENER.open(
            urllib.request.Request(url + path, raw, {"Content-Type": "application/json"})
        ) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def get(url):
    with OPENER.open(url, timeout=10) as answer:
        return json.load(answer)


def text_of(answer):
    return json.loads(answer[1])["choices"][0]["message"]["content"]


def is_vote(text):
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and set(value) == {"vote", "n"}


def test_a_reply_is_a_function_of_the_request_across_servers_and_order():
    asked = [body(f"q{i}", SCHEMA if i % 2 else None) for i in range(20)]
    with StandIn() as one, StandIn() as other:
        forwards = [post(one.url, each) for each in asked]
        backwards = [post(other.url, each) for each in reversed(asked)]
    assert forwards == backwards[::-1]
    assert len({text_of(answer) for answer in forwards}) > 10


def test_each_part_that_shapes_a_reply_changes_it():
    with StandIn() as server:
        said = [
            text_of(post(server.url, body(**part)))
            for part in ({}, {"text": "Do you agree!"}, {"seed": 1}, {"temperature": 0.1}, {"model": "other"})
        ]
        framed = text_of(post(server.url, body(user="someone", max_tokens=5)))
    assert len(set(said)) == 5 and framed == said[0]


def test_malformed_replies_are_a_share_and_stay_with_their_request():
    asked = [body(f"q{i}", SCHEMA) for i in range(200)]
    with StandIn(Behaviour(malformed=0.2)) as server, StandIn(Behaviour(malformed=0.2)) as again:
        said = [text_of(post(server.url, each)) for each in asked]
        assert said == [text_of(post(again.url, each)) for each in asked]
    share = sum(not is_vote(text) for text in said) / 200
    assert 0.1 < share < 0.3


@pytest.mark.parametrize("kind", CONTENT_FAULTS)
def test_each_kind_of_malformed_reply_fails_to_fit(kind):
    with StandIn(Behaviour(malformed=1.0, malformed_kinds=(kind,))) as server:
        said = [text_of(post(server.url, body(f"q{i}", SCHEMA))) for i in range(10)]
    assert not any(is_vote(text) for text in said)
    if kind == "wrong-shape":
        assert all(isinstance(json.loads(text), dict) for text in said)
    if kind == "truncated":
        assert all(text.startswith("{") and not text.endswith("}") for text in said)


def test_malformed_replies_touch_no_text():
    with StandIn(Behaviour(malformed=1.0)) as bad, StandIn() as good:
        assert post(bad.url, body()) == post(good.url, body())


def test_a_schema_in_the_prompt_binds_where_the_wire_brings_none():
    prompt = f"Vote. Answer as JSON by this schema: {json.dumps(SCHEMA)}"
    with StandIn() as server:
        said = [text_of(post(server.url, body(f"{prompt} {i}"))) for i in range(20)]
    bare = [text.removeprefix("Here is my answer:\n```json\n").removesuffix("\n```") for text in said]
    assert all(is_vote(text) for text in bare)
    assert 0 < sum(text != plain for text, plain in zip(said, bare, strict=True)) < 20


def test_failed_tries_follow_the_request_and_end():
    faults = Faults(share=0.5, kinds=("500", "429"), most=2)

    def statuses(server, text):
        return [post(server.url, body(text))[0] for _ in range(4)]

    with StandIn(Behaviour(faults=faults)) as one, StandIn(Behaviour(faults=faults)) as other:
        first = [statuses(one, f"q{i}") for i in range(40)]
        assert first == [statuses(other, f"q{i}") for i in reversed(range(40))][::-1]
        assert all(row[2:] == [200, 200] for row in first)
        met = Counter(status for row in first for status in row)
        assert met[500] and met[429]
        assert one.counts.requests == 160
        assert one.counts.faults == {"500": met[500], "429": met[429]}


def test_an_unknown_fault_is_refused():
    with pytest.raises(ValueError, match="no fault is called 'flood'.*dropped"):
        Faults(kinds=("500", "flood"))


def test_ways_can_change_between_requests():
    with StandIn() as server:
        assert post(server.url, body())[0] == 200
        server.behave(Behaviour(faults=Faults(share=1.0, kinds=("503",))))
        assert post(server.url, body())[0] == 503


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [("/nowhere", {}, 404), ("/chat/completions", b"{", 400), ("/embeddings", {"input": "x"}, 200)],
)
def test_odd_requests_are_answered(path, content, status):
    with StandIn() as server:
        assert post(server.url, content, path)[0] == status


def test_requests_in_pieces_and_in_a_row_on_one_connection():
    raw = json.dumps(body()).encode()
    whole = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(raw), raw)
    with StandIn() as server:
        port = int(server.url.split(":")[2].split("/")[0])
        with (
            socket.create_connection(("127.0.0.1", port)) as connection,
            connection.makefile("rb") as answers,
        ):
            cuts = [0, 1, 20, 70, len(whole) - 3, len(whole)]
            for start, stop in pairwise(cuts):
                connection.sendall(whole[start:stop])
            connection.sendall(whole * 3)
            bodies = []
            for _ in range(4):
                assert answers.readline() == b"HTTP/1.1 200 OK\r\n"
                headers = dict(line.split(b": ") for line in iter(answers.readline, b"\r\n"))
                bodies.append(answers.read(int(headers[b"Content-Length"])))
    assert len(set(bodies)) == 1


def test_embeddings_are_unit_vectors_nearer_where_words_are_shared():
    asked = {"model": "e", "input": ["wind power costs", "wind power gains", "quiet library", ""]}
    with StandIn() as server:
        data = json.loads(post(server.url, asked, "/embeddings")[1])["data"]
    a, b, c, _ = [entry["embedding"] for entry in data]

    def dot(x, y):
        return sum(p * q for p, q in zip(x, y, strict=True))

    assert dot(a, a) == pytest.approx(1.0, abs=1e-4)
    assert dot(a, b) > dot(a, c)


def test_a_port_that_is_taken_is_told():
    with StandIn() as server:
        port = int(server.url.split(":")[2].split("/")[0])
        with pytest.raises(OSError), StandIn(port=port):
            pass


def test_it_serves_from_a_process_of_its_own():
    command = [sys.executable, "-m", "openiir.testing.standin", "--faults", "1", "--fault-kinds", "503,500"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            url = process.stdout.readline().decode().strip()
            statuses = [post(url, body())[0] for _ in range(4)]
            seen = get(url.removesuffix("/v1") + "/counts")
        finally:
            process.kill()
    assert set(statuses[:3]) <= {500, 503} and statuses[3] == 200
    assert seen["requests"] == 4 and sum(seen["faults"].values()) == 3


def test_before_another_server_it_adds_its_faults_and_nothing_else():
    faults = Faults(share=1.0, kinds=("truncated",), most=1)
    with StandIn() as real, StandIn(Behaviour(upstream=real.url, faults=faults)) as between:
        status, half = post(between.url, body())
        direct = post(real.url, body())
        assert status == 200 and direct[1].startswith(half) and half != direct[1]
        assert post(between.url, body()) == direct
        listed = [get(server.url + "/models") for server in (real, between)]
        assert listed[0] == listed[1]


def test_before_a_server_that_is_gone_it_answers_502():
    with StandIn(Behaviour(upstream="http://127.0.0.1:9/v1")) as between:
        status, content = post(between.url, body())
    assert status == 502 and b"nothing answers" in content
