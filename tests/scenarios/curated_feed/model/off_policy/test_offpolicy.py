"""Off-policy estimators against naive sums, against expectations over every slate, and their refusals."""

import math
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from openiir.core.errors import InputError, UnknownName
from openiir.core.seeds import Draw
from openiir.kit.rankers.propensities import in_slate, item_position, prefix
from openiir.kit.statistics import cluster_bootstrap
from openiir.scenarios.curated_feed.model.off_policy import estimators
from openiir.scenarios.curated_feed.model.off_policy.estimators import (
    ESTIMATORS,
    OffPolicyRules,
    conclude,
    estimate,
    tally,
)
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

TOP, K = 7, 3
DRAW = Draw(11, "test.offpolicy")
ANYTHING = OffPolicyRules(least_ess=0, largest_share=1, least_weight=0, resamples=50)
APPEAL = np.array([0.5, 0.1, 0.7, 0.3, 0.2, 0.6, 0.4])
WANTED = np.array([2, 0, 5])
POSITIONS = np.arange(1, K + 1)


def the_log(items, clicks, epsilon, user=None):
    """A log whose deterministic order is 0, 1, 2..., and the ranker that would always show WANTED."""
    ranks = np.asarray(items) + 1
    log = Logged(
        clicks=np.asarray(clicks),
        user=np.arange(len(ranks)) if user is None else np.asarray(user),
        item_position=item_position(ranks, POSITIONS, TOP, epsilon),
        prefix=prefix(ranks, TOP, epsilon),
        in_slate=in_slate(ranks, K, TOP, epsilon),
    )
    wanted = np.tile(WANTED, (len(ranks), 1))
    reachable = item_position(wanted + 1, POSITIONS, TOP, epsilon)
    return log, Target.ranking(items, wanted, reachable)


def some_log(n=400, epsilon=0.5, seed=3, users=40):
    rng = np.random.default_rng(seed)
    items = rng.permuted(np.tile(np.arange(TOP), (n, 1)), axis=1)[:, :K]
    items[rng.random(n) >= epsilon] = np.arange(K)
    clicks = rng.random(items.shape) < APPEAL[items]
    return items, clicks, rng.integers(0, users, n)


def examined(kind, slate):
    """P(click) at each position of one slate, step by step."""
    clicks, reached = [], 1.0
    for r, item in enumerate(slate, 1):
        if kind == "position":
            clicks.append(APPEAL[item] / r)
        elif kind == "cascade":
            clicks.append(reached * APPEAL[item])
            reached *= 0.8 * (1 - 0.5 * APPEAL[item])
        else:  # what is clicked depends on what stands below as well
            clicks.append(APPEAL[item] * (1 - max(APPEAL[other] for other in slate if other != item)))
    return clicks


@cache
def every_slate(kind):
    slates = np.array(list(permutations(range(TOP), K)))
    return slates, np.array([examined(kind, slate) for slate in slates])


def in_expectation(estimator, kind, epsilon, **model):
    """The estimator's expected value: every slate once, with the clicks it earns, times its probability."""
    slates, earned = every_slate(kind)
    log, target = the_log(slates, earned, epsilon)
    chance = log.prefix[:, -1:]
    target = replace(target, **{name: make(slates, target) for name, make in model.items()})
    weight = len(slates) * chance
    if (
        estimator == "dr"
    ):  # its expectation has a part without clicks, so that chances go into all of its inputs
        left = weight * (earned - target.q_logged)
        log = replace(log, clicks=left)
        target = replace(target, q_logged=np.zeros(earned.shape), q_expected=weight * target.q_expected)
    else:
        log = replace(log, clicks=weight * earned)
    return estimate(estimator, log, target, DRAW, ANYTHING).value.value


def truth(kind):
    return sum(examined(kind, WANTED))


