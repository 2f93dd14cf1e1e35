"""The Python interface on small runs of all types: in a running event loop, stopped, with hostile names."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow
import pytest

import openiir as door
from openiir.core.errors import InputError, OpeniirError, UnknownName
from openiir.plugin import Entry, Series, Table
from openiir.runs import columns, edge, execute
from openiir.runs.engine import Watcher
from openiir.runs.processes import process_pool
from openiir.runs.trust import Untrusted

GOLDEN = Path(__file__).parent / "golden"
LOOK = {
    "llm-assessors": ("report", "stances", "panel.speak", "stances"),
    "feed": ("feeds", "clicks", "", "weeks"),
    "recommender-visits": ("comparison", "pages", "recommender.acted", "views"),
    "conversational": ("results", "", "conversational.dialogue", ""),
}
"""By golden run: a view, a view drawn as lines, a kind of event and a logged table; empty where none."""
EVIL = "<script>alert('x')</script><img src=x onerror=alert(1)>"


@pytest.fixture
def golden(tmp_path: Path) -> Callable[[str], door.Run]:
    """Opens a copy of a golden run."""
    return lambda name: door.open_run(shutil.copytree(GOLDEN / name, tmp_path / name))


@pytest.fixture
def notebook() -> Callable[[Callable[[], Any]], Any]:
    """Calls a function as a notebook's cell is: within a running event loop."""

    def call(function: Callable[[], Any]) -> Any:
        async def cell() -> Any:
            return function()

        return asyncio.run(cell())

    return call


@pytest.mark.parametrize("name", LOOK)
def test_a_run_of_each_type_is_looked_at(
    name: str, golden: Callable[[str], door.Run], tmp_path: Path
) -> None:
    run, (shown, drawn, kind, table) = golden(name), LOOK[name]
    assert run.study["name"] and run.status == "done" and run.content.startswith("sha256:")
    assert not run.verify().list_changes()
    measures = run.measures()
    assert measures and all(name in measures._repr_html_() for name in list(measures)[:5])  # type: ignore[attr-defined]
    title = str(run.show(shown)).splitlines()[0]
    assert title and run.surface(shown) is not None and "<" in run.show(shown)._repr_html_()
    if drawn:
        picture = run.show(drawn, out=tmp_path / "a.svg")._repr_html_()
        assert picture.startswith("<svg") and picture in (tmp_path / "a.svg").read_text()
    if kind:
        events = run.events(kind)
        assert set(events["kind"].to_pylist()) == {kind} and len(events.column_names) > 5
    assert run.events().num_rows >= (1 if kind else 0)
    if table:
        assert len(run.table(table).to_pandas()) == run.table(table).num_rows > 0
    assert run.calls().num_rows == 0 and run.calls().schema.field("prompt_tokens").type == "int64"
    assert (run.claims().num_rows > 0) == (name == "llm-assessors") and run.claims().schema.field(
        "stance"
    ).type == "double"
    assert all(listed in run._repr_html_() for listed in (kind, table, shown, run.content))


def test_names_that_nothing_bears_are_told(golden: Callable[[str], door.Run], tmp_path: Path) -> None:
    run = golden("panel-delphi")
    for look in (lambda: run.show("reprot"), lambda: run.events("panel.speek"), lambda: run.table("stance")):
        with pytest.raises(UnknownName, match="did you mean"):
            look()
    with pytest.raises(InputError, match="does not exist"):
        door.open_run(tmp_path / "none")
    with pytest.raises(InputError, match="no value that a study can hold"):
        door.run("panel", set={"config.mu": None}, progress=False)
    with pytest.raises(AttributeError, match="'runn'"):
        door.runn  # noqa: B018


def test_other_libraries_read_the_tables_as_they_are(golden: Callable[[str], door.Run]) -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    stances = golden("panel-delphi").table("stances")
    assert polars.from_arrow(stances).height == stances.num_rows
    assert duckdb.sql("select count(*) from stances").fetchall() == [(stances.num_rows,)]


def test_calls_say_what_was_asked_and_answered(golden: Callable[[str], door.Run]) -> None:
    calls = golden("by-model-delphi").calls().to_pylist()
    assert calls and all(call["answerer"] == "model" and call["request"] and call["reply"] for call in calls)


