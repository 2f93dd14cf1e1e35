"""Sources serve up to their capacity, whoever they choose at random, alike in every arm; and it is logged."""

import math

import numpy as np
import pytest

from openiir.core.storage import Log
from openiir.kit.access import (
    NOWHERE,
    AccessLog,
    grant_access,
    list_accesses,
    log_accesses,
    tabulate_accesses,
)
from openiir.plugin import Draw, Record, Scenario, Step
from openiir.runs.types import AT_HAND
from openiir.testing import run_offline

WANTED = Draw(1, "wanted").below(5, item=np.arange(200)).astype(np.int64)
CAPACITY = np.array([0, 3, 1_000, 20, 40])


def test_each_source_serves_up_to_its_capacity():
    granted = grant_access(WANTED, CAPACITY, Draw(2, "queue"))
    asked = np.bincount(WANTED, minlength=5)
    assert np.bincount(WANTED[granted], minlength=5).tolist() == np.minimum(asked, CAPACITY).tolist()


def test_those_who_ask_for_nothing_get_nothing():
    wanted = np.array([NOWHERE, 0, NOWHERE, 0])
    assert grant_access(wanted, np.array([9]), Draw(2, "queue")).tolist() == [False, True, False, True]


def test_everyone_is_served_as_often():
    wanted = np.zeros(10, dtype=np.int64)
    served = [grant_access(wanted, np.array([3]), Draw(seed, "queue")) for seed in range(2_000)]
    assert np.abs(np.mean(served, axis=0) - 0.3).max() < 0.05


def test_more_capacity_takes_access_from_nobody():
    few, many = (grant_access(WANTED, CAPACITY + more, Draw(2, "queue")) for more in (0, 7))
    assert (few <= many).all()


def test_no_agents():
    assert grant_access(np.zeros(0, dtype=np.int64), CAPACITY, Draw(2, "queue")).size == 0


ARMS, STEPS, MEMBERS = ("plain", "other"), 3, 5


class Asking(Scenario):
    """Members ask drawn sources; every third member asks nobody in a step of its own."""

    name = "asking"
    Config = Record

    def actions(self):
        return ()

    async def schedule(self, stage):
        stage.population(MEMBERS)
        while stage.step <= STEPS:
            for arm in ARMS:
                rows = np.flatnonzero(np.arange(MEMBERS) % 3 != stage.step % 3)
                draw = stage.draw(arm, agent=rows)
                source = draw.at("source").below(4) - (draw.at("none").chance(0.2) * 9)
                source = np.maximum(source, NOWHERE)
                granted = (source != NOWHERE) & draw.at("granted").chance(0.7)
                log_accesses(
                    stage,
                    arm,
                    rows,
                    source=source,
                    granted=granted,
                    outcome=np.where(granted, np.round(draw.at("got").uniform(), 3), 0.0),
                    read=draw.at("read").below(3),
                    stale=draw.at("stale").below(2),
                    gain=np.round(draw.at("gain").normal(), 1),
                    colour=np.array(["red"] * len(rows), dtype=object),
                )
            yield Step(f"step {stage.step}")

    def metrics(self, log):
        return {}

    def surfaces(self):
        return ()


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(AT_HAND, "asking", Asking)
        with run_offline({"type": "asking", "seed": 4}, tmp_path_factory.mktemp("asking")).run as run:
            yield Log(run)


def test_the_log_of_requests_is_read_by_arm_step_and_member(asked):
    access = AccessLog(asked)
    for arm in ARMS:
        source, outcome = access.of("source", arm), access.of("outcome", arm)
        assert source.shape == outcome.shape == (STEPS, MEMBERS)
        rows = {(row["step"], row["member"]): row for row in asked.table("accesses") if row["arm"] == arm}
        for step in range(1, STEPS + 1):
            for member in range(MEMBERS):
                row = rows.get((step, member), {"source": NOWHERE, "outcome": 0.0})
                assert source[step - 1, member] == row["source"]
                assert outcome[step - 1, member] == row["outcome"]
    some = np.array([True, False, True, False, False])
    assert np.array_equal(access.of("read", "plain", some), access.of("read", "plain")[:, some])


def test_shares_of_requests_are_those_of_a_plain_loop(asked):
    access, some = AccessLog(asked), np.array([True, True, True, False, False])
    for arm in ARMS:
        for mask in (None, some):
            rows = [
                row
                for row in asked.table("accesses")
                if row["arm"] == arm and (mask is None or mask[row["member"]])
            ]
            found = {name: one.value for name, one in access.shares(arm, mask).items()}
            sent = [row for row in rows if row["source"] != NOWHERE]
            knew = [row for row in rows if row["read"]]
            members = MEMBERS if mask is None else int(mask.sum())
            assert found == pytest.approx(
                {
                    "outcome": math.fsum(row["outcome"] for row in rows) / (STEPS * members),
                    "denied": sum(not row["granted"] for row in sent) / len(sent),
                    "useful": sum(row["gain"] > 0 for row in knew) / len(knew),
                    "harmful": sum(row["gain"] < 0 for row in knew) / len(knew),
                    "stale": sum(row["stale"] for row in rows) / sum(row["read"] for row in rows),
                }
            )
    table = tabulate_accesses(asked, {"all": ("plain", None), "nobody": ("plain", np.zeros(MEMBERS, bool))})
    assert table.rows[0][0] == "all" and np.isnan(table.rows[1][1])


def test_requests_of_the_cast_are_listed(asked):
    def word(row):
        return f"asked {row['source']}"

    entries, cast = list_accesses(asked, "plain", word), [p.id for p in asked.personas]
    rows = [row for row in asked.table("accesses") if row["arm"] == "plain" and row["source"] != NOWHERE]
    rows = [row for row in rows if row["member"] < len(cast)]
    assert [(one.step, one.agent) for one in entries] == [(row["step"], cast[row["member"]]) for row in rows]
    for row, entry in zip(rows, entries, strict=True):
        got = f"{row['outcome']:.2f}" if row["granted"] else "turned away"
        assert entry.text == f"asked {row['source']} ({got})"
        assert entry.notes == (
            (f"recalled {row['read']}, {row['stale']} of them out of date",) if row["read"] else ()
        )
    own = list_accesses(asked, "plain", word, agent=cast[0])
    assert own == [one for one in entries if one.agent == cast[0]]
    assert list_accesses(asked, "plain", word, since=2) == [one for one in entries if one.step > 2]


def test_several_requests_of_an_agent_wait_in_queues_of_their_own():
    wanted = np.stack([WANTED, (WANTED + 1) % 5], axis=1)
    granted = grant_access(wanted, CAPACITY, Draw(2, "queue"))
    asked = np.bincount(wanted.ravel(), minlength=5)
    assert np.bincount(wanted[granted], minlength=5).tolist() == np.minimum(asked, CAPACITY).tolist()
    turned = grant_access(wanted[:, ::-1], CAPACITY, Draw(2, "queue"))
    assert (turned == granted[:, ::-1]).all(), "a place in a queue does not depend on the order of asking"
    assert (granted[:, 0] != granted[:, 1]).any()
    nowhere = np.full((3, 2), NOWHERE)
    assert not grant_access(nowhere, CAPACITY, Draw(2, "queue")).any()
