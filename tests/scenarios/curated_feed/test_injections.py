"""What somebody injects changes nothing about the items that arrive by themselves."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.storage import Log
from openiir.runs.engine import Watcher, drive
from openiir.runs.fork import fork
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.offline import run_with_stops

PUSH = {"items": 7, "topic": 2, "valence": -0.5, "quality": 1.0}


def push(*weeks: int, **values: Any) -> list[dict[str, Any]]:
    """Events that inject items in these weeks."""
    return [{"step": week, "kind": "inject", **(values or PUSH)} for week in weeks]


def by_id(rows: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    names = sorted(rows.keys() - {"item", "id", "injected"})
    return {id: tuple(rows[name][at] for name in names) for at, id in enumerate(rows["id"])}


def test_items_keep_ids_and_numbers(feed: Callable[..., Any]) -> None:
    plain = feed()
    pushed = feed(event=push(1, 2))
    before, after = (run.rows("catalogue", None) for run in (plain, pushed))
    assert by_id(before) == {id: row for id, row in by_id(after).items() if not id.startswith("x")}
    made = [id for id, injected in zip(after["id"], after["injected"], strict=True) if injected]
    assert made == [f"x{n:07d}" for n in range(1, 15)] and not before["injected"].any()


def test_a_random_feed_keeps_its_order_among_the_others(feed: Callable[..., Any]) -> None:
    """A user's noise about an item is the item's own, whatever stands before it on the shelf."""
    wide = {
        "ranker": "random",
        "beside": [],
        "epsilon": 0.0,
        "weeks": 2,
        "sessions": 1,
        "slots": 20,
        "candidates": 20,
        "items": {"per_week": 60},
    }
    plain = feed(wide)
    pushed = feed(wide, event=push(1, 2))
    lists = []
    for run in (plain, pushed):
        ids, rows = run.rows("catalogue", None)["id"], run.rows("impressions", week=2)
        lists.append([[ids[i] for i in rows["item"][rows["user"] == user]] for user in range(30)])
    for one, other in zip(*lists, strict=True):
        kept = [id for id in other if not id.startswith("x") and id in one]
        assert kept == [id for id in one if id in kept] and len(kept) > 8


def test_a_run_with_injections_goes_on_from_a_checkpoint(study: Callable[..., Path], tmp_path: Path) -> None:
    place = study({"ranker": "popularity"}, event=push(2, 3))
    loaded = load_study(str(place))
    with prepare_run(loaded, tmp_path / "whole", Settings()) as run:
        whole = asyncio.run(drive(run, Settings(), Watcher()))
    assert run_with_stops(loaded, tmp_path / "parts", [2], checkpoints=True) == whole


def test_a_random_orders_noise_is_uniform_for_injected_items_too(feed: Callable[..., Any]) -> None:
    many = {"items": 40, "topic": 1, "valence": 0.0}
    ran = feed({"ranker": "random", "beside": [], "epsilon": 0.0}, event=push(1, **many))
    rows = ran.rows("impressions", week=1)
    injected = ran.rows("catalogue", None)["injected"][rows["item"]]
    assert 0.4 < np.mean(injected) < 0.6


def test_an_event_injects_in_its_week_alone(feed: Callable[..., Any]) -> None:
    event = feed(event=[{"at": "week 2", "kind": "inject", **PUSH}])
    rows = event.rows("catalogue", None)
    assert rows["week"][rows["injected"]].tolist() == [2] * 7
    assert [(e.step, e.payload) for e in Log(event.run).events("event")] == [(2, {"kind": "inject", **PUSH})]


def test_events_of_a_week_keep_the_order_of_the_study(feed: Callable[..., Any]) -> None:
    for_it = {"items": 2, "topic": 1, "valence": 0.5, "quality": 0.0}
    rows = feed(event=[*push(2), *push(2, **for_it)]).rows("catalogue", None)
    assert rows["valence"][rows["injected"]].tolist() == [-0.5] * 7 + [0.5] * 2


def test_a_run_of_before_that_injected_nothing_can_still_be_measured(study: Callable[..., Path]) -> None:
    config = load_study(str(study())).config
    assert type(config).model_validate({**config.model_dump(mode="json"), "inject": []}) == config
    with pytest.raises(
        InputError, match="inject is no key of .config. any more; write an ..event.. with kind"
    ):
        load_study(str(study(change=[{"step": 2, "set": {"inject": [PUSH]}}])))


def test_a_fork_injects_what_a_new_study_would(
    study: Callable[..., Path], sit: Callable[..., str], tmp_path: Path
) -> None:
    sit(study(), tmp_path / "parent")
    events = [f"kind=inject,items={PUSH['items']},topic=2,valence=-0.5,quality=1.0"]
    with fork(tmp_path / "parent", "week 2", {}, tmp_path / "fork", events=events)[0] as run:
        content = asyncio.run(drive(run, Settings(), Watcher()))
    assert content == sit(study(event=[{"step": 2, "kind": "inject", **PUSH}]), tmp_path / "afresh")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"step": 2, "topic": 5}, "inject in week 2: topic = 5 of 4 topics"),
        ({"at": "week 9"}, "no step is called 'week 9'; of the 3 steps the nearest are called 'week"),
        ({"step": 4}, r"'inject' at step 4: the run has at most 3 steps"),
        ({"step": 2, "items": 0}, "items = 0: input should be greater than or equal to 1"),
    ],
)
def test_an_injection_that_cannot_be_is_refused(
    event: dict[str, Any], words: str, study: Callable[..., Path]
) -> None:
    with pytest.raises(InputError, match=words):
        load_study(str(study({"weeks": 3}, event=[{"kind": "inject", **PUSH, **event}])))
