"""What somebody injects changes nothing about the items that arrive by themselves."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.offline import run_with_stops

PUSH = {"items": 7, "topic": 2, "valence": -0.5, "quality": 1.0}


def by_id(rows: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    names = sorted(rows.keys() - {"item", "id", "injected"})
    return {id: tuple(rows[name][at] for name in names) for at, id in enumerate(rows["id"])}


def test_items_keep_ids_and_numbers(feed: Callable[..., Any]) -> None:
    plain = feed()
    pushed = feed(change=[{"step": 1, "set": {"inject": [PUSH]}}, {"step": 3, "set": {"inject": []}}])
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
    pushed = feed(wide, change=[{"step": 1, "set": {"inject": [PUSH]}}])
    lists = []
    for run in (plain, pushed):
        ids, rows = run.rows("catalogue", None)["id"], run.rows("impressions", week=2)
        lists.append([[ids[i] for i in rows["item"][rows["user"] == user]] for user in range(30)])
    for one, other in zip(*lists, strict=True):
        kept = [id for id in other if not id.startswith("x") and id in one]
        assert kept == [id for id in one if id in kept] and len(kept) > 8


def test_a_run_with_injections_goes_on_from_a_checkpoint(study: Callable[..., Path], tmp_path: Path) -> None:
    place = study({"ranker": "popularity"}, change=[{"step": 2, "set": {"inject": [PUSH]}}])
    loaded = load_study(str(place))
    with prepare_run(loaded, tmp_path / "whole", Settings()) as run:
        whole = asyncio.run(drive(run, Settings(), Silent()))
    assert run_with_stops(loaded, tmp_path / "parts", [2], checkpoints=True) == whole


def test_a_random_orders_noise_is_uniform_for_injected_items_too(feed: Callable[..., Any]) -> None:
    many = {"items": 40, "topic": 1, "valence": 0.0}
    ran = feed(
        {"ranker": "random", "beside": [], "epsilon": 0.0}, change=[{"step": 1, "set": {"inject": [many]}}]
    )
    rows = ran.rows("impressions", week=1)
    injected = ran.rows("catalogue", None)["injected"][rows["item"]]
    assert 0.4 < np.mean(injected) < 0.6
