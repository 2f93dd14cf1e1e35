"""Programs of pages, each in a fork of one process that has the libraries loaded."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def run_page() -> Iterator[Callable[[Path], tuple[int, str]]]:
    """Runs `page.py` in a folder, as page_server.py says; gives its exit code and what it printed."""
    words = [sys.executable, str(Path(__file__).with_name("page_server.py"))]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdin is not None and server.stdout is not None

        def run(folder: Path) -> tuple[int, str]:
            server.stdin.write(f"{folder}\n")
            server.stdin.flush()
            code, printed = json.loads(server.stdout.readline())
            return code, printed

        yield run
