"""What `openiir push`, `openiir pull` and the setting `mirror` refuse before any database is asked."""

import sys

import pytest

from openiir.runs.push import STORES


@pytest.mark.parametrize("url", ["lab", "mysql://ada:swordfish@lab/runs", "://"])
def test_a_store_that_nobody_knows_is_refused(url, openiir, tmp_path):
    refused = openiir("push", tmp_path, "--to", url)
    assert refused.code == 2 and "swordfish" not in refused.err
    assert all(f"{scheme}://" in refused.err for scheme in STORES)


def test_without_psycopg_the_command_that_brings_it_is_told(evening, openiir, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    url, run = "postgresql://ada@lab/runs", tmp_path / "run"
    (tmp_path / "mirrored.toml").write_text(f'mirror = "{url}"\n')
    for words in (
        ["push", run, "--to", url],
        ["pull", url, "abcdef"],
        ["run", evening(), "--settings", tmp_path / "mirrored.toml", "--out", run],
    ):
        refused = openiir(*words)
        assert refused.code == 2 and "pip install 'openiir[postgres]'" in refused.err, words
        assert not run.exists()


def test_forecasts_and_replays_ask_no_database(evening, openiir, tmp_path):
    away = ["--settings", tmp_path / "away.toml"]
    (tmp_path / "away.toml").write_text('mirror = "postgresql://ada@/runs?host=/nowhere"\n')
    assert openiir("run", evening(), "--out", tmp_path / "run").code == 0
    for done in (openiir("run", evening(), *away, "--forecast"), openiir("replay", tmp_path / "run")):
        assert done.code == 0 and "/nowhere" not in done.err
