"""Fits beside closed forms and naive loops; recovery passes where a fit is right, and fails elsewhere."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from lab.fitting import (
    Parameter,
    check_recovery,
    compare_held_out,
    crps,
    maximise_likelihood,
    simulate_prior,
)
from openiir.core.errors import InputError
from openiir.core.seeds import Draw

DRAW = Draw(3, "test.fitting")
MEAN, SPREAD = Parameter("mean", -4.0, 4.0), Parameter("spread", 0.2, 5.0, log=True)
NUMBER = 40


def draw_sample(values, draw):
    return draw.normal(values[0], values[1], item=np.arange(NUMBER))


def summarise(values, draw):
    sample = draw_sample(values, draw)
    return sample.mean(), np.log(sample.std())


def known_spread(values, draw):
    return draw.normal(values[0], 1.0, item=np.arange(NUMBER)).mean()


@pytest.fixture(scope="module")
def table():
    return simulate_prior(summarise, [MEAN, SPREAD], DRAW, 1_500)


def leave_out(table, number):
    return [table.fit(table.summaries[n], leave_out=n) for n in range(number)]


# Parameters


def test_values_are_uniform_or_log_uniform_over_their_ranges(table):
    values = table.values
    for column, cdf in (
        (values[:, 0], lambda x: (x + 4) / 8),
        (values[:, 1], lambda x: np.log(x / 0.2) / np.log(25)),
    ):
        assert abs(np.sort(cdf(column)) - np.linspace(0, 1, 1_500)).max() < 1.63 / np.sqrt(1_500)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ([Parameter("x", 1, 1)], "finite bounds, the lower one first"),
        ([Parameter("x", 0, np.inf)], "finite bounds"),
        ([Parameter("x", 0, 1, log=True)], "above 0"),
    ],
)
def test_ranges_that_cannot_be_searched_are_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        simulate_prior(summarise, parameters, DRAW, 10)


def test_resampling_follows_the_weights(table):
    fit = table.fit([1.0, 0.0])
    again = fit.resample(4_000, DRAW)
    expected = fit.weights @ fit.values
    assert np.allclose(again.mean(axis=0), expected, atol=4 * again.std(axis=0).max() / np.sqrt(4_000))


# Approximate Bayesian computation


def test_draws_are_those_of_the_exact_posterior():
    fit = simulate_prior(known_spread, [MEAN], DRAW, 4_000).fit([0.7], accept=0.2)
    exact = norm(0.7, 1 / np.sqrt(NUMBER))  # under a flat prior
    found = fit.estimates()["mean"]
    assert found.value == pytest.approx(0.7, abs=0.03)
    assert [found.low, found.high] == pytest.approx(exact.interval(0.95), abs=0.06)
    assert fit.runs == 4_000 and "1 summaries" in fit.loss and "ABC" in found.method


def test_any_number_of_workers_gives_the_same_simulations(table):
    few = simulate_prior(summarise, [MEAN, SPREAD], DRAW, 60)
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as pool:
            same = simulate_prior(summarise, [MEAN, SPREAD], DRAW, 60, pool)
        assert np.array_equal(same.summaries, few.summaries) and np.array_equal(same.logits, few.logits)
    assert np.array_equal(table.summaries[:60], few.summaries)


def test_summaries_without_a_value_and_without_variation():
    def simulate(values, draw):
        return [known_spread(values, draw), 5.0, np.nan if values[0] < -2 else 0.0]

    table = simulate_prior(simulate, [MEAN], DRAW, 800)
    assert table.without_value + len(table.values) == 800 and 150 < table.without_value < 250
    plain = simulate_prior(known_spread, [MEAN], DRAW, 800)
    kept = replace(
        plain,
        logits=plain.logits[plain.values[:, 0] >= -2],
        summaries=plain.summaries[plain.values[:, 0] >= -2],
    )
    found, wanted = table.fit([1.0, 5.0, 0.0]), kept.fit([1.0])
    assert found.runs == 800 and np.allclose(found.values, wanted.values)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda table: table.fit([1.0, 0.0], accept=0.003), "4 of 1500 simulations would be kept"),
        (lambda _: simulate_prior(lambda *_: np.nan, [MEAN], DRAW, 9), "none of 9 simulations"),
    ],
)
def test_simulations_that_tell_nothing_are_refused(table, spoil, words):
    with pytest.raises(InputError, match=words):
        spoil(table)


# Likelihood


def fit_normal(sample):
    return maximise_likelihood(lambda values: norm.logpdf(sample, values[0], values[1]), [MEAN, SPREAD])


def test_the_peak_and_its_errors_are_those_in_closed_form():
    sample = DRAW.at("closed").normal(1.0, 2.0, item=np.arange(900))
    fit = fit_normal(sample)
    assert fit.peak == pytest.approx({"mean": sample.mean(), "spread": sample.std()}, abs=1e-3)
    for name, error in (("mean", 2 / 30), ("spread", 2 / np.sqrt(1_800))):
        found = fit.estimates()[name]
        assert (found.high - found.low) / 3.92 == pytest.approx(error, rel=0.12)


def test_intervals_hold_where_the_model_is_wrong():
    """A Poisson likelihood of counts that vary three times as much: errors are those of the counts."""
    counts = np.random.Generator(np.random.PCG64(1)).negative_binomial(2, 1 / 3, size=2_000)
    fit = maximise_likelihood(
        lambda values: counts * np.log(values[0]) - values[0], [Parameter("rate", 0.1, 100.0, log=True)]
    )
    found = fit.estimates()["rate"]
    assert found.value == pytest.approx(counts.mean(), rel=1e-4)
    assert (found.high - found.low) / 3.92 == pytest.approx(counts.std() / np.sqrt(2_000), rel=0.08)
    assert counts.std() > 1.5 * np.sqrt(counts.mean())


def test_no_interval_at_a_bound_or_where_parameters_cannot_be_told_apart():
    sample = DRAW.at("bound").normal(9.0, 1.0, item=np.arange(50))
    found = fit_normal(sample).estimates()["spread"]
    assert not found.bounded and "mean is best at a bound" in found.reason
    twins = [Parameter("a", 0.0, 5.0), Parameter("b", 0.0, 5.0)]
    fit = maximise_likelihood(lambda v: norm.logpdf(DRAW.normal(4.0, item=np.arange(99)), v[0] + v[1]), twins)
    assert sum(fit.peak.values()) == pytest.approx(4.0, abs=0.3)
    assert not fit.estimates()["a"].bounded and ("flat" in fit.reason or "at a bound" in fit.reason)
    with pytest.raises(InputError, match="not finite at any of 4 starts"):
        maximise_likelihood(lambda _: [-np.inf], [MEAN])


# Recovery


def test_fits_that_are_right_recover_their_parameters(table):
    truths, rows = table.values, np.arange(400)
    samples = [DRAW.at(f"sample/{n}").normal(*truths[n], item=rows) for n in range(40)]
    for fits in (leave_out(table, 200), [fit_normal(sample) for sample in samples]):
        for found in check_recovery(truths[: len(fits)], fits).values():
            assert found.bias.low < 0 < found.bias.high and found.correlation > 0.95
            assert found.coverage.low < 0.95 < found.coverage.high and found.rank_p > 0.01
            assert found.without_interval <= 2  # true values at the ends of the ranges


def test_fits_that_are_wrong_do_not(table):
    fits, truths = leave_out(table, 150), table.values[:150]
    middles = [fit.values.mean(axis=0) for fit in fits]
    sure = [replace(f, values=m + (f.values - m) / 3) for f, m in zip(fits, middles, strict=True)]
    found = check_recovery(truths, sure)["mean"]
    assert found.coverage.high < 0.8 and found.rank_p < 0.001
    shifted = [replace(fit, values=fit.values + [0.3, 0.0]) for fit in fits]
    found = check_recovery(truths, shifted)["mean"]
    assert found.bias.low > 0.2 and found.rank_p < 0.001
    mixed = check_recovery(truths, fits[::-1])["spread"]
    assert abs(mixed.correlation) < 0.3 and mixed.rmse > 4 * check_recovery(truths, fits)["spread"].rmse
    blind = check_recovery(truths, [replace(fit, reason="flat") for fit in fits])["mean"]
    assert blind.without_interval == 150 and np.isnan(blind.coverage.value) and np.isnan(blind.rank_p)


# Held-out data


def test_crps_is_that_of_a_naive_loop():
    observed, sample = DRAW.at("y").normal(item=np.arange(9)), DRAW.at("x").normal(1.0, item=np.arange(31))
    observed[0] = sample[4]
    apart = np.mean([abs(a - b) for a in sample for b in sample]) / 2
    naive = [np.mean([abs(x - y) for x in sample]) - apart for y in observed]
    assert np.allclose(crps(observed, sample), naive)
    assert np.allclose(crps(observed, [2.0]), np.abs(observed - 2.0))


def test_a_better_prediction_saves_loss_on_the_same_units():
    observed = DRAW.at("held").normal(item=np.arange(400))
    sample = DRAW.at("held.sample").normal(item=np.arange(4_000))
    losses = {name: crps(observed, sample + shift) for name, shift in (("right", 0.0), ("off", 1.0))}
    found = compare_held_out(losses, baseline="off")
    assert found["right"].saving.value == pytest.approx(losses["off"].mean() - losses["right"].mean())
    assert found["right"].saving.low > 0 and found["off"].saving.value == 0
    assert found["right"].loss.low < 1 / np.sqrt(np.pi) < found["right"].loss.high
