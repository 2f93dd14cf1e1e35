"""The Open Bandit logs: read, and one policy's value estimated from the other's log."""

import os
from pathlib import Path

import numpy as np
import pytest

from openbandit import read_openbandit
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.scenarios.curated_feed.model.off_policy.estimators import estimate

USERS = ",".join(f"user_feature_{n}" for n in range(4))
HEAD = f",timestamp,item_id,position,click,propensity_score,{USERS},user-item_affinity_0"
ROWS = [
    "0,2030-01-01 00:00:00+00:00,3,1,1,0.25,a,b,c,d,0.0",
    "1,2030-01-01 00:00:01+00:00,0,2,0,0.5,a,b,c,e,0.0",
    "2,2030-01-01 00:00:02+00:00,3,1,0,0.125,a,b,c,d,1.0",
    "3,2030-01-01 00:00:03+00:00,1,1,0,0.25,b,a,c,d,0.0",
]
DRAW = Draw(1, "test.openbandit")


@pytest.fixture
def file(tmp_path):
    def write(*rows, head=HEAD):
        path = tmp_path / "men.csv"
        path.write_text("\n".join([head, *rows]) + "\n")
        return path

    return write


class TestReading:
    def test_columns(self, file):
        log = read_openbandit(file(*ROWS))
        assert log.item.tolist() == [3, 0, 3, 1]
        assert log.position.tolist() == [1, 2, 1, 1]
        assert log.click.tolist() == [1, 0, 0, 0]
        assert log.propensity.tolist() == [0.25, 0.5, 0.125, 0.25]
        assert log.profile.tolist() == [0, 1, 0, 2]

    def test_the_average_of_a_policy_is_how_often_it_showed_what(self, file):
        log = read_openbandit(file(*ROWS))
        assert log.averaged(log).position.ravel() == pytest.approx([2 / 3, 1, 2 / 3, 1 / 3])

    def test_a_propensity_of_0_is_refused_where_it_is_used(self, file):
        log = read_openbandit(file(*ROWS, "4,2030-01-01 00:00:04+00:00,1,1,0,0.0,a,b,c,d,0.0"))
        with pytest.raises(InputError, match="item_position of slate 4, position 1 is 0"):
            log.logged()


@pytest.fixture(scope="module")
def logs():
    if "OPENIIR_DATA" not in os.environ:
        pytest.skip("OPENIIR_DATA is not set: the Open Bandit sample is not at hand")
    folder = Path(os.environ["OPENIIR_DATA"]) / "feed-obd"
    return [read_openbandit(folder / policy / "men" / "men.csv") for policy in ("random", "bts")]


def disagree(a, b):
    """Difference of two estimates in its standard errors."""
    error = np.hypot(a.high - a.low, b.high - b.low) / (2 * 1.96)
    return abs(a.value.value - b.value.value) / error


class TestTheSample:
    def test_it_is_as_described(self, logs):
        for log, clicks in zip(logs, (46, 69), strict=True):
            assert len(log.item) == 10_000 and log.click.sum() == clicks
            assert set(log.position) == {1, 2, 3} and log.item.max() == 33
        assert logs[0].propensity == pytest.approx(1 / 34)

    @pytest.mark.parametrize("estimator", ["iips", "snips"])
    def test_the_thompson_log_tells_what_uniform_showing_earns(self, logs, estimator):
        random, bts = logs
        direct = estimate("iips", random.logged(), random.as_served(), DRAW)
        found = estimate(estimator, bts.logged(), bts.uniform(34), DRAW)
        assert direct.value.value == pytest.approx(46 / 10_000)
        assert disagree(found, direct) < 1.96
        assert found.low < direct.value.value < found.high
        assert (
            found.high - found.low > 0.6 * found.value.value
        )  # wide: it rests on some 650 effective impressions
        assert 500 < found.ess < 800

    @pytest.mark.parametrize("estimator", ["iips", "snips"])
    def test_the_other_way_needs_averaged_propensities(self, logs, estimator):
        random, bts = logs
        direct = estimate("iips", bts.logged(), bts.as_served(), DRAW)
        found = estimate(estimator, random.logged(), random.averaged(bts), DRAW)
        assert direct.value.value == pytest.approx(69 / 10_000)
        assert disagree(found, direct) < 1.96
        assert found.low < direct.value.value < found.high

    def test_the_mean_of_logged_propensities_is_no_policy(self, logs):
        _, bts = logs
        first = bts.position == 1
        means = [bts.propensity[first & (bts.item == item)].mean() for item in range(34)]
        assert sum(means) > 2
        shares = [(bts.item[first] == item).mean() for item in range(34)]
        assert sum(shares) == pytest.approx(1)
