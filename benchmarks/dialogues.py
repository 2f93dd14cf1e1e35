"""Throughput of offline dialogues with the log on: agenda user and reference system, with one worker and two.

The published toolkit's agenda user against an in-process scripted system made 212 to 231 dialogues a second
with its export off and 24 with it on. Run with `python benchmarks/dialogues.py [DIALOGUES]`; prints dialogues
a second, start-up left out and counted in, their ratio to 231, and the time of one worker over that of two.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import tomli_w

from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

PUBLISHED = 231


class FirstStep(Silent):
    """Progress observer that records when the first step, the generation of needs, was committed."""

    at = 0.0

    def step(self, number: int, label: str) -> None:
        if number == 1:
            self.at = time.perf_counter()


def timed(dialogues: int, workers: int, system: str, acts: bool) -> tuple[float, float, str]:
    """Run the study; return seconds of the dialogues, seconds with start-up, and the content hash."""
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study.toml"
        simulators = [{"name": "agenda", "by": "agenda", "acts": acts}]
        config = {
            "dialogues": dialogues,
            "systems": [system],
            "simulators": simulators,
            "data": {"name": "synthetic"},
        }
        study.write_text(
            tomli_w.dumps({"type": "conversational", "name": "speed", "seed": 7, "config": config})
        )
        began, watcher = time.perf_counter(), FirstStep()
        settings = Settings(workers=workers)
        with prepare_run(load_study(str(study)), Path(folder) / "run", settings) as run:
            content = asyncio.run(drive(run, settings, watcher))
        ended = time.perf_counter()
    return ended - watcher.at, ended - began, content


def main() -> None:
    dialogues = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    timed(50, 1, "attribute", True)
    for system, acts in (("attribute", True), ("attribute", False), ("random", True)):
        one, whole, first = timed(dialogues, 1, system, acts)
        two, _, second = timed(dialogues, 2, system, acts)
        assert first == second, "two workers gave another run than one"
        rate = dialogues / one
        print(
            f"{system}, {'acts handed over' if acts else 'words read'}: {rate:.0f} dialogues/s "
            f"({rate / PUBLISHED:.2f} x 231), "
            f"with start-up {dialogues / whole:.0f}/s; one worker / two workers {one / two:.2f}"
        )


if __name__ == "__main__":
    main()
