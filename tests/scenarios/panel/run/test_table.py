"""What the opinion dynamics of a panel is told."""

from types import SimpleNamespace

import pytest

from openiir.scenarios.panel.run import table
from openiir.scenarios.panel.run.table import OVERHEARD, PanelTable


def test_no_influence_carries_a_hearer_beyond_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def step(mode, stances, first, heed, *others):
        told.append(heed)
        return table.np.array(stances)

    monkeypatch.setattr(table, "step", step)
    people = [
        SimpleNamespace(
            agent=SimpleNamespace(id=name, persona=SimpleNamespace(influence=weight)), stance=0.0, first=0.0
        )
        for name, weight in (("ada", 10.0), ("ben", 0.5), ("cleo", 4.0))
    ]
    config = SimpleNamespace(dynamics="combined", mu=0.4, epsilon=1.0, phi=0.05)
    stage = SimpleNamespace(config=config, draw=lambda purpose: None, answerer=lambda agent, kind: "offline")
    PanelTable(stage, people, None, None).move_stances(people[0], "ben", ())
    assert told[0][1].tolist() == [
        2.5,
        0.5,
        2.5,
    ]  # 1 / mu at most, so that a hearer moves all the way at most
    assert told[0][2].tolist() == [2.5, OVERHEARD * 0.5, 1.0]
