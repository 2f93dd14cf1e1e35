"""Cells as Ray tasks, on a local Ray of two workers."""

import sys

import pytest

from openiir.core.errors import InputError


def test_without_ray_the_command_that_brings_it_is_told(small, openiir, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    refused = openiir("sweep", small(), "--engine", "ray", "--out", tmp_path / "sweep")
    assert refused.code == 2 and "pip install 'openiir[ray]'" in refused.err
    assert not (tmp_path / "sweep").exists()


@pytest.mark.extras
@pytest.mark.network
@pytest.mark.filterwarnings("ignore")
def test_ray_gives_the_very_content(small, sweep, installed, parlour, tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed: make test-extras brings it")
    from openiir.runs.sweep.rayed import run_ray

    study = small('[sweep]\n"config.warmth" = [0.2, 0.8]\nseeds = 2\n')
    inline = sweep(study, tmp_path / "inline")

    async def two_workers(folder, settings, cells, workers, told):
        await run_ray(folder, settings, cells, 2, told)

    rayed = sweep(study, tmp_path / "ray", engine=two_workers)
    assert rayed.cells == inline.cells and rayed.content() == inline.content()


@pytest.mark.extras
def test_ray_is_there_for_the_extras():
    """Else the test above would only ever be skipped."""
    from openiir.runs.sweep.rayed import import_ray

    try:
        assert import_ray().remote
    except InputError:
        pytest.fail("make test-extras installs Ray")
