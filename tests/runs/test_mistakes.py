"""Whatever is wrong with a study, its personas, its settings or an option:
one message, exit code 2, no run."""

import re
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import InputError
from openiir.runs.study import load_study

MODEL = '[model]\nname = "standin"\n'

STUDIES: dict[str, tuple[str, str, str]] = {
    # what is wrong: (lines at the top, tables at the end, what must be said)
    "an unknown key": ("sede = 3", "", "no key 'sede'; did you mean 'seed'"),
    "an unknown key of config": ("", "[config]\nwarmht = 1", r"\[config\].*did you mean 'warmth'"),
    "an unknown key of model": ("", '[model]\nname = "m"\ntemprature = 1', "did you mean 'temperature'"),
    "an unknown table": ("", "[confg]\nsteps = 1", "did you mean 'config'"),
    "a word for a list": ('cast = "ada"', "", r'cast = .ada.: a list is needed here, such as \["a", "b"\]'),
    "a number for a table": ("", "[[change]]\nstep = 2\nset = 5", "change.0.set = 5: a table is needed here"),
    "a wrong type": ("", '[config]\nsteps = "many"', "config.*steps.*integer"),
    "a table for a word": ("", "[config]\ntopic = { a = 1 }", "topic.*string"),
    "an impossible number": ("", "[config]\nwarmth = 1.5", "warmth = 1.5.*less than or equal to 1"),
    "not a number": ("", "[config]\nfree = nan", "free = nan.*finite"),
    "an infinite number": ("", "[config]\nfree = -inf", "free = -inf.*finite"),
    "an infinite number, deep": (
        "",
        '[model]\nname = "m"\nextra = { a = [1, { b = inf }] }',
        "extra.a.1.b = inf",
    ),
    "an unknown answerer": ('answers = "modle"', MODEL, "answers.*'modle'.*did you mean 'model'"),
    "an unknown answerer of a kind": ("", '[answers.kind]\n"parlour.rate" = "ghost"', "'ghost'"),
    "an unknown kind": ("", '[answers.kind]\n"parlour.rates" = "offline"', "'parlour.rates'.*'parlour.rate'"),
    "an unknown kind of a persona": ("", '[answers.persona]\nada = { "parlour.x" = "offline" }', "parlour.x"),
    "an unknown persona": ("", '[answers.persona]\nadda = "offline"', "'adda'; did you mean 'ada'"),
    "an undeclared system": ('answers = "system:rec"', "", r"system is called 'rec'.*\[system.NAME\]"),
    "a system without a name": ('answers = "system:"', "", "system:NAME"),
    "a model without a name": ('answers = "model"', "", r"no model is named; add \[model\] name"),
    "a shadow without a model": ("", '[answers]\nshadow = "model"', "no model is named"),
    "a blank model": ('answers = "model"', '[model]\nname = ""', "model.name"),
    "somebody unknown in the cast": ('cast = ["ada", "bem"]', "", "cast.*'bem'; did you mean 'ben'"),
    "somebody twice in the cast": ('cast = ["ada", "ada"]', "", "named twice"),
    "a nameless world beside another": ("", "[world.other]\nweight = 0.5", r"write \[world.main\]"),
    "a change of a structural key": ("", "[[change]]\nstep = 2\nset = { steps = 3 }", "structural"),
    "a change that is a table": ("", "[change]\nstep = 2\nset = { warmth = 1 }", r"change.*\[\[change\]\]"),
}

