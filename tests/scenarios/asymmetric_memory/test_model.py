"""Sources, goals, the null and the measures of time, each beside a naive reference."""

import asyncio
import math
from types import SimpleNamespace

import numpy as np
import pytest
from small_lanes import searching

from openiir.core.records import Chunk
from openiir.core.world import World
from openiir.kit.measures.trec import Judgement
from openiir.plugin import Draw, InputError
from openiir.scenarios.asymmetric_memory.model import (
    Goals,
    draw_share,
    draw_sources,
    exchange_memories,
    hazard_ratio,
    judge_sources,
    list_waits,
    open_round,
)

TEXTS = {
    "town/harbour/tides.md": "The spring tide rises five metres at the old quay.",
    "town/harbour/ferry.md": "The ferry sails again when the swell is low.",
    "town/library/fire.md": "The fire spared the maps of the old town.",
    "town/library/tides.md": "The highest tide on record filled the church.",
    "town/station/lamps.md": "Lamps by the lock burn all night.",
}
NEEDS = {"tide": "how high the spring tide rises", "map": "maps of the old town before the fire"}
QRELS = [
    Judgement("tide", "town/harbour/tides.md", 1),
    Judgement("tide", "town/library/tides.md", 2),
    Judgement("map", "fire", 3),
    Judgement("map", "lamps", -1),
    Judgement("other", "ferry", 2),
]


def judge(needs=NEEDS, qrels=QRELS, texts=TEXTS, **more):
    async def build():
        chunks = [
            Chunk(id=f"c{n}", world="main", source=name, start=0, end=len(text), text=text, sha256="0" * 64)
            for n, (name, text) in enumerate(texts.items(), 1)
        ]
        world = await World.build("main", chunks)
        return world, await judge_sources(searching(world), needs, qrels, **more)

    return asyncio.run(build())


def naive_worth(world, depth):
    """The gain of the first documents that a search finds in each folder, by the best folder's."""
    rows = []
    for id, words in NEEDS.items():
        scores = dict(zip((c.source for c in world.chunks), asyncio.run(world.scores(words)), strict=True))
        grades = {one.item: max(one.relevance, 0) for one in QRELS if one.topic == id}
        gains, best = [], []
        for folder in ("harbour", "library", "station"):
            own = sorted((name for name in scores if f"/{folder}/" in name), key=lambda n: (-scores[n], n))
            stems = {name: name.rsplit("/", 1)[1].removesuffix(".md") for name in own}
            found = [grades.get(name, grades.get(stems[name], 0)) for name in own[:depth]]
            gains.append(math.fsum(grade / math.log2(rank + 2) for rank, grade in enumerate(found)))
            best.append(max(scores[name] for name in own))
        rows.append([[one / max(part) for one in part] for part in (gains, best)])
    return np.array(rows).transpose(1, 0, 2)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_folders_are_worth_what_a_search_finds_in_them(depth):
    world, found = judge(depth=depth)
    assert found.names == ("harbour", "library", "station") and found.needs == tuple(NEEDS.values())
    worth, looks = naive_worth(world, depth)
    assert found.worth == pytest.approx(worth, abs=2**-19) and found.looks == pytest.approx(looks, abs=2**-19)
    assert found.worth[1].tolist() == [0, 1, 0]


def test_without_judgements_sources_are_worth_what_they_look():
    _, found = judge(qrels=())
    assert np.array_equal(found.worth, found.looks) and (found.worth.max(axis=1) == 1).all()


def test_a_file_name_that_two_folders_have_is_no_name_of_a_document():
    _, found = judge(qrels=[Judgement("tide", "tides", 1), *QRELS[2:]])
    assert found.worth.tolist() == [[0, 0, 0], [0, 1, 0]], "nobody knows the tide"
    with pytest.raises(InputError, match="no need finds a document that is judged relevant"):
        judge(qrels=[Judgement("tide", "tides", 1), Judgement("map", "town/fire.md", 1)])


def test_sources_are_two_or_more_folders():
    with pytest.raises(InputError, match="documents in 1 folders"):
        judge(texts={name: text for name, text in TEXTS.items() if "harbour" in name})