class TestInExpectation:
    @pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
    @pytest.mark.parametrize(
        ("estimator", "kind"),
        [
            ("iips", "position"),
            ("rips", "position"),
            ("slate", "position"),
            ("rips", "cascade"),
            ("slate", "cascade"),
            ("slate", "any"),
        ],
    )
    def test_each_is_exact_where_it_should_be(self, estimator, kind, epsilon):
        assert in_expectation(estimator, kind, epsilon) == pytest.approx(truth(kind), rel=1e-12)

    @pytest.mark.parametrize(
        ("estimator", "kind"),
        [("iips", "cascade"), ("rips", "any"), ("iips", "any"), ("item_only", "position")],
    )
    def test_and_off_where_it_should_not(self, estimator, kind):
        assert abs(in_expectation(estimator, kind, 0.3) / truth(kind) - 1) > 0.02

    @pytest.mark.parametrize("shift", [0.0, 0.4])
    def test_doubly_robust_is_exact_with_any_model(self, shift):
        found = in_expectation(
            "dr",
            "position",
            0.3,
            q_logged=lambda slates, target: APPEAL[slates] * 0.3 + shift,
            q_expected=lambda slates, target: np.tile(APPEAL[WANTED] * 0.3 + shift, (len(slates), 1)),
        )
        assert found == pytest.approx(truth("position"), rel=1e-12)


class TestAgainstNaiveSums:
    @pytest.fixture(scope="class")
    def weighed(self):
        """A log, and for each estimator the weights of its first slates, position by position."""
        items, clicks, user = some_log(1_500)
        rows = [self.weights(slate.tolist(), 0.5) for slate in items]
        return items, clicks, user, {name: [row[name] for row in rows] for name in rows[0]}

    def weights(self, slate, epsilon):
        found = {name: [] for name in ESTIMATORS if name != "dr"}
        shown, wanted = list(range(K)), WANTED.tolist()
        for r in range(1, K + 1):
            item = slate[r - 1]
            position = (item == wanted[r - 1]) / ((1 - epsilon) * (item == r - 1) + epsilon / TOP)
            chances = []
            for length in (r, K):
                shuffled = math.factorial(TOP - length) / math.factorial(TOP)
                chance = (1 - epsilon) * (slate[:length] == shown[:length]) + epsilon * shuffled
                chances.append((slate[:length] == wanted[:length]) / chance)
            found["iips"].append(position)
            found["snips"].append(position)
            found["rips"].append(chances[0])
            found["slate"].append(chances[1])
            found["item_only"].append((item in wanted) / ((1 - epsilon) * (item < K) + epsilon * K / TOP))
        return found

    @pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if e != "dr"])
    @pytest.mark.parametrize("clip", [None, 8.0])
    def test_they_are_the_sums_of_their_formulas(self, weighed, estimator, clip):
        items, clicks, user, weights = weighed
        log, target = the_log(items, clicks, 0.5, user)
        found = estimate(estimator, log, target, DRAW, replace(ANYTHING, clip=clip))
        expected = 0.0
        for r in range(K):
            used = [min(row[r], clip or math.inf) for row in weights[estimator]]
            gained = sum(w for w, clicked in zip(used, clicks[:, r], strict=True) if clicked)
            expected += gained / (sum(used) if estimator == "snips" else len(items))
        assert found.value.value == pytest.approx(expected, rel=1e-12)

    def test_what_an_estimate_rests_on(self):
        items, clicks, user = some_log()
        log, target = the_log(items, clicks, 0.5, user)
        weights = np.array([sum(row) for row in target.position / log.item_position])
        found = estimate("iips", log, target, DRAW, OffPolicyRules(resamples=50, least_ess=10))
        assert found.ess == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
        assert found.largest_share == pytest.approx(weights.max() / weights.sum())
        by_position = (target.position / log.item_position).T
        assert found.ess_by_position == pytest.approx([w.sum() ** 2 / (w**2).sum() for w in by_position])
        assert found.mean_weight == pytest.approx(weights.sum() / (400 * K))
        assert (found.slates, found.users, found.clipped, found.unsupported) == (
            400,
            len(set(user)),
            0.0,
            0.0,
        )

    def test_the_clipped_part_is_told(self):
        items, clicks, user = some_log()
        log, target = the_log(items, clicks, 0.5, user)
        weights = target.position / log.item_position
        found = estimate("iips", log, target, DRAW, replace(ANYTHING, clip=5.0))
        assert found.clipped == pytest.approx(1 - np.minimum(weights, 5).sum() / weights.sum())
        assert found.clipped > 0.1

    def test_the_logging_ranker_itself_earned_its_clicks(self):
        items, clicks, user = some_log()
        log, _ = the_log(items, clicks, 0.5, user)
        same = Target(log.item_position, log.prefix, np.zeros(items.shape))
        for estimator in ("iips", "snips", "rips", "slate"):
            found = estimate(estimator, log, same, DRAW, OffPolicyRules(resamples=50))
            assert found.value.value == pytest.approx(clicks.sum() / 400)
            assert found.ess == pytest.approx(400)


