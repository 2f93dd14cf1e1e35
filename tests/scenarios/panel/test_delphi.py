import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.asking import read_reply
from openiir.core.errors import UnusableAnswer
from openiir.core.seeds import Draw
from openiir.core.storage import Log, RunFile
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.panel.questions.estimating import (
    DelphiEstimate,
    Estimation,
    GroupFeedback,
)
from openiir.scenarios.panel.run.actions import Estimated, SweepFeedback

FOUR = '["mara-lindqvist", "leo-adeyemi", "priya-raman", "dmitri-vance", "tomas-okonjo", "wen-zhao"]'


def hold(folder: Path, *sets: str) -> Path:
    loaded = load_study("panel", ["config.shape=delphi", f"cast={FOUR}", *sets])
    with prepare_run(loaded, folder, Settings()) as run:
        asyncio.run(drive(run, Settings(), Watcher()))
    return folder


@pytest.fixture(scope="module")
def delphi(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    with RunFile.open(hold(tmp_path_factory.mktemp("delphi") / "run")) as run:
        yield Log(run)


def question(yielding: float = 0.3, **fields: Any) -> DelphiEstimate:
    given: dict[str, Any] = {
        "topic": "Trams should replace buses",
        "goal": "Estimate.",
        "first": "leaning in favour",
        "own": 80,
        "own_reason": "Trams are quiet.",
        "feedback": GroupFeedback(median=50, low=40, high=60),
        "passages": (),
        "notes": (),
    }
    by = {"stance": 0.4, "interests": ("noise",), "yielding": yielding, "quotable": ()}
    return DelphiEstimate(**{**given, **fields}, **by)


def sweeps(log: Log) -> list[dict[str, int]]:
    by_step: dict[int, dict[str, int]] = {}
    for event, given in Estimated.read(log):
        by_step.setdefault(event.step, {})[event.actor or ""] = given.value
    return [by_step[step] for step in sorted(by_step)]


def test_feedback_is_the_quartiles_of_what_was_given(delphi: Log) -> None:
    for values, (_, fed) in zip(sweeps(delphi), SweepFeedback.read(delphi), strict=True):
        low, median, high = np.quantile(list(values.values()), [0.25, 0.5, 0.75])
        assert (fed.low, fed.median, fed.high) == pytest.approx((low, median, high))


def test_nobody_passes_the_median_and_the_spread_shrinks(delphi: Log) -> None:
    given, fed = sweeps(delphi), [f for _, f in SweepFeedback.read(delphi)]
    for before, after, feedback in zip(given, given[1:], fed, strict=False):
        for name, value in after.items():
            assert (before[name] - feedback.median) * (value - feedback.median) >= -1
    assert np.std(list(given[-1].values())) < np.std(list(given[0].values()))


def test_a_group_that_never_moves_is_stable_at_once(tmp_path: Path) -> None:
    with RunFile.open(hold(tmp_path / "run", "config.omega=0")) as run:
        given = sweeps(Log(run))
        assert len(given) == 2 and given[0] == given[1]
        assert [f.stable for _, f in SweepFeedback.read(Log(run))] == [False, True]


def test_stances_follow_the_estimates(delphi: Log) -> None:
    last = sweeps(delphi)[-1]
    rows = delphi.table("stances")
    stances = {r["persona"]: r["stance"] for r in rows if r["step"] == rows[-1]["step"]}
    assert stances == pytest.approx({name: value / 50 - 1 for name, value in last.items()}, abs=1e-5)


def test_no_name_is_in_what_others_are_shown(delphi: Log) -> None:
    names = [p.name for p in delphi.personas]
    texts = [given.reason for _, given in Estimated.read(delphi)]
    assert texts and not any(name in text for name in names for text in texts)


@pytest.mark.parametrize(
    ("own", "median", "yielding", "expected"), [(80, 50, 0.3, 71), (20, 50, 1.0, 50), (0, 50, 0.0, 0)]
)
def test_revision_moves_by_the_share_it_yields(
    own: int, median: float, yielding: float, expected: int
) -> None:
    asked = question(own=own, yielding=yielding, feedback=GroupFeedback(median=median, low=0, high=100))
    assert asked.offline(Draw(1, "x")).value == expected


def test_an_estimate_outside_the_quartiles_needs_a_reason() -> None:
    asked = question()
    asked.check(Estimation(value=55))
    with pytest.raises(UnusableAnswer, match="needs a reason"):
        asked.check(Estimation(value=75))
    outside = asked.offline(Draw(1, "x"))
    assert outside.value == 71 and outside.reason
    asked.check(outside)


def test_a_passage_that_was_not_shown_cannot_be_cited() -> None:
    with pytest.raises(UnusableAnswer, match=r"\[9\], but there are none"):
        read_reply(Estimation(value=50, reason="So it is [9].").model_dump_json(), question())


def test_first_estimates_spread_around_the_stance() -> None:
    asked = question(own=None, feedback=None)
    values = [asked.offline(Draw(1, "x", agent=n)).value for n in range(400)]
    assert np.mean(values) == pytest.approx(70, abs=1.5) and np.std(values) == pytest.approx(8, abs=1)
