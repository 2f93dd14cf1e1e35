"""Running of the web application on a socket until it is stopped."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from openiir.core.errors import InputError
from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access


@dataclass(frozen=True)
class BoundServer:
    """A server with a bound port that answers requests only after `wait` is called."""

    server: uvicorn.Server
    socket: socket.socket

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])

    def wait(self) -> None:
        """Answer requests until the process is told to stop."""
        self.server.run(sockets=[self.socket])


@contextmanager
def listen(root: Path, host: str, port: int, access: Access, settings: Settings) -> Iterator[BoundServer]:
    """Bind a port for the runs below `root`; raises InputError if it is in use."""
    config = uvicorn.Config(
        build_app(root, access, settings),
        log_level="warning",
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, port))
        except OSError as error:
            raise InputError(
                f"--host {host} --port {port}: {error.strerror}; name another --port, or 0"
            ) from None
        yield BoundServer(uvicorn.Server(config), bound)
