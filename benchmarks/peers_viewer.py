"""First view of a long log in our viewer and in Inspect's: time of the data behind the page, and memory of
the process.

Run it with `python benchmarks/peers_viewer.py [SAMPLES] [MESSAGES]`, with PEERS naming the Python of an
environment that has inspect-ai; without it the script says so and ends. Both are given dialogues with the
same texts: Inspect as samples of an evaluation log, we as a run. Each view is taken in a process of its own:
the list of what there is, and the first sample or page.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from openiir.api import run
from openiir.core.storage import RunFile
from openiir.runs.views.view_cache import ViewCache

WRITE = """
import sys
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
out, samples, messages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
said = "comedies of the nineties are worth watching again " * 3
def text(n, m): return f"sample {n} says for the {m}th time that {said}"
made = [EvalSample(id=n, epoch=1, input="a film please", target="", messages=[
    (ChatMessageUser if m % 2 else ChatMessageAssistant)(content=text(n, m)) for m in range(messages)])
    for n in range(samples)]
spec = EvalSpec(created="2026-01-01T00:00:00+00:00", task="films", dataset=EvalDataset(), model="none",
    config=EvalConfig())
write_eval_log(EvalLog(eval=spec, status="success", samples=made), out + "/films.eval")
"""
PEAK = """
def peak():  # in MB; ru_maxrss would be that of the process which started this one where that is larger
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
"""
PEER = """
import sys, time
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample
start = time.perf_counter(), time.process_time()
log = read_eval_log(list_eval_logs(sys.argv[1])[0], header_only=True)
sample = read_eval_log_sample(sys.argv[1] + "/films.eval", 0, 1)
print(time.perf_counter() - start[0], time.process_time() - start[1], peak())
"""
OURS = """
import sys, time
from pathlib import Path
from openiir.runs.settings import Settings
from openiir.server.reading import Reader
reader = Reader(Path(sys.argv[1]), Settings(cache=Path(sys.argv[2])))
start = time.perf_counter(), time.process_time()
reader.cards.page(); reader.describe("long")
reader.page("long", "transcript", limit=200, beginning=True).write_json()
print(time.perf_counter() - start[0], time.process_time() - start[1], peak())
"""


def take(python: str, script: str, *args: str, times: int = 3) -> list[float]:
    """Run a script in another process, so many times, and return its shortest times and least memory."""
    runs = [
        [
            float(word)
            for word in subprocess.check_output([python, "-c", PEAK + script, *args], text=True).split()
        ]
        for _ in range(times)
    ]
    return [min(values) for values in zip(*runs, strict=True)]


def main() -> None:
    peer = os.environ.get("PEERS", sys.executable)
    if subprocess.run([peer, "-c", "import inspect_ai"], capture_output=True).returncode:
        print("skipped: inspect-ai is not installed; name the Python of an environment that has it in PEERS")
        return
    samples, messages = (int(word) for word in (*sys.argv[1:], *("1000", "100")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([peer, "-c", WRITE, scratch, str(samples), str(messages)], check=True)
        folder = run("panel", out=Path(scratch) / "runs" / "long", progress=False).folder
        lengthen(folder, samples * messages)
        cache = str(Path(scratch) / "cache")
        first = take(sys.executable, OURS, str(folder.parent), cache, times=1)
        with RunFile.open(folder) as made:
            ViewCache(Path(cache)).page(made, "transcript")  # the rest, which the browser asks for at once
        ours = take(sys.executable, OURS, str(folder.parent), cache)
        theirs = take(peer, PEER, scratch)
        size = (Path(scratch) / "films.eval").stat().st_size
    print(f"{samples * messages:,} messages; Inspect's log has {size / 1e6:.1f} MB")
    for name, (clock, cpu, memory) in (
        ("Inspect", theirs),
        ("openiir", ours),
        ("openiir, first look (its first entries)", first),
    ):
        print(f"{name}: {cpu:.2f} s CPU, {clock:.2f} s by the clock, {memory:.0f} MB")
    print(
        f"Inspect to openiir: {theirs[1] / ours[1]:.1f} times the CPU time, {theirs[2] / ours[2]:.1f} times "
        f"the memory"
    )


def lengthen(folder: Path, messages: int) -> None:
    """Make a run's log one of so many utterances of about the length of Inspect's messages."""
    with sqlite3.connect(folder / "run.db") as db:
        ids = [seq for (seq,) in db.execute("select seq from event where kind = 'panel.speak' order by seq")]
        (last,) = db.execute("select max(seq) from event").fetchone()
        db.executemany(
            "insert into event select ?, step, lane || ?, kind, actor, payload from event where seq = ?",
            ((last + n, f".{n}", ids[n % len(ids)]) for n in range(1, messages - len(ids) + 1)),
        )


if __name__ == "__main__":
    main()
