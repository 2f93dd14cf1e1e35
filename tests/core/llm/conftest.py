import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from openiir.core.llm import Endpoint, Request, Sampling
from openiir.core.records import Message
from openiir.testing.standin import Behaviour, StandIn

SCHEMA = {
    "type": "object",
    "properties": {
        "stance": {"enum": ["for", "against", "undecided"]},
        "certainty": {"type": "integer", "minimum": 0, "maximum": 10},
        "because": {"type": "string", "maxLength": 80},
    },
    "required": ["stance", "certainty", "because"],
    "additionalProperties": False,
}


@pytest.fixture
def ask() -> Callable[..., Request]:
    """Makes a request; schema-bound with `bound=True`."""

    def make(text: str = "Should libraries rank by date?", bound: bool = False, **sampling: Any) -> Request:
        model = sampling.pop("model", "standin")
        messages = (Message(role="system", text="You are Ada."), Message(role="user", text=text))
        return Request(model, messages, Sampling(**sampling), SCHEMA if bound else None, "panel.stance")

    return make


@pytest.fixture
def fits() -> Callable[[str], bool]:
    """Whether a text is an instance of the schema that `ask(bound=True)` sends, checked by hand."""

    def check(text: str) -> bool:
        try:
            value = json.loads(text)
        except ValueError:
            return False
        return (
            isinstance(value, dict)
            and set(value) == {"stance", "certainty", "because"}
            and value["stance"] in ("for", "against", "undecided")
            and value["certainty"] in range(11)
            and len(value["because"]) <= 80
        )

    return check


@pytest.fixture
def standin() -> Iterator[Callable[..., StandIn]]:
    """Starts stand-in servers, given the fields of Behaviour; they stop with the test."""
    started: list[StandIn] = []

    def start(**ways: Any) -> StandIn:
        started.append(StandIn(Behaviour(**ways)).__enter__())
        return started[-1]

    yield start
    for server in started:
        server.__exit__(None, None, None)


@pytest.fixture
def quick() -> Callable[..., Endpoint]:
    """Endpoint settings with back-off short enough for tests."""

    def make(url: str, **settings: Any) -> Endpoint:
        return Endpoint(**({"url": url, "first_wait": 0.001, "timeout": 5.0} | settings))

    return make


@pytest.fixture
def scripted() -> Iterator[Callable[..., tuple[str, list[dict[str, Any]]]]]:
    """Serves a function from (path, body) to (status, headers, content); gives URL and bodies seen."""
    servers: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def serve(
        answer: Callable[[str, dict[str, Any]], tuple[int, dict[str, str], Any]],
    ) -> tuple[str, list[dict[str, Any]]]:
        seen: list[dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def _answer(self, body: dict[str, Any]) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen.append(body | {"_headers": headers})
                status, headers, content = answer(self.path, body)
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in ({"Content-Type": "application/json"} | headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def do_POST(self) -> None:
                self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def do_GET(self) -> None:
                self._answer({})

            def log_message(self, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = False
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/v1", seen

    yield serve
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def completion() -> Callable[..., dict[str, Any]]:
    """The body of a chat completion that says this."""

    def make(content: Any, **more: Any) -> dict[str, Any]:
        message = {"role": "assistant", "content": content} | more.pop("message", {})
        return {"model": "m", "choices": [{"index": 0, "message": message}]} | more

    return make


@pytest.fixture(scope="session")
def tiny_model() -> Iterator[str]:
    """The URL of llama.cpp's own server on a model of random weights."""
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    pytest.importorskip("gguf", reason="needs the gguf package to build the model")
    from tiny_model import tiny_model_server

    with tiny_model_server() as url:
        yield url


@pytest.fixture(scope="session")
def unbiased_tiny_model() -> Iterator[str]:
    """The same without the bias towards printable text: part of its schema-bound answers are 500."""
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    pytest.importorskip("gguf", reason="needs the gguf package to build the model")
    from tiny_model import tiny_model_server

    with tiny_model_server(printable=False) as url:
        yield url
