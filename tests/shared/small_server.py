"""A small HTTP server on loopback, in a thread, that answers by a function."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SmallServer(ThreadingHTTPServer):
    """Answers each request by `answer(path, body)`: a status, below 0 to hang up, and text or a JSON value.

    The body is the JSON value that was sent, None for a GET.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer, port=0, media="application/json"):
        super().__init__(("127.0.0.1", port), _Handler)
        self.answer, self.media = answer, media
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """Who is killed breaks its connections; that is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self._reply(None)

    def do_POST(self):
        self._reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _reply(self, body):
        status, said = self.server.answer(self.path, body)
        if status < 0:
            self.close_connection = True
            return
        sent = (said if isinstance(said, str) else json.dumps(said)).encode()
        self.send_response(status)
        self.send_header("Content-Type", self.server.media)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        pass
