"""Paths and formats typed on the command line: sources anywhere on the disk, files that cannot be written."""

import pytest

from openiir.cli.measure import measure
from openiir.cli.source_paths import resolve_sources
from openiir.cli.world import build_world
from openiir.core.errors import InputError
from openiir.runs.views.writing import write_out


@pytest.fixture
def shelves(tmp_path, monkeypatch):
    """Articles beside the working folder and in it."""
    for name in ("here/own.md", "data/one/a.md", "data/two/b ü.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"Wind turbines of {name} feed the grid all night.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (["{}/data"], ["data/one/a.md", "data/two/b ü.md"]),
        (["../data/one/a.md"], ["a.md"]),
        (["{}/data/*/*.md"], ["one/a.md", "two/b ü.md"]),
        (["own.md", "../data/one"], ["data/one/a.md", "here/own.md"]),
        (["."], ["own.md"]),
        (["own.md"], ["own.md"]),
    ],
)
def test_a_source_is_read_wherever_it_lies(shelves, capsys, typed, found):
    build_world([t.format(shelves) for t in typed], skip_bad=False, words=120, query="", out=None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines[:-1]] == found


def test_names_are_those_a_study_would_give_where_the_working_folder_holds_all(shelves):
    assert resolve_sources(["own.md", "$OPENIIR_DATA/x"]) == (
        (str(shelves / "here/own.md"), "$OPENIIR_DATA/x"),
        shelves / "here",
    )


@pytest.mark.parametrize("where", ["missing/folder/x.json", "."])
def test_a_file_that_cannot_be_written_is_the_users_to_mend(tmp_path, where):
    with pytest.raises(InputError, match="cannot be written .*; name a file"):
        write_out(tmp_path / where, "text")
    assert not list(tmp_path.iterdir())


def test_measures_have_two_formats(tmp_path):
    with pytest.raises(InputError, match="no format of measures is called 'xml'; known: json, text"):
        measure(tmp_path, form="xml")
