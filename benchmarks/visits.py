"""Time of simulated recommender visits, beside a plain loop, by number of visitors, and answered by a model.

    OPENIIR_DATA=... python benchmarks/visits.py loop [--users 1000] [--pages 20] [--data movielens-1m]
    OPENIIR_DATA=... python benchmarks/visits.py grow [100 1000 3000] [--pages 4]
    python benchmarks/visits.py model [--users 128] [--latency 0.2] [--width 64] [--exits]

`loop`: 1,000 visitors go through 20 pages of 4 titles (none leaves early) with memory, a private graph that
grows, actions, reflection, interview and log, offline; counted is what comes after everything is fitted:
visits, commit and content hash. The plain loop of `visits_plain.py` does the same for the same visitors in
the same process, on one thread. `grow` gives the time per visitor by their number, each in a process of its
own. Goals: less time than the plain loop, linear growth.

`model`: every visitor is answered for by a stand-in server in another process: after the latency it says what
the visitor's behaviour model would have said, which a first pass offline has written down, so that each reply
fits its question. The ideal is the longer of all latencies by the width, and those of the longest visit. The
same bodies are then posted over sockets that do nothing else, as many at a time. A page asks one question to
browse and one to act; one more to reflect where something new was taken, two more for each title opened; a
visit ends with an interview, and a run asks three follow-up questions of memory. Goal: 1.1 times.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from bare import post_by_sockets, rebuild_bodies, time_posting
from measuring import (
    Sizes,
    Spent,
    data_folder,
    drive_run,
    in_new_process,
    peak_megabytes,
    prepare_study,
    print_table,
    read_clocks,
    run_command,
    serving,
    since,
)
from openiir.core.agents import AnswerRouter
from openiir.core.llm import Endpoint
from openiir.core.storage import Log, RunFile
from openiir.plugin import Stage
from openiir.runs.settings import Settings
from openiir.scenarios.recommender.questions.matching import Agree, DescribeTaste, Guess
from openiir.testing.standin import Behaviour, StandIn, answers
from visits_plain import PlainVisitor, SharedData, simulate_visit

COUNTED = ("gone", "shown", "watched", "satisfaction")
BY_MODEL = {"default": "model", "kind": {q.kind: "offline" for q in (DescribeTaste, Guess, Agree)}}


def time_visits(
    folder: Path,
    users: int,
    page: Mapping[str, Any],
    settings: Settings,
    opened: Callable[[Mapping[str, Any]], None] = lambda lives: None,
    data: Mapping[str, Any] | None = None,
    **study: Any,
) -> Spent:
    """Run a study in `folder`; return the time of its visits, which begin after `opened` was called."""
    lanes, started = Stage.lanes, []

    async def timed(stage: Stage, lives: Mapping[str, Any]) -> Any:
        opened(lives)
        started.append(read_clocks())
        return await lanes(stage, lives)

    config = {"users": users, "systems": ["popularity"], "page": {"items": 4, "exits": False, **page}}
    study |= {"type": "recommender", "config": config | ({"data": data} if data else {})}
    with patch.object(Stage, "lanes", timed), prepare_study(study, folder, settings) as run:
        drive_run(run, settings)
        return since(started[0])


def measure_run(users: int, pages: int, data: str, plain: bool) -> dict[str, Any]:
    """Measure a run in this process and, with `plain`, the plain loop before it; seconds and megabytes."""
    start, found = read_clocks(), {}

    def opened(lives: Mapping[str, Any]) -> None:
        found.update(fitting=since(start), before=peak_megabytes())
        if plain:
            found["plain"] = run_plain_loop([life.args[0] for life in lives.values()])

    named = {"name": data} if data == "synthetic" else {"name": data, "path": str(data_folder() / "ml-1m")}
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "run"
        found["took"] = time_visits(folder, users, {"most": pages}, Settings(), opened, named)
        found["peak"] = peak_megabytes()
        with RunFile.open(folder) as run:
            rows = Log(run).table("visits")
            found["events"] = run.db.execute("select count(*) from event").fetchone()[0]
    return found | {name: sum(row[name] for row in rows) for name in COUNTED}


def run_plain_loop(visits: list[Any]) -> dict[str, Any]:
    """Run the plain loop over all visitors."""
    ground = SharedData(visits[0])
    start = read_clocks()
    told = [simulate_visit(ground, PlainVisitor(visit, ground)) for visit in visits]
    took = since(start)
    sums = (sum(column) for column in zip(*told, strict=True))
    return {"took": took, **dict(zip(COUNTED, sums, strict=True)), "peak": peak_megabytes()}


def compare_loop(users: int = 1_000, pages: int = 20, data: str = "movielens-1m") -> None:
    found = in_new_process(measure_run, users, pages, data, True)
    plain, fitting = found["plain"], found["fitting"]
    print(
        f"{users} visitors, {data}, {pages} pages of 4; {found['events']} events; seconds by the clock (CPU)"
    )
    print(f"  fitting and opening: {fitting.wall:.1f} ({fitting.cpu:.1f}), {found['before']:.0f} MB")
    for name, told in (("visits", found), ("plain loop", plain)):
        wall, cpu = told["took"]
        each = 1e6 / told["gone"]
        print(
            f"  {name}: {wall:.1f} ({cpu:.1f}), {wall * each:.0f} ({cpu * each:.0f}) us a page,",
            f"peak {told['peak']:.0f} MB; {told['gone']} pages, {told['shown']} titles shown,",
            f"{told['watched']} taken, mean satisfaction {told['satisfaction'] / users:.2f}",
        )
    wall, cpu = (a / b for a, b in zip(found["took"], plain["took"], strict=True))
    print(f"  ratio: {wall:.2f} by the clock, {cpu:.2f} by CPU time; goal: below 1")


def measure_growth(users: Sizes = (100, 1_000, 3_000), pages: int = 4, data: str = "movielens-1m") -> None:
    each = []

    def measure(number: int) -> tuple[object, ...]:
        found = in_new_process(measure_run, number, pages, data, False)
        each.append([took / number * 1e3 for took in found["took"]])
        cost = "{:.2f} ({:.2f})".format(*each[-1])
        return number, cost, f"{found['fitting'].cpu:.1f}", round(found["peak"])

    print_table("visitors | ms a visitor, clock (CPU) | fitting, s CPU | peak, MB", map(measure, users))
    wall, cpu = (last / first for first, last in zip(each[0], each[-1], strict=True))
    print(f"last to first: {wall:.2f} by the clock, {cpu:.2f} by CPU time; linear is 1")


def record_replies(folder: Path, users: int, page: Mapping[str, Any]) -> dict[str, str]:
    """Record the behaviour models' reply to each prompt of the study."""
    said, answer_offline = {}, AnswerRouter._answer_offline

    def noted(self: AnswerRouter, kind: Any, batch: Any, places: Any) -> Any:
        found = answer_offline(self, kind, batch, places)
        for asked, answer in zip(batch, found.values(), strict=True):
            prompt = "\n".join(message.text for message in asked.messages())
            said[prompt] = answer.reply.model_dump_json()
        return found

    with patch.object(AnswerRouter, "_answer_offline", noted):
        time_visits(folder, users, page, Settings())
    return said


