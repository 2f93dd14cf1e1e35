"""Small types could live outside: packages of their own make the same runs, and nothing names them."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from golden_runs import STUDIES
from import_graph import SMALL_TYPES
from site_packages import lay_out

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "openiir"
TYPES = importlib.metadata.distribution("openiir").entry_points.select(group="openiir.types")
BUILT_IN = {one.name: one.value for one in TYPES}
GOLDEN = {study: (name, sets) for name, (study, sets) in STUDIES.items() if study in SMALL_TYPES}
RUN = """
import json, sys
import openiir
from openiir.runs.changes import parse_assignment
from openiir.runs.types import list_types

for type_, sets in json.loads(sys.argv[1]).items():
    openiir.run(type_, set=dict(map(parse_assignment, sets)), out=type_, progress=False)
types = {one.name: one.scenario.__module__ for one in list_types()}
print(json.dumps([types, sorted(name for name in sys.modules if name.startswith("openiir.scenarios."))]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages: openiir without its small types, and a package for each of these."""
    place = tmp_path_factory.mktemp("site")
    scenarios = place / "openiir" / "scenarios"
    scenarios.mkdir(parents=True)
    for folder, left_out in ((SOURCE, ["scenarios"]), (SOURCE / "scenarios", SMALL_TYPES)):
        for path in folder.iterdir():
            if path.name not in (*left_out, "__pycache__"):
                (place / "openiir" / path.relative_to(SOURCE)).symlink_to(path)
    kept = {type_: value for type_, value in BUILT_IN.items() if type_ not in SMALL_TYPES}
    lay_out(place, "openiir", {}, kept, importlib.metadata.version("openiir"))
    for type_ in SMALL_TYPES:
        folder, module = SOURCE / "scenarios" / type_, f"own_{type_}"
        files = {
            f"{module}/{path.relative_to(folder)}": path.read_text("utf-8").replace(
                f"openiir.scenarios.{type_}", module
            )
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        entry = BUILT_IN[type_].replace(f"openiir.scenarios.{type_}", module)
        lay_out(place, f"own-{type_}", files, {type_: entry})
    return place


def test_small_types_make_the_same_runs_from_packages_of_their_own(site: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    sets = json.dumps({type_: sets for type_, (_, sets) in GOLDEN.items()})
    command = [sys.executable, "-c", RUN, sets]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    types, built_in = json.loads(done.stdout.splitlines()[-1])
    assert {types[type_] for type_ in SMALL_TYPES} == {f"own_{type_}.scenario" for type_ in SMALL_TYPES}
    assert built_in and not [name for name in built_in if name.split(".")[2] in SMALL_TYPES]
    recorded = {type_: ROOT / "tests" / "golden" / name for type_, (name, _) in GOLDEN.items()}
    assert sorted(recorded) == SMALL_TYPES
    for type_, golden in recorded.items():
        content = [
            json.loads((run / "manifest.json").read_text())["content"] for run in (golden, tmp_path / type_)
        ]
        assert content[0] == content[1], type_


def test_nothing_outside_its_folder_names_a_small_type() -> None:
    words = re.compile("|".join(name.replace("_", "[-_ ]?") for name in SMALL_TYPES), re.IGNORECASE)
    rooms = [room for room in SOURCE.iterdir() if room.name != "scenarios"]
    assert {"core", "plugin", "kit", "runs", "server", "web", "cli", "testing"} <= {
        room.name for room in rooms
    }
    texts = {
        str(path.relative_to(ROOT)): path.read_bytes().decode(errors="ignore")
        for room in (*rooms, ROOT / "frontend" / "src")
        for path in (room, *room.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    found = [path for path, text in texts.items() if words.search(f"{path} {text}")]
    assert not found, f"only its own folder may name a small type; also named in: {', '.join(found)}"
    own = SOURCE / "scenarios" / SMALL_TYPES[0] / "scenario.py"
    assert words.search(own.read_text("utf-8")), "names are found where there are any"
