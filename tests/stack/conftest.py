"""The Compose file of the repository, as its tests read it."""

import socket
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def stack():
    """The Compose file's mapping."""
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


@pytest.fixture
def free_port():
    """Gives a port that is free now."""

    def find():
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            return bound.getsockname()[1]

    return find
