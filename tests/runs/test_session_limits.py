"""Sessions at the same time are bounded, in the order asked, and no lanes wait for each other for ever."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.runs.session_limits import SessionLimits


def test_first_come_first_served():
    async def play():
        slots, order = SessionLimits({"bot": 2}), []

        async def life(name):
            await slots.take("bot", name)
            order.append(name)
            for _ in range(3):
                await asyncio.sleep(0)
            slots.give("bot", name)

        await asyncio.gather(*(life(name) for name in "abcdef"))
        return order

    assert asyncio.run(play()) == list("abcdef")


@settings(max_examples=60, deadline=None)
@given(
    lives=st.lists(
        st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 3)), min_size=1, max_size=4),
        min_size=1,
        max_size=8,
    ),
    widths=st.tuples(*[st.integers(1, 2)] * 3),
    hoard=st.booleans(),
)
def test_every_lane_comes_to_its_end(lives, widths, hoard):
    """Lanes that hold one session at a time keep the bound;
    lanes that hold on to all of theirs still all end."""
    bound = dict(zip("xyz", widths, strict=True))

    async def play():
        slots, held = SessionLimits(bound), Counter[str]()

        async def life(lane, visits):
            mine: list[str] = []
            for system, turns in visits:
                await slots.take(system, lane)
                mine.append(system)
                held[system] += 1
                if not hoard:
                    assert held[system] <= bound[system]
                for _ in range(turns):
                    await asyncio.sleep(0)
                if not hoard:
                    held[mine[-1]] -= 1
                    slots.give(mine.pop(), lane)
            for system in mine:
                held[system] -= 1
                slots.give(system, lane)

        await asyncio.wait_for(asyncio.gather(*(life(str(n), life_) for n, life_ in enumerate(lives))), 5)
        assert not +slots._open and not +slots._held and not +slots._wanted
        assert not any(slots._waiting.values())

    asyncio.run(play())


def test_a_lane_that_waits_at_two_systems_goes_on_at_both_once_one_is_free():
    async def play():
        slots = SessionLimits({"x": 1, "y": 1})
        await slots.take("x", "a")
        await slots.take("y", "b")
        both = [asyncio.create_task(slots.take(system, "c")) for system in "xy"]
        await asyncio.sleep(0)
        slots.give("x", "a")
        await asyncio.gather(*both)

    asyncio.run(asyncio.wait_for(play(), 5))


@pytest.mark.parametrize("granted", [False, True])
def test_who_stops_waiting_takes_no_slot(granted):
    async def play():
        slots = SessionLimits({"x": 1})
        await slots.take("x", "a")
        waiting = asyncio.create_task(slots.take("x", "b"))
        await asyncio.sleep(0)
        if granted:
            slots.give("x", "a")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        if not granted:
            slots.give("x", "a")
        await slots.take("x", "c")
        assert not +slots._wanted and slots._open["x"] == 1 and slots._held["b"] == 0

    asyncio.run(asyncio.wait_for(play(), 5))