LINES: dict[str, tuple[str, str, str]] = {
    # what is wrong: (a line of the study, what stands there instead, what must be said)
    "an unknown type": (
        'type = "parlour"',
        'type = "parlor"',
        "study.toml.*'parlor'; did you mean 'parlour'",
    ),
    "no type": ('type = "parlour"\n', "", "'type' is missing; add it"),
    "a negative seed": ("seed = 11", "seed = -1", "seed = -1.*greater than or equal to 0"),
    "a seed beyond bounds": ("seed = 11", "seed = 99999999999999999999", "seed.*less than"),
    "a switch for a seed": ("seed = 11", "seed = true", "seed = True: a whole number is needed"),
    "a seed in words": ("seed = 11", 'seed = "eleven"', "seed.*integer"),
    "a name for no folder": ('name = "evening"', 'name = "../evening"', "name"),
    "no personas' file": ('"people.toml"', '"peple.toml"', "peple.toml.*does not exist"),
    "a folder for personas": ('"people.toml"', '"."', "."),
    "a number for personas": ('"people.toml"', "7", "personas"),
    "a variable for personas": (
        '"people.toml"',
        '"${HOME}/people.toml"',
        r"personas \$\{HOME\}/people.toml: a path may begin",
    ),
    "personas elsewhere": (
        '"people.toml"',
        '"../people.toml"',
        "personas ../people.toml lies outside the study's folder",
    ),
    "a world without sources": ('sources = ["sea.md", "land.md"]', "", "world main has no sources"),
    "worlds without sources": (
        '[world]\nsources = ["sea.md", "land.md"]',
        "[world.one]",
        r"^Error: study evening \[world.one\]: world one has no sources",
    ),
    "no such source": ('"sea.md", ', '"see.md", ', r"^Error: study evening \[world\]: world source see.md"),
    "sources that are no list": ('["sea.md", "land.md"]', "3", "sources"),
    "chunks of no words": ("chunk_words = 20", "chunk_words = 0", "chunk_words = 0"),
    "an unknown key of a world": ("chunk_words", "chunk_word", "did you mean 'chunk_words'"),
    "not TOML": ("seed = 11", "seed = = 11", "is not TOML.*line"),
    "a key twice": ("seed = 11", "seed = 11\nseed = 12", "is not TOML"),
    "too deep": ("seed = 11", f"seed = {'[' * 3000}{']' * 3000}", "nested too deeply|is not TOML"),
    "a file's name with a zero": ('"people.toml"', '"people\\u0000.toml"', "people"),
}

PEOPLE: dict[str, tuple[str, str, str]] = {
    "an id twice": ('id = "ben"', 'id = "ada"', "ada"),
    "an unknown key": ('name = "Ben"', 'nam = "Ben"', "nam.*did you mean 'name'"),
    "a wrong type": ('name = "Ben"', 'name = "Ben"\ntokens = "lots"', "tokens"),
    "an impossible number": ('name = "Ben"', 'name = "Ben"\nstance = 7.0', "stance"),
    "not a number": ('name = "Ben"', 'name = "Ben"\ninfluence = nan', "influence"),
    "an infinite number": ('name = "Ben"', 'name = "Ben"\ninfluence = inf', "influence"),
    "a blank bio": ('bio = "Ben has fished for 19 years."', 'bio = " "', "bio"),
    "an invisible name": ('name = "Ben"', 'name = "\\u200b\\u2060"', "name.*does not fit"),
    "no id": ('id = "ben"\n', "", "id"),
    "an id for no file": ('id = "ben"', 'id = "Ben Ruiz"', "id"),
    "not TOML": ('id = "ben"', "id = ben", "TOML"),
    "negative tokens": ('name = "Ben"', 'name = "Ben"\ntokens = -5', "tokens"),
}

