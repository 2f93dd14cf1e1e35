"""Run programs in forks of a process with loaded libraries: a folder with `page.py` a line, a result a line.

A result is [exit code, what was printed]. Starting a Python for each page would spend most of its time on
imports.
"""

import json
import os
import runpy
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path

LOADED = (
    "numpy scipy.stats scipy.sparse.linalg sklearn.linear_model sklearn.decomposition pyarrow.parquet "
    "networkx "
    "openiir.api openiir.plugin openiir.kit.items openiir.kit.rankers openiir.kit.measures"
).split()
LAB = Path(__file__).parents[2] / "benchmarks"
"""Where the pages find `lab`, as they say."""
LONGEST = 120
"""Seconds after which a page that still runs is killed."""


def run(folder: str) -> tuple[int, str]:
    """Run `page.py` in a folder as the main program of a fork."""
    output = Path(folder) / "printed"
    child = os.fork()
    if child == 0:
        os._exit(run_here(folder, output))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), output.read_text(errors="replace")


def run_here(folder: str, output: Path) -> int:
    """The exit code of `page.py`, run in this process; what it prints goes to a file."""
    file = os.open(output, os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(file, stream)
    signal.alarm(LONGEST)
    sys.stdin.close()
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    os.chdir(folder)
    sys.argv, sys.path = ["page.py"], [folder, str(LAB), *sys.path[1:]]
    try:
        runpy.run_path("page.py", run_name="__main__")
    except SystemExit as ended:
        return int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    for name in LOADED:
        import_module(name)
    os.cpu_count = lambda: 1  # sweeps start as many processes, each of which loads the libraries again
    for line in sys.stdin:
        print(json.dumps(run(line.strip())), flush=True)
