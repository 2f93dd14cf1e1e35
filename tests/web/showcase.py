"""A type of study that shows every form of view, and runs of it in every state that a run can be left in."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest
import tomli_w
from tests.web import forms

from openiir.core.storage import RunFile
from openiir.core.storage.folder import lock_folder
from openiir.core.storage.live_file import LiveFile
from openiir.plugin import (
    Action,
    Cite,
    ClaimSource,
    Draw,
    Entry,
    Interview,
    Log,
    Measure,
    Persona,
    Question,
    Record,
    Ref,
    Scenario,
    Stage,
    Step,
    Surface,
    SurfaceView,
)
from openiir.runs import types
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

LONG = "w" * 100_000
ODD = (
    " <script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> **bold** `code` "
    "https://example.org/a?b=c \u202eright to left\u202c مرحبا بالعالم \x01\x1b[31m\x7f\u2028\r\n- one"
)
"""Markup, right-to-left text, control characters; LONG is one word of 100 kB."""
EMPTY = "Nobody was asked: the study sets no [questions]."
NAMES = {"ana": "Ana Ruiz", "bo": "Bo Chen", "cy": "Cyrus Mehta", "dee": "Dee Okafor"}
SOURCE = "The 😀 cited words stand in this chunk, and more follow.\n\nAssessors agree on most documents.\n"


class ShowcaseConfig(Record):
    steps: int = forms.STEPS
    posts: int = 30
    """Posts of each step."""
    nodes: int = 40
    odd: bool = False
    """Whether texts carry markup, control characters and very long words."""


class Utterance(Record):
    text: str


@dataclass(frozen=True)
class Speak(Question[Utterance]):
    """What do you say? (one of two sentences, drawn uniformly)"""

    before: str
    kind: ClassVar[str] = "showcase.speak"

    def prompt(self) -> str:
        return f"Before you said: {self.before}\nWhat do you say?"

    def offline(self, draw: Draw) -> Utterance:
        return Utterance(text=("I am for it.", "I am against it.")[draw.below(2)])


class Posted(Action):
    kind: ClassVar[str] = "showcase.posted"
    number: int
    text: str


class Showcase(Scenario):
    """Personas post and are asked; the other views are made up."""

    name: ClassVar[str] = "showcase"
    Config: ClassVar[type[Record]] = ShowcaseConfig
    closing: ClassVar[str] = "report"

    def actions(self) -> Sequence[type[Action]]:
        return [Posted]

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        number = 0
        while stage.step <= stage.config.steps:
            agent = stage.agents[stage.step % len(stage.agents)]
            reply = await stage.ask(agent, Speak(words_of(stage.config.odd)("nothing yet")))
            for _ in range(stage.config.posts):
                number += 1
                author = stage.agents[number % len(stage.agents)]
                stage.act(
                    author, Posted(number=number, text=f"Utterance {number}: {reply.text if reply else ''}")
                )
            if stage.step <= 4:
                await stage.extract(
                    ClaimSource(f"Assessors agree on {stage.step} topics.", agent.id, number, "Assessors")
                )
            yield Step(f"round {1 + (stage.step - 1) // 20}: step {stage.step}")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {
            "polarisation": Measure(value=0.4132),
            "nDCG@10": Measure(value=float("nan"), reason="no judgements"),
        }

    def surfaces(self) -> Sequence[Surface | Interview]:
        made_up = [
            Surface(
                form, form, form.title(), partial(_view, form), group="process", help=f"What a {form} shows."
            )  # type: ignore[arg-type]
            for form in forms.FORMS
        ]
        return [
            Surface("report", "report", "Report", _report, help="What came out."),
            Surface(
                "timeline",
                "timeline",
                "Transcript",
                _timeline,
                live="append",
                per_agent=True,
                help="Who said what.",
            ),
            Surface("graph", "graph", "Argument graph", _graph, help="Claims and how they relate."),
            *made_up,
            Surface("asked", "table", "Questions asked", partial(_view, "table"), shows=lambda log: EMPTY),
            Interview("why", "Why did you say that?", _interview, lambda log, agent: []),
        ]


def words_of(odd: bool) -> forms.Words:
    """Give texts as they are; where odd, with ODD behind each and LONG behind the first."""
    long = iter([LONG])
    return (lambda text: text + next(long, "") + ODD) if odd else str


def _config(log: Log) -> ShowcaseConfig:
    return ShowcaseConfig.model_validate(log.study["config"])


def _view(form: str, log: Log) -> SurfaceView:
    return forms.FORMS[form](words_of(_config(log).odd))


def _cite(log: Log) -> Cite:
    chunk = log.chunks()[0]
    return Cite(world=chunk.world, chunk=chunk.id, start=4, end=24)


def _report(log: Log) -> SurfaceView:
    return forms.report(words_of(_config(log).odd), [claim.id for claim in log.claims()])


def _graph(log: Log) -> SurfaceView:
    config = _config(log)
    return forms.network(words_of(config.odd), config.nodes, _cite(log))


def _timeline(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    words, cite = words_of(_config(log).odd), _cite(log)
    names = {persona.id: persona.name for persona in log.personas}
    asked = {
        event.step: event.seq for event in log.events("asked") if event.payload["question"] == Speak.kind
    }
    return [
        Entry(
            step=event.step,
            actor=names[event.actor or ""],
            agent=event.actor or "",
            heading=words("assert"),
            text=words(post.text),
            id=f"e{post.number}",
            seq=event.seq,
            notes=(words("tokens: 48"),) if post.number % 5 == 0 else (),
            cites=(cite,) if post.number % 3 == 0 else (),
            refs=(Ref(to="claim", id=f"k{post.number % 20}"),) if post.number % 4 == 0 else (),
            of=str(asked[event.step]) if post.number % 2 else "",
            depth=post.number % 3,
        )
        for event, post in Posted.read(log, actor=agent, since=since)
    ]


def _interview(log: Log, persona: Persona, text: str) -> Question[Any]:
    return Speak(text)


class CopyAfter(Watcher):
    """Watcher that copies the folder of a run in progress, as a killed process leaves it."""

    def __init__(self, step: int, folder: Path, copies: Sequence[Path]) -> None:
        self.last, self.folder, self.copies = step, folder, copies

    def step(self, number: int, label: str) -> None:
        for copy in self.copies if number == self.last else ():
            shutil.copytree(self.folder, copy)


def run_showcase(place: Path, root: Path, name: str, copies: Sequence[str] = (), **config: Any) -> None:
    """Run a study of the type into `root/name`, copying it half-way to these further names."""
    study = place / name
    study.mkdir(parents=True)
    odd = ODD if config.get("odd") else ""
    people = [
        {"id": id, "name": (name + odd)[:120], "bio": f"{name} judges documents.{odd}"}
        for id, name in NAMES.items()
    ]
    values = {
        "type": "showcase",
        "name": f"the {name} run",
        "seed": len(name),
        "personas": "people.toml",
        "world": {"sources": ["source.md"], "chunk_words": 20, "dimensions": 2},
        "config": config,
    }
    (study / "study.toml").write_text(tomli_w.dumps(values), encoding="utf-8")
    (study / "people.toml").write_text(tomli_w.dumps({"persona": people}), encoding="utf-8")
    (study / "source.md").write_text(SOURCE + odd, encoding="utf-8")
    watcher = CopyAfter(config.get("steps", forms.STEPS) // 2, root / name, [root / copy for copy in copies])
    with prepare_run(load_study(str(study)), root / name, Settings()) as run:
        asyncio.run(drive(run, Settings(), watcher))


@contextmanager
def registered() -> Iterator[None]:
    """Registers the type as an installed plug-in would be."""
    with pytest.MonkeyPatch.context() as patch:
        installed = [*types._entries(), EntryPoint("showcase", f"{__name__}:Showcase", types.GROUP)]
        patch.setattr(types, "_entries", lambda: installed)
        yield


@contextmanager
def made_runs(place: Path) -> Iterator[Path]:
    """Make a folder of runs: `toy`, `twin`, `odd`, `dead` (killed), `now` (running), `changed`, `torn`."""
    root = place / "runs"
    root.mkdir()
    run_showcase(place / "studies", root, "toy", copies=("dead", "now"))
    run_showcase(place / "studies", root, "twin", steps=20)
    run_showcase(place / "studies", root, "odd", odd=True, steps=4)
    for name in ("changed", "torn"):
        shutil.copytree(root / "toy", root / name)
    with sqlite3.connect(root / "changed/run.db") as database:
        database.execute("update event set payload = replace(payload, 'for it', 'by it') where seq < 40")
    database.close()
    (root / "torn/run.db").write_bytes(b"no database at all")
    with RunFile.open(root / "now") as run:
        assert run.state("status") == "running"
    lock = lock_folder(root / "now")
    LiveFile(root / "now").update(
        at_once=True, step=21, lane="talk", done=13, of=60, label="utterances", spent="420 tokens"
    )
    yield root
    lock.release()


def unknown_form(page: Any) -> None:
    """Let the page's next answers name a form that this version does not know."""

    def rename(route: Any) -> None:
        found = route.fetch()
        route.fulfill(response=found, body=json.dumps({**found.json(), "form": "hologram"}))

    page.route("**/surfaces/matrix*", rename)


if __name__ == "__main__":
    import tempfile

    from openiir.server.guard import Access
    from openiir.server.listen import listen

    with (
        registered(),
        tempfile.TemporaryDirectory() as place,
        made_runs(Path(place)) as root,
        listen(root, "127.0.0.1", 8601, Access(), Settings()) as bound,
    ):
        bound.wait()