class TestInterval:
    def wide(self, items, clicks, user):
        log, target = the_log(items, clicks, 0.5, user)
        found = estimate(
            "iips", log, target, DRAW, OffPolicyRules(least_ess=0, largest_share=1, resamples=1_000)
        )
        return found.high - found.low

    def test_it_is_that_of_the_users_means(self):
        items, clicks, user = some_log(2_000, users=100)
        log, target = the_log(items, clicks, 0.5, user)
        gains = (target.position / log.item_position * clicks).sum(axis=1)
        members = np.bincount(user, minlength=100)
        apart = np.bincount(user, gains, 100) - members * gains.mean()
        error = math.sqrt((apart**2).sum()) / len(items)  # of a ratio of sums, linearised
        assert self.wide(items, clicks, user) == pytest.approx(2 * 1.96 * error, rel=0.1)

    def test_copies_of_a_users_slates_tell_nothing_new(self):
        items, clicks, _ = some_log(200)
        once = self.wide(items, clicks, np.arange(200))
        again = [np.repeat(x, 4, axis=0) for x in (items, clicks, np.arange(200))]
        assert self.wide(*again) == pytest.approx(once)
        assert self.wide(again[0], again[1], np.arange(800)) < 0.6 * once

    def test_many_users_are_resampled_in_groups(self):
        items, clicks, _ = some_log(2_500)
        log, target = the_log(items, clicks, 0.5)
        gains = (target.position / log.item_position * clicks).sum(axis=1)
        assert self.wide(items, clicks, np.arange(2_500)) == pytest.approx(
            2 * 1.96 * gains.std() / math.sqrt(2_500), rel=0.1
        )

    def test_one_user_has_a_value_and_no_interval(self):
        items, clicks, _ = some_log(100)
        log, target = the_log(items, clicks, 0.5, np.zeros(100, dtype=int))
        found = estimate("iips", log, target, DRAW, ANYTHING)
        assert found.value.defined and math.isnan(found.low) and math.isnan(found.high)
        assert "1 unit" in found.value.reason


@pytest.mark.parametrize(
    ("users", "groups"), [(1_999, 1_999), (2_000, 2_000), (2_001, 2_000), (4_500, 2_000)]
)
def test_beyond_two_thousand_users_are_resampled_in_as_many_groups(users, groups, monkeypatch):
    slates = np.array(list(permutations(range(TOP), K)))[np.arange(users) % 210]
    log, target = the_log(slates, np.eye(3)[np.arange(users) % 3], 0.5)
    drawn = {}

    def bootstrap(*columns, **ways):
        drawn["columns"] = columns
        return cluster_bootstrap(*columns, **ways)

    monkeypatch.setattr(estimators, "cluster_bootstrap", bootstrap)
    found = estimate("iips", log, target, DRAW, ANYTHING)
    gains, slates = drawn["columns"]
    assert len(gains) == groups and slates.max() - slates.min() <= 1
    assert slates.sum() == users and gains.sum() / users == pytest.approx(found.value.value)


def test_tallies_of_blocks_add_up():
    items, clicks, user = some_log(4_000)
    log, target = the_log(items, clicks, 0.5, user)
    for estimator in ("iips", "snips", "rips", "slate"):
        sums = None
        for part in (slice(0, 150), slice(150, 151), slice(151, 4_000)):
            some = Logged(log.clicks[part], user[part], log.item_position[part], log.prefix[part])
            aim = Target(target.position[part], target.prefix[part], target.unsupported[part])
            one = tally(estimator, some, aim, 60)
            sums = one if sums is None else sums + one
        whole = estimate(estimator, log, target, DRAW, ANYTHING)
        found = conclude(sums, DRAW, ANYTHING)
        for name in (
            "low",
            "high",
            "ess",
            "largest_share",
            "mean_weight",
            "users",
            "slates",
            "ess_by_position",
        ):
            assert getattr(found, name) == pytest.approx(getattr(whole, name), rel=1e-9), name
        assert found.value.value == pytest.approx(whole.value.value)
    with pytest.raises(ValueError, match="tallies of slate and iips"):
        sums + tally("iips", log, target, 60)


