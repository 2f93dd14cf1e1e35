"""`openiir new`: the package it writes is installed, tested and run as its author would."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest
from import_graph import SMALL_TYPES, TYPES
from site_packages import install, lay_out

from openiir.cli.new import TEMPLATES, derive_names, new
from openiir.core import seeds
from openiir.core.errors import InputError
from openiir.core.storage.content import SECTIONS, section_rows
from openiir.runs import types
from openiir.runs.audit.auditing import configure_study
from openiir.testing.offline import offline_study, run_loaded, vary_study

FORKING = """
import json, os, sys
from pathlib import Path
import openiir.cli.ask, openiir.cli.replay, openiir.cli.run, openiir.cli.show
from openiir.cli import main

for words in json.loads(sys.argv[1]):
    files = [Path(sys.argv[2], name) for name in ("out", "err")]
    child = os.fork()
    if child == 0:
        for stream, file in enumerate(files, 1):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.argv = ["openiir", *words]
        main()
        sys.exit()
    _, status = os.waitpid(child, 0)
    print(json.dumps([os.waitstatus_to_exitcode(status), *(file.read_text() for file in files)]), flush=True)
"""
"""Runs commands in forks, one after the other, of a process that has loaded what they share."""


def run(*command, site=None, cwd=None):
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if site:
        env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, check=False)


def run_each(*commands, site, cwd, scratch):
    """The results of openiir commands, each in a process of its own."""
    done = run(sys.executable, "-c", FORKING, json.dumps(commands), str(scratch), site=site, cwd=cwd)
    assert done.returncode == 0, done.stderr
    told = map(json.loads, done.stdout.splitlines())
    return [subprocess.CompletedProcess(words, *one) for words, one in zip(commands, told, strict=True)]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package as `openiir new` writes it."""
    folder = tmp_path_factory.mktemp("new") / "mill"
    new("rumour-mill", folder)
    return folder


@pytest.fixture(scope="module")
def site(package, tmp_path_factory):
    """The package installed by pip without a network, or without a build back-end where there is none."""
    place = tmp_path_factory.mktemp("site")
    if importlib.util.find_spec("hatchling") is None:
        return install(package, place)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index")
    done = run(*pip, "--no-deps", "--no-build-isolation", "--target", str(place), str(package))
    assert done.returncode == 0, done.stderr
    return place


def test_the_template_is_written_whole_under_the_new_names(package):
    written = {str(p.relative_to(package)) for p in package.rglob("*") if p.is_file()}
    assert {
        "README.md",
        "pyproject.toml",
        "src/rumour_mill/__init__.py",
        "src/rumour_mill/scenario.py",
        "src/rumour_mill/questions.py",
        "src/rumour_mill/metrics.py",
        "src/rumour_mill/reference/study.toml",
        "src/rumour_mill/reference/personas.toml",
        "tests/test_rumour_mill.py",
    } <= written
    for path in written:
        text = (package / path).read_text("utf-8")
        assert not any(left in text + path for left in ("new-type", "new_type", "NewType")), path


def test_its_tests_pass_at_once(package, site):
    options = ("-rs", "-p", "no:cacheprovider", "-W", "error")
    done = run(sys.executable, "-m", "pytest", *options, site=site, cwd=package)
    assert done.returncode == 0, done.stdout[-4_000:]
    skipped = [
        line for line in done.stdout.splitlines() if line.startswith("SKIPPED") and "jsonschema" not in line
    ]
    assert " passed" in done.stdout and len(skipped) == 1, skipped
    assert "keeps nothing for a checkpoint" in skipped[0], (
        "the template's type has no crowd, and nothing else to skip"
    )


@pytest.mark.parametrize("name", ["late-train", "step"])
def test_a_society_passes_its_tests_under_any_name(name, tmp_path):
    folder, site = tmp_path / "made", tmp_path / "site"
    new(name, folder, society=True)
    install(folder, site)
    options = (
        "-rs",
        "-p",
        "no:cacheprovider",
        "-W",
        "error",
        *(() if name == "late-train" else ("-k", "promoted")),
    )
    done = run(sys.executable, "-m", "pytest", *options, site=site, cwd=folder)
    assert done.returncode == 0, done.stdout[-4_000:]
    skipped = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert " passed" in done.stdout and not [line for line in skipped if "jsonschema" not in line]


