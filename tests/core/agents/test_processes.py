"""Work in forked processes: the same as here, and whatever goes wrong beside is left to be done over."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from openiir.core.agents.processes import FORKS, Suspended, map_in_processes, may_fork, run_unsuspended

forks = pytest.mark.skipif(not FORKS, reason="processes cannot be forked on this system")
NAMES = [f"n{n}" for n in range(7)]


@forks
@pytest.mark.parametrize("workers", [1, 2, 3, 20])
def test_results_are_those_of_a_loop(workers: int) -> None:
    assert map_in_processes(NAMES, lambda name: name * 2, workers) == {name: name * 2 for name in NAMES}


@forks
def test_large_results_come_home_whole() -> None:
    found = map_in_processes(NAMES, lambda name: name * 100_000, 3)
    assert all(found[name] == name * 100_000 for name in NAMES)


@forks
def test_what_is_changed_beside_is_lost() -> None:
    changed: list[str] = []
    map_in_processes(NAMES, changed.append, 2)
    assert changed == NAMES[::2]


@forks
def test_a_share_that_fails_beside_is_missing_and_the_others_are_not() -> None:
    here = os.getpid()

    def work(name: str) -> str:
        if os.getpid() != here:
            raise ValueError("out of order")
        return name

    assert map_in_processes(NAMES, work, 2) == {name: name for name in NAMES[::2]}


@forks
def test_a_process_that_dies_is_survived() -> None:
    here = os.getpid()

    def work(name: str) -> str:
        if os.getpid() != here:
            os._exit(9)
        return name

    assert sorted(map_in_processes(NAMES, work, 3)) == NAMES[::3]


def test_a_life_that_never_waits_is_finished_at_once() -> None:
    async def inner() -> int:
        return 3

    async def life() -> int:
        return await inner() + 1

    assert run_unsuspended(life()) == 4


def test_a_life_that_waits_is_refused() -> None:
    async def life() -> None:
        await asyncio.sleep(0)

    with pytest.raises(Suspended):
        run_unsuspended(life())


def test_the_main_thread_alone_forks():
    with ThreadPoolExecutor(1) as beside:
        assert may_fork() == FORKS and not beside.submit(may_fork).result()
