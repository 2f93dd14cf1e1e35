"""Benchmarks, which no type checker reads, find the names that they import.

Those that end on `_side` run in the environments of other projects.
"""

import os
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
IMPORTING = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:  # of another project that is measured beside ours
        if error.name.partition(".")[0] in ("openiir", *sys.argv):
            raise
"""


def test_every_benchmark_can_be_imported():
    names = sorted(path.stem for path in BENCHMARKS.glob("*.py") if not path.stem.endswith("_side"))
    assert "pairs" in names
    path = os.pathsep.join([str(BENCHMARKS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, *names],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
