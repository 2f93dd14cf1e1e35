"""Cells as Ray tasks: on this machine, and on two nodes that share the sweep's folder alone."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from site_packages import lay_out

from openiir.core.errors import InputError
from openiir.runs.settings import Settings
from openiir.runs.study import study_permissions
from openiir.runs.sweep.rayed import describe_ray_error
from openiir.runs.sweep_record import is_sweep, read_sweep
from openiir.runs.trust import Trust
from openiir.testing.standin import Behaviour, StandIn
from ray_nodes import ray_nodes, wait_for

COMMAND = [sys.executable, "-c", "import openiir.cli; openiir.cli.main()"]
RATER = "def answer(request):\n    return '{\"score\": %d}' % (len(request['text']) % 11)\n"
CELLS = """
[model]
name = "standin"
[answers]
default = "model"
kind = { "parlour.rate" = "system:rater" }
[system.rater]
connector = "python"
callable = "rater_of_study:answer"
request = { text = "{text}" }
[sweep]
"config.warmth" = [0.2, 0.8]
seeds = 3
[config]
steps = 3
"""


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

    study = small('[sweep]\n"config.warmth" = [0.2, 0.8]\n')
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


def test_a_machine_without_openiir_is_told():
    trace = "ray::_prepare_node()\n  File ...\nModuleNotFoundError: No module named 'openiir'"
    assert "openiir is not installed there" in describe_ray_error(RuntimeError(trace))
    assert describe_ray_error(RuntimeError("it\nbroke")) == "Ray: RuntimeError: it broke"


@pytest.mark.extras
def test_a_cluster_that_is_not_there_is_told(small, openiir, monkeypatch, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("RAY_ADDRESS", address)
    refused = openiir("sweep", small(), "--engine", "ray", "--out", tmp_path / "sweep")
    assert refused.code == 2 and f"no Ray answers at RAY_ADDRESS={address}" in refused.err


@pytest.fixture(scope="module")
def site(parlour, tmp_path_factory):
    """The small type as an installed distribution."""
    place, module = tmp_path_factory.mktemp("site"), Path(parlour.__file__)
    files = {module.name: module.read_text("utf-8")}
    lay_out(place, "parlour-for-tests", files, {"parlour": f"{module.stem}:Parlour"}, "1.0")
    return place


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The folder of a study that no node sees, for it is hidden from their processes."""
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def cluster(site, study, tmp_path_factory):
    """Two nodes, each with a model endpoint of its own."""
    with (
        ray_nodes() as nodes,
        StandIn(Behaviour(latency=0.03)) as one,
        StandIn(Behaviour(latency=0.03)) as other,
    ):
        for name, served in (("a", one), ("b", other)):
            own = tmp_path_factory.mktemp(name) / "node.toml"
            own.write_text(f'endpoint = "{served.url}"\n')
            nodes.start(name, {"OPENIIR_NODE_SETTINGS": str(own), "PYTHONPATH": str(site)}, hidden=study)
        nodes.endpoints = {"a": one, "b": other}
        yield nodes


@pytest.fixture
def command(cluster, site, study, tmp_path):
    """Starts a command that joins the cluster, in a process of its own."""
    settings = tmp_path / "settings.toml"
    settings.write_text('endpoint = "http://127.0.0.1:9/v1"\n')
    path = os.pathsep.join([str(site), str(study)])

    @contextmanager
    def start(*words):
        environment = {**os.environ, **cluster.environment, "PYTHONPATH": path}
        words = [*COMMAND, *map(str, words), "--settings", str(settings), "--trust"]
        with subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    return start


def under_way(process, what, why):
    """Wait for something that a process brings about; tells its error if it ends."""

    def look():
        assert process.poll() is None or what(), process.communicate()[1]
        return what()

    return wait_for(look, why)


def ended(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip().splitlines()[-1]


def done(folder):
    return is_sweep(folder) and len(list(folder.glob("cells/[0-9]*/manifest.json")))


@pytest.mark.extras
@pytest.mark.network
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_loses_a_node_and_a_head_and_nothing_else(
    cluster, command, evening, study, sweep, openiir, monkeypatch, tmp_path
):
    written = evening(tables=CELLS)
    for file in written.parent.iterdir():
        (study / file.name).write_bytes(file.read_bytes())
    (study / "rater_of_study.py").write_text(RATER)
    monkeypatch.syspath_prepend(study)
    one, other = cluster.endpoints.values()
    out = tmp_path / "sweep"
    words = ("sweep", study / "study.toml", "--engine", "ray", "--out", out)
    with command(*words) as process:
        under_way(process, lambda: done(out), "the first cell ends")
        process.send_signal(signal.SIGKILL)
    begun = done(out)
    assert 0 < begun < 6
    assert one.counts.requests and other.counts.requests, "each node asks its own endpoint"
    with command("resume", out, "--engine", "ray") as process:
        under_way(process, lambda: done(out) >= begun + 2, "cells of both nodes end")
        cluster.kill("b")
        content = ended(process)
    assert {cell.status for cell in read_sweep(out).cells} == {"done"}
    one.behave(Behaviour())
    trust = Trust().with_leave(study_permissions(str(study / "study.toml")))
    settings = Settings.model_validate({"endpoint": one.url, "trust": trust})
    here = sweep(study / "study.toml", tmp_path / "here", settings=settings)
    assert here.cells == read_sweep(out).cells and content == f"content: {here.content()}"
    assert openiir("replay", out / "cells" / "0006", "--trust").content == here.cells[5].content