class TestShortSlates:
    """Users with fewer candidates than positions."""

    def test_nothing_left_to_show_changes_nothing(self):
        items, clicks, user = some_log(1_500)
        log, target = the_log(items, clicks, 0.5, user)
        padded = Logged.short(
            clicks=np.pad(clicks, ((0, 0), (0, 1))),
            user=user,
            served=np.pad(np.ones(items.shape, dtype=bool), ((0, 0), (0, 1))),
            propensities={
                name: np.pad(getattr(log, name), ((0, 0), (0, 1)), constant_values=np.nan)
                for name in ("item_position", "prefix", "in_slate")
            },
        )
        pad = ((0, 0), (0, 1))
        wanted = np.tile(WANTED, (1_500, 1))
        longer = Target.ranking(
            np.pad(items, pad, constant_values=-1),
            np.pad(wanted, pad, constant_values=-1),
            np.pad(np.ones(items.shape), pad),
        )
        for estimator in ("iips", "snips", "rips", "slate", "item_only"):
            expected = estimate(estimator, log, target, DRAW, ANYTHING)
            found = estimate(estimator, padded, longer, DRAW, ANYTHING)
            assert found.value.value == pytest.approx(expected.value.value), estimator
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
            assert found.unsupported == 0

    def test_an_item_where_the_log_had_none_is_unsupported(self):
        target = Target.ranking([[1, 0, -1]], [[1, 0, 2]], [[0.5, 0.5, np.nan]])
        assert target.unsupported.tolist() == [[0, 0, 1]]


class TestRefusals:
    def refused(self, estimator, log, target, rules=None):
        found = estimate(estimator, log, target, DRAW, rules)
        assert math.isnan(found.value.value) and math.isnan(found.low) and math.isnan(found.high)
        return found.value.reason

    def test_too_few_effective_slates(self):
        log, target = the_log(*some_log(1_500)[:2], 0.5)
        assert "effective slates; at least 100 are needed" in self.refused("slate", log, target)

    def test_one_slate_that_outweighs_the_rest(self):
        items, clicks, _ = some_log(3_000)
        log, target = the_log(items, clicks, 0.5)
        p = log.item_position.copy()
        p[np.flatnonzero(target.position[:, 0])[0], 0] = 1e-3
        rules = OffPolicyRules(least_ess=1)
        assert "of all weight; at most 0.05 is allowed" in self.refused(
            "iips", replace(log, item_position=p), target, rules
        )

    @pytest.mark.parametrize("estimator", ["rips", "slate"])
    def test_what_the_target_would_show_was_too_rare_to_be_logged(self, estimator):
        """It agrees with the log in one slate of five, which alone have weight and look many and precise."""
        items, clicks, _ = some_log(5_000, epsilon=0.0)
        log, target = the_log(items, clicks, 0.5)
        agreed = np.repeat(np.arange(5_000)[:, None] % 5 == 0, K, axis=1).astype(float)
        target = replace(target, position=agreed, prefix=agreed)
        assert "where 1 is expected: most of what the target would show" in self.refused(
            estimator, log, target
        )
        lifted = estimate(estimator, log, target, DRAW, OffPolicyRules(least_weight=0, resamples=50))
        assert lifted.ess > 999 and lifted.value.value > 0 and max(lifted.weight_by_position) < 0.5

    @pytest.mark.parametrize("estimator", ["iips", "snips", "rips", "slate", "item_only"])
    def test_a_target_that_goes_where_the_log_never_went(self, estimator):
        log, target = the_log(np.tile(np.arange(K), (300, 1)), np.ones((300, K)), 0.0)
        reason = self.refused(estimator, log, target)
        assert "puts 1 of its mass where the logging ranker could not go" in reason

    def test_a_violated_prefix_violates_what_follows(self):
        items, clicks, _ = some_log()
        log, target = the_log(items, clicks, 0.5)
        out = np.zeros(items.shape)
        out[:, 1] = 0.25
        target = replace(target, unsupported=out)
        assert estimate("iips", log, target, DRAW).unsupported == pytest.approx(0.25 / 3)
        assert estimate("rips", log, target, DRAW).unsupported == pytest.approx(0.5 / 3)

    def test_doubly_robust_goes_on_and_tells_the_mass(self):
        items, clicks, user = some_log(3_000)
        log, target = the_log(items, clicks, 0.5, user)
        q = np.full(items.shape, 0.4)
        target = replace(target, unsupported=np.full(items.shape, 0.1), q_logged=q, q_expected=q)
        found = estimate("dr", log, target, DRAW)
        assert found.value.defined and found.unsupported == pytest.approx(0.1)

    def test_no_weight_at_all(self):
        log, _ = the_log(np.tile(np.arange(K), (300, 1)), np.ones((300, K)), 0.5)
        nowhere = Target(np.zeros((300, K)), np.zeros((300, K)), np.zeros((300, K)))
        assert self.refused("iips", log, nowhere) == "no logged slate has weight under the target"

    @pytest.mark.parametrize("estimator", ["iips", "snips"])
    def test_a_position_that_nothing_tells_of(self, estimator):
        items, clicks, _ = some_log(500)
        log, target = the_log(items, clicks, 0.5)
        position = target.position.copy()
        position[:, 2] = 0
        reason = self.refused(estimator, log, replace(target, position=position), OffPolicyRules(least_ess=1))
        assert reason.startswith("at position 3 no logged slate has weight under the target")


