"""A change of the study takes effect from its step on: in pages, systems, visitors, forks and replays."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.plugin import InputError
from openiir.runs.engine import Watcher, drive
from openiir.runs.fork import fork
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.recommender.measures import recommender_measures
from openiir.testing.offline import Finished, replay_offline, run_loaded, run_with_stops

Study = Callable[..., Path]
PAUSES: dict[str, Any] = {"page": {"most": 6, "exits": False}, "battery": {"pages": [2, 4], "items": 0}}
"""Steps: 1 the set-up, 2 up to page 2, 3 up to page 4, 4 up to page 6."""
LARGER: dict[str, Any] = {"page.items": 7}
OTHER: dict[str, Any] = {"systems.0.by": "random", "page.only": ["drama"]}


@pytest.fixture
def run(small: Study, tmp_path: Path) -> Callable[..., Finished]:
    """Runs a study whose visits pause after pages 2 and 4, with these changes by step or label."""

    def run(name: str, *changes: tuple[int | str, dict[str, Any]], **config: Any) -> Finished:
        return run_loaded(load_study(str(changing(small, *changes, **config))), tmp_path / name)

    return run


def changing(small: Study, *changes: tuple[int | str, dict[str, Any]], **config: Any) -> Path:
    entries = [{"step" if isinstance(when, int) else "at": when, "set": keys} for when, keys in changes]
    return small({"change": entries}, **{**PAUSES, **config})


def pages(done: Finished) -> dict[tuple[str, int], list[str]]:
    """Items of each page by visitor and number."""
    found = {}
    for event in done.log.events("recommender.browsed"):
        if not event.payload["opened"]:
            found.setdefault(
                (event.actor, event.payload["page"]), [i["item"] for i in event.payload["items"]]
            )
    return found


def moves(done: Finished) -> list[Any]:
    return [(e.step, e.actor, e.payload) for e in done.log.events("recommender.acted")]


def test_the_page_size_changes_at_a_step(run: Callable[..., Finished]) -> None:
    plain, changed = pages(run("plain")), pages(run("changed", ("up to page 4", LARGER)))
    assert {len(items) for items in plain.values()} == {4}
    assert {page: len(items) for (_, page), items in changed.items()} == {1: 4, 2: 4, 3: 7, 4: 7, 5: 7, 6: 7}
    assert all(changed[place] == plain[place] for place in plain if place[1] < 3)


def test_measures_read_the_size_that_each_page_had(run: Callable[..., Finished]) -> None:
    measures = recommender_measures(run("run", (3, LARGER)).log)
    assert measures["popularity/simulated.ndcg@10"].defined and measures["popularity/P_view"].defined


def test_a_system_changes_at_a_step_and_serves_no_title_twice(run: Callable[..., Finished]) -> None:
    plain, changed = pages(run("plain")), pages(run("changed", (3, OTHER)))
    assert all(changed[place] == plain[place] for place in plain if place[1] < 3)
    later = [place for place in changed if place[1] > 2]
    assert later and all(changed[place] != plain[place] for place in later)
    for who in {who for who, _ in changed}:
        served = [item for (visitor, _), items in changed.items() if visitor == who for item in items]
        assert len(served) == len(set(served))


def test_visitors_lose_their_persona_and_leave_by_another_rule(run: Callable[..., Finished]) -> None:
    """The traits that act and what prompts tell of a visitor go together."""
    done = run("run", (3, {"visitors.persona": False}), page={"most": 6})
    told: dict[int, set[str]] = {}
    for asked in done.asked:
        if asked.question.kind == "recommender.browse":
            told.setdefault(asked.place.step, set()).add(asked.messages()[0].text)
    assert told[2] and told[3] and not told[2] & told[3]
    assert all("somebody who rates movies" in text.lower() for text in told[3])
    stay = {"visitors.leaving": "patch", "visitors.travel": 100.0}
    left = [run(f"{n}", *change, page={"most": 6}) for n, change in enumerate([(), ((3, stay),)])]
    assert moves(left[0]) != moves(left[1])
    first = [[move for move in moves(one) if move[0] < 3] for one in left]
    assert first[0] == first[1]


@pytest.mark.parametrize("most", [3, 8])
def test_a_visit_becomes_shorter_or_longer(run: Callable[..., Finished], most: int) -> None:
    done = run("run", (3 if most > 3 else 4, {"page.most": most, "battery.pages": [2]}))
    table = done.log.columns("visits")
    assert set(table["gone"].tolist()) == {8 if most == 8 else 4} and set(table["left"].tolist()) == {
        "last page"
    }


def test_a_fork_shares_the_steps_before_and_is_the_changed_study(
    run: Callable[..., Finished], tmp_path: Path
) -> None:
    run("parent")
    with fork(tmp_path / "parent", 3, LARGER | OTHER, tmp_path / "fork")[0] as forked:
        content = asyncio.run(drive(forked, Settings(), Watcher()))
    fresh = run("fresh", (3, LARGER | OTHER))
    assert content == fresh.content


def test_a_changed_run_is_the_same_stopped_resumed_and_replayed(small: Study, tmp_path: Path) -> None:
    off = {f"visitors.{key}": False for key in ("persona", "self_ask", "reflection", "perception")}
    loaded = load_study(str(changing(small, (3, LARGER | off), (4, OTHER), retrain_every=3)))
    whole = run_loaded(loaded, tmp_path / "whole").content
    assert run_with_stops(loaded, tmp_path / "sittings", [1, 3, 4]) == whole
    assert replay_offline(tmp_path / "whole") == whole


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ({"users": 3}, "users"),
        ({"data.kind": "book"}, "data.kind"),
        ({"visitors.graph": False}, "visitors.graph"),
        ({"visitors": {"taste": "content"}}, "visitors.taste"),
        ({"systems": ["random"]}, "systems[].name"),
        ({"systems": ["popularity", "random"]}, "systems[].name"),
    ],
)
def test_what_defines_arrays_and_lanes_cannot_change(small: Study, keys: dict[str, Any], name: str) -> None:
    with pytest.raises(InputError) as told:
        load_study(str(changing(small, (3, keys))))
    assert f"{name!r} is structural and cannot change during a run; start another run" in str(told.value)
