"""Cells on machines that share nothing but the sweep's folder; here one process plays them all."""

import asyncio
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.core.storage import RunFile, check_run
from openiir.core.storage.transfer import put_run, receive_run, recover_run
from openiir.runs.settings import Settings, apply_settings
from openiir.runs.study import study_permissions
from openiir.runs.sweep import node
from openiir.runs.sweep.execute import hold_folder, run_cells
from openiir.runs.sweep.inputs import SweepInputs, lay_out_inputs
from openiir.runs.sweep.node import NodeRunner, check_node, merge_node_settings
from openiir.runs.sweep.rayed import make_order
from openiir.runs.sweep_record import INPUTS, STORE, CellWatcher
from openiir.runs.trust import Trust
from ray_nodes import wait_for

SHOP = """
type = "recommender"
name = "shop"
seed = 3
[config]
users = 6
systems = [{ name = "popular", by = "popularity" }, { name = "own", by = "file:lists.csv" }]
[config.data]
name = "shop"
kind = "book"
ratings = { file = "orders.csv", user = "user", item = "item", rating = "stars" }
[config.data.items]
file = "$OPENIIR_DATA/shop/books.csv"
key = "item"
title = "title"
[sweep]
seeds = 2
"""


@pytest.fixture(autouse=True)
def own_scratch(tmp_path, monkeypatch):
    """Scratch folders lie in the test's folder; what a machine changes of this process is undone."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(node, "gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setenv("OPENIIR_DATA", os.environ.get("OPENIIR_DATA", ""))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A study of which one file lies in its own folder, another in that of the data sets."""
    study, data = tmp_path / "shop-study", tmp_path / "data"
    (data / "shop").mkdir(parents=True)
    study.mkdir()
    (study / "study.toml").write_text(SHOP)
    pairs = [(f"u{u}", f"b{(u * 3 + k) % 12}", 1 + (u + k) % 5) for u in range(9) for k in range(7)]
    (study / "orders.csv").write_text("user,item,stars\n" + "".join(f"{u},{i},{s}\n" for u, i, s in pairs))
    (study / "lists.csv").write_text("user,item,score\n" + "".join(f"{u},{i},{s}\n" for u, i, s in pairs))
    (data / "shop" / "books.csv").write_text("item,title\n" + "".join(f"b{i},Book {i}\n" for i in range(12)))
    (data / "other.csv").write_text("not named")
    (study / ".venv").mkdir()
    (study / ".venv" / "large.so").write_text("stays where it is")
    monkeypatch.setenv("OPENIIR_DATA", str(data))
    return study


def elsewhere(*gone: Path):
    """An engine of one other machine, for which some folders of this one do not exist."""

    async def engine(folder, own, cells, workers, note):
        order = make_order(folder.resolve(), own, joined=True)
        study = Path(order.study)
        away = [(place, place.with_name(f"{place.name}.away")) for place in gone if place.exists()]
        for place, aside in away:
            place.rename(aside)
        try:
            runner = NodeRunner(order)
            for cell in cells:
                note(await runner.run(cell))
        finally:
            for place, aside in away:
                aside.rename(place)
            apply_settings(own)
        for cell in cells:
            receive_run(folder / cell.folder, study)

    return engine


def go_on(folder, engine):
    with hold_folder(folder):
        return asyncio.run(run_cells(folder, Settings(), engine, 1, CellWatcher()))


def test_a_cell_finds_the_files_of_its_study_by_their_hash(shop, sweep, tmp_path, monkeypatch):
    here = sweep(shop / "study.toml", tmp_path / "here")
    there = sweep(shop / "study.toml", tmp_path / "there", engine=elsewhere(shop, tmp_path / "data"))
    assert there.cells == here.cells and {c.status for c in there.cells} == {"done"}
    assert len(list((tmp_path / "there" / STORE).iterdir())) == 4
    shutil.rmtree(tmp_path / "there" / "cells" / "0002")
    shutil.rmtree(shop)
    shutil.rmtree(tmp_path / "data")
    monkeypatch.setenv("OPENIIR_DATA", str(tmp_path / "data"))
    assert go_on(tmp_path / "there", elsewhere()) == here, "a resume reads nothing of the study"


def test_the_files_of_a_named_data_set_are_stored(shop, sweep, tmp_path):
    films = tmp_path / "data" / "ml-latest-small"
    films.mkdir()
    orders = (shop / "orders.csv").read_text().splitlines()[1:]
    rows = [line.replace("u", "").replace("b", "") + ",9" for line in orders]
    (films / "ratings.csv").write_text("userId,movieId,rating,timestamp\n" + "\n".join(rows) + "\n")
    titles = [f"{n},Film {n} (1999),Drama" for n in range(12)]
    (films / "movies.csv").write_text("movieId,title,genres\n" + "\n".join(titles) + "\n")
    (films / "notes.txt").write_text("not of the data set")
    table = SHOP[: SHOP.index("[config.data]")].replace(', { name = "own", by = "file:lists.csv" }', "")
    (shop / "study.toml").write_text(f'{table}[config.data]\nname = "movielens-latest-small"\n[sweep]\n')
    done = sweep(shop / "study.toml", tmp_path / "there", engine=elsewhere(tmp_path / "data"))
    assert [cell.status for cell in done.cells] == ["done"], done.cells
    stored = json.loads((tmp_path / "there" / INPUTS).read_text())["data"]
    assert sorted(stored) == ["ml-latest-small/movies.csv", "ml-latest-small/ratings.csv"]


