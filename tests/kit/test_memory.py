"""What a crowd remembers of sources, beside a plain loop over all that each member got."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from openiir.core.agents import Agent, Population
from openiir.core.records import Persona
from openiir.core.storage import Members
from openiir.kit.memory import NOISE, CrowdMemory, name_policies
from openiir.plugin import Draw, texts_in_order

SOURCES, ROUNDS = 4, 25
POLICIES = [
    "none",
    "full",
    "episodic",
    "window:1",
    "window:3",
    "window:40",
    "decayed:4",
    "shared:a",
    "shared:b",
    "shared:a",
]
SIZE = len(POLICIES)


def population(size: int = SIZE, *personas: Persona) -> Population:
    agents = {row: Agent.of(one) for row, one in enumerate(personas)}
    return Population(Members(size, "member", dict(enumerate(personas))), agents)


@dataclass
class History:
    """Who asked what when and got how much: the naive memory."""

    rows: list[tuple[int, int, int, float]]

    def of(self, member: int) -> list[tuple[int, int, float]]:
        policy = POLICIES[member]
        own = [(now, source, got) for who, now, source, got in self.rows if who == member]
        if policy == "none":
            return []
        if policy.startswith("window:"):
            return own[-int(policy.partition(":")[2]) :]
        if policy.startswith("shared:"):
            return [(now, s, got) for who, now, s, got in self.rows if POLICIES[who] == policy]
        return own


@pytest.fixture(scope="module")
def lived() -> tuple[CrowdMemory, History]:
    """A memory after some rounds, in which members now and then ask nobody."""
    memory, history, draw = CrowdMemory(population(), POLICIES, SOURCES), History([]), Draw(3, "lives")
    for now in range(1, ROUNDS + 1):
        rows = np.flatnonzero(draw.at("asks").chance(0.8, agent=np.arange(SIZE), step=now))
        sources = draw.at("source").below(SOURCES, agent=rows, step=now)
        got = np.round(draw.at("got").uniform(agent=rows, step=now) * 2**20) / 2**20
        memory.write(rows, sources, got, now)
        history.rows += [(int(r), now, int(s), float(g)) for r, s, g in zip(rows, sources, got, strict=True)]
    return memory, history


def test_each_policy_holds_what_a_plain_loop_says(lived):
    memory, history = lived
    everyone = np.delete(np.arange(SIZE), POLICIES.index("decayed:4"))
    found = memory.recall(everyone, ROUNDS + 1, Draw(1, "recall"))
    for place, member in enumerate(everyone.tolist()):
        for source in range(SOURCES):
            got = [value for _, s, value in history.of(member) if s == source]
            assert found.uses[place, source] == len(got)
            assert found.value[place, source] == pytest.approx(np.mean(got) if got else 0.0, abs=2**-20)
            assert found.weight[place, source] == pytest.approx(len(got) / (len(got) + 1), abs=2**-20)
            if got:
                assert found.last[place, source] == max(
                    now for now, s, _ in history.of(member) if s == source
                )


def test_activation_is_near_the_sum_over_all_uses(lived):
    memory, history = lived
    everyone = np.arange(SIZE)[[p not in ("none", "window:1", "window:3", "window:40") for p in POLICIES]]
    found = memory.activate(everyone, ROUNDS + 1)
    worst = 0.0
    for place, member in enumerate(everyone.tolist()):
        for source in range(SOURCES):
            ages = [ROUNDS + 1 - now for now, s, _ in history.of(member) if s == source]
            exact = math.log(math.fsum(age**-0.5 for age in ages)) if ages else -math.inf
            if not ages:
                assert found[place, source] == exact
                continue
            worst = max(worst, abs(found[place, source] - exact))
            if len(set(ages)) == 1:
                assert found[place, source] == pytest.approx(exact)
    assert 0 < worst < 0.25, "well below the noise of activation"


@pytest.mark.parametrize("uses", [[1], [7], [2, 9], [1, 2, 3, 4, 5, 6, 7, 8], [3, 3, 3], [1, 20]])
def test_activation_of_single_patterns(uses):
    memory, now = CrowdMemory(population(2), ["full", "full"], 2), 21
    for at in uses:
        memory.write(np.array([0]), np.array([1]), np.array([0.5]), at)
    exact = math.log(math.fsum((now - at) ** -0.5 for at in uses))
    found = memory.activate(np.array([0, 1]), now)
    assert found[0, 1] == pytest.approx(exact, abs=1e-12 if len(set(uses)) == 1 else 0.12)
    assert np.isneginf(found[[0, 1, 1], [0, 0, 1]]).all()


def test_half_recall_what_was_used_once_n_rounds_ago_and_more_what_was_used_often():
    size, n = 4_000, 9
    memory = CrowdMemory(population(size), [f"decayed:{n}"] * size, 3)
    everyone = np.arange(size)
    for at, source in ((1, 0), (1, 1), (5, 1), (9, 1)):
        memory.write(everyone, np.full(size, source), np.full(size, 0.5), at)
    found = memory.recall(everyone, 1 + n, Draw(2, "recall"))
    share = (found.uses > 0).mean(axis=0)
    chance = 1 / (1 + math.exp((math.log(n**-0.5) - memory.activate(everyone[:1], 1 + n)[0, 1]) / NOISE))
    assert share[0] == pytest.approx(0.5, abs=0.03) and share[1] == pytest.approx(chance, abs=0.03)
    assert share[2] == 0 and share[1] > 0.8
    assert set(found.uses[:, 1].tolist()) == {0, 3}, "uses of a source are recalled together"


def test_many_write_one_memory_for_long():
    memory = CrowdMemory(population(5_000), ["shared:town"] * 5_000, 2)
    everyone = np.arange(5_000)
    for now in range(1, 40):
        memory.write(everyone, everyone % 2, np.full(5_000, 0.123456), now)
    found = memory.recall(everyone[:1], 40, Draw(2, "recall"))
    assert found.uses.tolist() == [[97_500, 97_500]]
    assert found.value == pytest.approx(np.full((1, 2), 0.123456), abs=1e-6)
    arm = memory.state()
    memory.restore(arm)
    assert all(np.array_equal(arm[name], array) for name, array in memory.state().items())


def test_members_read_the_memory_that_they_are_given(lived):
    memory, _ = lived
    whose = np.array([0, 5, 4, 3, 2, 1, 0, 9, 8, 7])
    own = memory.recall(np.arange(SIZE), ROUNDS + 1, Draw(1, "recall"))
    other = memory.recall(whose, ROUNDS + 1, Draw(1, "recall"))
    kept = np.array(POLICIES)[whose] != "decayed:4"
    assert np.array_equal(other.uses[kept], own.uses[whose][kept])


def test_stale_is_what_is_older_than_the_last_change():
    memory = CrowdMemory(population(2), ["full", "none"], 3)
    for now, source in ((1, 0), (2, 1), (4, 0), (6, 2)):
        memory.write(np.arange(2), np.full(2, source), np.ones(2), now)
    found = memory.recall(np.arange(2), 7, Draw(1, "recall"))
    for changed, stale in (([0, 0, 0], 0), ([4, 2, 6], 0), ([5, 3, 7], 3), ([2, 3, 3], 1)):
        assert [part.tolist() for part in found.count(np.array(changed))] == [[3, 0], [stale, 0]]


def test_the_cast_reads_notes_and_these_are_counted():
    cast = [
        Persona(id=id, name=id.title(), bio="X.", memory=policy)
        for id, policy in (("ada", "full"), ("ben", "none"))
    ]
    memory = CrowdMemory(population(4, *cast), ["window:2", "none", "full", "full"], 2)
    for now in (1, 2, 3):
        for row in range(4):
            memory.note(row, f"Day {now}: the library knew it well.", source=now % 2, now=now)
    notes = [memory.recall_notes(row, "what the library knows", 5) for row in range(4)]
    assert texts_in_order(notes[0]) == (
        "Day 2: the library knew it well.",
        "Day 3: the library knew it well.",
    )
    assert notes[1:] == [(), (), ()], "the crowd has no notes"
    memory.write(np.array([2]), np.array([1]), np.ones(1), 2)
    found = memory.recall(np.arange(4), 4, Draw(1, "recall"))
    assert [part.tolist() for part in found.count(np.array([3, 0]))] == [[0, 0, 1, 0], [0, 0, 0, 0]]
    found.told.update({0: notes[0], 2: ()})
    assert [part.tolist() for part in found.count(np.array([3, 0]))] == [[2, 0, 0, 0], [1, 0, 0, 0]]


def test_policies_are_the_personas_own_or_the_usual_one():
    cast = [
        Persona(id=id, name=id, bio="X.", memory=policy)
        for id, policy in (("ada", "window:3"), ("ben", "full"))
    ]
    who = np.array([True, True, True, False])
    assert name_policies(population(4, *cast), "decayed:5", who) == [
        "window:3",
        "decayed:5",
        "decayed:5",
        "none",
    ]
