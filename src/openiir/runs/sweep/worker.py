"""A worker process: reads cells from its input, a line each, and writes each as it ended.

The first line says which sweep, under which settings. When its input ends (all is done, or the parent is gone), the
run under way is left as Ctrl-C would leave it, and the process goes.
"""

import asyncio
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

from openiir.runs.settings import Settings
from openiir.runs.sweep.bench import CellRunner
from openiir.runs.sweep.record import Cell

_GRACE = 1.0
"""Seconds a run has to stop in, at a moment when it waits for something; what it has committed is safe in any case."""


def main() -> None:
    """The life of a worker process."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)  # a type that prints must not print into the answers
        sys.stdout = sys.stderr
        hello = json.loads(sys.stdin.readline() or "null")
        if hello is None:
            return
        bench = CellRunner.at(Path(hello["folder"]), Settings.model_validate(hello["settings"]))
        try:
            asyncio.run(_serve(bench, out))
        except asyncio.CancelledError:
            return


async def _serve(bench: CellRunner, out: TextIO) -> None:
    waiting: asyncio.Queue[str] = asyncio.Queue()
    loop, life = asyncio.get_running_loop(), asyncio.current_task()
    assert life is not None
    threading.Thread(target=_listen, args=(loop, waiting, life), daemon=True).start()
    while True:
        ended = await bench.run(Cell.model_validate_json(await waiting.get()))
        out.write(ended.model_dump_json() + "\n")
        out.flush()


def _listen(
    loop: asyncio.AbstractEventLoop, waiting: "asyncio.Queue[str]", life: "asyncio.Task[None]"
) -> None:
    for line in sys.stdin:
        loop.call_soon_threadsafe(waiting.put_nowait, line)
    loop.call_soon_threadsafe(life.cancel)
    time.sleep(_GRACE)
    os._exit(1)