def test_a_study_is_run_forked_asked_and_compared_in_a_notebook(
    evening: Callable[..., Path],
    tmp_path: Path,
    notebook: Any,
    openiir: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    study = evening()
    told = openiir("run", study, "--set", "seed=8", "--set", "config.warmth=0.9", "--out", tmp_path / "told")

    def cell() -> None:
        run = door.run(study, set={"seed": 8, "config.warmth": 0.9}, progress=False)
        assert run.folder == Path("runs/evening-001")
        assert run.content == told.content == run.replay(progress=False)
        forked = run.fork(step=3, set={"warmth": 0.1}, progress=False)
        assert forked.content != run.content and forked.study["change"][0]["set"] == {"warmth": 0.1}
        assert run.ask("ada", "What did you hear?")
        for wrong, says in (("nobody", "no persona of this run"), ("all", "one persona is asked")):
            with pytest.raises(InputError, match=says):
                run.ask(wrong, "What?")
        found = door.compare(run, forked.folder, measures=["warmth.mean"], set={})
        assert [arm.runs[0].content for arm in found.arms] == [run.content, forked.content]
        assert all("warmth.mean" in shown for shown in (found._repr_html_(), str(found)))

    notebook(cell)


def test_runs_that_are_awaited_go_side_by_side_into_folders_of_their_own(
    evening: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = evening()

    async def both() -> list[door.Run]:
        return await asyncio.gather(*(door.arun(study, set={"seed": n}, progress=False) for n in (1, 2)))

    runs = asyncio.run(both())
    assert sorted(str(run.folder) for run in runs) == ["runs/evening-001", "runs/evening-002"]
    assert [run.study["seed"] for run in runs] == [1, 2]
    with pytest.raises(InputError, match="no key"):
        door.run(study, set={"steps": 3}, progress=False)
    assert len(list((tmp_path / "runs").iterdir())) == 2, "a study that is refused takes no folder"


class Stops(Watcher):
    """Asks for a stop after the first step, and goes on only when it was heard."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self.ask = ask

    def step(self, number: int, label: str) -> None:
        if number == 1:
            self.ask()
            stop = edge._stop.get()
            while stop is not None and not stop.asked:
                time.sleep(0)


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Has runs that show no progress ask for a stop after their first step."""

    def set_ask(ask: Callable[[], None]) -> None:
        monkeypatch.setattr(execute, "progress", lambda shown: nullcontext(lambda name: Stops(ask)))

    return set_ask


def test_ctrl_c_stops_a_blocking_call_of_a_notebook_and_the_run_goes_on(
    evening: Callable[..., Path], sit: Callable[..., str], tmp_path: Path, notebook: Any, stopping: Any
) -> None:
    study = evening(tables="[config]\nsteps = 30\n")
    main = threading.main_thread().ident
    assert main is not None
    before = signal.getsignal(signal.SIGINT)
    stopping(lambda: signal.pthread_kill(main, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        notebook(lambda: door.run(study, out=tmp_path / "run", progress=False))
    assert signal.getsignal(signal.SIGINT) is before
    run = door.open_run(tmp_path / "run")
    assert run.status == "stopped" and "stopped" in run._repr_html_()
    stopping(lambda: None)
    assert run.resume(progress=False).content == sit(study, tmp_path / "whole")


def test_a_cancelled_run_stops_and_goes_on(
    evening: Callable[..., Path], tmp_path: Path, stopping: Any
) -> None:
    study = evening(tables="[config]\nsteps = 30\n")

    async def cancelled() -> None:
        task = asyncio.ensure_future(door.arun(study, out=tmp_path / "run", progress=False))
        loop = asyncio.get_running_loop()
        stopping(lambda: loop.call_soon_threadsafe(task.cancel))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert door.open_run(tmp_path / "run").status == "stopped"

    asyncio.run(cancelled())


def test_progress_goes_to_standard_error_unless_it_is_turned_off(
    evening: Callable[..., Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    door.run(evening(), out=tmp_path / "a")
    told = capfd.readouterr()
    assert "a: step 1: evening 1" in told.err and not told.out
    door.run(evening(), out=tmp_path / "b", progress=False)
    assert capfd.readouterr() == ("", "")


def test_a_study_that_runs_commands_needs_leave_here_too(
    evening: Callable[..., Path], tmp_path: Path
) -> None:
    study = evening(
        'answers = {kind = {"parlour.rate" = "system:bot"}}',
        f'[system.bot]\nconnector = "stdio"\nresponse = "text"\ncommand = ["{sys.executable}"]',
    )
    with pytest.raises(Untrusted, match="starts the command") as refused:
        door.run(study, out=tmp_path / "run", progress=False)
    assert isinstance(refused.value, OpeniirError) and not (tmp_path / "run").exists()


def test_names_are_text_and_never_markup(evening: Callable[..., Path], tmp_path: Path) -> None:
    study, place = evening(), tmp_path / EVIL.replace("/", "")
    run = door.run(study, out=place, progress=False)
    other = door.run(study, set={"config.topic": EVIL}, out=tmp_path / "other", progress=False)
    views = (
        Table(columns=(EVIL, "n"), rows=((EVIL, 1.5),)),
        Series(unit=EVIL, low=0.0, high=1.0, lines={EVIL: ((1, 0.5),)}),
        [Entry(step=1, heading=EVIL, text=EVIL, actor=EVIL, notes=(EVIL,))],
    )
    pages = [run._repr_html_(), *(door.Drawing(EVIL, view)._repr_html_() for view in views)]
    assert all("&lt;script" in page for page in pages)
    pages.append(door.compare(run, other)._repr_html_())
    assert not [page for page in pages if "<script" in page or "<img" in page]


def test_a_notebook_is_given_text_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich would display what it draws there by itself; an Arrow table lists its columns in lines."""
    formats: dict[str, Any] = {}
    formatter = SimpleNamespace(
        for_type_by_name=lambda module, name, html: formats.update({f"{module}.{name}": html})
    )
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": formatter}))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert str(door.Drawing("Title", Table(columns=("name",), rows=(("ada",),)))) == "Title\nname\nada"
    columns.show_in_notebooks()
    rows = pyarrow.table({EVIL: [EVIL] * 60, "n": range(60)})
    shown = formats[f"{type(rows).__module__}.Table"](rows)
    assert "<script" not in shown and shown.count("<tr>") == 51 and "10 rows more" in shown


def test_a_script_is_not_executed_again_by_processes_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, again = tmp_path / "script.py", tmp_path / "again"
    script.write_text(f"open({str(again)!r}, 'w')")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    with process_pool(1) as pool:
        assert pool.submit(len, "two").result() == 3
    assert not again.exists()


def test_the_import_is_light() -> None:
    code = (
        "import sys, openiir; dir(openiir); print(len([m for m in sys.modules if m.startswith('openiir')]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout == "1\n"
