"""Reasons why runs ended: an endpoint's address is told at the terminal, and neither recorded nor shown."""

import asyncio
import json
import shutil

import pytest
from starlette.testclient import TestClient

from openiir.core.errors import EndpointError
from openiir.core.storage import RunFile
from openiir.runs import types
from openiir.runs.catalogue import read_card
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.reasons import withhold_addresses
from openiir.runs.setting import differing_keys, reference_setting
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.sweep_record import Cell
from openiir.runs.types import find_type
from openiir.server.app import build_app
from openiir.server.guard import Access

ADDRESS = "http://10.11.12.13:9876/v1"


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """A panel that was to be answered by a model whose endpoint is not there, and what the terminal was
    told."""
    folder = tmp_path_factory.mktemp("failed") / "panel"
    settings = Settings.model_validate({"endpoint": {"url": "http://127.0.0.1:9/v1", "tries": 1}})
    keys = ('answers="model"', 'model.name="m1"')
    with (
        prepare_run(load_study("panel", keys), folder, settings) as run,
        pytest.raises(EndpointError) as told,
    ):
        asyncio.run(drive(run, settings, Watcher()))
    return folder, str(told.value)


def test_a_recorded_reason_names_no_address(failed):
    folder, told = failed
    assert "http://127.0.0.1:9/v1" in told
    with RunFile.open(folder) as run:
        reason = str(run.state("reason"))
    assert reason == f"EndpointError: {told}".replace("http://127.0.0.1:9/v1", "the endpoint")


def test_no_page_of_a_failed_run_shows_the_address(failed, tmp_path, own):
    old = own(shutil.copytree(failed[0], tmp_path / "old"))
    with RunFile.open(old, writable=True) as run:  # as runs were recorded before
        run.set_state(status="failed", reason=f"EndpointError: asked {ADDRESS} for a reply")
    with TestClient(
        build_app(tmp_path, Access(), Settings()),
        base_url="http://127.0.0.1:8317",
        headers={"X-Openiir": "1"},
    ) as client:
        for path in ("runs", "runs/old", "runs/old/stream", "compare?run=old&run=old", "runs/old/questions"):
            answer = client.get(f"/api/{path}").text
            assert "10.11.12.13" not in answer and "9876" not in answer, path
    assert read_card("old", old).reason == "EndpointError: asked the endpoint for a reply"


def test_who_was_to_answer_is_told_of_a_run_that_nobody_answered(failed):
    card = read_card("panel", failed[0])
    assert card.answers == ("model m1",) and card.calls == 0 and card.state == "failed"


def test_cells_of_sweeps_withhold_addresses_too():
    cell = Cell(id="0001", arm={}, seed=1, folder="cells/0001").with_result(
        "failed", reason=f"asked {ADDRESS}: 404"
    )
    assert cell.reason == "asked the endpoint: 404"
    assert Cell.model_validate({**cell.model_dump(), "reason": f"asked {ADDRESS}: 404"}) == cell


def test_addresses_that_the_study_names_stay():
    study = {"system": {"shop": {"url": "ws://shop.example/talk"}}}
    told = "system ws://shop.example/talk did not answer; asked http://a:1/v1 or http://b:2/v1 (https://c/x)."
    assert withhold_addresses(told, study) == (
        "system ws://shop.example/talk did not answer; asked the endpoints (the endpoint)."
    )


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        (("seed=99",), {"seed": 99}),
        (('answers="model"', 'model.name="m1"'), {"answers.default": "model", "model.name": "m1"}),
        (("world.chunk_words=50",), {"world.main.chunk_words": 50}),
        (("name=other",), {}),
    ],
)
def test_what_differs_from_the_reference_study_is_the_whole_study(tmp_path, keys, named):
    with prepare_run(load_study("panel", keys), tmp_path / "run", Settings()) as run:
        found = differing_keys(run)
    assert {key: found.get(key) for key in named} == named
    if not named:
        assert found == {}


def test_other_personas_and_passages_differ_from_the_reference_study(tmp_path):
    reference = shutil.copytree(find_type("panel").reference, tmp_path / "mine")  # type: ignore[arg-type]
    source = next(file for file in sorted((reference / "sources").rglob("*")) if file.is_file())
    source.write_text("Tides are caused by the moon. " * 30)
    people = reference / "personas.toml"
    people.write_text(people.read_text().replace('bio = "', 'bio = "Loves tides. ', 1))
    with prepare_run(load_study(str(reference)), tmp_path / "run", Settings()) as run:
        assert {"personas", "world.main.passages"} <= differing_keys(run).keys()


@pytest.mark.parametrize(
    ("listed", "why"),
    [(False, "unknown: the type is not installed"), (True, "unknown: the type comes without one")],
)
def test_where_no_reference_study_is_known_no_default_is_taken_for_changed(
    tmp_path, monkeypatch, listed, why
):
    with prepare_run(load_study("panel", ("config.mu=0.3",)), tmp_path / "run", Settings()):
        pass
    if listed:
        monkeypatch.setattr(find_type("panel").__class__, "reference", None)
    else:
        monkeypatch.setattr(types, "_entries", list)
    reference_setting.cache_clear()
    card = read_card("run", tmp_path / "run")
    reference_setting.cache_clear()
    assert card.changed == (("reference study", json.dumps(why)),)


def test_a_folder_called_like_a_type_is_not_its_reference_study(tmp_path, monkeypatch):
    mine = shutil.copytree(find_type("panel").reference, tmp_path / "panel")  # type: ignore[arg-type]
    (mine / "study.toml").write_text((mine / "study.toml").read_text().replace("seed = ", "seed = 9"))
    with prepare_run(load_study("panel"), tmp_path / "run", Settings()) as run:
        monkeypatch.chdir(tmp_path)
        reference_setting.cache_clear()
        assert differing_keys(run) == {}
    reference_setting.cache_clear()
