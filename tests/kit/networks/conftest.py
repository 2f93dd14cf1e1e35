"""Real networks found through OPENIIR_DATA."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def congress() -> Path:
    """The edge list of who influences whom in the US Congress on Twitter."""
    folder = os.environ.get("OPENIIR_DATA")
    path = Path(folder or "") / "social-congress-network" / "congress.edgelist"
    if not folder or not path.exists():
        pytest.skip("OPENIIR_DATA holds no social-congress-network")
    return path
