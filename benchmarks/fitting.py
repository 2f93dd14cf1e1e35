"""Recovery of known parameters by the kit's fits, and a fit to real rumour cascades checked on held-out ones.

    OPENIIR_DATA=... python benchmarks/fitting.py [--replicates 200]

Recovery: data sets are simulated with parameters drawn from their ranges, and fitted. Printed are bias, root
mean squared error, correlation with the truth, coverage of 95 % intervals and the p-value of uniform ranks;
goals: every bias interval holds 0, and 95 % lies in every interval of coverage. Approximate Bayesian
computation stands beside maximum likelihood on the same data sets, with a budget in one table and with the
same budget in two, the second over the range that the first leaves.

Twitter15 (Ma, Gao & Wong, ACL 2017): trees are split by source tweet into halves; size laws are fitted to one
half, given at least the smallest size in the data, and the dispersion of offspring to its shapes, given their
sizes; both are compared with the other half by the continuous ranked probability score and the
Kolmogorov-Smirnov distance, beside Poisson offspring. Figures are CPU seconds.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.stats import ks_2samp

from lab.cascades.branching import branching_cascades
from lab.cascades.rumour_trees import read_rumour_trees
from lab.cascades.size_law import SizeLaw, cascades_of_sizes
from lab.cascades.spreading import Contagion, spread_items
from lab.fitting import (
    Fit,
    Parameter,
    PriorSimulations,
    check_recovery,
    compare_held_out,
    crps,
    maximise_likelihood,
    simulate_prior,
)
from measuring import Spent, data_folder, print_table, read_clocks, run_command, show, since
from openiir.core.seeds import Draw
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.networks import power_law_graph
from openiir.scenarios.social_media.model.cascades import CascadeTrees

DRAW = Draw(1, "benchmark.fitting")
OFFSPRING = (Parameter("reproduction", 0.2, 0.9), Parameter("dispersion", 0.05, 1.0, log=True))
SPREAD = (Parameter("p", 0.01, 0.12, log=True),)
CLICKS = (Parameter("gamma", 0.1, 2.0), Parameter("intercept", -3.0, 1.0), Parameter("alignment", 0.0, 4.0))
DBN = (
    Parameter("satisfaction", 0.1, 0.9),
    Parameter("continuation", 0.3, 0.95),
    Parameter("intercept", -3.0, 1.0),
)
WIDE = {
    "reproduction": (0.01, 0.999),
    "dispersion": (0.001, 1_000.0),
    "gamma": (0.0, 10.0),
    "intercept": (-20.0, 20.0),
    "alignment": (-20.0, 20.0),
    "satisfaction": (0.0, 1.0),
    "continuation": (0.0, 1.0),
}
"""Ranges in which the likelihood is maximised: beyond those of the truths, at whose ends it would be cut
off."""
CASCADES, SLATES, SLOTS = 400, 2_000, 10
GRAPH = power_law_graph(2_000, DRAW, 2.3, 2)


def summarise(trees: CascadeTrees) -> list[float]:
    """Summarise sizes and depths by means and shares."""
    n = trees.size
    return [
        *(float((n >= k).mean()) for k in (2, 3, 5, 10, 20, 50)),
        np.log(n).mean(),
        np.log1p(trees.max_depth).mean(),
    ]


def grow_cascades(values: np.ndarray, draw: Draw) -> CascadeTrees:
    return branching_cascades(CASCADES, values[0], draw, 10**7, values[1])


def summarise_offspring(values: np.ndarray, draw: Draw) -> list[float]:
    return summarise(grow_cascades(values, draw))


def summarise_spread(values: np.ndarray, draw: Draw) -> list[float]:
    seeds = draw.at("seeds").below(GRAPH.members, item=np.arange(CASCADES))
    return summarise(spread_items(GRAPH, seeds, Contagion(values[0]), draw).trees())


def fit_sizes(sizes: np.ndarray, smallest: int = 1, parameters: Sequence[Parameter] = OFFSPRING) -> Fit:
    def log_likelihood(values: np.ndarray) -> np.ndarray:
        dispersion = values[1] if len(values) > 1 else np.inf
        return SizeLaw(values[0], dispersion, smallest).log_probability(sizes)

    return maximise_likelihood(log_likelihood, widen(parameters))


def widen(parameters: Sequence[Parameter]) -> list[Parameter]:
    return [one._replace(low=WIDE[one.name][0], high=WIDE[one.name][1]) for one in parameters]


def read_slates(model: ClickModel, draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    """Simulate agreement and clicks (n, K) of users who read one slate each."""
    agreement = 2 * draw.at("agreement").uniform(item=np.arange(SLATES)[:, None], agent=np.arange(SLOTS)) - 1
    attraction = model.attraction(agreement, np.zeros(agreement.shape))
    reading, clicks = SlateReading(model, draw, np.arange(SLATES), 0, SLOTS), []
    for position in range(1, SLOTS + 1):
        looks, _ = reading.look(position)
        clicks.append(reading.click(position, looks, attraction[:, position - 1]))
        reading.go_on(position, looks, clicks[-1])
    return agreement, np.stack(clicks, axis=1)


def fit_clicks(kind: str, agreement: np.ndarray, clicks: np.ndarray, parameters: Sequence[Parameter]) -> Fit:
    def log_likelihood(values: np.ndarray) -> np.ndarray:
        model = make_model(kind, values, parameters)
        return model.log_likelihood(model.attraction(agreement, np.zeros(agreement.shape)), clicks)

    return maximise_likelihood(log_likelihood, widen(parameters), starts=2)


def make_model(kind: str, values: np.ndarray, parameters: Sequence[Parameter]) -> ClickModel:
    return ClickModel(model=kind, **{one.name: float(v) for one, v in zip(parameters, values, strict=True)})


def recovery_rows(name: str, truths: Sequence[np.ndarray], fits: Sequence[Fit], start: Spent):
    for parameter, found in check_recovery(np.array(truths), fits).items():
        errors = show(found.bias, "+.4f"), f"{found.rmse:.4f}", f"{found.correlation:.3f}"
        rest = found.without_interval, f"{found.rank_p:.2f}", f"{since(start).cpu:.1f}"
        yield name, parameter, len(fits), *errors, show(found.coverage), *rest


def recover_cascades(replicates: int):
    """Fit branching cascades three ways, and independent cascades by simulation."""
    start = read_clocks()
    table = simulate_prior(summarise_offspring, OFFSPRING, DRAW.at("offspring"), 3_000)
    truths, first = table.values[:replicates], leave_out(table, 3_000, replicates)
    yield from recovery_rows("ABC, sizes and depths, 3,000 simulations", truths, first, start)
    start, fits = read_clocks(), []
    for n, rough in enumerate(leave_out(table, 2_000, replicates)):
        again = simulate_prior(summarise_offspring, narrow(rough), DRAW.at(f"again/{n}"), 1_000)
        fits.append(again.fit(table.summaries[n], 0.2))
    yield from recovery_rows("2,000, then 1,000 in the range left", truths, fits, start)
    start, draws = read_clocks(), [DRAW.at(f"offspring/simulation/{n}") for n in range(replicates)]
    fits = [fit_sizes(grow_cascades(*one).size) for one in zip(truths, draws, strict=True)]
    yield from recovery_rows("maximum likelihood, sizes of the same", truths, fits, start)
    start = read_clocks()
    table = simulate_prior(summarise_spread, SPREAD, DRAW.at("spread"), 2_000)
    truths, fits = table.values[:replicates], leave_out(table, 2_000, replicates)
    yield from recovery_rows("ABC, independent cascades on a graph, 2,000", truths, fits, start)


def recover_clicks(kind: str, parameters: Sequence[Parameter], number: int):
    """Fit a click model to the clicks that it makes."""
    start, fits = read_clocks(), []
    units = DRAW.at(kind).uniform(item=np.arange(number)[:, None], agent=np.arange(len(parameters)))
    low, high = np.array([one[1:3] for one in parameters]).T
    truths = low + units * (high - low)
    for n, truth in enumerate(truths):
        read = read_slates(make_model(kind, truth, parameters), DRAW.at(f"clicks/{n}"))
        fits.append(fit_clicks(kind, *read, parameters))
    yield from recovery_rows(f"maximum likelihood, clicks ({kind})", truths, fits, start)


def narrow(fit: Fit) -> list[Parameter]:
    """Narrow the ranges to those of nearly all draws."""
    left = fit.estimates(0.998)
    return [
        one._replace(low=max(one.low, left[one.name].low), high=min(one.high, left[one.name].high))
        for one in OFFSPRING
    ]


def leave_out(table: PriorSimulations, simulations: int, number: int) -> list[Fit]:
    """Fit the first simulations from the others, among a number of them."""
    some = replace(table, logits=table.logits[:simulations], summaries=table.summaries[:simulations])
    return [some.fit(table.summaries[n], leave_out=n) for n in range(number)]


def fit_rumours(folder: Path) -> None:
    trees = read_rumour_trees(folder).cleaned.trees
    half = DRAW.at("half").bits(item=np.arange(len(trees))) % np.uint64(2) == 0
    sizes, smallest = trees.size, int(trees.size.min())
    print(f"\nTwitter15: {half.sum()} trees fitted, {(~half).sum()} held out; at least {smallest} shares\n")
    fits = {
        "negative binomial offspring": fit_sizes(sizes[half], smallest),
        "Poisson offspring": fit_sizes(sizes[half], smallest, OFFSPRING[:1]),
    }
    predicted = {"the other half itself": np.log(sizes[half])}
    for name, fit in fits.items():
        law = SizeLaw(fit.peak["reproduction"], fit.peak.get("dispersion", np.inf), smallest)
        predicted[name] = np.log(law.draw(20_000, DRAW.at(name)))
        print(name, {key: f"{show(e, '.4f')} {e.reason or ''}" for key, e in fit.estimates().items()})
    print_held_out("size, log", np.log(sizes[~half]), predicted)
    start, dispersion = read_clocks(), Parameter("dispersion", 0.0003, 1.0, log=True)
    table = simulate_prior(
        lambda values, draw: summarise_shapes(cascades_of_sizes(sizes[half], draw, values[0])),
        (dispersion,),
        DRAW.at("shape"),
        200,
    )
    fit = table.fit(summarise_shapes(trees, half), 0.25)
    found = f"dispersion {fit.estimates()['dispersion']}, {fit.runs} simulations, {since(start).cpu:.0f} s"
    print(f"\nshapes, given sizes: {found}; {fit.loss}")
    rest, ks = sizes[~half], fit.resample(10, DRAW)[:, 0]
    drawn = [cascades_of_sizes(rest, DRAW.at(f"held/{n}"), k).max_depth for n, k in enumerate(ks)]
    predicted = {
        "negative binomial offspring": np.concatenate(drawn),
        "Poisson offspring": cascades_of_sizes(rest, DRAW.at("held")).max_depth,
        "the other half itself": trees.max_depth[half],
    }
    print_held_out("depth", trees.max_depth[~half], predicted)


def summarise_shapes(trees: CascadeTrees, kept: np.ndarray | slice = slice(None)) -> list[float]:
    """Summarise shapes by the logarithms of depth and breadth."""
    breadth = trees.max_breadth[kept] / trees.size[kept]
    return [np.log(trees.max_depth[kept]).mean(), np.log(breadth).mean()]


def print_held_out(what: str, observed: np.ndarray, predicted: dict[str, np.ndarray]) -> None:
    losses = {name: crps(observed, sample) for name, sample in predicted.items()}
    rows = [
        (name, show(loss), show(saving), f"{ks_2samp(observed, predicted[name]).statistic:.3f}")
        for name, (loss, saving) in compare_held_out(losses, "Poisson offspring").items()
    ]
    print()
    print_table(f"{what} of held-out trees | CRPS | saving to Poisson offspring | KS distance", rows)


def main(replicates: int = 200) -> None:
    rows = [recover_cascades(replicates)]
    rows += [
        recover_clicks(kind, ranges, replicates // 2) for kind, ranges in (("position", CLICKS), ("dbn", DBN))
    ]
    head = "fit | parameter | data sets | bias | RMSE | correlation | coverage of 95 % | without"
    print_table(f"{head} | p of ranks | s", chain(*rows))
    if "OPENIIR_DATA" in os.environ:
        fit_rumours(data_folder() / "social-twitter15")


if __name__ == "__main__":
    run_command(main)