@pytest.mark.parametrize("source", sorted({*TYPES} - {"conversational", "panel", "recommender"}))
def test_a_copied_type_names_the_original_only_to_credit_it(source, tmp_path):
    new("late-train", tmp_path, start=source)
    title = source.replace("_", "-").title()
    names = re.compile(rf"{source}|{title}|{title.lower()}|{title.replace('-', '')}|\]\(\.\./")
    credit = re.compile(r"egun from|(benchmarks|pictures)/")
    files = [
        p for p in tmp_path.rglob("*") if p.suffix in (".py", ".toml", ".md") and "sources" not in p.parts
    ]
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    assert not [line for line in lines if names.search(line) and not credit.search(line)]
    assert sum("late-train" in line for line in lines) > 5 and sum("egun from" in line for line in lines) == 2


@pytest.mark.parametrize("source", SMALL_TYPES)
def test_a_copied_type_does_what_the_original_does(source, tmp_path, monkeypatch):
    """Two rounds leave the same records, names apart, where draws of the same names are the same."""
    key = seeds._text_key
    monkeypatch.setattr(seeds, "_text_key", lambda part: key(part.replace("late-train", source)))
    new("late-train", tmp_path / "made", start=source)
    monkeypatch.syspath_prepend(tmp_path / "made" / "src")
    try:
        copy = importlib.import_module("late_train").LateTrainStudy
        monkeypatch.setitem(types.AT_HAND, "late-train", copy)
        copied, original = (record_two_rounds(name, tmp_path / name) for name in ("late-train", source))
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "late_train"]:
            del sys.modules[name]
    assert sorted(re.sub("late.train", source, line) for line in copied) == sorted(original)


def record_two_rounds(name, folder):
    """The hashed records of a small run of the reference study, its document left out, and its measures."""
    folder.mkdir()
    loaded = vary_study(offline_study(name, folder), event=())
    sets = {**loaded.scenario.audited, "rounds": 2}
    done = run_loaded(configure_study(loaded, sets, "audited"), folder / "run")
    with done.run as run:
        records = [row for one in SECTIONS if one != "study" for row in section_rows(run.db, one)]
        measures = list(loaded.scenario.metrics(done.log).items())
    assert len(records) > 5 and len(measures) > 2
    return [json.dumps(one, default=str) for one in (*records, *measures)]


@pytest.mark.extras
@pytest.mark.parametrize("source", SMALL_TYPES)
def test_a_copied_type_keeps_the_contract(source, tmp_path):
    """All of it but what runs the study many times, which the original's tests do."""
    new("late-train", tmp_path / "made", start=source)
    site = install(tmp_path / "made", tmp_path / "site")
    once = "not every_key and not controls and not stop and not memory and not seed and not checkpoint"
    options = ("-rs", "-p", "no:cacheprovider", "-W", "error", "-k", once)
    done = run(sys.executable, "-m", "pytest", *options, site=site, cwd=tmp_path / "made")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-4_000:]


def test_a_copied_type_runs_by_its_name(tmp_path):
    new("Late Train", tmp_path / "made", start="panel")
    site = install(tmp_path / "made", tmp_path / "site")
    ran, listed = run_each(
        ("run", "late-train", "--out", "first"), ("types",), site=site, cwd=tmp_path, scratch=tmp_path
    )
    assert ran.returncode == 0 and "run: first" in ran.stdout, ran.stderr
    assert "late-train 0.1.0" in listed.stdout and "panel" in listed.stdout


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("conversational", "its folder lacks config.py"),
        ("recommender", "does not offer its class"),
        ("parlour", "only built-in types are copied"),
        ("feed", "no type is called 'feed'"),
    ],
)
def test_a_type_that_cannot_be_copied_is_named(source, why, with_parlour, tmp_path):
    with pytest.raises(InputError, match=why):
        new("late-train", tmp_path / "made", start=source)
    assert not (tmp_path / "made").exists()


def test_it_runs_by_its_name_and_replays(site, tmp_path, tmp_path_factory):
    ran, replayed, *surfaces, told = run_each(
        ("run", "rumour-mill", "--out", "first"),
        ("replay", "first"),
        *(("show", "first", surface) for surface in ("reviews", "passages")),
        ("ask", "first", "--agent", "iris", "What convinced you?"),
        site=site,
        cwd=tmp_path,
        scratch=tmp_path_factory.mktemp("printed"),
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-2:] == ["run: first", replayed.stdout.splitlines()[-1]]
    for shown in surfaces:
        assert shown.returncode == 0 and len(shown.stdout.splitlines()) > 4, shown.stderr
    assert told.returncode == 0 and told.stdout.startswith("Iris Hallam: "), told.stderr


