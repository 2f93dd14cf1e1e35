"""Quality of a language model's replies in every scenario: usable and degenerate replies, tokens, endings,
variety.

    python benchmarks/minds.py [--url URL --model NAME] [--form example|schema] [--types TYPE ...]
                               [--set K=V ...] [--keep DIR]
    python benchmarks/minds.py --read RUN ...

Runs a cut of each type's reference study with every question answered by the model, and prints three tables;
without an endpoint it starts SmolLM2-135M on one core (20 to 30 minutes). `--read` tables runs that are there
already. Of each kind of question:

- first, mended, failed: calls usable at the first try, after the one repair, and not at all, in percent;
- empty: replies whose texts are all empty; loop: a text of 12 words or more in which less than half of the
  runs of three words are different; copy: a text of 8 words or more of which more than half of the runs of
  five words stand in the prompt, its example included (a quotation that was asked for counts as well);
- tokens of prompt and reply, medians, as the endpoint counts them;
- one choice: the first field that is no text and no place in a list, its most frequent value, and its share.
"""

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from openiir.core.llm import Endpoint
from openiir.core.records import Call
from openiir.core.storage import Log, RunFile
from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

CAPS = (("opening", 3), ("deliberation", 4), ("wrap-up", 3))
ROUNDS = ", ".join(
    f'{{name="{name}", goal="Say where you stand, and answer what was said.", turns={turns}}}'
    for name, turns in CAPS
)
CUTS = {
    "panel": ['cast=["wen-zhao", "nora-feld", "dmitri-vance"]', f"config.shape={{round=[{ROUNDS}]}}"],
    "curated_feed": [
        "config.users=40",
        "config.promoted=2",
        "config.weeks=2",
        "config.sessions=1",
        "config.beside=[]",
        "config.evaluate=[]",
    ],
    "recommender": [
        "config.users=2",
        'config.systems=["popularity"]',
        "config.page.most=2",
        "config.visitors.persona=false",
    ],
    "multi_generational": [
        "config.generations=3",
        "config.producers=4",
        "config.detectors=4",
        "config.pairs=2",
        "config.rounds=2",
        "config.controls=[]",
        "config.corpus.stands=1",
        "config.matrix.generations=0",
    ],
    "conversational": [
        "config.dialogues=2",
        "config.turns=4",
        'config.simulators=["single", "dual"]',
        'config.systems=["attribute"]',
        "config.judge.dialogues=1",
    ],
}
"""Settings that shorten each reference study to a few minutes with a model of 135M parameters on one core."""
LOOP, COPY = 3, 5
"""Lengths of the n-grams that detect loops and copies."""


def run_study(name: str, folder: Path, options: argparse.Namespace, url: str) -> float:
    """Run a scenario's shortened study; return its duration in seconds."""
    sets = [
        'answers="model"',
        f"model.name={options.model}",
        f"model.form={options.form}",
        *CUTS[name],
        *options.set,
    ]
    settings = Settings(endpoint=Endpoint(url=url, width=2, timeout=600.0))
    start = time.perf_counter()
    with prepare_run(load_study(name, sets), folder, settings) as run:
        asyncio.run(drive(run, settings, Silent()))
    return time.perf_counter() - start