class TestBadInput:
    @pytest.mark.parametrize("p", [0.0, -0.2, 1.5, math.nan, math.inf])
    @pytest.mark.parametrize("name", ["item_position", "prefix", "in_slate"])
    def test_a_propensity_is_a_probability_above_0(self, name, p):
        log, _ = the_log(*some_log(10)[:2], 0.5)
        wrong = getattr(log, name).copy()
        wrong[4, 1] = p
        with pytest.raises(InputError, match=f"{name} of slate 4, position 2 is"):
            replace(log, **{name: wrong})

    def test_shapes_must_fit(self):
        log, target = the_log(*some_log(10)[:2], 0.5)
        with pytest.raises(InputError, match=r"clicks are slates by positions.*got shape \(10,\)"):
            replace(log, clicks=np.ones(10))
        with pytest.raises(InputError, match="10 slates have one user each"):
            replace(log, user=np.arange(9))
        with pytest.raises(InputError, match=r"prefix has shape \(10, 2\); the other arrays have \(10, 3\)"):
            replace(log, prefix=log.prefix[:, :2])
        with pytest.raises(InputError, match="prefix has shape"):
            estimate("iips", log, replace(target, position=target.position[:5]), DRAW)
        few = Target(*(a[:5] for a in (target.position, target.prefix, target.unsupported)))
        with pytest.raises(InputError, match="the target's arrays have shape"):
            estimate("iips", log, few, DRAW)
        with pytest.raises(InputError, match="the target's slates have shape"):
            Target.ranking(np.ones((3, 2)), np.ones((3, 3)), np.ones((3, 2)))

    def test_target_probabilities_are_none_below_0_nor_above_1(self):
        log, target = the_log(*some_log(10)[:2], 0.5)
        for wrong in (-0.1, 1.2, math.nan):
            with pytest.raises(InputError, match="position holds what is no probability"):
                estimate("iips", log, replace(target, position=np.full((10, K), wrong)), DRAW)

    def test_what_an_estimator_lacks_is_named(self):
        log, target = the_log(*some_log(10)[:2], 0.5)
        with pytest.raises(InputError, match="a doubly robust estimate needs q_expected"):
            estimate("dr", log, target, DRAW)
        with pytest.raises(InputError, match="item_only needs in_slate"):
            estimate("item_only", replace(log, in_slate=None), target, DRAW)

    def test_an_unknown_estimator_is_answered_with_the_nearest(self):
        log, target = the_log(*some_log(10)[:2], 0.5)
        with pytest.raises(UnknownName, match="did you mean 'snips'"):
            estimate("snip", log, target, DRAW)
