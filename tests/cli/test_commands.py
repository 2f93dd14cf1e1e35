"""The commands around a run, as a user types them; the runs themselves are tested in tests/runs."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import typer

from openiir import __version__
from openiir.cli.app import COMMANDS, app

GOLDEN = Path(__file__).parents[1] / "golden" / "llm-assessors"
PERSONAS = Path("src/openiir/scenarios/panel/reference/personas.toml")

Command = Callable[..., Any]


@pytest.fixture
def run(tmp_path):
    shutil.copytree(GOLDEN, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def typing(monkeypatch):
    """What a person types, line by line; then the input ends."""

    def type_(lines):
        typed: Iterator[str] = iter(lines)

        def read(prompt=""):
            for line in typed:
                return line
            raise EOFError

        monkeypatch.setattr("builtins.input", read)

    return type_


def after(folder: Path, sql: str) -> list[Any]:
    with sqlite3.connect(folder / "after.db") as db:
        return list(db.execute(sql))


def test_one_panelist_is_asked_about_their_own_part(openiir, run):
    said = openiir("ask", run, "--agent", "priya-raman", "What about accountability?")
    assert said.code == 0 and said.out.startswith("Priya Raman: ") and "accountability" in said.out
    (kept,) = after(run, "select agent, question, answerer from interview")
    assert kept == ("priya-raman", "What about accountability?", "offline")


def test_everybody_is_asked_at_once_and_the_hash_does_not_move(openiir, run):
    before = json.loads((run / "manifest.json").read_text())["content"]
    said = openiir("ask", run, "--agent", "all", "What about labels?")
    assert said.code == 0 and len(said.out.strip().splitlines()) == 8
    assert openiir("replay", run).content == before


def test_a_question_is_needed(openiir, run):
    failed = openiir("ask", run, "--agent", "all")
    assert failed.code == 2 and "there is no question" in failed.err


def test_where_nobody_can_be_asked_it_is_said(openiir, run, monkeypatch):
    monkeypatch.setattr("openiir.core.storage.RunFile.personas", lambda self: ())
    for words in (("What about labels?",), ("--validate",)):
        asked = openiir("ask", run, *words)
        assert asked.code == 2 and "names no personas" in asked.err


def test_a_participant_validates_statement_by_statement_and_goes_on_later(openiir, run, typing):
    typing(["a", "maybe", "d not my words", "q"])
    first = openiir("ask", run, "--agent", "wen-zhao", "--validate")
    assert first.code == 0 and "type a, d, u or q" in first.out
    rows = after(run, "select agent, verdict, comment from validation order by id")
    assert rows == [("wen-zhao", "agree", ""), ("wen-zhao", "disagree", "not my words")]
    typing(["u"] * 50)
    second = openiir("ask", run, "--agent", "wen-zhao", "--validate")
    assert "1 agree, 1 disagree" in second.out
    statements = after(run, "select statement from validation")
    assert len(set(statements)) == len(statements), "nothing is asked twice"
    typing(["a", "a", "q"])
    other = openiir("ask", run, "--agent", "wen-zhao", "--validate", "--by", "Ada")
    assert other.code == 0 and "not my words" not in other.out
    rows = after(run, "select verdict, person, given <> '' from validation order by id desc limit 2")
    assert rows == [("agree", "Ada", 1), ("agree", "Ada", 1)], "another person judges anew"
    typing(["u"] * 50)
    last = openiir("ask", run, "--agent", "wen-zhao", "--validate", "--by", "Ada")
    assert "50% of pairs of people decided alike, on 2 statements" in last.out


def test_the_graph_goes_out_and_comes_back(openiir, run, tmp_path):
    for form in ("aif", "graphml", "cypher", "json"):
        assert openiir("show", run, "graph", "--format", form, "--out", tmp_path / f"g.{form}").code == 0
    graph = nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    claims = json.loads((tmp_path / "g.json").read_text())["claims"]
    assert set(graph.nodes) == {claim["id"] for claim in claims}
    back = openiir("claims", "import", tmp_path / "g.aif", "--format", "json")
    again = json.loads(back.out)
    assert [c["text"] for c in again["claims"]] == [c["text"] for c in claims]
    assert len(again["edges"]) == graph.number_of_edges()
    assert (tmp_path / "g.cypher").read_text().count("MERGE (n:Claim") == len(claims)


def test_what_is_no_graph_is_refused(openiir, run, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"nodes": 3}')
    failed = openiir("claims", "import", bad)
    assert failed.code == 2 and "bad.json" in failed.err
    assert openiir("show", run, "report", "--format", "aif").code == 2
    assert openiir("show", run, "raport").err.count("report") == 1


def test_every_surface_draws_as_text_and_json(openiir, run):
    listed = [line.split()[0] for line in openiir("show", run).out.splitlines()]
    assert listed == ["graph", "stances", "report", "transcript", "activity"]
    for name in listed:
        assert openiir("show", run, name).code == 0
        assert json.loads(openiir("show", run, name, "--format", "json").out)
    last = json.loads(openiir("show", run, "transcript", "--n", "3", "--format", "json").out)
    assert len(last) == 3


def test_measures_print_with_reasons(openiir, run):
    plain = openiir("measure", run)
    assert "turn_gini" in plain.out and "undefined: " in plain.out
    found = json.loads(openiir("measure", run, "--format", "json").out)
    assert all((m["value"] is None) == (m["reason"] is not None) for m in found.values())


def test_a_roster_is_drafted_reviewed_and_kept(openiir, tmp_path, typing):
    roster, settings = tmp_path / "roster.toml", tmp_path / "openiir.toml"
    settings.write_text(f'library = "{tmp_path / "shelf"}"')
    sources = shutil.copytree(PERSONAS.parent / "sources", tmp_path / "sources")
    topic = "Language models should replace human assessors"
    drafted = openiir("personas", "generate", sources, "--topic", topic, "--n", "3", "--out", roster)
    assert drafted.code == 0 and "3 personas drafted" in drafted.out
    typing(["a", "s 5", "s -0.5", "a", "x"])
    reviewed = openiir("personas", "check", roster, "--review", "--keep", "--settings", settings)
    assert reviewed.code == 0, reviewed.err
    assert "does not fit" in reviewed.out and "2 personas, ready to use" in reviewed.out
    listed = openiir("personas", "list", "--settings", settings)
    assert listed.out.count("reviewed") == 0 and listed.out.count("stance") == 2 and "-0.50" in listed.out
    study = tmp_path / "study.toml"
    ids = [line.partition("(")[2].rstrip(")") for line in listed.out.splitlines() if line and line[0] != " "]
    study.write_text(
        f'type = "panel"\nname = "kept"\npersonas = {json.dumps([f"library:{i}" for i in ids])}\n'
        f'[world]\nsources = ["sources"]\n[config]\ntopic = "{topic}"\n'
    )
    assert openiir("run", study, "--out", tmp_path / "run", "--settings", settings).code == 0


def test_an_unusable_persona_file_says_all_that_is_wrong(openiir, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text('[[persona]]\nid = "A B"\nname = "x"\nbio = "y"\nstanse = 3\n')
    failed = openiir("personas", "check", file)
    assert failed.code == 2 and "stance" in failed.err and "id" in failed.err and "bad.toml" in failed.err


def test_a_world_is_built_from_what_can_be_read(openiir, tmp_path):
    (tmp_path / "good.md").write_text("# Title\n\nPooling keeps the best documents of each system.\n")
    (tmp_path / "bad.txt").write_bytes(b"\x00\x01\x02binary")
    (tmp_path / "empty.txt").write_text("")
    refused = openiir("world", "build", tmp_path)
    assert refused.code == 2 and "bad.txt" in refused.err and "1 more" in refused.err
    chunks = tmp_path / "chunks.jsonl"
    built = openiir("world", "build", tmp_path, "--skip-bad", "--query", "pooling", "--out", chunks)
    assert built.code == 0 and "1 sources, 1 chunks, 2 left out" in built.out and "Pooling keeps" in built.out
    assert [json.loads(line)["id"] for line in chunks.read_text().splitlines()] == ["c0001"]


def test_doctor_tells_what_an_endpoint_can_do(openiir, served, tmp_path):
    _, settings = served()
    well = openiir("doctor", "--settings", settings)
    assert well.code == 0 and "schema" in well.out and "embeddings" in well.out and "took" in well.out
    dead = tmp_path / "dead.toml"
    dead.write_text('[endpoint]\nurl = "http://127.0.0.1:9/v1"\ntries = 1\nfirst_wait = 0.0\n')
    ill = openiir("doctor", "--settings", dead)
    assert ill.code == 1 and "->" in ill.out
    nothing = openiir("doctor", "--settings", _empty(tmp_path))
    assert nothing.code == 2 and "endpoint =" in nothing.err


def test_doctor_tries_a_declared_system(openiir, tmp_path, monkeypatch):
    (tmp_path / "parrot.py").write_text("def answer(request):\n    return request['text']\n")
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "parrot.toml"
    file.write_text('connector = "python"\ncallable = "parrot:answer"\n')
    refused = openiir("doctor", "--system", file)
    assert refused.code == 2 and "parrot:answer" in refused.err and "openiir trust" in refused.err
    well = openiir("doctor", "--system", file, "--trust")
    assert well.code == 0 and "ok" in well.out
    file.write_text('connector = "python"\ncallable = "parrot:sing"\n')
    assert openiir("doctor", "--system", file, "--trust").code == 1


def test_doctor_tries_a_ready_declaration(openiir, tmp_path):
    file = tmp_path / "movies.toml"
    file.write_text('ready = "moviebot"\nurl = "http://127.0.0.1:9/"\ntries = 1\n')
    dead = openiir("doctor", "--system", file, "--trust")
    assert dead.code == 1 and "(nothing listens there)" in dead.out and "-> start the system" in dead.out
    file.write_text('ready = "movibot"\n')
    unknown = openiir("doctor", "--system", file, "--trust")
    assert unknown.code == 2 and "did you mean 'moviebot'" in unknown.err


def _empty(folder: Path) -> Path:
    file = folder / "empty.toml"
    file.write_text("")
    return file


def test_types_are_listed(openiir):
    assert [line.split()[0] for line in openiir("types").out.splitlines() if line[0] != " "] == [
        "asymmetric_memory",
        "conversational",
        "coordination_emergent",
        "curated_feed",
        "feedback_outage",
        "multi_generational",
        "open_web",
        "panel",
        "recommender",
        "social_media",
        "tiered_capability",
        "twin_ecosystem",
    ]


def test_how_it_is_measured_can_be_set(openiir, run):
    usual = json.loads(openiir("measure", run, "--format", "json").out)
    finer = json.loads(openiir("measure", run, "--set", "points=9", "--format", "json").out)
    assert usual["agreement_first"] != finer["agreement_first"] and usual["claims"] == finer["claims"]
    assert len({row[0] for row in after(run, "select distinct set_by from measure")}) == 2
    failed = openiir("measure", run, "--set", "pionts=9")
    assert failed.code == 2 and "'points'" in failed.err


def test_a_panel_without_a_world_is_refused_before_it_begins(openiir, tmp_path):
    (tmp_path / "here.md").write_text("Pools should be deep because systems differ.\n")
    study = tmp_path / "study.toml"
    topic = '[config]\ntopic = "Pools should be deep"\n'
    shutil.copy(PERSONAS, tmp_path / "personas.toml")
    study.write_text(
        f'type = "panel"\npersonas = "personas.toml"\n[world.here]\nsources = ["here.md"]\n{topic}'
    )
    failed = openiir("run", study, "--out", tmp_path / "run")
    assert failed.code == 2 and "add [world]" in failed.err and not (tmp_path / "run").exists()


def test_ctrl_c_while_the_libraries_load_leaves_quietly(openiir, monkeypatch):
    class Struck:
        def find_spec(self, name, *more):
            if name == "openiir.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "openiir.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Struck(), *sys.meta_path])
    left = openiir("types")
    assert (left.code, left.out, left.err) == (130, "", "stopped before anything began\n")


def test_a_study_loads_the_type_that_it_names_and_no_other(tmp_path):
    script = (
        "import sys\nfrom openiir.runs.study import load_study\nload_study('panel')\n"
        "print(*sorted({name.split('.')[2] for name in sys.modules if "
        "name.startswith('openiir.scenarios.')}))"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert (told.stdout.strip(), told.returncode) == ("panel", 0), told.stderr


def test_the_ending_of_a_file_decides_what_is_written(openiir, run, tmp_path):
    for words in (("show", run, "activity"), ("compare", run, run)):
        refused = openiir(*words, "--out", tmp_path / "x.docx")
        assert refused.code == 2 and "nothing is written as .docx" in refused.err and ".json" in refused.err
    for form, ending in (("", "json"), ("", "txt"), ("text", "docx")):
        named = ("--format", form) if form else ()
        assert openiir("show", run, "activity", *named, "--out", tmp_path / f"x.{ending}").code == 0
    assert json.loads((tmp_path / "x.json").read_text())
    assert (tmp_path / "x.docx").read_text() == (tmp_path / "x.txt").read_text()


def test_the_version_is_said(openiir):
    assert openiir("--version").out == f"openiir {__version__}\n"


def test_what_an_option_cannot_do_is_refused(openiir, run, tmp_path):
    nameless = openiir("show", run, "--out", tmp_path / "x.json")
    assert nameless.code == 2 and "options are for one surface" in nameless.err
    listed = openiir("personas", "list", tmp_path)
    assert str(tmp_path) in listed.out, "the folder that was named is empty, not the library"
    folder = openiir(
        "personas", "generate", PERSONAS.parent / "sources", "--topic", "Pools are deep", "--out", tmp_path
    )
    assert folder.code == 2 and "is a folder" in folder.err
    page = openiir("world", "build", "http://127.0.0.1/page")
    assert page.code == 2 and "http://127.0.0.1/page is a web page" in page.err


def test_the_help_of_the_tree_is_that_of_each_command():
    tree: Any = typer.main.get_command(app)
    for name, words in COMMANDS.items():
        own = tree.get_command(None, name).help
        assert own.partition("\n")[0].rstrip(".").startswith(words.rstrip("."))


def test_a_mistyped_command_is_guessed(openiir):
    assert "Did you mean 'types'?" in openiir("tpyes").err


def test_an_empty_view_says_why_and_how_to_fill_it(openiir, tmp_path):
    shutil.copytree(Path(__file__).parents[1] / "golden" / "recommender-visits", tmp_path / "visits")
    shown = openiir("show", tmp_path / "visits", "rating")
    said = " ".join(shown.out.split())
    assert shown.code == 0 and said.startswith("Errors of ratings: would show")
    assert "openiir run recommender --set config.experiment=rating fills it" in said
    assert json.loads(openiir("show", tmp_path / "visits", "rating", "--format", "json").out)["rows"] == []


def test_measures_are_explained_on_request(openiir, run):
    plain, explained = openiir("measure", run).out, openiir("measure", run, "--explain").out
    assert "talks to itself alone" in explained and "talks to itself alone" not in plain
    assert "not defined" not in explained
