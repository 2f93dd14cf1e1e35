"""A crowd's work: in blocks, on threads, with one outcome."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.agents import Crowd, Parallelism
from openiir.core.errors import InputError
from openiir.core.seeds import Draw

SPREADS = [Parallelism(workers, block) for workers in (1, 2, 4) for block in (1, 7, 4096)]


@given(st.integers(0, 60), st.sampled_from(SPREADS))
def test_blocks_cover_everybody_once_and_in_order(size, spread):
    blocks = Crowd(size, spread).each(lambda part: part)
    assert [n for part in blocks for n in range(part.start, part.stop)] == list(range(size))
    assert all(0 < part.stop - part.start <= spread.block for part in blocks)


@pytest.mark.parametrize("spread", SPREADS)
def test_the_outcome_depends_on_the_users_alone(spread):
    users, noise = np.arange(50), Draw(7, "crowd.noise")
    opinions = np.zeros(50)

    def work(part):
        opinions[part] = noise.normal(agent=users[part]) + users[part]
        return len(users[part])

    assert sum(Crowd(50, spread).each(work)) == 50
    assert opinions.tolist() == (noise.normal(agent=users) + users).tolist()


@pytest.mark.parametrize("spread", SPREADS)
def test_the_first_error_is_told_when_all_have_come_home(spread):
    done = []

    def work(part):
        if part.start <= 20 < part.stop or part.start <= 8 < part.stop:
            raise InputError(f"block from {part.start}")
        done.append(part.start)

    starts = list(range(0, 50, spread.block))
    failing = [
        start for start in starts if start <= 8 < start + spread.block or start <= 20 < start + spread.block
    ]
    with pytest.raises(InputError, match=f"^block from {failing[0]}$"):
        Crowd(50, spread).each(work)
    assert sorted(done) == [start for start in starts if start not in failing]


def test_workers_work_at_the_same_time():
    meeting = threading.Barrier(3, timeout=10)
    Crowd(3, Parallelism(workers=3, block=1)).each(lambda part: meeting.wait())
    assert not meeting.broken


def test_linear_algebra_keeps_to_one_thread_within_and_no_longer():
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    outside = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    (inside,) = Crowd(1).each(
        lambda part: [p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"]
    )
    assert set(inside) <= {1} and len(inside) == len(outside)
    assert [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"] == outside


@pytest.mark.parametrize("workers", [1, 2])
def test_blocks_keep_to_the_caller_s_ways_with_floating_point_errors(workers):
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        Crowd(4, Parallelism(workers, 2)).each(lambda part: np.ones(2) / np.zeros(2))


def test_nobody_is_a_crowd_and_fewer_are_not():
    assert Crowd(0).each(lambda part: part) == []
    with pytest.raises(InputError, match="0 is the smallest"):
        Crowd(-1)
