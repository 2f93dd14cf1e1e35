"""A server of the built web app over made-up data, with the rules for content that the real one sends."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.web.toy import Toy

import openiir

BUILT = Path(openiir.__file__).parent / "web"
RULES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def _handler(toy: Any) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", RULES)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            if self.path.startswith("/api/") and self.path.endswith("/stream"):
                step = b'id: 41\nevent: progress\ndata: {"lane": "panel", "done": 13, "of": 60, "label": "utterances", "words": "Now then."}\n\n'
                return self._send(200, "text/event-stream", b"retry: 60000\n\n" + step)
            if self.path.startswith("/api/"):
                found = toy.answer(self.path.removeprefix("/api/"))
                status = 404 if found is None else 200
                return self._send(
                    status, "application/json", json.dumps(found or {"detail": "no such thing"}).encode()
                )
            file = BUILT / "app" / (self.path.split("?")[0].lstrip("/") or "index.html")
            if not file.is_file():
                return self._send(404, "text/plain", b"")
            return self._send(200, KINDS.get(file.suffix, "text/plain"), file.read_bytes())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told = {
                "answer": {"text": f"{body.get('agent')} says: because."},
                "context": ["c01: The cited words"],
            }
            self._send(
                200 if self.headers["X-Openiir"] else 403, "application/json", json.dumps(told).encode()
            )

    return Handler


@contextmanager
def served(toy: Any | None = None, port: int = 0) -> Iterator[str]:
    """Serve the app; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(toy or Toy()))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    with served(port=8601) as address:
        print(address, flush=True)
        threading.Event().wait()
