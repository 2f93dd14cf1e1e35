"""What memory does: by hand, and the signs, nulls and positive controls of the science."""

import math

import numpy as np
import pytest

from openiir.plugin import Measure
from openiir.scenarios.asymmetric_memory.measures import EFFECTS, estimate_effects, memory_measures
from openiir.scenarios.asymmetric_memory.scenario import AsymmetricMemory
from openiir.scenarios.asymmetric_memory.views import SURFACES

SEEDS = (1, 2, 3)


@pytest.fixture
def effects(run):
    """Effects over seeds: by name, an array."""

    def find(**config):
        found = [estimate_effects(run(seed, **config).log) for seed in SEEDS]
        return {name: np.array([one[name].value for one in found]) for name in EFFECTS}

    return find


def test_effects_are_differences_of_what_the_log_holds(run):
    log = run(members=40, rounds=5).log
    some = log.columns("members")["remembers"]
    got = {arm: [[] for _ in range(40)] for arm in ("stateless", "mixed", "memory")}
    for row in log.table("accesses"):
        got[row["arm"]][row["member"]].append(row["outcome"])
    mean = {arm: np.array([math.fsum(of) / 5 for of in members]) for arm, members in got.items()}
    slope = {m: np.polyfit(range(5), got["mixed"][m], 1)[0] * 10 for m in range(40)}
    slopes = np.array([slope[m] for m in range(40)])
    found = {name: one.value for name, one in estimate_effects(log).items()}
    assert found["advantage"] == pytest.approx(mean["mixed"][some].mean() - mean["mixed"][~some].mean())
    assert found["spillover"] == pytest.approx((mean["mixed"] - mean["stateless"])[~some].mean())
    assert found["total"] == pytest.approx((mean["memory"] - mean["stateless"]).mean())
    assert found["learning"] == pytest.approx(slopes[some].mean() - slopes[~some].mean())


def test_congestion_turns_the_advantage_of_memory_into_a_loss(effects):
    """The signs of the prototype: -.038 and +.028 with congestion, +.015 and .002 without."""
    crowded, free = effects(), effects(capacity=0)
    assert crowded["advantage"].mean() < -0.015 and (crowded["spillover"] > 0.02).all()
    assert (crowded["hazard_ratio"] < 1).all()
    assert (free["advantage"] > 0).all() and (free["hazard_ratio"] > 1).all()
    assert (free["spillover"] == 0).all(), "without congestion nobody is in another's way"


def test_random_goals_are_no_null(effects):
    """Memory deflates the estimate of known sources, so that worse ones are tried."""
    drawn = effects(capacity=0, new_goal=1.0)
    assert (drawn["advantage"] < -0.01).all() and (drawn["total"] < -0.01).all()


def test_exchanged_memories_are_a_null_with_congestion_and_without(effects):
    for capacity in (0, 0.8):
        exchanged = effects(capacity=capacity, exchanged=True)["advantage"]
        assert abs(exchanged.mean()) < 0.008 and np.abs(exchanged).max() < 0.02
    assert (effects(capacity=0, exchanged=True)["total"] < -0.01).all(), "it is read, and it misleads"


def test_a_memory_of_one_goal_without_noise_is_an_advantage(effects):
    again = effects(capacity=0, answer_noise=0, cue_noise=0.4, rounds=60)
    assert (again["advantage"] > 0.03).all() and (again["learning"] > 0.02).all()


def test_worlds_where_nobody_remembers_are_one(run):
    found = estimate_effects(run(memory="none").log)
    assert found["spillover"].value == found["total"].value == 0
    assert found["spillover"].low == found["spillover"].high == 0


def test_intervals_hold_the_value(run):
    for name, one in estimate_effects(run().log).items():
        assert one.low < one.value < one.high, name


def test_one_group_alone_has_no_effects(run):
    for share in (0.0, 1.0):
        for name, measure in memory_measures(run(share=share, members=20, rounds=2).log).items():
            if name.partition(".")[0] in EFFECTS:
                assert measure.reason == "all in the mixed world remember, or nobody does"


def test_what_was_read_is_useful_or_harmful_and_stale_where_sources_change(run):
    steady, drifting = (memory_measures(run(capacity=0, drift=drift).log) for drift in (0.0, 0.6))
    assert steady["stale[memory]"] == Measure(0.0) and drifting["stale[memory]"].value > 0.2
    assert drifting["useful[memory]"].value < steady["useful[memory]"].value
    assert steady["useful[memory]"].value > steady["harmful[memory]"].value > 0
    for name in ("useful", "harmful", "stale"):
        assert steady[f"{name}[stateless]"].reason == "nothing was recalled"
        assert steady[f"{name}[mixed, without memory]"].reason == "nothing was recalled"


def test_denials_are_on_record(run):
    for capacity, each in ((0.8, 20), (0.1, 2)):
        rows = run(capacity=capacity).log.columns("accesses")
        for arm in ("stateless", "mixed", "memory"):
            for step in (1, 30):
                here = (rows["arm"] == arm) & (rows["step"] == step)
                asked = np.bincount(rows["source"][here], minlength=16)
                served = np.bincount(rows["source"][here & rows["granted"]], minlength=16)
                assert served.tolist() == np.minimum(asked, each).tolist()
        assert (rows["outcome"][~rows["granted"]] == 0).all()


def test_groups_are_alike_before_anybody_remembers(run):
    rows = run(capacity=0).log.columns("accesses")
    first = {
        arm: rows["outcome"][(rows["arm"] == arm) & (rows["step"] == 1)] for arm in ("stateless", "mixed")
    }
    assert np.array_equal(first["stateless"], first["mixed"])


@pytest.mark.parametrize("memory", ["window:2", "decayed:3", "shared:town"])
def test_policies_change_what_is_remembered(run, memory):
    base, other = (
        estimate_effects(run(members=80, rounds=8, **more).log) for more in ({}, {"memory": memory})
    )
    assert base["total"].value != other["total"].value


def test_views_tell_what_the_measures_tell(run):
    log, views = run().log, {surface.name: surface.view for surface in SURFACES}
    measures = AsymmetricMemory().metrics(log)
    for name, row in zip(EFFECTS, views["effects"](log).rows, strict=True):
        assert row[1:4] == tuple(measures[f"{name}{end}"].value for end in ("", ".low", ".high"))
    outcomes = views["outcomes"](log).lines
    assert [len(line) for line in outcomes.values()] == [30] * 4
    for group, line in outcomes.items():
        assert np.mean([value for _, value in line]) == pytest.approx(measures[f"outcome[{group}]"].value)
    waits = views["waits"](log)
    for line in waits.lines.values():
        shares = [share for _, share in line]
        assert line[0] == (0, 1.0) and shares == sorted(shares, reverse=True) and shares[-1] < 0.1
    requests = views["requests"](log)
    assert {one.agent for one in requests} == {"mirela", "joost", "amara", "tomas"} and len(requests) == 120
    assert any("turned away" in one.text for one in requests)
