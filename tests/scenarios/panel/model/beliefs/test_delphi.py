"""Delphi revision against what was found of real groups, and the stop on stability."""

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.scenarios.panel.model.beliefs.delphi import revise, revision_weights, stability

MEMBERS, GROUPS, TRUTH = 24, 400, 0.0


def estimates(groups=GROUPS):
    """Estimates of a truth of 0, one group a row: members differ in how far they tend to be off."""
    draw = Draw(20, "delphi")
    group, member = np.arange(groups)[:, None], np.arange(MEMBERS)
    spread = 0.2 + 1.8 * draw.uniform(agent=group, item=member, step=1)
    return spread * draw.normal(agent=group, item=member, step=2)


def complete(x):
    """Everybody sees the mean of all."""
    return np.broadcast_to(x.mean(axis=1, keepdims=True), x.shape)


def star(x):
    """The first member sees the mean of the others, who see the first member alone."""
    seen = np.repeat(x[:, :1], x.shape[1], axis=1)
    seen[:, 0] = x[:, 1:].mean(axis=1)
    return seen


def by_accuracy(x):
    accuracy = 1 / (1 + np.abs(x - TRUTH))
    return np.array([revision_weights(row, 0.3) for row in accuracy])


class TestRevision:
    def test_one_round_shrinks_the_interquartile_range_to_exactly_the_rest(self):
        x = np.array([1.0, 2, 3, 4, 5, 7])
        after = revise(x, np.median(x), 0.3)
        ratio = np.subtract(*np.quantile(after, [0.75, 0.25])) / np.subtract(*np.quantile(x, [0.75, 0.25]))
        assert ratio == pytest.approx(0.7, abs=1e-12)

    def test_no_weight_stays_and_full_weight_adopts(self):
        assert revise([1.0, 4.0], 2.0, [0.0, 1.0]).tolist() == [1.0, 2.0]

    def test_the_less_accurate_revise_more_and_the_mean_weight_is_kept(self):
        weights = revision_weights([0.9, 0.6, 0.3], 0.3)
        assert weights.mean() == pytest.approx(0.3)
        assert weights.tolist() == sorted(weights)
        assert weights == pytest.approx([0.075, 0.3, 0.525])

    def test_weights_are_shares(self):
        assert revision_weights([1.0, 1.0, 1.0, 0.0], 0.5).tolist() == [0.0, 0.0, 0.0, 1.0]
        assert revision_weights([1.0, 1.0]).tolist() == [0.0, 0.0]
        assert revision_weights([]).tolist() == []


class TestBecker:
    """Becker, Brackbill & Centola (PNAS 2017): decentralised exchange helps the group, a centre does not."""

    def test_in_a_complete_network_the_group_comes_closer_to_the_truth(self):
        x = estimates()
        after = revise(x, complete(x), by_accuracy(x))
        change = (after.mean(axis=1) - TRUTH) ** 2 - (x.mean(axis=1) - TRUTH) ** 2
        assert change.mean() < -3 * change.std(ddof=1) / np.sqrt(GROUPS)

    def test_around_a_star_the_group_mean_follows_its_centre(self):
        x = estimates()
        after = revise(x, star(x), by_accuracy(x))
        assert after.mean(axis=1).var() > 1.5 * x.mean(axis=1).var()

    def test_without_the_link_to_accuracy_the_gain_is_gone(self):
        x = estimates()
        after = revise(x, complete(x), 0.3)
        assert after.mean(axis=1) == pytest.approx(x.mean(axis=1), abs=1e-12)


class TestLorenz:
    """Lorenz et al. (PNAS 2011): social influence narrows a group without improving its estimate."""

    def test_equal_weights_narrow_the_group_and_leave_its_error_as_it_was(self):
        x = estimates()
        after = revise(x, complete(x), 0.3)
        assert after.std(axis=1) == pytest.approx(0.7 * x.std(axis=1))
        assert np.abs(after.mean(axis=1)) == pytest.approx(np.abs(x.mean(axis=1)), abs=1e-12)

    def test_weights_that_know_nothing_of_accuracy_do_not_improve_the_group(self):
        x = estimates()
        omega = 0.6 * Draw(21, "omega").uniform(agent=np.arange(GROUPS)[:, None], item=np.arange(MEMBERS))
        before, after = x.mean(axis=1), revise(x, complete(x), omega).mean(axis=1)
        bias = after - before
        assert abs(bias.mean()) < 2 * bias.std(ddof=1) / np.sqrt(GROUPS)
        # Unequal weights make a mean of fewer effective members: the error may grow a little, never fall.
        assert 0.98 < np.abs(after).mean() / np.abs(before).mean() < 1.08


class TestStability:
    def test_no_change_is_stable(self):
        found = stability([1.0, 2, 3, 4], [1.0, 2, 3, 4])
        assert (found.p, found.shift, found.stable) == (1.0, 0.0, True)

    def test_a_common_shift_is_not_stable_though_the_range_is_the_same(self):
        before = np.arange(12.0)
        found = stability(before, before + 1)
        assert found.p < 0.01
        assert (found.shift, found.stable) == (0.0, False)

    def test_a_shrinking_range_is_not_stable_though_the_middle_is_the_same(self):
        before = np.array([-4.0, -3, -2, -1, 1, 2, 3, 4])
        found = stability(before, before / 2)
        assert found.p > 0.05
        assert (found.shift, found.stable) == (-2.25, False)

    def test_p_is_the_exact_one_of_all_signs(self):
        before = np.zeros(7)
        after = np.array([1.0, 2, 3, -4, 5, 6, 7])
        signs = np.array(np.meshgrid(*[[0, 1]] * 7)).reshape(7, -1)
        ranks = signs.T @ np.arange(1, 8)
        observed = 4
        exact = 2 * np.mean(ranks <= observed)
        assert stability(before, after).p == pytest.approx(exact)

    def test_members_must_be_the_same(self):
        with pytest.raises(ValueError, match="same members"):
            stability([1.0, 2.0], [1.0])
