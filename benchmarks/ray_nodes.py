"""Two or more nodes of a Ray cluster on this machine, for `cluster.py` and the tests of sweeps."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

RAY = str(Path(sys.executable).with_name("ray"))
PATIENCE = 120.0
UNSHARE = ("unshare", "--mount")
_MARK = "OPENIIR_RAY_NODE"
_STORE = "80000000"


def wait_for(what: Callable[[], Any], why: str, patience: float = PATIENCE) -> Any:
    """Return what a function gives once it gives something; raises TimeoutError."""
    end = time.monotonic() + patience
    while not (found := what()):
        if time.monotonic() > end:
            raise TimeoutError(f"{why}: not within {patience:g} s")
        time.sleep(0.02)
    return found


class RayNodes:
    """Nodes of one processor each, by name, each with its own folder, environment and processes."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.folder = folder
        self.environment = {
            "RAY_ADDRESS": self.address,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(16),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        """Variables with which a program joins the cluster."""

    def start(self, name: str, settings: Mapping[str, str] = {}, hidden: Path | None = None) -> None:
        """Start a node, the first one as the head.

        The folder `hidden` is empty for its processes, where this user may mount.
        """
        place = self.folder / name
        (place / "tmp").mkdir(parents=True)
        head = len(list(self.folder.iterdir())) == 1
        port = self.address.rpartition(":")[2]
        joins = (
            ["--head", "--port", port, "--include-dashboard=false"] if head else ["--address", self.address]
        )
        words = [RAY, "start", "--block", "--num-cpus", "1", "--node-name", name]
        words += ["--object-store-memory", _STORE, "--temp-dir", str(place / "ray"), *joins]
        if hidden is not None and subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0:
            words = [
                *UNSHARE,
                "sh",
                "-c",
                f"mount -t tmpfs none '{hidden}' && exec \"$@\"",
                "sh",
                *words,
            ]
        own = {_MARK: str(place), "TMPDIR": str(place / "tmp"), "HOME": str(place)}
        environment = {**os.environ, **self.environment, **own, **settings}
        if head:
            del environment["RAY_ADDRESS"]
        with (place / "log").open("wb") as log:
            subprocess.Popen(
                words, cwd=place, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        wait_for(lambda: self._is_up(place), f"the node {name} comes up ({place / 'log'})")

    def _is_up(self, place: Path) -> bool:
        return b"Ray runtime started" in (place / "log").read_bytes()

    def kill(self, name: str) -> None:
        """Kill all processes of a node by SIGKILL, and wait until none is left."""

        def gone() -> bool:
            found = list(self._processes(self.folder / name))
            for process in found:
                os.kill(process, signal.SIGKILL)
            return not found

        wait_for(gone, f"the node {name} dies")

    def _processes(self, place: Path) -> Iterator[int]:
        mark = f"{_MARK}={place}\0".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                if fields[0] != "Z" and mark in (process / "environ").read_bytes() + b"\0":
                    yield int(process.name)
            except OSError:  # it is gone, or another user's
                continue

    def stop(self) -> None:
        """Kill all nodes."""
        for place in self.folder.iterdir():
            self.kill(place.name)


@contextmanager
def ray_nodes() -> Iterator[RayNodes]:
    """Give a cluster without nodes; those that are started are killed at the end, however it comes."""
    # Paths of Ray's sockets have at most 107 bytes, so they cannot lie in the folder of a test.
    with TemporaryDirectory(prefix="nodes-", ignore_cleanup_errors=True) as folder:
        nodes = RayNodes(Path(folder))
        try:
            yield nodes
        finally:
            nodes.stop()
