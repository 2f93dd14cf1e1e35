"""Promoted users: bit by bit the crowd they came from, until somebody else answers for them."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.errors import InputError, RunStopped
from openiir.core.personas import load_personas
from openiir.core.storage import Log
from openiir.plugin import Draw
from openiir.runs.engine import Watcher, drive, resume
from openiir.runs.interviews import interview
from openiir.runs.post_run import measure
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings, load_settings
from openiir.runs.study import load_study
from openiir.scenarios import panel
from openiir.scenarios.curated_feed.behaviour.personas import persona_belief
from openiir.scenarios.curated_feed.model.items.taxonomy import taxonomy
from openiir.testing.offline import Finished, StopAfter, replay_offline, run_loaded

PANELISTS = Path(str(panel.__file__)).parent / "reference" / "personas.toml"
STUDY = """type = "curated_feed"
name = "small"
seed = 5
{top}
[config]
users = 12
weeks = 2
sessions = 2
topics = 4
slots = 5
candidates = 10
audit_items = 8
audit_users = 3
items.per_week = 40
beside = ["random", "none"]
{config}
"""
BY_MODEL = """[answers]
shadow = "offline"
[answers.{whom}]
{name} = "model"
[model]
name = "standin"
"""


@dataclass(frozen=True)
class Ran:
    """A run that has ended."""

    folder: Path
    content: str
    asked: list[Mapping[str, Any]]
    """To open something on a page."""
    surveys: list[Mapping[str, Any]]
    shadows: list[Mapping[str, Any]]
    tables: dict[str, dict[str, Any]]

    def clicks(self, user: int, feed: str, session: int) -> list[int]:
        """Positions a user clicked."""
        table = self.tables["impressions"]
        own = (
            (table["user"] == user) & (table["feed"] == feed) & (table["session"] == session) & table["click"]
        )
        return [int(n) for n in table["position"][own]]


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., Path]:
    def write(top: str = "", config: str = "", name: str = "study.toml") -> Path:
        shutil.copy(PANELISTS, tmp_path / "panelists.toml")
        (tmp_path / name).write_text(STUDY.format(top=top, config=config))
        return tmp_path / name

    return write


@pytest.fixture
def offline(study: Callable[..., Path], tmp_path: Path) -> Iterator[Callable[..., Finished]]:
    done: list[Finished] = []

    def run(top: str = "", config: str = "", *sets: str) -> Finished:
        done.append(run_loaded(load_study(str(study(top, config)), sets), tmp_path / f"run-{len(done)}"))
        return done[-1]

    yield run
    for one in done:
        one.run.close()


@pytest.fixture
def live(study: Callable[..., Path], tmp_path: Path) -> Callable[..., Ran]:
    def run(settings: Settings, top: str, *sets: str, name: str = "live") -> Ran:
        folder = tmp_path / name
        with prepare_run(load_study(str(study(top)), sets), folder, settings) as begun:
            content = asyncio.run(drive(begun, settings, Watcher()))
        with open_checked(folder) as reading:
            log = Log(reading)
            asked, surveys = [], []
            for e in log.events("asked"):
                kind = {"curated_feed.browse": asked, "curated_feed.survey": surveys}[e.payload["question"]]
                kind.append({"actor": e.actor, "lane": e.lane, **e.payload})
            shadows = [
                {"actor": e.actor, "lane": e.lane, **e.payload}
                for e in log.events("shadow")
                if e.payload["question"] == "curated_feed.browse"
            ]
            tables = {table: log.columns(table) for table in ("impressions", "standings")}
        return Ran(folder, content, asked, surveys, shadows, tables)

    return run


@pytest.mark.parametrize(
    "config",
    [
        "",
        'clicks = { model = "cascade", leave = 0.1 }\nbeliefs = { rule = "bounded", exposure = 1.0 }',
        'clicks = { model = "dbn", intercept = 0.5 }\n'
        'beliefs = { rule = "repulsion", repel_beyond = 0.4, rate = 0.6 }',
        "repeats = true\npool = 10\nepsilon = 0.7\nclicks.leave = 0.2\nitems.quality = 2.0",
    ],
    ids=["position", "cascade", "dbn", "shuffled pools"],
)
def test_promoted_but_answered_offline_nothing_changes(offline: Callable[..., Finished], config: str) -> None:
    runs = [offline("", config, f"config.promoted={p}") for p in ((0, 5, 12) if not config else (0, 12))]
    for promoted in runs[1:]:
        same = {name for name, digest in runs[0].sections.items() if promoted.sections[name] == digest}
        assert {"events", "tables", "calls", "chunks"} <= same
        assert promoted.sections["personas"] != runs[0].sections["personas"]
    assert [len(run.asked) for run in runs] == [len(run.log.personas) * 2 * 4 for run in runs]
    assert all(budget.tokens == persona.tokens for run in runs for persona, budget in run.left)


def test_one_by_one_the_question_gives_what_the_crowd_did(offline: Callable[..., Finished]) -> None:
    run = offline("", "", "config.promoted=6")
    table = run.log.columns("impressions")
    for asked in run.asked:
        own = (table["user"] == asked.draw.agent) & (table["feed"] == asked.place.lane)
        own &= (table["session"] == asked.question.behaviour.number) & table["click"]
        assert asked.question.offline(asked.draw).open == tuple(table["position"][own].tolist())


def test_a_model_answers_for_one_and_the_others_keep_their_noise(
    live: Callable[..., Ran], served: Callable[..., Any]
) -> None:
    settings = load_settings(served()[1])
    sets = ("config.promoted=6", "config.ranker=random", 'config.beside=["chronological"]')
    plain = live(Settings(), "", *sets, name="plain")
    ran = live(settings, BY_MODEL.format(whom="persona", name="user-000002"), *sets)
    assert {entry["actor"] for entry in ran.asked} == {"user-000002"}
    assert {entry["lane"] for entry in ran.asked} == {"main", "chronological"} and len(ran.asked) == 2 * 4
    before, after = plain.tables["impressions"], ran.tables["impressions"]
    others = before["user"] != 2
    assert others.any() and (after["user"] == before["user"]).all()
    for column in before:
        np.testing.assert_array_equal(before[column][others], after[column][others])
    for entry in ran.shadows:
        session = int(entry["subject"].removeprefix("session ")) - 1
        clicked = sorted(entry["reply"]["open"]) if entry["reply"] else []
        assert ran.clicks(2, entry["lane"], session) == clicked
    first = next(e for e in ran.shadows if e["subject"] == "session 1" and e["lane"] == "main")
    assert first["shadow"] == "offline" and first["options"] == {"open": [1, 2, 3, 4, 5]}
    assert list(first["shadow_reply"]["open"]) == plain.clicks(2, "main", 0)
    assert replay_offline(ran.folder) == ran.content


def test_a_change_hands_the_clicks_over(live: Callable[..., Ran], served: Callable[..., Any]) -> None:
    """From its step on a model answers; before it, the promoted are of the crowd."""
    change = 'set = { "answers.kind" = { "curated_feed.browse" = "model" } }'
    top = f'[model]\nname = "standin"\n[[change]]\nstep = 2\n{change}'
    ran = live(load_settings(served()[1]), top, "config.promoted=2")
    assert [entry["subject"] for entry in ran.asked if entry["lane"] == "main"] == [
        f"session {n}" for n in (3, 3, 4, 4)
    ]
    told = ran.tables["standings"]
    assert set(told["week"]) == {2} and set(told["feed"]) == {"main", "random", "none"}
    assert replay_offline(ran.folder) == ran.content


def test_who_gives_no_usable_answer_clicks_nothing(
    live: Callable[..., Ran], served: Callable[..., Any]
) -> None:
    settings = load_settings(served(malformed=1.0, malformed_kinds=("words",))[1])
    ran = live(settings, BY_MODEL.format(whom="kind", name='"curated_feed.browse"'), "config.promoted=3")
    assert [entry["outcome"] for entry in ran.asked] == ["failed"] * 3 * 2 * 4
    table = ran.tables["impressions"]
    assert not table["click"][table["user"] < 3].any() and table["click"].any()
    assert replay_offline(ran.folder) == ran.content


def test_a_budget_is_for_each_feed_and_ends_in_silence(
    live: Callable[..., Ran], served: Callable[..., Any], tmp_path: Path
) -> None:
    settings = load_settings(served()[1])
    (tmp_path / "ada.toml").write_text(
        '[[persona]]\nid = "ada"\nname = "Ada"\nbio = "Ada reads."\ntokens = 1\n'
    )
    by = BY_MODEL.format(whom="persona.ada", name='"curated_feed.survey" = "offline"\n"curated_feed.browse"')
    ran = live(settings, 'personas = "ada.toml"\n' + by, "config.promoted=1")
    assert not ran.surveys, "whoever is chosen for its own kind answers a survey"
    for feed in ("main", "random"):
        outcomes = [entry["outcome"] for entry in ran.asked if entry["lane"] == feed]
        assert outcomes == ["answered", "exhausted", "exhausted", "exhausted"]
        assert sum(entry["debit"] for entry in ran.asked if entry["lane"] == feed) == 1
        assert not any(ran.clicks(0, feed, session) for session in (1, 2, 3))


def test_a_checkpoint_keeps_what_is_left_of_a_budget(
    study: Callable[..., Path], live: Callable[..., Ran], served: Callable[..., Any], tmp_path: Path
) -> None:
    settings = load_settings(served()[1]).model_copy(update={"checkpoint_every": 1})
    (tmp_path / "ada.toml").write_text(
        '[[persona]]\nid = "ada"\nname = "Ada"\nbio = "Ada reads."\ntokens = 500\n'
    )
    top = 'personas = "ada.toml"\n' + BY_MODEL.format(whom="persona", name="ada")
    sets = ("config.promoted=1", "config.weeks=3", "config.sessions=5")
    straight = live(settings, top, *sets)
    spent = [entry["outcome"] for entry in straight.asked if entry["lane"] == "main"]
    assert "exhausted" not in spent[:6] and spent[-1] == "exhausted", "it runs out after the checkpoint"
    folder = tmp_path / "stopped"
    with prepare_run(load_study(str(study(top)), sets), folder, settings) as begun, pytest.raises(RunStopped):
        asyncio.run(drive(begun, settings, StopAfter(1)))
    assert asyncio.run(resume(folder, settings, Watcher())) == straight.content


@pytest.mark.parametrize("memory", ["full", "decayed:2"])
def test_promoted_users_go_on_from_a_checkpoint_with_what_they_remember(
    memory: str,
    study: Callable[..., Path],
    live: Callable[..., Ran],
    served: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """The browsing and the surveys of three promoted users are answered by the stand-in model.

    No request times out, and so none is sent again: a busy machine changes no count.
    """
    server, file = served('[endpoint]\nurl = "URL"\ntimeout = 600\n')
    settings = load_settings(file).model_copy(update={"checkpoint_every": 1})
    kinds = "".join(f'"curated_feed.{kind}" = "model"\n' for kind in ("browse", "survey"))
    top = f'memory = "{memory}"\n[model]\nname = "standin"\n[answers.kind]\n{kinds}'
    sets = ("config.promoted=3", "config.weeks=6")

    straight = live(settings, top, *sets)
    folder, notes, asked = tmp_path / "stopped", list[str](), server.counts.requests
    with prepare_run(load_study(str(study(top)), sets), folder, settings) as begun, pytest.raises(RunStopped):
        asyncio.run(drive(begun, settings, StopAfter(3)))
    watcher = Watcher()
    watcher.note = notes.append  # type: ignore[method-assign]
    assert asyncio.run(resume(folder, settings, watcher)) == straight.content
    assert notes == ["goes on from the checkpoint of step 3"]
    assert asked == sum(entry["attempts"] for entry in (*straight.asked, *straight.surveys))
    assert server.counts.requests == 2 * asked, "no reply is asked for twice"
    assert replay_offline(folder) == straight.content


def test_a_model_of_random_weights_ends_and_replays(live: Callable[..., Ran], tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    pytest.importorskip("gguf", reason="needs the gguf package to build the model")
    from tiny_model import tiny_model_server

    top = BY_MODEL.format(whom="kind", name='"curated_feed.browse"') + "max_tokens = 60\n"
    sets = ("config.promoted=2", "config.weeks=1", "config.items.per_week=50", 'config.beside=["none"]')
    with tiny_model_server() as url:
        (tmp_path / "tiny.toml").write_text(f'[endpoint]\nurl = "{url}"\nwidth = 1\ntimeout = 30\n')
        ran = live(load_settings(tmp_path / "tiny.toml"), top, *sets)
    assert len(ran.asked) == 2 * 2 and {entry["outcome"] for entry in ran.asked} <= {"answered", "failed"}
    assert replay_offline(ran.folder) == ran.content


def test_panelists_read_the_feed_unedited(offline: Callable[..., Finished]) -> None:
    run = offline('personas = "panelists.toml"', "", "config.users=20", "config.promoted=20")
    personas, topics = run.log.personas, taxonomy(4)
    panelists = [persona for persona in personas if not persona.id.startswith("user-")]
    assert panelists == list(load_personas(PANELISTS)) and len(personas) == 20
    assert personas[len(panelists)].id == f"user-{len(panelists):06d}"
    rows = [r for r in run.log.table("standings") if r["feed"] == "main" and r["week"] == 1]
    assert {r["persona"] for r in rows} == {p.id for p in panelists}
    for user, persona in enumerate(panelists):
        first = [r["first"] for r in rows if r["user"] == user]
        known = persona_belief(persona, topics, Draw(5, "curated_feed/persona", step=0))
        np.testing.assert_allclose(first, known, atol=2**-20)
    again = offline('personas = "panelists.toml"', "", "config.users=20")
    assert again.sections["tables"] == run.sections["tables"]


def test_a_diet_adds_up(offline: Callable[..., Finished]) -> None:
    """Shares of what was shown and clicked, summed over topics, are counts of impressions and clicks."""
    run = offline('personas = "panelists.toml"', "", "config.users=12")
    table, rows = run.log.columns("impressions"), run.log.table("standings")
    for user in range(4):
        own = (table["user"] == user) & (table["feed"] == "random")
        mine = [r for r in rows if r["user"] == user and r["feed"] == "random"]
        assert sum(r["shown"] for r in mine) == pytest.approx(own.sum())
        assert sum(r["clicked"] for r in mine) == pytest.approx(table["click"][own].sum())


@pytest.mark.parametrize(
    ("top", "sets", "words"),
    [
        ("", ["config.promoted=13"], "config.promoted = 13 of config.users = 12"),
        ('personas = "panelists.toml"', ["config.users=3"], "personas for config.users = 3"),
        ('personas = "odd.toml"', [], "'user-000007' has an id that promoted users are given"),
        (
            BY_MODEL.format(whom="persona", name="user-000003"),
            ["config.promoted=3"],
            "no persona of this study",
        ),
        ("", ["config.topics=40"], "topics = 40"),
    ],
)
def test_a_cast_that_cannot_be_is_refused(
    study: Callable[..., Path], tmp_path: Path, top: str, sets: list[str], words: str
) -> None:
    (tmp_path / "odd.toml").write_text('[[persona]]\nid = "user-000007"\nname = "Odd"\nbio = "Odd reads."\n')
    with pytest.raises(InputError, match=words):
        load_study(str(study(top)), sets)


def test_parity_and_interviews_of_a_run_on_a_model(
    live: Callable[..., Ran], served: Callable[..., Any]
) -> None:
    settings = load_settings(served()[1])
    ran = live(settings, BY_MODEL.format(whom="kind", name='"curated_feed.browse"'), "config.promoted=4")
    pairs = [(e["actor"], e["reply"], e["shadow_reply"]) for e in ran.shadows if e["reply"]]
    cells = [(n in reply["open"], n in shadow["open"]) for _, reply, shadow in pairs for n in range(1, 6)]
    rows = {name: m.value for name, m in measure(ran.folder, {}).items()}
    prefix = "parity.curated_feed.browse"
    assert rows[f"{prefix}.pairs"] == len(ran.shadows) == 4 * 2 * 4
    assert rows[f"{prefix}.open.agreement"] == pytest.approx(np.mean([a == s for a, s in cells]))
    assert rows[f"{prefix}.open.chosen.acted"] == pytest.approx(np.mean([a for a, _ in cells]))
    assert rows[f"{prefix}.open.chosen.shadow"] == pytest.approx(np.mean([s for _, s in cells]))
    assert rows[f"{prefix}.open.agreement.low"] <= rows[f"{prefix}.open.agreement"]
    assert rows[f"{prefix}.open.agreement"] <= rows[f"{prefix}.open.agreement.high"]
    assert set(ran.tables["standings"]["persona"]) == {f"user-{n:06d}" for n in range(4)}
    ((_, answer, _),) = asyncio.run(interview(ran.folder, "user-000001", "What of climate?", settings))
    assert answer.reply is not None and answer.answerer == "offline"
    assert "a steep tax on carbon" in answer.reply.answer