def serve_replies(teller: Connection, said: dict[str, str], latency: float) -> None:
    """Serve the recorded replies, and the stand-in's usual one for unknown prompts."""
    usual = answers._write_reply

    def reply(body: Any, prompt: str, *others: Any) -> tuple[str, str]:
        return (said[prompt], "") if prompt in said else usual(body, prompt, *others)

    with patch.object(answers, "_write_reply", reply):
        server = StandIn(Behaviour(latency=latency))
        asyncio.run(server.serve(lambda: teller.send(server.url)))


def compare_model(users: int = 128, latency: float = 0.2, width: int = 64, exits: bool = False) -> None:
    page, model = {"most": 20, "exits": exits}, {"answers": BY_MODEL, "model": {"name": "standin"}}
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        said = record_replies(Path(scratch) / "offline", users, page)
        with serving(serve_replies, said, latency) as url:
            settings = Settings(endpoint=Endpoint(url=url, width=width))
            wall, cpu = time_visits(folder, users, page, settings, **model)
            sent = rebuild_bodies(folder)
            sessions = [sent[n::width] for n in range(width)]
            raw = time_posting(post_by_sockets, f"{url}/chat/completions", sessions, width).wall
        with RunFile.open(folder) as run:
            calls = [(call.place, call.usable) for call in run.calls()]
    visits = Counter(place.lane for place, _ in calls if place.lane != "main")
    kinds = Counter(place.kind.partition(".")[2] for place, _ in calls)
    longest, unusable = max(visits.values()), sum(not usable for _, usable in calls)
    ideal = latency * max(visits.total() / width, longest)
    print(f"{users} visitors, {latency * 1e3:g} ms latency, {width} at a time")
    print(
        f"  calls: {len(calls)} ({', '.join(f'{kind} {n}' for kind, n in sorted(kinds.items()))}),",
        f"{unusable} unusable; a visit {visits.total() / len(visits):.1f}, the longest {longest}",
    )
    print(
        f"  visits took {wall:.2f} s ({cpu:.1f} s CPU of the client), ideal {ideal:.2f} s:",
        f"{wall / ideal:.2f} times; goal 1.1",
    )
    print(
        f"  bare sockets with the same bodies: {raw / (len(calls) * latency / width):.2f} times their ideal"
    )


if __name__ == "__main__":
    run_command(loop=compare_loop, grow=measure_growth, model=compare_model)