def test_a_stored_file_that_was_changed_is_told(shop, sweep, tmp_path):
    out = tmp_path / "out"

    async def nobody(*words):
        make_order(words[0].resolve(), words[1], joined=True)

    sweep(shop / "study.toml", out, engine=nobody)
    orders = (shop / "orders.csv").read_bytes()
    (shop / "orders.csv").write_bytes(orders.replace(b"u1", b"u2"))  # the store has a link to it
    with pytest.raises(InputError, match=r"orders\.csv is not the file that the sweep began with"):
        go_on(out, elsewhere())


def test_a_machine_copies_a_file_from_another_disk_once(tmp_path, monkeypatch):
    text = b"user,item\n"
    digest, blobs = hashlib.sha256(text).hexdigest(), tmp_path / "blobs"
    (tmp_path / STORE).mkdir()
    (tmp_path / STORE / digest).write_bytes(text)
    inputs = SweepInputs(study={"a.csv": digest, "deep/b.csv": digest}, data={"c.csv": digest})
    link = os.link

    def only_within_a_disk(source, target):
        if STORE in Path(source).parts:
            raise OSError("another disk")
        link(source, target)

    monkeypatch.setattr(os, "link", only_within_a_disk)
    study, data = lay_out_inputs(tmp_path, inputs, tmp_path / "laid", blobs)
    placed = [study / "a.csv", study / "deep" / "b.csv", data / "c.csv", blobs / digest]
    assert {place.read_bytes() for place in placed} == {text}
    assert len({place.stat().st_ino for place in placed}) == 1 and len(list(blobs.iterdir())) == 1
    (blobs / digest).write_bytes(b"changed")
    with pytest.raises(InputError, match="is not the file that the sweep began with"):
        lay_out_inputs(tmp_path, inputs, tmp_path / "again", blobs)
    lay_out_inputs(tmp_path, inputs, tmp_path / "third", blobs)  # a spoilt copy is made anew


def test_a_permission_covers_the_copy_of_a_study(sweep, small, tmp_path, monkeypatch):
    study = small(
        '[answers.kind]\n"parlour.rate" = "system:rater"\n'
        '[system.rater]\nconnector = "python"\ncallable = "copied_rater:answer"\n'
    )
    (study.parent / "copied_rater.py").write_text("def answer(request):\n    return {'score': 7}\n")
    (study.parent / "link.md").symlink_to("sea.md")
    monkeypatch.syspath_prepend(str(study.parent))
    monkeypatch.delitem(sys.modules, "copied_rater", raising=False)
    trust = Trust().with_leave(study_permissions(str(study)))
    out = study.parent / "runs" / "there"
    done = sweep(study, out, engine=elsewhere(study.parent / "sea.md"), settings=Settings(trust=trust))
    assert [cell.status for cell in done.cells] == ["done"], done.cells
    assert Path(sys.modules["copied_rater"].__file__).is_relative_to(tmp_path / "tmp")
    digests = {one.digest for one in study_permissions(str(study))}
    assert digests <= set(trust.digests), "the sweep's store is no file of the study"
    stored = next((out / STORE).iterdir())
    stored.unlink()
    stored.write_text("import os")
    assert not digests & {one.digest for one in study_permissions(str(study))}


