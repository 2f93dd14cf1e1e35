"""One memory that several agents write and read: each is told whose a record is."""

import asyncio

import pytest

from openiir.core.agents import EpisodicMemory, Memory, MemoryPolicy, MemoryPool
from openiir.core.errors import InputError
from openiir.core.records import Persona


def persona(id: str, policy: str = "shared:town") -> Persona:
    return Persona(id=id, name=id.title(), bio="Lives in the town.", memory=policy)


@pytest.fixture
def pool() -> MemoryPool:
    return MemoryPool()


def texts(memory: Memory, query: str = "the old tram") -> list[str]:
    return [one.text for one in memory.recall(query, 9)]


def test_what_one_stores_another_recalls_under_the_writers_name(pool):
    ada, ben = pool.memory(persona("ada")), pool.memory(persona("ben"))
    assert ada.store("You took the old tram.", day=3) == "m1"
    assert texts(ada) == ["You took the old tram."]
    assert texts(ben) == ['Ada remembers: "You took the old tram."']
    (told,) = ben.recall("the old tram")
    assert (dict(told.facts), told.id) == ({"day": 3, "by": "Ada"}, "m1")
    assert [dict(one.facts) for one in ada] == [{"day": 3}] and len(ada) == len(ben) == 1


def test_other_names_and_other_policies_share_nothing(pool):
    pool.memory(persona("ada")).store("the old tram")
    for policy in ("shared:village", "episodic", "window:4", "full", "none"):
        assert texts(pool.memory(persona("ben", policy))) == []
    assert texts(MemoryPool().memory(persona("ben"))) == [], "pools are worlds of their own"


def test_a_text_that_several_store_is_one_record_and_each_ones_own(pool):
    ada, ben, cleo = (pool.memory(persona(id)) for id in ("ada", "ben", "cleo"))
    assert {one.store("Dan said: take the old tram.", said=4) for one in (ada, ben)} == {"m1"}
    assert texts(ada) == texts(ben) == ["Dan said: take the old tram."]
    assert texts(cleo) == ['Ada remembers: "Dan said: take the old tram."'] and len(cleo) == 1


def test_it_recalls_as_one_memory_of_all_records_does(pool):
    views, one = [pool.memory(persona(id)) for id in ("ada", "ben")], EpisodicMemory("full")
    for number in range(30):
        text = f"day {number}: the {('new', 'old')[number % 2]} tram was {('full', 'late')[number % 3 % 2]}"
        views[number % 2].store(text, importance=number / 40)
        one.store(text, importance=number / 40)
    for view in views:
        found, expected = view.recall("a late old tram", 7), one.recall("a late old tram", 7)
        assert [(r.id, r.score, r.importance) for r in found] == [
            (r.id, r.score, r.importance) for r in expected
        ]


def test_records_to_skip_are_told_apart_as_they_are_told(pool):
    ada, ben = pool.memory(persona("ada")), pool.memory(persona("ben"))
    ada.store("the old tram", day=1)
    ben.store("the old tram stop", day=2)
    assert [one.facts["day"] for one in ben.recall("tram", 9, lambda record: "by" in record.facts)] == [2]


def test_a_fork_is_a_copy_of_the_whole(pool):
    ada, ben = pool.memory(persona("ada")), pool.memory(persona("ben"))
    ada.store("the old tram")
    twin = ben.fork()
    ben.store("the old tram stop")
    twin.store("the old tram driver")
    ada.store("the old tram")
    assert len(ada) == len(ben) == len(twin) == 2
    assert 'Ada remembers: "the old tram"' in texts(twin) and "the old tram driver" in texts(twin)


def test_it_is_restored_once_whatever_the_order_of_its_agents(pool):
    ada, ben = pool.memory(persona("ada")), pool.memory(persona("ben"))
    ada.store("the old tram", importance=0.5, lines=[1, 2])
    ben.store("the old tram")
    ben.store("the new tram")
    dumped, again = {"ada": ada.dump(), "ben": ben.dump()}, MemoryPool()
    views = {id: again.memory(persona(id)) for id in ("ben", "ada")}
    for id, view in views.items():
        asyncio.run(view.restore(dumped[id]))
    assert list(views["ada"]) == list(ada) and list(views["ben"]) == list(ben)
    assert views["ada"].dump() == dumped["ada"] == dumped["ben"]
    assert views["ben"].store("later") == "m3" and len(views["ada"]) == 3


def test_names_of_memories_are_plain():
    assert MemoryPolicy.parse("shared:town-hall-2").shared == "town-hall-2"
    assert MemoryPolicy.parse("episodic").shared == ""
    for name in ("shared", "shared:", "shared:Town", "shared:-a", "shared:a b", "shared:" + "a" * 42):
        with pytest.raises(InputError, match="no memory policy"):
            MemoryPolicy.parse(name)
        with pytest.raises(ValueError, match="memory"):
            persona("ada", name)


def test_it_keeps_the_protocol(pool):
    memory: Memory = pool.memory(persona("ada"))
    assert memory.policy.span is None and memory.policy.reflects is False
    memory.store("the old tram")
    assert [one.text for one in memory] == ["the old tram"]
