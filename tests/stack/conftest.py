"""The Compose file of the repository, as its tests read it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from container_image import bubblewrap, build_image

ROOT = Path(__file__).parents[2]
WHOLE = bool(os.environ.get("OPENIIR_TEST_IMAGE"))
"""Whether all that the image holds is installed, in a minute or two, and not taken from these tests."""


@pytest.fixture(scope="session")
def stack():
    """The Compose file's mapping."""
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


@pytest.fixture(scope="session")
def image(tmp_path_factory):
    """The image, made without Docker; its variables, layers and commands."""
    if bubblewrap() is None:
        pytest.skip("needs root and bubblewrap that may make namespaces: make test-extras, as root")
    set_here = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    # pip reads the second as "do not isolate", though it says false.
    quick = {} if WHOLE else {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "false"}
    variables = {**set_here, **quick, "HOME": os.environ["HOME"]}
    found = build_image(ROOT / "docker" / "Dockerfile", ROOT, tmp_path_factory.mktemp("image"), variables)
    if not WHOLE:
        (packages,) = (found.folder / "app" / "lib").glob("python3.*/site-packages")
        (own,) = Path(sys.prefix, "lib").glob("python3.*/site-packages")
        (packages / "others.pth").write_text(f"{own}\n")
    return found


@pytest.fixture
def inside(image):
    """Runs a command in the image, with its volume."""

    def run(*words):
        command = image.sandbox(*words, writes=("/data",), host=() if WHOLE else (sys.prefix,))
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    return run
