"""A medium with all kinds of events: kills, workers, slow replies, forks and replay change nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from small_medium import ADA, CONFIG, RUMOUR

from openiir.core.storage import Log, RunFile
from openiir.scenarios.social_media.questions import React, ShownPost
from openiir.scenarios.social_media.run.actions import Exposed

SITES = pytest.mark.parametrize("site", ["twitter", "reddit"])
COUNTER = {"kind": "counter", "member": "ada", "text": "How would you feel?", "below": 0.0, "deletion": 0.3}
EVENTS = [
    RUMOUR,
    {**RUMOUR, "post": "report", "member": "followed-3", "valence": 0.7, "veracity": "true"},
    {"at": "round 2", **COUNTER},
    {"at": "round 2", "kind": "note", "post": "rumour", "text": "It stands.", "delay": 10},
    {"at": "round 3", "kind": "nudge", "strength": 0.3},
    {"at": "round 3", "kind": "downrank", "post": "report", "factor": 0.2},
    {"at": "round 3", "kind": "breaker", "looks": 8},
    {"at": "round 4", "kind": "promote", "member": "user-000040", "name": "Jo", "bio": "Runs the mill."},
    {"at": "round 4", "kind": "milestone", "activity": 3.0},
    {"at": "round 5", "kind": "leave", "member": "user-000050"},
    {"at": "round 6", "kind": "remove", "post": "report"},
]
CAST = [
    {**ADA, "id": name, "name": name.title(), "interests": ["bridge"], "activity": {"posts_per_hour": rate}}
    for name, rate in (("ada", 1.0), ("ben", 0.5), ("cleo", 0.2))
]
SMALL = {
    "members": 90,
    "rounds": 6,
    "searches": 0.7,
    "visits": 1.0,
    "activity": {"posts": 0.1},
    "stance_sd": 0.8,
    "follows": {"rate": 0.6, "leave": 0.4, "tolerance": 0.3},
    "writing": {"worded": 0.5},
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a study of a small medium with these events and keys beside those above."""

    def write(events: Any = (), personas: Any = CAST, study: Any = (), **config: Any) -> Path:
        whole = {
            "type": "social_media",
            "name": "medium",
            "seed": 4,
            "personas": "people.toml",
            **dict(study),
            "event": list(events),
            "config": CONFIG | SMALL | config,
        }
        (tmp_path / "people.toml").write_text(tomli_w.dumps({"persona": list(personas)}))
        (tmp_path / "study.toml").write_text(tomli_w.dumps(whole))
        return tmp_path / "study.toml"

    return write


@SITES
def test_killed_at_any_moment_a_medium_goes_on_to_the_same_content(
    site: str, write: Callable[..., Path], sittings: Any, openiir: Any, tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text("checkpoint_every = 2\n")
    run = ["run", str(write(EVENTS, site=site)), "--settings", str(tmp_path / "s.toml"), "--out"]
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")], "count": True})
    assert whole["code"] == 0, whole["err"]
    content, names = whole["out"].strip().splitlines()[-1], whole["moments"]
    begun = names.index("after declaration") + 1
    moments = [begun + (len(names) - begun) * n // 4 for n in range(1, 5)]
    died = sittings(*({"argv": [*run, str(tmp_path / f"at-{n}")], "kill": n} for n in moments))
    assert [job["signal"] for job in died] == [9] * 4
    for n in moments:
        resumed = openiir("resume", tmp_path / f"at-{n}")
        assert resumed.out.strip().splitlines()[-1] == content, (names[n - 1], resumed.err)
    assert openiir("replay", tmp_path / f"at-{moments[1]}").out.strip().endswith(content)


@SITES
def test_workers_and_the_order_of_replies_change_nothing(
    site: str, write: Callable[..., Path], openiir: Any, served: Any, tmp_path: Path
) -> None:
    study = write(
        EVENTS[:7], study={"answers": {"default": "model"}, "model": {"name": "standin"}}, site=site, rounds=3
    )
    contents = []
    for workers, latency in ((1, 0.0), (4, 0.004)):
        settings = served(latency=latency, malformed=0.1)[1]
        out = tmp_path / f"by-{workers}"
        settings.write_text(f"workers = {workers}\n{settings.read_text()}")
        contents.append(openiir("run", study, "--settings", settings, "--out", out).content)
    assert contents[0] == contents[1] == openiir("replay", tmp_path / "by-4").content


def test_a_fork_at_an_intervention_shares_what_was_before(
    write: Callable[..., Path], openiir: Any, tmp_path: Path
) -> None:
    whole = openiir("run", write(EVENTS), "--out", tmp_path / "whole").content
    fork = ["fork", tmp_path / "whole", "--at", "round 3"]
    assert openiir(*fork, "--out", tmp_path / "null").content == whole
    removal = openiir(*fork, "--event", "kind=remove,post=rumour", "--out", tmp_path / "removed")
    assert removal.content != whole
    before, after = (read_looks(tmp_path / name) for name in ("whole", "removed"))
    first = [looks["step"] < 3 for looks in (before, after)]
    assert first[0].sum() > 20
    for name in before:
        assert np.array_equal(before[name][first[0]], after[name][first[1]])
    assert (before["post"][~first[0]] == 0).any() and not (after["post"][~first[1]] == 0).any()


def read_looks(folder: Path) -> dict[str, Any]:
    with RunFile.open(folder) as run:
        return dict(Exposed.columns(Log(run)))


def test_a_page_offers_only_its_own_places_to_follow_and_none_where_nobody_follows() -> None:
    shown = ShownPost("Jo", "The bridge fell.", "", 0, 0, "")
    twitter, reddit = (
        React(
            site, "It should close", "undecided", (), (shown,) * 3, 0.0, 0.0, 0.0, *((),) * 10, behaviour=None
        )
        for site in ("twitter", "reddit")
    )
    assert list(twitter.allowed()["leaves"]) == [1, 2, 3] and twitter.lengths() == {"does": 3}
    assert not reddit.allowed() and reddit.lengths() == {"does": 3, "follows": 0, "leaves": 0}


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            {**RUMOUR, "member": "followed-9999999"},
            "followed-9999999 of 90 members; give followed-1 to followed-90",
        ),
        ({**RUMOUR, "member": "followed-0"}, "give followed-1 to followed-90"),
        ({**RUMOUR, "member": "followed-\u00b2"}, "no member of this run is called 'followed-\u00b2'"),
        ({"at": "round 1", "kind": "nudge", "post": "zed"}, "no post is called 'zed' by then; schedule"),
        ({"at": "round 1", "kind": "counter", "text": "How so?"}, "the key 'member' is missing; add it"),
        ({"at": "round 1", "kind": "breaker", "looks": 0}, "greater than or equal to 1"),
    ],
)
def test_a_wrong_event_is_refused_before_anything_is_written(
    event: Any, message: str, write: Callable[..., Path], openiir: Any, tmp_path: Path
) -> None:
    refused = openiir("run", write([event]), "--out", tmp_path / "run")
    assert refused.code == 2 and message in refused.err and "Traceback" not in refused.err
    assert not (tmp_path / "run").exists()