def test_a_link_out_of_a_study_is_refused(shop, sweep, tmp_path):
    (shop / "link.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(InputError, match="is a link out of the study's folder"):
        sweep(shop / "study.toml", tmp_path / "out", engine=elsewhere())


def test_what_a_cell_has_done_is_not_lost(small, sweep, parlour, monkeypatch, tmp_path):
    study, out = small("[sweep]\nseeds = 1\n"), tmp_path / "there"
    here = sweep(study, tmp_path / "here")
    offline, asked = parlour.Rate.offline, []

    def sour(question, draw):
        asked.append(draw)
        if len(asked) == 5:
            raise ZeroDivisionError("the fire went out")
        return offline(question, draw)

    monkeypatch.setattr(parlour.Rate, "offline", sour)
    monkeypatch.setattr(node, "SPILL_SECONDS", 0.0)
    failed = sweep(study, out, engine=elsewhere()).cells[0]
    assert failed.status == "failed" and "the fire went out (on " in failed.reason
    with RunFile.open(out / failed.folder) as run:
        check_run(run)
        assert len(run.steps()) == 1 and run.state("status") == "failed"
    monkeypatch.setattr(parlour.Rate, "offline", offline)
    assert go_on(out, elsewhere()).content() == here.content()
    assert [p.name for p in (out / "cells").iterdir()] == ["0001"]
    assert not list((tmp_path / "tmp").rglob("run.db"))


def test_a_running_cell_is_put_into_the_folder_from_time_to_time(
    small, sweep, parlour, monkeypatch, tmp_path
):
    study, out, seen = small("[sweep]\nseeds = 1\n"), tmp_path / "there", []
    offline = parlour.Rate.offline

    def look(question, draw):
        if (out / "cells" / "0001" / "run.db").exists():
            with RunFile.open(out / "cells" / "0001") as run:
                check_run(run)
                seen.append(len(run.steps()))
        return offline(question, draw)

    monkeypatch.setattr(parlour.Rate, "offline", look)
    monkeypatch.setattr(node, "SPILL_SECONDS", 0.0)
    sweep(study, out, engine=elsewhere())
    assert 1 in seen


def test_a_cell_that_is_cancelled_keeps_its_replies(by_model, served, sweep, tmp_path):
    server, out = served(latency=0.01)[0], tmp_path / "there"
    settings = Settings.model_validate({"endpoint": {"url": server.url}})

    async def stopped(folder, own, cells, workers, note):
        runner = NodeRunner(make_order(folder.resolve(), own, joined=True))
        task = asyncio.create_task(runner.run(cells[0]))
        await asyncio.to_thread(wait_for, lambda: server.counts.requests >= 5, "five calls are made")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        apply_settings(own)

    sweep(by_model, out, engine=stopped, settings=settings)
    with RunFile.open(out / "cells" / "0001") as run:
        kept = run.usage()["calls"]
        assert run.state("status") == "stopped" and kept >= 3
    before = server.counts.requests
    resumed = sweep(by_model, out, engine=elsewhere(), settings=settings)
    asked = server.counts.requests - before
    assert resumed == sweep(by_model, tmp_path / "here", settings=settings)
    assert server.counts.requests - before - asked == asked + kept, "what was answered is not asked again"


def test_a_replacement_that_was_cut_off_is_completed(small, sit, tmp_path, monkeypatch):
    content = sit(small(), tmp_path / "own")
    place, aside = tmp_path / "cells" / "0001", tmp_path / "aside"
    put_run(tmp_path / "own", place, aside)
    place.rename(aside / "0001.x.leaving")
    (aside / "0001.x.arriving").mkdir()
    (aside / "00010.y.arriving").mkdir()
    recover_run(place, aside)
    with RunFile.open(place) as run:
        assert run.state("content") == content
    assert [p.name for p in place.parent.iterdir()] == ["0001"]
    put_run(tmp_path / "own", place, aside)
    assert [p.name for p in place.parent.iterdir()] == ["0001"]
    assert [p.name for p in aside.iterdir()] == ["00010.y.arriving"]


def test_what_a_machine_lacks_is_told(small, sweep, tmp_path):
    orders = []

    async def nobody(folder, own, *_):
        orders.append(make_order(folder.resolve(), own, joined=True))

    sweep(small(), tmp_path / "out", engine=nobody)
    order = orders[0]
    check_node(order)
    assert INPUTS in {p.name for p in (tmp_path / "out").iterdir()}
    for change, words in (
        (
            {"versions": order.versions | {"openiir": "9.9"}},
            r"openiir .* is installed, the sweep began with 9\.9",
        ),
        ({"types": {"saloon": "saloons 1.0"}}, "no type is called 'saloon'.*saloons 1.0: install that"),
        (
            {"types": {"panel": "panels 2.0"}},
            "the type panel is of openiir .*, the sweep began with panels 2.0",
        ),
        ({"plan": "0"}, "is another sweep's here; put the sweep on storage that all machines share"),
        (
            {"folder": str(tmp_path / "no")},
            "plan.json is not here; put the sweep on storage that all .* share",
        ),
    ):
        with pytest.raises(InputError, match=words):
            check_node(order.model_copy(update=change))


def test_a_machine_may_have_settings_of_its_own(tmp_path, monkeypatch):
    own, sent = tmp_path / "node.toml", Settings.model_validate({"endpoint": "http://a/v1", "workers": 3})
    monkeypatch.setenv("OPENIIR_NODE_SETTINGS", str(own))
    own.write_text('endpoint = ["http://b/v1", "http://c/v1"]\n')
    merged = merge_node_settings(sent)
    assert [one.url for one in merged.endpoint] == ["http://b/v1", "http://c/v1"] and merged.workers == 3
    own.write_text('receipts = "elsewhere"\n')
    with pytest.raises(InputError, match="receipts is no setting of a node; known: endpoint"):
        merge_node_settings(sent)
    monkeypatch.delenv("OPENIIR_NODE_SETTINGS")
    assert merge_node_settings(sent) is sent


def test_people_are_not_asked_on_other_machines(small, sweep, tmp_path):
    with pytest.raises(InputError, match="people answer by files .* --engine local"):
        sweep(
            small(top='answers = "human"'),
            tmp_path / "out",
            engine=elsewhere(),
            settings=Settings(human="file"),
        )
