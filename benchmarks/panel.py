"""Time of the offline reference panel, from process start to its report.

    python benchmarks/panel.py [--repeats 5]

`openiir run panel` and `openiir show RUN report`, two whole processes, beside an interpreter that only
imports what a run needs (the numeric and text libraries), so that the ratio tells the machine's speed from
the panel's.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from openiir.core.storage import Log, RunFile

OPENIIR = str(Path(sys.executable).with_name("openiir"))
IMPORTS = [
    sys.executable,
    "-c",
    "import numpy, pydantic, scipy.sparse, sklearn.decomposition, typer, rich.progress",
]


def seconds(command: Sequence[str]) -> float:
    """Measure the wall time of a process."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    running, showing, importing, said = [], [], [], 0
    with TemporaryDirectory() as scratch:
        for number in range(options.repeats):
            folder = f"{scratch}/run-{number}"
            running.append(seconds([OPENIIR, "run", "panel", "--out", folder]))
            showing.append(seconds([OPENIIR, "show", folder, "report"]))
            importing.append(seconds(IMPORTS))
            with RunFile.open(Path(folder)) as run:
                said = sum(1 for _ in Log(run).events("panel.speak"))
    whole = median(a + b for a, b in zip(running, showing, strict=True))
    print(
        f"{said} utterances: run {median(running):.1f} s + report {median(showing):.1f} s = {whole:.1f} s, "
        f"{whole / median(importing):.1f} times the imports alone ({median(importing):.1f} s); "
        "the goal is single-digit seconds"
    )


if __name__ == "__main__":
    main()