def test_synthetic_sources_differ_by_need_and_look_what_they_are_worth():
    found = draw_sources(range(40), {n: str(n) for n in range(200)}, Draw(1, "sources"))
    assert found.worth is found.looks and 0 <= found.worth.min() < 0.05 and 0.95 < found.worth.max() <= 1
    assert found.worth.mean() == pytest.approx(0.5, abs=0.01) and found.worth.std() == pytest.approx(
        0.2, abs=0.01
    )
    assert abs(np.corrcoef(found.worth[0], found.worth[1])[0, 1]) < 0.4


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_a_share_is_drawn_of_those_with_each_goal(share):
    goals = Draw(1, "goals").below(7, agent=np.arange(400))
    found = draw_share(goals, share, Draw(2, "share"))
    for goal in range(7):
        own = found[goals == goal]
        assert abs(own.sum() - share * len(own)) < 1
    halves = [draw_share(np.arange(30) // 3, 0.5, Draw(seed, "share")) for seed in range(400)]
    assert np.abs(np.mean(halves, axis=0) - 0.5).max() < 0.1, "odd numbers are rounded up and down"


def test_memories_go_to_members_with_other_goals_each_to_one():
    goals = Draw(1, "goals").below(5, agent=np.arange(203))
    found = exchange_memories(goals, Draw(2, "whose"))
    assert sorted(found.tolist()) == list(range(203)) and (goals[found] != goals).all()
    assert not np.array_equal(found, exchange_memories(goals, Draw(3, "whose")))
    remembers = draw_share(goals, 0.5, Draw(4, "share"))
    reads = [remembers[exchange_memories(goals, Draw(seed, "whose"))] for seed in range(300)]
    share = np.mean(reads, axis=0)
    assert abs(share[remembers].mean() - share[~remembers].mean()) < 0.01, "whoever remembers reads no more"


def test_where_most_have_one_goal_few_read_of_the_same():
    goals = np.array([0] * 8 + [1] * 2)
    found = exchange_memories(goals, Draw(2, "whose"))
    assert sorted(found.tolist()) == list(range(10)) and (goals[found] == goals)[goals == 1].sum() == 0


def test_goals_turn_and_sources_change_with_their_chances():
    goals = Goals(np.zeros(1_000, np.int64), np.arange(6), np.zeros(6, np.int64))
    assert not goals.change(1, 4, 1.0, 1.0, Draw(1, "change", step=1)).any(), "not before the first round"
    assert goals.place.tolist() == list(range(6)) and (goals.goal == 0).all()
    turned = goals.change(2, 4, 0.5, 0.0, Draw(1, "change", step=2))
    assert turned.mean() == pytest.approx(0.375, abs=0.05), "half draw one of four anew"
    assert np.array_equal(turned, goals.goal != 0) and (goals.changed == 0).all()
    changes = 0
    for round in range(3, 203):
        before = goals.place.copy()
        goals.change(round, 4, 0.0, 0.3, Draw(1, "change", step=round))
        pair = np.flatnonzero(goals.place != before)
        assert len(pair) in (0, 2) and sorted(goals.place.tolist()) == list(range(6))
        assert np.array_equal(goals.changed == round, goals.place != before)
        changes += len(pair) // 2
    assert 40 < changes < 80


def test_a_round_shows_what_stands_behind_the_names():
    sources = SimpleNamespace(worth=np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]), looks=np.eye(3)[:2])
    goals = Goals(np.array([1, 0, 1]), np.array([2, 0, 1]), np.array([4, 0, 4]))
    now = open_round(sources, goals, np.zeros(3, bool), 0.0, 0.0, Draw(1, "round"))
    assert now.worth.tolist() == [[0.6, 0.4, 0.5], [0.3, 0.1, 0.2], [0.6, 0.4, 0.5]]
    assert now.seen.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1]] and not now.noise.any()
    many = Goals(np.zeros(5_000, np.int64), np.arange(3), np.zeros(3, np.int64))
    noisy = open_round(sources, many, np.zeros(5_000, bool), 0.2, 0.1, Draw(1, "round"))
    assert (noisy.seen - np.eye(3)[0]).std() == pytest.approx(0.2, abs=0.01)
    assert noisy.noise.std() == pytest.approx(0.1, abs=0.01)


WAITED = np.array([[1, 1, 1], [1, 2, 2], [2, 3, 1], [1, 4, 2]])
MET = np.array([[1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=bool)


def test_waits_end_by_an_answer_or_unanswered():
    """The first member: answered at once, after two rounds, then still waiting; the third gives one up."""
    times, ended = list_waits(WAITED, MET)
    assert sorted(zip(times.tolist(), ended.tolist(), strict=True)) == [
        (1, False),
        (1, True),
        (2, False),
        (2, False),
        (2, True),
        (4, True),
    ]


def naive_ratio(waited, met, one):
    top = below = 0.0
    for at in range(1, waited.max() + 1):
        here = waited == at
        first, other = (here & one).sum(), (here & ~one).sum()
        top += (met & here & one).sum() * other / max(first + other, 1)
        below += (met & here & ~one).sum() * first / max(first + other, 1)
    return top / below


def lives(chances, rounds=60, seed=1):
    """Rounds of members who get an answer with a chance of their own, in each."""
    waited, met = np.zeros((2, rounds, len(chances)), dtype=np.int64)
    since = np.zeros(len(chances), dtype=np.int64)
    for round in range(rounds):
        since += 1
        came = Draw(seed, "came", step=round).chance(np.asarray(chances), agent=np.arange(len(chances)))
        waited[round], met[round] = since, came
        since[came] = 0
    return waited, met.astype(bool)


def test_the_hazard_ratio_is_mantel_and_haenszels():
    one = np.arange(80) % 3 == 0
    waited, met = lives(np.where(one, 0.4, 0.25))
    found = hazard_ratio(waited, met, one, Draw(0, "hazard"), draws=400)
    assert found.value == pytest.approx(naive_ratio(waited, met, one))
    assert found.low < 0.4 / 0.25 < found.high and found.high - found.low < 0.5
    turned = hazard_ratio(waited, met, ~one, Draw(0, "hazard"), draws=10)
    assert turned.value == pytest.approx(1 / found.value)


def test_the_hazard_ratio_holds_rounds_waited_equal():
    """Those who wait longer get answers more rarely; of who is there, both groups get them alike."""
    waited = np.array([[1] * 6 + [5] * 6])
    one = np.array([True] * 2 + [False] * 4 + [True] * 4 + [False] * 2)
    met = np.array([[1, 0] * 6], dtype=bool)
    assert hazard_ratio(waited, met, one, Draw(0, "hazard"), draws=10).value == pytest.approx(1.0)


def test_no_answer_has_no_ratio():
    found = hazard_ratio(np.ones((1, 4), int), np.zeros((1, 4), bool), np.arange(4) < 2, Draw(0, "hazard"))
    assert math.isnan(found.value) and found.reason == "one of the groups had no answer"
