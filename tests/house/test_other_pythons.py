"""The same content hash under every supported Python; only where OPENIIR_OTHER_PYTHONS names some."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = os.environ.get("OPENIIR_OTHER_PYTHONS", "")


def content_of(python, out):
    words = [str(python), "-c", "from openiir.cli import main; main()", "run", "panel", "--out", str(out)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=out.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.network
@pytest.mark.skipif(not NAMED, reason="OPENIIR_OTHER_PYTHONS names no interpreters (paths, with colons between)")
@pytest.mark.parametrize("python", NAMED.split(":") if NAMED else [])
def test_a_run_under_another_python_has_the_same_content(python, tmp_path):
    home = tmp_path / "venv"
    subprocess.run([python, "-m", "venv", str(home)], check=True)
    install = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*install, str(ROOT)], check=True)
    here = content_of(sys.executable, tmp_path / "here")
    assert content_of(home / "bin" / "python", tmp_path / "there") == here
