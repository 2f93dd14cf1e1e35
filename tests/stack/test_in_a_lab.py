"""The commands of docs/how-to/in-a-lab.md, in their order: PostgreSQL, two Ray nodes, a stand-in model."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from lab_server import lab_server

from openiir.runs.sweep_record import read_sweep
from openiir.testing.standin import StandIn
from ray_nodes import ray_nodes

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "in-a-lab.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAM = [sys.executable, "-c", "import openiir.cli; openiir.cli.main()"]


@pytest.fixture(scope="module")
def lab():
    for name in ("ray", "ladybug"):
        pytest.importorskip(name, reason=f"{name} is not installed: make test-extras brings it")
    with lab_server() as server, StandIn() as model, ray_nodes() as nodes:
        nodes.start("first")
        nodes.start("second")
        yield server.new_database(), model, nodes


def blocks(language, replaced):
    """Yield the page's blocks in a language, with its addresses and folders replaced."""
    for found, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if found == language:
            for told, here in replaced.items():
                text = text.replace(told, here)
            yield text


def commands(block):
    """Yield the environment and the words of each openiir command of a block."""
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line.removeprefix("$ ")) if line.startswith("$ ") else []
        if "openiir" in words:
            at = words.index("openiir")
            yield dict(word.split("=", 1) for word in words[:at]), words[at + 1 :]


@pytest.mark.extras
@pytest.mark.network
@pytest.mark.filterwarnings("ignore")
def test_the_commands_of_the_page_give_a_mirrored_sweep(lab, tmp_path):
    database, model, nodes = lab
    replaced = {
        "postgresql://ada@db.example.org/runs": database.url,
        "http://gpu1:8000/v1": model.url,
        "first-machine:6379": nodes.address,
        "neo4j://graphs.example.org": f"ladybug:{tmp_path / 'graphs'}",
        "/shared": str(tmp_path / "shared"),
        "--seeds 3": "--seeds 1",
    }
    (settings,) = blocks("toml", replaced)
    (tmp_path / "openiir.toml").write_text(settings)
    said, ran = {}, 0
    for block in blocks("console", replaced):
        for variables, words in commands(block):
            if words[0] == "pull":  # the pilot, whose hash the page has of another model
                words[2] = said["resume"].split("content: ")[1][:15]
            environment = {**os.environ, **nodes.environment, "HOME": str(tmp_path), **variables}
            done = subprocess.run(
                [*PROGRAM, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
            )
            assert done.returncode == 0, f"{words}: {done.stderr}"
            said[words[0]], ran = done.stdout, ran + 1
    assert ran == len(list(filter(None, said))) + 1  # doctor is asked twice
    assert "intact" in said["verify"] and said["pull"].splitlines()[-1] == said["resume"].splitlines()[-1]
    cells = read_sweep(tmp_path / "shared" / "panels").cells
    mirrored = database.query("select cell, status, content from openiir.cells order by cell")
    assert mirrored == [(cell.id, "done", cell.content) for cell in cells] and len(cells) == 2
    (query,) = blocks("sql", replaced)
    assert [(row[0], row[1]) for row in database.query(query)] == [("2", 1), ("6", 1)]
