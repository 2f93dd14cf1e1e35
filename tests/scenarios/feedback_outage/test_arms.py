"""Nulls and positive controls: what changes nothing, what must, and that both causes lose as many clicks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from openiir.plugin import InputError
from openiir.scenarios.feedback_outage import FeedbackOutage
from openiir.scenarios.feedback_outage.model.platform import READERS
from openiir.testing import Finished, run_offline

SMALL = {"rounds": 12, "searchers": 300, "queries": 60}
Columns = dict[str, NDArray[Any]]


def run(folder: Path, channel: str = "click", share: float = 0.8, **config: Any) -> Finished:
    event = {"at": "round 4", "kind": "outage", "channel": channel, "share": share}
    study = {"type": "feedback_outage", "seed": 3, "config": {**SMALL, **config}, "event": [event]}
    return run_offline(study, folder)


def rows_of(done: Finished, table: str, arm: str) -> list[dict[str, Any]]:
    return [row | {"arm": ""} for row in done.log.table(table) if row["arm"] == arm]


def of_channel(rows: list[dict[str, Any]], channel: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["channel"] == channel]


def test_the_outage_of_a_channel_that_no_evaluator_reads_changes_nothing(tmp_path: Path) -> None:
    done = run(tmp_path / "run", "explicit", 1.0)
    signals = {arm: rows_of(done, "signals", arm) for arm in ("control", "fault", "readers")}
    for arm in ("fault", "readers"):
        for table in ("evaluators", "feedback_outage_searched"):
            assert rows_of(done, table, arm) == rows_of(done, table, "control")
        assert of_channel(signals[arm], "click") == of_channel(signals["control"], "click")
        lost = of_channel(signals[arm], "explicit")[3:]
        assert {row["arrived"] for row in lost} == {0} and sum(row["given"] for row in lost) > 50


@pytest.mark.parametrize("channel", ["click", "query_log"])
def test_an_outage_of_nothing_is_no_outage(channel: str, tmp_path: Path) -> None:
    done = run(tmp_path / "run", channel, 0.0)
    for table in ("evaluators", "signals", "feedback_outage_searched"):
        for arm in ("fault", "readers"):
            assert rows_of(done, table, arm) == rows_of(done, table, "control")


def test_an_outage_reaches_what_reads_the_channel(tmp_path: Path) -> None:
    """At once; later it reaches others through the pages, since people click other results."""
    changed = {}
    for channel in ("click", "dwell", "query_log"):
        done = run(tmp_path / channel, channel)
        rows = zip(*(rows_of(done, "evaluators", arm) for arm in ("control", "fault")), strict=True)
        changed[channel] = [{what for what in READERS if one[what] != two[what]} for one, two in rows]
    for channel, by_round in changed.items():
        assert not set().union(*by_round[:3])
        assert by_round[3] <= {what for what, channels in READERS.items() if channel in channels}
    assert set().union(*changed["dwell"]) == {"spam"} and "spam" in changed["click"][3]
    assert set().union(*changed["click"]) == READERS.keys() - {"suggestions"}
    assert {"suggestions", "calibration", "price"} <= changed["query_log"][3]


def test_both_causes_lose_as_many_clicks(tmp_path: Path) -> None:
    done = run(tmp_path / "run", rounds=20, searchers=1_500)
    measures = FeedbackOutage().metrics(done.log)
    fault, readers = measures["fault/lost"].value, measures["readers/lost"].value
    clicks = sum(row["given"] for row in of_channel(rows_of(done, "signals", "readers"), "click")[3:])
    assert 0.6 < readers < 0.8 and clicks > 5_000
    assert fault == pytest.approx(readers, abs=4 * np.sqrt(readers * (1 - readers) / clicks))
    logged = of_channel(rows_of(done, "signals", "readers"), "query_log")
    assert all(row["arrived"] == row["given"] for row in logged), "who reads still asks"


def test_who_reads_without_clicking_is_told_from_a_fault(tmp_path: Path) -> None:
    """A fault loses clicks that were made; who reads makes none, so a low estimate of clicks is right."""
    measures = FeedbackOutage().metrics(run(tmp_path / "run", rounds=40, searchers=1_500).log)
    assert measures["fault/area.calibration"].value > 3 > 0 > measures["readers/area.calibration"].value


def test_without_clicks_and_content_the_order_is_random(tmp_path: Path) -> None:
    config = {"rounds": 60, "searchers": 1_500, "queries": 300, "trust": 1.0}
    measures = {
        content: FeedbackOutage().metrics(
            run(tmp_path / str(content), "click", 1.0, content=content, **config).log
        )
        for content in (0.0, 1.0)
    }
    assert measures[0.0]["fault/lost"].value == 1.0
    assert abs(measures[0.0]["fault/lead"].value) < 0.03
    assert measures[0.0]["control/lead"].value > 0.2
    assert measures[1.0]["fault/lead"].value > 0.03, "contents still tell a little of what they told"


def test_a_restored_channel_carries_all_signals(tmp_path: Path) -> None:
    study = {
        "type": "feedback_outage",
        "config": SMALL,
        "event": [
            {"at": "round 4", "kind": "outage", "channel": "click", "share": 1.0},
            {"at": "round 7", "kind": "restore", "channel": "click"},
        ],
    }
    done = run_offline(study, tmp_path / "run")
    for arm in ("fault", "readers"):
        rows = of_channel(rows_of(done, "signals", arm), "click")
        whole = [row["arrived"] == row["given"] for row in rows]
        assert whole == [True] * 3 + [False] * 3 + [True] * 6


def test_a_study_without_an_outage_says_so(tmp_path: Path) -> None:
    done = run_offline({"type": "feedback_outage", "config": SMALL | {"rounds": 3}}, tmp_path / "run")
    measures = FeedbackOutage().metrics(done.log)
    assert measures["fault/lost"].reason == "there was no outage, or nothing to click"
    assert not [name for name in measures if "collapse" in name]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"queries": "cranfield"}, "queries"),
        ({"queries": {"one": "a"}, "qrels": "q"}, "queries"),
        ({"queries": {f"q{n}": "words" for n in range(10)}}, "needs the world main"),
        ({"qrels": "qrels.txt"}, "judgements in config.qrels"),
        ({"searchers": 2}, "2"),
    ],
)
def test_bad_input_is_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        run_offline({"type": "feedback_outage", "config": SMALL | changes}, tmp_path / "run")


def test_an_unknown_channel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no channel is called 'smell'"):
        run(tmp_path / "run", "smell")
