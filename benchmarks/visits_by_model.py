"""Time of visits answered by a model, compared with the least time that its latency allows.

    python benchmarks/visits_by_model.py [--users 128] [--latency 0.2] [--width 64] [--exits]

Every visitor is answered for by a stand-in server in another process: after the latency it says what the
visitor's behaviour model would have said, which a first pass offline has written down, so that each reply
fits its question. The ideal is the longer of all latencies by the width, and those of the longest visit. The
same bodies are then posted over sockets that do nothing else, as many at a time: what machine and server
allow at that moment.

A page asks one question to browse and one to act; one more to reflect where something new was taken, two more
for each title opened; a visit ends with an interview, and a run asks three follow-up questions of memory.
Goal: 1.1 times.
"""

import argparse
import asyncio
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import asking
from asking import bodies, raw_sockets

from openiir.core.agents import AnswerRouter
from openiir.core.llm import Endpoint
from openiir.core.storage import RunFile
from openiir.plugin import Stage
from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.recommender.questions.matching import Agree, DescribeTaste, Guess
from openiir.testing.standin import Behaviour, StandIn, answers
from visits import clocks, since

STUDY = """
type = "recommender"
name = "visits by model"
seed = 1
answers = {answers}

[model]
name = "standin"

[config]
users = {users}
systems = ["popularity"]
page = {{ items = 4, most = 20, exits = {exits} }}
"""
BY_MODEL = (
    '{ default = "model", kind = { '
    + ", ".join(f'"{q.kind}" = "offline"' for q in (DescribeTaste, Guess, Agree))
    + " } }"
)


def time_visits(
    folder: Path, options: argparse.Namespace, answers: str, settings: Settings
) -> dict[str, float]:
    """Run the study below `folder`; return the time of its visits."""
    lanes, start = Stage.lanes, {}

    async def timed(stage: Stage, lives: Mapping[str, Any]) -> Any:
        start.update(clocks())
        return await lanes(stage, lives)

    folder.mkdir()
    (folder / "study.toml").write_text(
        STUDY.format(users=options.users, answers=answers, exits=str(options.exits).lower())
    )
    with (
        patch.object(Stage, "lanes", timed),
        prepare_run(load_study(str(folder / "study.toml")), folder / "run", settings) as run,
    ):
        asyncio.run(drive(run, settings, Silent()))
        return since(start)


def record_replies(folder: Path, options: argparse.Namespace) -> dict[str, str]:
    """Record the behaviour models' reply to each prompt of the study."""
    said, offline = {}, AnswerRouter._offline

    def noted(self: AnswerRouter, kind: Any, batch: Any, places: Any) -> Any:
        found = offline(self, kind, batch, places)
        for asked, answer in zip(batch, found.values(), strict=True):
            prompt = "\n".join(message.text for message in asked.messages())
            said[prompt] = answer.reply.model_dump_json()
        return found

    with patch.object(AnswerRouter, "_offline", noted):
        time_visits(folder, options, '"offline"', Settings())
    return said


def serve(options: argparse.Namespace) -> None:
    """Run the stand-in server with the recorded replies, and its default reply for unknown prompts."""
    said, usual = pickle.loads(Path(options.serve).read_bytes()), answers._write_reply

    def reply(body: Any, prompt: str, *others: Any) -> tuple[str, str]:
        return (said[prompt], "") if prompt in said else usual(body, prompt, *others)

    with patch.object(answers, "_write_reply", reply):
        server = StandIn(Behaviour(latency=options.latency))
        asyncio.run(server.serve(lambda: print(server.url, flush=True)))


@contextmanager
def server(file: Path, latency: float) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", str(file), "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def compare(options: argparse.Namespace) -> None:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        file = folder / "said"
        file.write_bytes(pickle.dumps(record_replies(folder / "offline", options)))
        with server(file, options.latency) as url:
            settings = Settings(endpoint=Endpoint(url=url, width=options.width))
            took = time_visits(folder / "model", options, BY_MODEL, settings)
            asking.WIDTH = options.width
            sent = bodies(folder / "model" / "run")
            start = clocks()
            asyncio.run(raw_sockets(url, sent))
            raw = since(start)["wall"]
        print_results(folder / "model" / "run", options, took, raw)


def print_results(folder: Path, options: argparse.Namespace, took: dict[str, float], raw: float) -> None:
    """Print the results."""
    with RunFile.open(folder) as run:
        calls = [(call.place, call.usable) for call in run.calls()]
    visits = Counter(place.lane for place, _ in calls if place.lane != "main")
    kinds = Counter(place.kind.partition(".")[2] for place, _ in calls)
    ideal = options.latency * max(sum(visits.values()) / options.width, max(visits.values()))
    each = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    print(f"{options.users} visitors, {options.latency * 1e3:g} ms latency, {options.width} at a time")
    print(
        f"  calls: {len(calls)} ({each}), {sum(not usable for _, usable in calls)} unusable; a visit "
        f"{sum(visits.values()) / len(visits):.1f}, the longest {max(visits.values())}"
    )
    print(
        f"  visits took {took['wall']:.2f} s ({took['cpu']:.1f} s CPU of the client), ideal {ideal:.2f} s: "
        f"{took['wall'] / ideal:.2f} times; goal 1.1"
    )
    print(
        f"  bare sockets with the same bodies: {raw / (len(calls) * options.latency / options.width):.2f} "
        f"times their ideal"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=128)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--exits", action="store_true", help="visitors may leave before the last page")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    (serve if options.serve else compare)(options)


if __name__ == "__main__":
    main()
