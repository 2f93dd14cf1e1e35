"""Accuracy of off-policy estimators on a simulated feed with known true values.

    python benchmarks/offpolicy.py [--slates 3000000]

Twelve items, slates of five; the logging ranker puts the worst first, served by an epsilon-shuffle, and the
target the best. Clicks are position-based (examination 1/r) or of a dynamic Bayesian network. One row an
estimator: the estimate with its 95 % interval, its error, what it rests on, and the value of another
implementation on another feed of the same shape. Refusals are lifted, so that the noise they refuse is seen,
and marked. Exits with 1 where an estimator is not right, or not as wrong, as it should be.
"""

import sys

import numpy as np

from measuring import print_table, read_clocks, run_command, since
from openiir.core.seeds import Draw
from openiir.kit.rankers.propensities import in_slate, item_position, prefix
from openiir.scenarios.curated_feed.model.off_policy.clickfit import predict_cross_fitted
from openiir.scenarios.curated_feed.model.off_policy.estimators import (
    Evaluation,
    OffPolicyRules,
    conclude,
    tally,
)
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

TOP, K, BLOCK, USERS = 12, 5, 100_000, 2_000
APPEAL = 0.558 * 0.72 ** np.arange(TOP)
GOING_ON, SATISFIED = 0.67, 0.25
AT = np.arange(1, K + 1)
ESTIMATORS = ("iips", "snips", "dr", "rips", "item_only")
ELSEWHERE = {
    ("position-based", 0.3): (".9374", ".9431 ± .0069", ".9425 ± .0044", "-", ".910 ± .066", ".7178"),
    ("position-based", 1.0): (".9373", ".9387 ± .0030", ".9382 ± .0026", "-", ".911 ± .036", ".7428"),
    ("DBN", 0.3): (".9565", "1.0161 ± .0052", "1.0172", "-", ".950 ± .063", ".7878"),
    ("DBN", 1.0): (".9563", "1.0226 ± .0044", "1.0217", "-", ".942 ± .037", ".8148"),
}
RIGHT = {"position-based": {"iips", "snips", "dr", "rips"}, "DBN": {"rips"}}
BIAS = {"iips": (0.04, 0.09), "snips": (0.04, 0.09), "dr": (0.04, 0.09), "item_only": (-0.27, -0.13)}


def clicks_of(model: str, slates: np.ndarray, draw: Draw, first: int) -> np.ndarray:
    at = {"agent": np.arange(first, first + len(slates))[:, None], "item": AT[None, :]}
    attracted = draw.at("attracted").uniform(**at) < APPEAL[slates]
    if model == "position-based":
        return attracted & (draw.at("examined").uniform(**at) < 1 / AT)
    goes_on = draw.at("on").chance(GOING_ON, **at)
    leaves = draw.at("satisfied").chance(SATISFIED, **at)
    clicks, reading = np.zeros(slates.shape, dtype=bool), np.ones(len(slates), dtype=bool)
    for r in range(K):
        clicks[:, r] = reading & attracted[:, r]
        reading &= goes_on[:, r] & ~(clicks[:, r] & leaves[:, r])
    return clicks


def truth(model: str) -> float:
    if model == "position-based":
        return float((APPEAL[:K] / AT).sum())
    reached = np.cumprod(GOING_ON * (1 - SATISFIED * APPEAL[: K - 1]))
    return float(APPEAL[0] + (reached * APPEAL[1:K]).sum())


def block(model: str, epsilon: float, n: int, first: int, draw: Draw) -> tuple[Logged, Target]:
    slate = np.arange(first, first + n)
    keys = draw.at("shuffle").uniform(agent=slate[:, None], item=np.arange(TOP)[None, :])
    shuffled = keys.argsort(axis=1)[:, :K]
    ranks = np.where(draw.at("coin").chance(epsilon, agent=slate)[:, None], shuffled + 1, AT)
    slates = TOP - ranks  # the worst item, the last, ranks first
    clicks, user = clicks_of(model, slates, draw, first), slate % USERS
    first_ranks = prefix(ranks, TOP, epsilon), in_slate(ranks, K, TOP, epsilon)
    log = Logged(clicks, user, item_position(ranks, AT, TOP, epsilon), *first_ranks)
    wanted = np.tile(np.arange(K), (n, 1))
    plain = Target.ranking(slates, wanted, item_position(TOP - wanted, AT, TOP, epsilon))
    q_logged, q_expected = predict_cross_fitted(slates, clicks, user, wanted, TOP)
    return log, Target(plain.position, plain.prefix, plain.unsupported, q_logged, q_expected, plain.in_slate)


def evaluate(model: str, epsilon: float, n: int) -> dict[str, Evaluation]:
    draw = Draw(2_026, f"benchmark.offpolicy/{model}/{epsilon}")
    sums = {}
    for first in range(0, n, BLOCK):
        log, target = block(model, epsilon, min(BLOCK, n - first), first, draw)
        for name in ESTIMATORS:
            one = tally(name, log, target, USERS)
            sums[name] = sums[name] + one if name in sums else one
    lifted = OffPolicyRules(least_ess=0, largest_share=1, least_weight=0)
    return {name: conclude(one, draw.at(name), lifted) for name, one in sums.items()}


def holds(name: str, model: str, found: Evaluation, true: float) -> bool:
    error = found.value.value - true
    if name in RIGHT[model]:
        return abs(error) < 3 * (found.high - found.low) / (2 * 1.96)
    low, high = BIAS[name]
    return low < error / true < high


def rows_of(slates: int, missed: list[str]):
    """Yield a row an estimator, and note those that are not right, or not as wrong, as they should be."""
    for (model, epsilon), (true_elsewhere, *elsewhere) in ELSEWHERE.items():
        true = truth(model)
        yield f"{model}, {epsilon}", "truth", f"{true:.4f}", "", "", true_elsewhere, ""
        for (name, found), theirs in zip(evaluate(model, epsilon, slates).items(), elsewhere, strict=True):
            good = holds(name, model, found, true)
            missed += [] if good else [name]
            value, half, weakest = found.value, (found.high - found.low) / 2, min(found.ess_by_position)
            cells = f"none: {value.reason}", ""
            if value.defined:
                cells = f"{value.value:.4f} ± {half:.4f}", f"{value.value / true - 1:+.1%}"
            biased, ess = "" if name in RIGHT[model] else ", biased", f"{found.ess:,.0f} ({weakest:,.0f})"
            yield "", name + biased, *cells, ess, theirs, "yes" if good else "NO"


def main(slates: int = 3_000_000) -> None:
    start, missed = read_clocks(), []
    head = "clicks, epsilon | estimator | estimate | error | ESS (weakest position) | elsewhere | holds"
    print_table(head, rows_of(slates, missed))
    print(f"\n{slates:,} slates a row in {since(start).wall:.0f} s")
    sys.exit(bool(missed))


if __name__ == "__main__":
    run_command(main)