SETTINGS: dict[str, tuple[str, str]] = {
    "an unknown key": ('endpont = "http://localhost:1/v1"', "did you mean 'endpoint'"),
    "a URL that is none": ('endpoint = "localhost"', "endpoint.url: .*must look like"),
    "a negative limit": ("[limits]\ncalls = -1", "limits.calls = -1"),
    "an infinite limit": ("[limits]\nmoney = inf", "limits.money = inf"),
    "an unknown service": ('[search]\nservice = "yahoo"', "search.service"),
    "a URL that is none, in a list": (
        'endpoint = ["http://localhost:1/v1", "localhost"]',
        "endpoint.1.url: .*must look like",
    ),
    "an unknown key of one endpoint": (
        '[endpoint]\nurl = "http://a/v1"\nwidht = 2',
        "no key 'endpoint.widht'; did you mean 'width'",
    ),
    "an unknown key in a list": (
        '[[endpoint]]\nurl = "http://a/v1"\nwidht = 2',
        "no key 'endpoint.0.widht'; did you mean 'width'",
    ),
    "endpoints of different prices": (
        '[[endpoint]]\nurl = "http://a/v1"\n[[endpoint]]\nurl = "http://b/v1"\nprices = { reply = 1.0 }',
        "give `prices` the same value in each",
    ),
    "an endpoint twice": ('endpoint = ["http://a/v1", "http://a/v1/"]', "stands in the list twice"),
    "a width of none": ('[endpoint]\nurl = "http://localhost:1/v1"\nwidth = 0', "endpoint.width"),
    "not TOML": ("endpoint =", "is not TOML"),
    "no endpoint at all": ("", "endpoint ="),
    "a key that is not set": (
        '[endpoint]\nurl = "http://localhost:1/v1"\nkey_env = "OPENIIR_NO_SUCH_KEY"',
        "OPENIIR_NO_SUCH_KEY.*unset",
    ),
}

OPTIONS: dict[str, tuple[list[str], str]] = {
    "no value": (["--set", "seed"], "--set 'seed'.*key=value"),
    "no key": (["--set", "=3"], "key=value"),
    "an unknown key": (["--set", "config.warmht=0.3"], "did you mean 'warmth'"),
    "an unknown table": (["--set", "confg.warmth=0.3"], "did you mean 'config'"),
    "a key of a word": (["--set", "name.x=3"], "'name' is no table"),
    "a wrong type": (["--set", "seed=many"], "seed.*integer"),
    "not a number": (["--set", "config.free=nan"], "finite"),
    "an empty part": (["--set", "config..warmth=1"], "config"),
    "a table closed": (["--set", "config=3"], "config"),
    "no such settings": (["--settings", "nowhere.toml"], "nowhere.toml.*does not exist"),
}


def refused(result: Any, out: Path, words: str, file: str = "") -> None:
    assert result.code == 2, result
    assert result.err.count("Error: ") == 1 and "fault of openiir" not in result.err, result.err
    assert "Traceback" not in result.err and "ValidationError" not in result.err
    assert re.search(words, result.err, re.DOTALL), result.err
    assert file in result.err, result.err
    assert not out.exists(), sorted(out.rglob("*"))


@pytest.mark.parametrize("name", STUDIES)
def test_mistakes_of_a_study(name, evening, openiir, tmp_path):
    top, tables, words = STUDIES[name]
    refused(
        openiir("run", evening(top, tables), "--out", tmp_path / "o"), tmp_path / "o", words, "study.toml"
    )


@pytest.mark.parametrize("name", LINES)
def test_mistakes_in_a_line(name, evening, openiir, tmp_path):
    study = evening()
    line, instead, words = LINES[name]
    assert line in study.read_text()
    study.write_text(study.read_text().replace(line, instead))
    refused(openiir("run", study, "--out", tmp_path / "o"), tmp_path / "o", words)


@pytest.mark.parametrize("name", PEOPLE)
def test_mistakes_of_a_persona(name, evening, openiir, tmp_path):
    study = evening()
    people = study.parent / "people.toml"
    line, instead, words = PEOPLE[name]
    assert line in people.read_text()
    people.write_text(people.read_text().replace(line, instead))
    refused(openiir("run", study, "--out", tmp_path / "o"), tmp_path / "o", words, "people.toml")


@pytest.mark.parametrize("file", ["study.toml", "people.toml"])
@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding(file, encoding, evening, openiir, tmp_path):
    path = evening().parent / file
    path.write_bytes(("# é\n" + path.read_text()).encode(encoding))
    refused(openiir("run", tmp_path / "study", "--out", tmp_path / "o"), tmp_path / "o", "UTF-8", file)


