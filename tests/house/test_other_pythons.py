"""The reference studies give one content hash on every Python: `make test-pythons` tries each that it
finds."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASKED = bool(os.environ.get("OPENIIR_TEST_PYTHONS"))
TYPES = sorted(
    tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["openiir.types"]
)
OPENIIR = ["-c", "from openiir.cli import main; main()"]


def interpreters():
    """One interpreter of each supported minor version on the PATH or installed by pyenv, but for this
    one's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    named = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    found = {}
    for path in [*map(str, pyenv.glob("3.*/bin/python3")), *filter(None, named)]:
        told = subprocess.run(
            [path, "-c", "import sys; print(*sys.version_info[:3])"], capture_output=True, text=True
        )
        version = tuple(map(int, told.stdout.split()))
        if told.returncode == 0 and version >= (3, 11) and version[:2] != sys.version_info[:2]:
            found.setdefault(version[:2], (".".join(map(str, version)), path))
    return [pytest.param(path, id=name) for _, (name, path) in sorted(found.items())]


def execute(python, *words):
    done = subprocess.run([str(python), *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stderr or done.stdout}"
    return done.stdout


@pytest.fixture(scope="module", params=interpreters() if ASKED else [])
def other(request, tmp_path_factory):
    """The interpreter of an environment with the locked versions, under another Python."""
    home = tmp_path_factory.mktemp("venv")
    execute(request.param, "-m", "venv", home)
    execute(home / "bin" / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", ROOT)
    return home / "bin" / "python"


@pytest.mark.network
@pytest.mark.skipif(not ASKED, reason="other Pythons are tried by `make test-pythons`")
@pytest.mark.parametrize("name", TYPES)
def test_a_reference_study_has_one_content_hash(name, other, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    contents = [
        execute(python, *OPENIIR, "run", name, "--out", out).splitlines()[-1]
        for python, out in ((sys.executable, here), (other, there))
    ]
    assert contents[0] == contents[1], execute(other, *OPENIIR, "replay", here)
