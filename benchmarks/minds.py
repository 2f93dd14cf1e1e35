"""Quality of a language model's replies in every scenario: usable and degenerate replies, tokens, endings,
variety.

    python benchmarks/minds.py [--url URL --model NAME] [--form example|schema] [--types TYPE] [--set K=V]
                               [--keep DIR]
    python benchmarks/minds.py --read RUN

Runs a cut of each type's reference study with every question answered by the model, and prints three tables;
without an endpoint it starts SmolLM2-135M on one core (20 to 30 minutes). `--read` tables runs that are there
already. Options that name several are given once for each. Of each kind of question:

- first, mended, failed: calls usable at the first try, after the one repair, and not at all, in percent;
- empty: replies whose texts are all empty; loop: a text of 12 words or more in which less than half of the
  runs of three words are different; copy: a text of 8 words or more of which more than half of the runs of
  five words stand in the prompt, its example included (a quotation that was asked for counts as well);
- tokens of prompt and reply, medians, as the endpoint counts them;
- one choice: the first field that is no text and no place in a list, its most frequent value, and its share.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from measuring import print_table, run_command, run_study, spend
from openiir.core.llm import Endpoint
from openiir.core.records import Call
from openiir.core.storage import Log, RunFile
from openiir.runs.settings import Settings

CAPS = (("opening", 3), ("deliberation", 4), ("wrap-up", 3))
ROUNDS = ", ".join(
    f'{{name="{name}", goal="Say where you stand, and answer what was said.", turns={turns}}}'
    for name, turns in CAPS
)
PANEL = ['cast=["wen-zhao", "nora-feld", "dmitri-vance"]', f"config.shape={{round=[{ROUNDS}]}}"]
SHORT = {
    "curated_feed": "users=40 promoted=2 weeks=2 sessions=1 beside=[] evaluate=[]",
    "asymmetric_memory": "members=40 rounds=3",
    "coordination_emergent": "members=40 rounds=3 sources=12",
    "recommender": 'users=2 systems=["popularity"] page.most=2 visitors.persona=false',
    "multi_generational": "generations=3 producers=4 detectors=4 pairs=2 rounds=2 controls=[] "
    "corpus.stands=1 matrix.generations=0",
    "tiered_capability": "members=40 rounds=2",
    "twin_ecosystem": "searchers=40 rounds=3",
    "conversational": 'dialogues=2 turns=4 simulators=["single","dual"] systems=["attribute"] '
    "judge.dialogues=1",
    "open_web": "people=24 spaces.number=4 spaces.writers=3 rounds=3 shares=[0.5] prices=[0.01]",
}
"""Keys that shorten each reference study to a few minutes with a model of 135M parameters on one core."""
SEARCHES = [
    *("config.rounds=3", "config.searchers=4", "config.queries=10"),
    "event=[{at='round 2', kind='outage', channel='click'}]",
]
CUTS = {"panel": PANEL, "feedback_outage": SEARCHES} | {
    n: [f"config.{key}" for key in keys.split()] for n, keys in SHORT.items()
}
LOOP, COPY = 3, 5
"""Lengths of the n-grams that detect loops and copies."""


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
    runs = [word_runs(text, LOOP) for text in texts]
    if any(len(one) > 12 - LOOP and len(set(one)) < len(one) / 2 for one in runs):
        return "loop"
    there = set(word_runs(prompt, COPY))
    copied = ([run in there for run in word_runs(text, COPY)] for text in texts if len(text.split()) >= 8)
    return "copy" if any(2 * sum(found) > len(found) for found in copied) else ""


def row_of(calls: Sequence[Call]) -> list[str]:
    """Build the table row of one kind of question."""
    last = list({call.place: call for call in calls}.values())
    usable, flaws, choices = [call for call in last if call.usable], Counter[str](), Counter[str]()
    for call in usable:
        request = json.loads(call.request)
        reply = json.loads(call.reply[call.reply.find("{") : call.reply.rfind("}") + 1])
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
        f"{median(call.prompt_tokens for call in calls):.0f}",
        f"{median(call.reply_tokens for call in calls):.0f}",
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
                (folder.name, len(calls), usable, f"{seconds:.0f}" if seconds else "", ends_of(Log(run)))
            )
            for call in calls:
                kinds.setdefault(call.place.kind, []).append(call)
    head = "kind | asked | first | mended | failed | empty | loop | copy | prompt tokens | reply tokens"
    print_table(f"{head} | one choice", ([kind, *row_of(calls)] for kind, calls in sorted(kinds.items())))
    print()
    print_table("run | calls | usable in the end | seconds | how it went", runs)


def serve_small_model() -> AbstractContextManager[str]:
    """Serve the small model of the tests."""
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "shared"))
    from small_model import small_model_server

    return small_model_server()


def main(
    url: str = "",
    model: str = "SmolLM2-135M-Instruct",
    form: str = "example",
    types: list[str] = tuple(CUTS),
    set: list[str] = (),
    keep: Path | None = None,
    read: list[Path] = (),
) -> None:
    if read:
        print_tables(read, [0.0] * len(read))
        return
    with TemporaryDirectory() as scratch, nullcontext(url) if url else serve_small_model() as address:
        folders, took = [(keep or Path(scratch)) / name for name in types], []
        settings = Settings(endpoint=Endpoint(url=address, width=2, timeout=600.0))
        for folder in folders:
            sets = ['answers="model"', f"model.name={model}", f"model.form={form}", *CUTS[folder.name], *set]
            took.append(spend(lambda f=folder, s=sets: run_study(f.name, f, settings, s)).wall)
        print_tables(folders, took)


if __name__ == "__main__":
    run_command(main)