def test_a_broken_plug_in_is_listed_with_its_reason_and_harms_nobody(site, tmp_path, tmp_path_factory):
    broken = tmp_path / "broken"
    modules = {
        "raises.py": "raise RuntimeError('the licence server is down')\n",
        "lacks.py": "from openiir.plugin import Scenario\nclass Half(Scenario):\n    name = 'half'\n",
        "plain.py": "Thing = 3\n",
    }
    entries = {"raising": "raises:X", "absent": "not_there:X", "half": "lacks:Half", "plain": "plain:Thing"}
    lay_out(broken, "broken-types", modules, entries)
    both = os.pathsep.join(map(str, (site, broken)))
    listed, described, refused = run_each(
        ("types",),
        ("types", "rumour-mill"),
        ("run", "raising", "--out", "first"),
        site=both,
        cwd=tmp_path,
        scratch=tmp_path_factory.mktemp("printed"),
    )
    assert listed.returncode == 0, listed.stderr
    lines = {line.split()[0]: line for line in listed.stdout.splitlines()}
    reasons = {
        "raising": "RuntimeError: the licence server is down",
        "absent": "No module named 'not_there'",
        "half": "lacks actions, metrics, schedule, surfaces",
        "plain": "no subclass of openiir.plugin.Scenario",
    }
    for name, reason in reasons.items():
        assert "broken" in lines[name] and reason in lines[name] and "broken-types 0.1.0" in lines[name]
    assert "rumour-mill 0.1.0" in lines["rumour-mill"]
    assert "broken" not in lines["rumour-mill"] and "broken" not in lines["panel"]
    assert described.returncode == 0, described.stderr
    assert (
        refused.returncode == 2 and "licence server" in refused.stderr and "Traceback" not in refused.stderr
    )


@pytest.mark.parametrize(
    ("typed", "type_", "module", "prefix"),
    [
        ("rumour-mill", "rumour-mill", "rumour_mill", "RumourMill"),
        ("Rumour Mill", "rumour-mill", "rumour_mill", "RumourMill"),
        ("rumour_mill", "rumour-mill", "rumour_mill", "RumourMill"),
        ("Feed2", "feed2", "feed2", "Feed2"),
        ("step", "step", "step", "Step"),
    ],
)
def test_names_follow_from_the_name(typed, type_, module, prefix):
    names = derive_names(typed)
    assert (names.type, names.module, names.prefix) == (type_, module, prefix)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "cannot name a type"),
        ("7up", "cannot name a type"),
        ("a--b", "cannot name a type"),
        ("-a", "cannot name a type"),
        ("../up", "cannot name a type"),
        ("a/b", "cannot name a type"),
        ("naïve", "cannot name a type"),
        ("a" * 41, "cannot name a type"),
        ("rumour\n", "cannot name a type"),
        ("class", "Python keeps"),
        ("Match", "Python keeps"),
        ("random", "Python keeps"),
        ("conftest", "imports by itself"),
        ("Sitecustomize", "imports by itself"),
        ("tests", "needs itself"),
        ("panel", "already, from openiir"),
        ("numpy", "installed already"),
        ("openiir", "installed already"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_with_the_reason(typed, why):
    with pytest.raises(InputError, match=why):
        derive_names(typed)


def test_the_command_says_what_comes_next(openiir, tmp_path):
    told = openiir("new", "rumour-mill", "--out", tmp_path / "mill")
    assert told.code == 0, told.err
    assert "openiir run rumour-mill" in told.out and (tmp_path / "mill" / "pyproject.toml").exists()


def test_nothing_is_overwritten(openiir, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        new("rumour-mill", tmp_path / "mine")
    with pytest.raises(InputError, match="not empty"):
        new("rumour-mill", tmp_path / "mine" / "thesis.txt")
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    refused = openiir("new", "class", "--out", tmp_path / "class")
    assert refused.code == 2 and refused.err.startswith("Error: ") and "Traceback" not in refused.err


@pytest.mark.parametrize("template", ["review", "society"])
def test_a_template_holds_each_of_its_names_only_as_a_name(template):
    files = [p for p in (TEMPLATES / template).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    texts = [p.read_text("utf-8") for p in files]
    assert sum("new-type" in t for t in texts) >= 4 and sum("NewTypeStudy" in t for t in texts) >= 3
