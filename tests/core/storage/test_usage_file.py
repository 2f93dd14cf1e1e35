"""Runs share the limits of an endpoint through one file, which forgets the dead and is never in doubt."""

import random
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from openiir.core.errors import RunBusy
from openiir.core.records import RateLimits
from openiir.core.storage import UsageFile, database
from openiir.core.storage.usage_file import LEASE, LONGEST_PAUSE, SLOTS


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def usage(tmp_path: Path, clock: Clock) -> Callable[[], UsageFile]:
    """Opens the shared file as another process would."""
    return lambda: UsageFile(tmp_path / "state" / "usage.db", clock)


@pytest.mark.parametrize("seed", range(5))
def test_no_stretch_of_time_has_more_than_the_limit_and_each_has_nearly_as_much(usage, clock, seed):
    """Beside a naive reference: the times of all requests, counted over every stretch."""
    choose, limits = random.Random(seed), RateLimits(requests=50, tokens=6_000)
    files = [usage() for _ in range(3)]
    sent: list[tuple[float, int]] = []
    wanted = [deque(choose.randrange(20, 300) for _ in range(400)) for _ in files]
    due = [clock.now] * 3
    end = clock.now + 600.0
    while clock.now < end:
        clock.now = min(due)
        run = due.index(clock.now)
        asked = [wanted[run][n] for n in range(8)]
        grant = files[run].take("lab", limits, asked, str(run))
        sent += [(clock.now, wanted[run].popleft()) for _ in range(grant.granted)]
        due[run] += grant.wait + choose.random() * 0.05
    for start, _ in sent:
        within = [tokens for time, tokens in sent if start <= time < start + 60.0]
        assert len(within) <= 50 and sum(within) <= 6_000
    assert sum(tokens for _, tokens in sent) > 0.9 * 6_000 * 10
    taken = [400 - len(left) for left in wanted]
    assert min(taken) > 0.5 * max(taken)


def test_a_run_that_waits_first_goes_first(usage, clock):
    limits = RateLimits(requests=1)
    one, two = usage(), usage()
    assert one.take("lab", limits, [1], "one").granted == 1
    assert two.take("lab", limits, [1], "two").reason == "requests"
    waits = one.take("lab", limits, [1], "one")
    clock.now += 59.0
    for file, who in ((two, "two"), (one, "one")):  # still there
        file.take("lab", limits, [1], who)
    clock.now += 3.0
    assert one.take("lab", limits, [1], "one").granted == 0 and waits.wait == 1.0
    assert two.take("lab", limits, [1], "two").granted == 1


def test_a_run_that_died_while_it_waited_holds_nothing(usage, clock):
    limits = RateLimits(requests=1)
    usage().take("lab", limits, [1], "one")
    usage().take("lab", limits, [1], "dead")
    clock.now += 58.0 + LEASE
    alive = usage()
    assert alive.take("lab", limits, [1], "alive").granted == 1


def test_a_run_that_gives_up_leaves_its_place(usage, clock):
    limits = RateLimits(requests=1)
    file = usage()
    file.take("lab", limits, [1], "one")
    file.take("lab", limits, [1], "two")
    clock.now += 60.0
    file.take("lab", limits, [1], "two")
    clock.now += 60.0 / SLOTS * 2
    assert file.take("lab", limits, [1], "three").granted == 0
    file.leave("lab", "two")
    assert file.take("lab", limits, [1], "three").granted == 1


def test_a_request_of_more_tokens_than_the_limit_goes_when_nothing_else_counts(usage, clock):
    file, limits = usage(), RateLimits(tokens=100)
    assert file.take("lab", limits, [30], "one").granted == 1
    assert file.take("lab", limits, [1_000], "one").reason == "tokens"
    file.correct("lab", int(clock.now // 0.6), 0, -30)
    assert file.take("lab", limits, [1_000], "one").granted == 1


def test_real_tokens_replace_estimated_ones(usage):
    file, limits = usage(), RateLimits(tokens=100)
    slot = file.take("lab", limits, [90], "one").slot
    assert file.take("lab", limits, [50], "one").granted == 0
    file.correct("lab", slot, 0, -60)
    assert file.take("lab", limits, [50], "one").granted == 1
    assert file.count_recent("lab", limits) == (2, 80)


def test_a_pause_holds_for_all_and_ends(usage, clock):
    one, two, limits = usage(), usage(), RateLimits(requests=100)
    one.pause("lab", 20.0)
    one.pause("lab", 5.0)
    assert two.take("lab", limits, [1], "two") == (0, int(clock.now // 0.6), 1.0, "pause")
    assert two.take("other", limits, [1], "two").granted == 1
    clock.now += 20.0
    assert two.take("lab", limits, [1], "two").granted == 1
    one.pause("lab", 86_400.0)
    clock.now += LONGEST_PAUSE
    assert two.take("lab", limits, [1], "two").granted == 1


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_a_clock_that_is_set_does_not_stop_runs(usage, clock, jump):
    limits = RateLimits(requests=1)
    usage().take("lab", limits, [1], "one")
    usage().take("lab", limits, [1], "two")
    usage().pause("lab", 10.0)
    clock.now += jump
    clock.now += LONGEST_PAUSE
    assert usage().take("lab", limits, [1], "three").granted == 1


def test_money_is_counted_by_day_and_month_in_utc(usage, clock):
    file = usage()
    clock.now = 1_709_164_799.0  # 2024-02-28 23:59:59
    file.spend("lab", 10, 5, 0.25)
    clock.now += 2.0
    file.spend("lab", 10, 5, 0.5)
    file.spend("other", 10, 5, 8.0)
    assert [file.money_spent("lab", per) for per in ("day", "month", "ever")] == [0.5, 0.75, 0.75]
    clock.now += 2 * 86_400.0
    assert [usage().money_spent("lab", per) for per in ("day", "month", "ever")] == [0.0, 0.0, 0.75]


def test_nobody_waits_within_a_call_while_another_process_writes(usage, tmp_path):
    one, two = usage(), usage()
    two.money_spent("lab", "day")
    one.spend("lab", 1, 1, 0.0)
    with database.transaction(one._db, one.path), pytest.raises(RunBusy):
        two.spend("lab", 1, 1, 0.0)
    two.spend("lab", 1, 1, 0.0)
