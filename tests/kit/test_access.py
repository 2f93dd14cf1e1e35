"""Sources serve up to their capacity, whoever they choose at random, alike in every arm."""

import numpy as np

from openiir.kit.access import NOWHERE, grant_access
from openiir.plugin import Draw

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