@pytest.mark.parametrize("name", SETTINGS)
def test_mistakes_of_settings(name, by_model, openiir, tmp_path):
    lines, words = SETTINGS[name]
    file = tmp_path / "settings.toml"
    file.write_text(lines)
    refused(openiir("run", by_model, "--settings", file, "--out", tmp_path / "o"), tmp_path / "o", words)


@pytest.mark.parametrize("name", OPTIONS)
def test_mistakes_of_options(name, evening, openiir, tmp_path):
    words, said = OPTIONS[name]
    refused(openiir("run", evening(), *words, "--out", tmp_path / "o"), tmp_path / "o", said)


@pytest.mark.parametrize("target", ["nowhere.toml", "nowhere/", "parlor", "empty", ""])
def test_no_such_study(target, with_parlour, openiir, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    refused(
        openiir("run", target, "--out", tmp_path / "o"), tmp_path / "o", target.rstrip("/") or "study.toml"
    )


@pytest.mark.parametrize(
    ("folder", "name"),
    [("My study (2)", "My study -2-"), ("étude", "tude"), ("_x", "x"), ("ж", "study"), ("e", "e")],
)
def test_a_study_without_a_name_takes_its_folders(folder, name, evening, monkeypatch):
    study = evening(folder=folder)
    study.write_text(study.read_text().replace('name = "evening"\n', ""))
    monkeypatch.chdir(study.parent)
    for target in ("study.toml", ".", str(study), str(study.parent)):
        assert load_study(target).study.name == name


def test_a_folder_called_like_a_type_does_not_hide_it(tmp_path, monkeypatch):
    """As after `openiir new NAME` and `pip install -e NAME`:
    `openiir run NAME` is typed beside the package."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "panel").mkdir()
    assert load_study("panel").study.type == "panel"
    (tmp_path / "panel" / "study.toml").write_text('type = "ghost"\n', encoding="utf-8")
    with pytest.raises(InputError, match="'ghost'"):
        load_study("panel")


def test_what_stops_one_run_is_told_in_its_own_words_with_the_runs_folder(
    evening, openiir, parlour, tmp_path, monkeypatch
):
    """An unknown name found out only on the way keeps its words: it was told as a fault of openiir."""

    async def schedule(self, stage):
        yield parlour.Step("begun")
        stage.world("elsewhere")

    monkeypatch.setattr(parlour.Parlour, "schedule", schedule)
    told = openiir("run", evening(), "--out", tmp_path / "o")
    assert told.code == 2 and "no world of this study is called 'elsewhere'; known: main" in told.err, told
    assert "fault of openiir" not in told.err and str(tmp_path / "o") in told.err


def test_a_key_of_the_type_without_its_table_is_pointed_to_it(evening, openiir):
    ran = openiir("run", evening(), "--set", "warmth=0.2")
    assert ran.code == 2 and "write config.warmth" in ran.err


def test_a_name_that_is_too_long_is_no_fault_of_ours(openiir):
    for command in ("run", "show", "replay"):
        told = openiir(command, "a" * 300)
        assert told.code == 2 and "the name is too long" in told.err and "fault of openiir" not in told.err


@pytest.mark.parametrize(
    "unknown", ["".join(f"k{n} = 1\n" for n in range(20_000)), f"{'k' * 1_000_000} = 1\n"]
)
def test_an_error_stays_readable_however_much_is_wrong(unknown, evening, openiir, tmp_path):
    for name in ("study.toml", "people.toml"):
        file = evening().parent / name
        file.write_text(unknown + file.read_text())
        stopped = openiir("run", file.parent, "--out", tmp_path / "o")
        refused(stopped, tmp_path / "o", "there is no key 'k", " more ")
        assert len(stopped.err) < 30_000
