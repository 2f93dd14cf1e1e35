"""Argument strength: gradual semantics over the weighted bipolar graph of claims.

DF-QuAD (Rago, Toni, Aurisicchio & Baroni, KR 2016) and the quadratic energy model (Potyka, KR 2018). Graphs
with cycles are solved as Potyka does it: the system d(sigma)/dt = sigma*(sigma) - sigma is integrated by the
classical Runge-Kutta method from the base strengths until nothing moves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from openiir.core.claims.replies import unanswered
from openiir.core.records import Claim, Edge
from openiir.core.seeds import quantise

Semantics = Literal["quadratic-energy", "df-quad"]
Strengths = NDArray[np.float64]

BASE, BASE_CITED = 0.5, 0.7
"""Base strength of a claim without and with a citation."""
WEIGHTS: Mapping[str, float] = {"supports": 1.0, "counters": -1.0, "refines": 0.5, "questions": -0.25}
"""Weight of an edge on its target; a question weighs only while it is unanswered."""
RK4_STEP, RK4_STILL, RK4_LIMIT = 0.1, 1e-4, 20_000


@dataclass(frozen=True)
class BipolarGraph:
    """Arguments 0..n-1 with base strengths in [0, 1] and weighted edges (source, target, weight in [-1, 1])."""

    base: tuple[float, ...]
    edges: tuple[tuple[int, int, float], ...]


def df_quad(base: Strengths, supporters: list[Strengths], attackers: list[Strengths]) -> Strengths:
    """DF-QuAD: the aggregates 1 - prod(1 - v) of both sides move the base by their difference."""
    support, attack = _aggregate(base, supporters), _aggregate(base, attackers)
    gap = np.abs(support - attack)
    return np.where(attack >= support, base - base * gap, base + (1.0 - base) * gap)


def quadratic_energy(base: Strengths, supporters: list[Strengths], attackers: list[Strengths]) -> Strengths:
    """The energy E (support minus attack) moves the base by h(E) up or h(-E) down, h(x) = x^2 / (1 + x^2)."""
    energy = np.zeros_like(base)
    for value in supporters:
        energy = energy + value
    for value in attackers:
        energy = energy - value
    square = energy * energy
    share = square / (1.0 + square)
    return np.where(energy > 0, base + (1.0 - base) * share, base - base * share)


def _aggregate(base: Strengths, values: list[Strengths]) -> Strengths:
    rest = np.ones_like(base)
    for value in values:
        rest = rest * (1.0 - value)
    return 1.0 - rest


_RULES: Mapping[str, Callable[[Strengths, list[Strengths], list[Strengths]], Strengths]] = {
    "df-quad": df_quad,
    "quadratic-energy": quadratic_energy,
}


def solve(
    graph: BipolarGraph, semantics: Semantics = "quadratic-energy", offsets: Strengths | None = None
) -> Strengths:
    """Final strengths, shape (n,); with `offsets` of shape (n, k), k solutions side by side, shape (n, k).

    Column j of `offsets` is added to what the semantics gives each argument: the strengths of a graph in which
    something outside pushes those arguments (how numeric gradients are taken).
    """
    n = len(graph.base)
    pushes = np.zeros((n, 1)) if offsets is None else offsets
    base = np.repeat(np.asarray(graph.base, dtype=np.float64)[:, None], pushes.shape[1], axis=1)
    incoming: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for source, target, weight in graph.edges:
        if weight:
            incoming[target].append((source, weight))
    order = _topological(incoming)
    rule = _RULES[semantics]

    def updated(node: int, now: Strengths) -> Strengths:
        supporters = [weight * now[source] for source, weight in incoming[node] if weight > 0]
        attackers = [-weight * now[source] for source, weight in incoming[node] if weight < 0]
        return rule(base[node], supporters, attackers) + pushes[node]

    if order is not None:
        final = base.copy()
        for node in order:
            final[node] = updated(node, final)
    else:
        final = _integrate(base, lambda now: np.stack([updated(node, now) for node in range(n)]))
    return final[:, 0] if offsets is None else final


def _topological(incoming: list[list[tuple[int, float]]]) -> list[int] | None:
    """Sources first; None when there is a cycle (an argument on itself included)."""
    waiting = [len(sources) for sources in incoming]
    outgoing: list[list[int]] = [[] for _ in incoming]
    for target, sources in enumerate(incoming):
        for source, _ in sources:
            outgoing[source].append(target)
    order = [node for node, count in enumerate(waiting) if count == 0]
    for node in order:
        for target in outgoing[node]:
            waiting[target] -= 1
            if waiting[target] == 0:
                order.append(target)
    return order if len(order) == len(incoming) else None


def _integrate(start: Strengths, star: Callable[[Strengths], Strengths]) -> Strengths:
    now = start
    for _ in range(RK4_LIMIT):
        k1 = star(now) - now
        if float(np.max(np.abs(k1))) < RK4_STILL:
            break
        mid = now + RK4_STEP / 2 * k1
        k2 = star(mid) - mid
        mid = now + RK4_STEP / 2 * k2
        k3 = star(mid) - mid
        end = now + RK4_STEP * k3
        k4 = star(end) - end
        now = now + RK4_STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return now


def bipolar(claims: Sequence[Claim], edges: Sequence[Edge]) -> BipolarGraph:
    """The weighted graph of a debate; edges whose ends are not among the claims are left out."""
    place = {claim.id: i for i, claim in enumerate(claims)}
    open_questions = {(edge.source, edge.target) for edge in unanswered(claims, edges, "questions")}
    weighted = tuple(
        (place[edge.source], place[edge.target], WEIGHTS[edge.type])
        for edge in edges
        if edge.source in place
        and edge.target in place
        and (edge.type != "questions" or (edge.source, edge.target) in open_questions)
    )
    return BipolarGraph(tuple(BASE_CITED if claim.cites else BASE for claim in claims), weighted)


def strengths(
    claims: Sequence[Claim], edges: Sequence[Edge], semantics: Semantics = "quadratic-energy"
) -> dict[str, float]:
    """The strength of each claim in [0, 1], by id."""
    final = quantise(solve(bipolar(claims, edges), semantics)) if claims else []
    return {claim.id: float(value) for claim, value in zip(claims, final, strict=True)}


def balance(claims: Sequence[Claim], edges: Sequence[Edge]) -> float:
    """Where a debate stands, in [-1, 1]: the mean of stance times strength; 0 without claims."""
    if not claims:
        return 0.0
    final = solve(bipolar(claims, edges))
    return float(np.mean([claim.stance * value for claim, value in zip(claims, final, strict=True)]))


def influence(claims: Sequence[Claim], edges: Sequence[Edge], step: float = 1e-3) -> dict[str, float]:
    """How far the debate's `balance` moves with each claim's strength: the central difference, by claim id.

    A debate has many roots, so the gradient is taken of their common outcome: a claim matters through its own
    stance and through the claims it supports, counters, refines or questions. Signed; the moderator compares
    absolute values. Cyclic graphs are solved to `RK4_STILL` only, so their gradients are as coarse.
    """
    if not claims:
        return {}
    n = len(claims)
    pushes = np.concatenate([np.eye(n), -np.eye(n)], axis=1) * step
    final = solve(bipolar(claims, edges), offsets=pushes)
    stances = np.asarray([claim.stance for claim in claims])
    outcome = (stances[:, None] * final).sum(axis=0) / n
    slopes = quantise((outcome[:n] - outcome[n:]) / (2 * step))
    return {claim.id: float(slope) for claim, slope in zip(claims, slopes, strict=True)}
