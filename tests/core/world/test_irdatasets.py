"""Collections of ir_datasets as sources of a world, from local files alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.core.world import irdatasets, load_sources

CRANFIELD = {
    "docs.txt": ".I 1\n.T\nwings\n.A\nada\n.B\n\n.W\nwings bear aeroplanes .\n.I 2\n.T\n.A\n.B\n.W\n"
    ".I 3\n.T\nships\n.A\nbo\n.B\n\n.W\nships carry  grain .\n",
    "queries.txt": ".I 001\n.W\nwhat bears\naeroplanes .\n.I 004\n.W\nwhat carries grain .\n",
    "qrels.txt": "1 1 3\n2 3 -1\n",
}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A collection of our own, registered under a name for as long as the test runs."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    import ir_datasets

    (tmp_path / "docs.tsv").write_text(
        "b\tShips carry grain.\na\tWings bear aeroplanes.\nc\t...\n", encoding="utf-8"
    )
    (tmp_path / "queries.tsv").write_text("q2\tgrain\nq1\twings\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 1 b 2\n", encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("docs.tsv", "queries.tsv", "qrels")]
    ir_datasets.registry.register("mine", ir_datasets.create_dataset(*paths))
    ir_datasets.registry.register("bare", ir_datasets.create_dataset(queries_tsv=paths[1]))
    yield "mine"
    del ir_datasets.registry._registered["mine"], ir_datasets.registry._registered["bare"]


def test_documents_become_sources_by_their_ids(mine, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "note.txt").write_text("A note.")
    found = load_sources([f"ir_datasets:{mine}", "note.txt"], tmp_path / "own")
    assert [(source.name, source.text) for source in found.sources] == [
        ("a", "Wings bear aeroplanes."),
        ("b", "Ships carry grain."),
        ("note.txt", "A note."),
    ]
    assert [left.name for left in found.skipped] == ["c"]


def test_queries_and_judgements_come_in_the_collections_order(mine):
    assert list(irdatasets.read_queries(mine).items()) == [("q2", "grain"), ("q1", "wings")]
    assert irdatasets.list_judgements(mine) == [("q1", "a", 1, "0"), ("q2", "b", 2, "1")]


def test_a_document_named_as_a_file_is_refused(mine, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.txt").write_text("Another.")
    (tmp_path / "docs.tsv").write_text("a.txt\tWords.\n", encoding="utf-8")
    with pytest.raises(InputError, match="two world sources are called a.txt"):
        load_sources([f"ir_datasets:{mine}", "a.txt"], tmp_path / "own")


def test_what_is_not_at_hand_is_refused(mine, tmp_path, monkeypatch):
    with pytest.raises(
        InputError, match="no collection of ir_datasets is called 'mien'; did you mean 'mine'"
    ):
        load_sources(["ir_datasets:mien"], tmp_path)
    with pytest.raises(InputError, match="ir_datasets:bare has no docs"):
        load_sources(["ir_datasets:bare"], tmp_path)
    with pytest.raises(InputError, match="ir_datasets:bare has no qrels"):
        irdatasets.list_judgements("bare")
    monkeypatch.setattr(irdatasets, "MAX_DOCUMENTS", 2)
    with pytest.raises(InputError, match="more than 2 documents"):
        load_sources([f"ir_datasets:{mine}"], tmp_path)
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match=r"pip install 'openiir\[ir\]'"):
        load_sources([f"ir_datasets:{mine}"], tmp_path)


def test_a_known_collection_is_read_from_its_folder_and_never_fetched_unasked(tmp_path):
    """ir_datasets reads its folder's name when it is imported, hence a process of its own."""
    (tmp_path / "cranfield").mkdir()
    for name, text in CRANFIELD.items():
        (tmp_path / "cranfield" / name).write_text(text, encoding="utf-8")
    program = (
        "from pathlib import Path\n"
        "from openiir.core.errors import InputError\n"
        "from openiir.core.world import irdatasets, load_sources\n"
        "found = load_sources(['ir_datasets:cranfield'], Path('.'))\n"
        "print([(s.name, s.text) for s in found.sources], [s.name for s in found.skipped])\n"
        "print(irdatasets.read_queries('cranfield'), irdatasets.list_judgements('cranfield'))\n"
        "try: load_sources(['ir_datasets:vaswani'], Path('.'))\n"
        "except InputError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "IR_DATASETS_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "[('1', 'wings wings bear aeroplanes .'), ('3', 'ships ships carry  grain .')] ['2']",
        "{'1': 'what bears aeroplanes .', '2': 'what carries grain .'} [('1', '1', 3, '0'), ('2', '3', -1, "
        "'0')]",
        f"world source ir_datasets:vaswani is not in {Path(tmp_path)} yet; let a run download it (--fetch), "
        "or put its files there",
    ], done.stderr
