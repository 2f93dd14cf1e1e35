"""Sweeps in a lab's PostgreSQL: mirrored by their workers, and pushed."""

import json

import pytest

from openiir.runs.mirror import finish_mirrored_sweep


@pytest.mark.extras
def test_cells_are_mirrored_by_their_workers_and_know_their_sweep(lab, small, openiir, installed, tmp_path):
    database = lab.new_database()
    words = ["sweep", small(), "--vary", "config.warmth=[0.2, 0.8]", "--seeds", 2, "--workers", 2]
    swept = openiir(*words, "--settings", database.settings(tmp_path), "--out", tmp_path / "sweep")
    assert swept.code == 0, swept.err
    cells = json.loads((tmp_path / "sweep" / "sweep.json").read_text())["cells"]
    there = database.query("select cell, arm::text, seed, status, content from openiir.cells order by cell")
    assert [(id, json.loads(arm), *rest) for id, arm, *rest in there] == [
        (cell["id"], cell["arm"], cell["seed"], "done", cell["content"]) for cell in cells
    ]
    assert (
        "0 of 4 runs sent, 4 there already" in openiir("push", tmp_path / "sweep", "--to", database.url).out
    )
    ((record,),) = database.query("select record::text from openiir.sweep")
    assert record == (tmp_path / "sweep" / "sweep.json").read_text()

    assert "sends what is missing" not in swept.err
    with database.connect() as connection:  # as on a cluster, whose machines make runs outside of the sweep
        connection.execute("update openiir.cell set run = null")
    assert finish_mirrored_sweep(tmp_path / "sweep", database.url) is None
    assert database.query("select cell, content from openiir.cells order by cell") == [
        (one[0], one[4]) for one in there
    ]
    assert (
        "0 of 4 runs sent, 4 there already" in openiir("push", tmp_path / "sweep", "--to", database.url).out
    )

    words[5] = 1
    other = openiir(*words[:-2], "--set", "name=other", "--out", tmp_path / "other")
    assert other.code == 0, other.err
    alone = openiir("push", tmp_path / "other" / "cells" / "0002", "--to", database.url)
    assert alone.code == 0, alone.err
    assert (
        "1 of 2 runs sent, 1 there already" in openiir("push", tmp_path / "other", "--to", database.url).out
    )
    assert database.query(
        "select name, count(*) from openiir.cells where run is not null group by 1 order by 1"
    ) == [
        ("evening", 4),
        ("other", 2),
    ]


def test_a_sweep_whose_database_is_away_says_so_in_one_line(small, openiir, inlined, with_parlour, tmp_path):
    pytest.importorskip("psycopg")
    (tmp_path / "away.toml").write_text('mirror = "postgresql://ada@/runs?host=/nowhere"\n')
    words = ["sweep", small(), "--vary", "config.warmth=[0.2, 0.8]", "--settings", tmp_path / "away.toml"]
    swept = openiir(*words, "--out", tmp_path / "sweep")
    assert swept.code == 0 and swept.err.count("sends what is missing") == 1
    assert f"`openiir push {tmp_path / 'sweep'} --to postgresql://ada@/runs?host=/nowhere`" in swept.err
