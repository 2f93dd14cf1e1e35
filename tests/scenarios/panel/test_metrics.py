import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from openiir.core.personas import load_personas, save_personas
from openiir.core.storage import Log, RunFile
from openiir.runs.post_run import measure
from openiir.scenarios.panel import Panel
from openiir.scenarios.panel.measures.metrics import panel_measures
from openiir.scenarios.panel.run.actions import Estimated


@pytest.fixture
def hold(sit: Callable[..., str], tmp_path: Path) -> Callable[..., Path]:
    def run(*sets: str) -> Path:
        cast = 'cast=["mara-lindqvist", "leo-adeyemi", "priya-raman", "dmitri-vance"]'
        sit(Path("panel"), tmp_path / "run", None, cast, *sets)
        return tmp_path / "run"

    return run


def test_spread_measures_equal_a_plain_count_over_the_stance_table(hold: Callable[..., Path]) -> None:
    with RunFile.open(hold()) as run:
        log = Log(run)
        found = panel_measures(log)
        rows = log.table("stances")
        last = [r["stance"] for r in rows if r["step"] == rows[-1]["step"]]
        first = [r["stance"] for r in rows if r["step"] == rows[0]["step"]]
    pairs = [abs(a - b) for i, a in enumerate(last) for b in last[i + 1 :]]
    assert found["pairwise_distance_last"].value == pytest.approx(np.mean(pairs))
    assert found["variance_ratio"].value == pytest.approx(np.var(last) / np.var(first))


def test_turn_gini_and_utterances_count_the_transcript(hold: Callable[..., Path]) -> None:
    with RunFile.open(hold()) as run:
        found = panel_measures(Log(run))
        sql = "select count(*) from event where kind = 'panel.speak' group by actor"
        counts = sorted(n for (n,) in run.db.execute(sql))
    n, total = len(counts), sum(counts)
    naive = sum(abs(a - b) for a in counts for b in counts) / (2 * n * total)
    assert found["utterances"].value == total and found["turn_gini"].value == pytest.approx(naive)


def test_a_spent_budget_shows_in_the_measures(
    hold: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poor = [p.model_copy(update={"tokens": 60}) for p in load_personas(Panel.reference / "personas.toml")]
    save_personas(tmp_path / "poor.toml", poor)
    monkeypatch.setenv("OPENIIR_DATA", str(tmp_path))
    with RunFile.open(hold('personas="$OPENIIR_DATA/poor.toml"')) as run:
        found = panel_measures(Log(run))["first_exhaustion_step"]
        left = [r["tokens_left"] for r in Log(run).table("stances")]
    assert found.defined and min(left) == 0


def test_no_spent_budget_is_said(hold: Callable[..., Path]) -> None:
    with RunFile.open(hold('cast=["mara-lindqvist", "leo-adeyemi", "priya-raman"]')) as run:
        assert panel_measures(Log(run))["first_exhaustion_step"].reason == "no budget ran out"


def test_without_communication_nothing_moves(hold: Callable[..., Path]) -> None:
    with RunFile.open(hold("config.dynamics=none")) as run:
        found = panel_measures(Log(run))
    assert found["variance_ratio"].value == 1.0
    assert found["polarisation_first"] == found["polarisation_last"]


def test_delphi_measures_describe_the_last_sweep(hold: Callable[..., Path]) -> None:
    with RunFile.open(hold("config.shape=delphi")) as run:
        found = panel_measures(Log(run))
        given = [(e.step, g.value) for e, g in Estimated.read(Log(run))]
    last = [value for step, value in given if step == max(s for s, _ in given)]
    assert found["delphi_median_last"].value == np.median(last)
    assert found["delphi_iqr_last"].value == pytest.approx(np.subtract(*np.quantile(last, [0.75, 0.25])))
    assert found["utterances"].value == 0 and math.isnan(found["turn_gini"].value)


def test_measures_go_to_the_after_file_and_the_run_stays_as_it_was(hold: Callable[..., Path]) -> None:
    folder = hold()
    before = (folder / "run.db").read_bytes()
    found = measure(folder, {})
    assert (folder / "run.db").read_bytes() == before
    import sqlite3

    with sqlite3.connect(folder / "after.db") as db:
        kept = {
            name: (value, reason)
            for name, value, reason in db.execute("select name, value, reason from measure")
        }
    assert kept.keys() == found.keys()
    assert all((value is None) == (reason is not None) for value, reason in kept.values())
