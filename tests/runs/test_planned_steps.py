"""Types say how many steps a run takes at most, and the live file passes it on."""

from pathlib import Path
from typing import Any

import pytest

from openiir.core.storage import RunFile
from openiir.core.storage.live_file import read_live
from openiir.runs.catalogue import read_card
from openiir.runs.moments import count_steps
from openiir.runs.post_run import scenario_of
from openiir.runs.run_io import open_checked
from openiir.testing.offline import StopAfter, offline_study, run_with_stops

GOLDEN = sorted(file.parent for file in (Path(__file__).parents[1] / "golden").glob("*/manifest.json"))
EARLY = ("panel", "new-type")
"""Types whose rounds may end before their caps."""


@pytest.mark.parametrize("folder", GOLDEN, ids=lambda folder: folder.name)
def test_recorded_runs_took_as_many_steps_as_their_types_say(folder):
    with open_checked(folder) as run:
        scenario, study, taken = scenario_of(run), run.study(), len(run.steps())
    most = count_steps(scenario.planned_steps(scenario.Config.model_validate(study["config"])))
    assert 0 < taken <= most
    assert study["type"] in EARLY or taken == most


def test_a_live_page_can_tell_how_far_a_run_is(tmp_path, monkeypatch):
    seen: list[tuple[int, Any]] = []
    step = StopAfter.step

    def look(self, number, label):
        card = read_card("run", tmp_path / "run")
        seen.append((card.steps, card.planned))
        step(self, number, label)

    monkeypatch.setattr(StopAfter, "step", look)
    sets = ("config.users=30", "config.weeks=3")
    run_with_stops(offline_study("curated_feed", tmp_path / "made", sets), tmp_path / "run", [2])
    assert seen[:2] == [(1, 3), (2, 3)]
    live = read_live(tmp_path / "run")
    assert live is not None and live.planned == 3
    with RunFile.open(tmp_path / "run") as run:
        assert "planned" not in str(run.study())
    assert read_card("run", tmp_path / "run").planned is None, "a finished run has all its steps"