def leaves(value: Any, schema: dict[str, Any], name: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Yield the innermost fields of a reply: name, value, and whether it is open text."""
    kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    kind = kinds[0] if kinds else {}
    if isinstance(value, dict):
        for field, inner in kind.get("properties", {}).items():
            yield from leaves(value.get(field), inner, field)
    elif isinstance(value, list) and "properties" in kind.get("items", {}):
        for one in value:
            yield from leaves(one, kind["items"], name)
    else:
        yield name, value, kind.get("type") == "string" and "enum" not in kind and "const" not in kind


def word_runs(text: str, length: int) -> list[tuple[str, ...]]:
    words = text.casefold().split()
    return [tuple(words[n : n + length]) for n in range(len(words) - length + 1)]


def flaw_of(texts: Sequence[str], prompt: str) -> str:
    """Classify the degeneracy of a reply's open texts: "empty", "loop", "copy" or ""."""
    if texts and not any(text.strip() for text in texts):
        return "empty"
    if any(
        len(runs) > 12 - LOOP and len(set(runs)) < len(runs) / 2
        for runs in (word_runs(text, LOOP) for text in texts)
    ):
        return "loop"
    there = set(word_runs(prompt, COPY))
    copied = ([run in there for run in word_runs(text, COPY)] for text in texts if len(text.split()) >= 8)
    return "copy" if any(2 * sum(found) > len(found) for found in copied) else ""


def row_of(calls: Sequence[Call]) -> list[str]:
    """Build the table row of one kind of question."""
    last = list({call.place: call for call in calls}.values())
    usable, flaws, choices = [call for call in last if call.usable], Counter[str](), Counter[str]()
    for call in usable:
        request, reply = (
            json.loads(call.request),
            json.loads(call.reply[call.reply.find("{") : call.reply.rfind("}") + 1]),
        )
        found = list(leaves(reply, request["schema"]))
        prompt = " ".join(message["text"] for message in request["messages"]).replace('"', " ")
        flaws[flaw_of([value or "" for _, value, free in found if free], prompt)] += 1
        decision = next((name for name, _, free in found if not free and name != "number"), None)
        choices.update(f"{name} = {json.dumps(value)}" for name, value, _ in found if name == decision)
    (choice, times), *_ = choices.most_common(1) or [("", 0)]
    share = f"{choice}: {percent(times, choices.total())}" if times else ""
    counts = [sum(call.usable and call.attempt == n for call in last) for n in (0, 1)]
    return [
        str(len(last)),
        *(percent(n, len(last)) for n in (*counts, len(last) - sum(counts))),
        *(percent(flaws[flaw], len(usable)) for flaw in ("empty", "loop", "copy")),
        *(
            f"{median(getattr(call, name) for call in calls):.0f}"
            for name in ("prompt_tokens", "reply_tokens")
        ),
        share,
    ]


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "-"


def ends_of(log: Log) -> str:
    """Summarise a run's events in words."""
    rounds = Counter(event.payload["reason"] for event in log.events("panel.round-closed"))
    talks = [event.payload for event in log.events("conversational.dialogue")]
    left = Counter(log.columns("visits").get("left", ()))
    said = {
        "utterances": sum(1 for _ in log.events("panel.speak")),
        "rounds": join_counts(rounds),
        "dialogues": join_counts(Counter(talk["end"] for talk in talks)),
        "utterances a dialogue": f"{median(len(talk['utterances']) for talk in talks):.0f}" if talks else "",
        "visits": join_counts(left),
        "pages": sum(1 for event in log.events("recommender.browsed") if not event.payload["opened"]),
    }
    return "; ".join(f"{what} {value}" for what, value in said.items() if value)


def join_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {what}" for what, n in counts.most_common())


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def print_tables(folders: Sequence[Path], took: Sequence[float]) -> None:
    """Print the tables of these runs."""
    kinds: dict[str, list[Call]] = {}
    runs = []
    for folder, seconds in zip(folders, took, strict=True):
        with RunFile.open(folder) as run:
            calls = [call for call in run.calls() if call.answerer == "model"]
            last = {call.place: call.usable for call in calls}
            usable = f"{sum(last.values())} of {len(last)}"
            runs.append(
                [folder.name, str(len(calls)), usable, f"{seconds:.0f}" if seconds else "", ends_of(Log(run))]
            )
            for call in calls:
                kinds.setdefault(call.place.kind, []).append(call)
    head = (
        "kind",
        "asked",
        "first",
        "mended",
        "failed",
        "empty",
        "loop",
        "copy",
        "prompt tokens",
        "reply tokens",
        "one choice",
    )
    print(table(head, ([kind, *row_of(calls)] for kind, calls in sorted(kinds.items()))))
    print()
    print(table(("run", "calls", "usable in the end", "seconds", "how it went"), runs))


def serve_small_model() -> AbstractContextManager[str]:
    """Serve the small model of the tests."""
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "shared"))
    from small_model import small_model_server

    return small_model_server()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--url", help="an OpenAI-compatible endpoint, ending in /v1; SmolLM2 is started without"
    )
    parser.add_argument("--model", default="SmolLM2-135M-Instruct", help="as the endpoint knows it")
    parser.add_argument("--form", choices=("example", "schema"), default="example")
    parser.add_argument("--types", nargs="+", choices=tuple(CUTS), default=list(CUTS))
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="set in every study, after the cuts"
    )
    parser.add_argument("--keep", type=Path, help="a folder where the runs stay")
    parser.add_argument("--read", nargs="+", type=Path, help="runs to tell of, instead of any new ones")
    options = parser.parse_args()
    if options.read:
        print_tables(options.read, [0.0] * len(options.read))
        return
    with (
        TemporaryDirectory() as scratch,
        nullcontext(options.url) if options.url else serve_small_model() as url,
    ):
        folders = [(options.keep or Path(scratch)) / name for name in options.types]
        print_tables(folders, [run_study(folder.name, folder, options, url) for folder in folders])


if __name__ == "__main__":
    main()
