"""Argument strength: gradual semantics of the weighted graph of supporting and attacking claims.

DF-QuAD (Rago, Toni, Aurisicchio & Baroni, KR 2016) and the quadratic energy model (Potyka, KR 2018). Graphs
with cycles are solved as Potyka does it: the system d(sigma)/dt = sigma*(sigma) - sigma is integrated by the
classical Runge-Kutta method from the base strengths until nothing moves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openiir.core.claims.open_replies import unanswered_edges
from openiir.core.grid import quantise
from openiir.core.records import Claim, Edge

Semantics = Literal["quadratic-energy", "df-quad"]
Strengths = NDArray[np.float64]
Indices = NDArray[np.intp]

Side = tuple[Indices, Indices, Strengths]
"""Edges of one sign: arrays of sources, targets and absolute weights."""
WeightedEdge = tuple[int, int, float]
"""Edge as (source, target, weight in [-1, 1])."""

BASE, BASE_CITED = 0.5, 0.7
"""Base strength of a claim without a citation, and with one."""
WEIGHTS: Mapping[str, float] = {"supports": 1.0, "counters": -1.0, "refines": 0.5, "questions": -0.25}
"""Weight of each edge type on its target; questions count only while unanswered."""
RK4_STEP, RK4_STILL, RK4_LIMIT = 0.1, 1e-4, 20_000
GRADIENT_STEP = 1e-3
"""Half the step of the central differences in `influence`."""


@dataclass(frozen=True)
class BipolarGraph:
    """Graph of arguments 0..n-1 with base strengths in [0, 1] and weighted edges (source, target, weight)."""

    base: tuple[float, ...]
    edges: tuple[WeightedEdge, ...]


class StrengthRule(NamedTuple):
    """A gradual semantics: aggregation of attacks and supports, and their influence on the base strength."""

    gather: Callable[[Strengths, Indices, Strengths], Strengths]
    """Function (zeros of shape (n, k), target of each value, values) -> aggregates of shape (n, k)."""
    move: Callable[[Strengths, Strengths, Strengths], Strengths]
    """Function (base, support, attack) -> strengths."""


def _sum(zeros: Strengths, targets: Indices, values: Strengths) -> Strengths:
    np.add.at(zeros, targets, values)
    return zeros


def _probabilistic_sum(zeros: Strengths, targets: Indices, values: Strengths) -> Strengths:
    rest = zeros + 1.0
    np.multiply.at(rest, targets, 1.0 - values)
    return 1.0 - rest


def _apply_energy(base: Strengths, support: Strengths, attack: Strengths) -> Strengths:
    """Apply the quadratic energy E: up by h(E) or down by h(-E), h(x) = x^2 / (1 + x^2) for positive x."""
    energy = support - attack
    share = energy * energy / (1.0 + energy * energy)
    return np.where(energy > 0, base + (1.0 - base) * share, base - base * share)


def _apply_difference(base: Strengths, support: Strengths, attack: Strengths) -> Strengths:
    gap = np.abs(support - attack)
    return np.where(attack >= support, base - base * gap, base + (1.0 - base) * gap)


RULES: Mapping[str, StrengthRule] = {
    "quadratic-energy": StrengthRule(_sum, _apply_energy),
    "df-quad": StrengthRule(_probabilistic_sum, _apply_difference),
}


def solve(
    graph: BipolarGraph, semantics: Semantics = "quadratic-energy", offsets: Strengths | None = None
) -> Strengths:
    """Compute final strengths (n,) of all arguments; with `offsets` (n, k), of k variants of the base.

    Column j of `offsets` is added to the strength that the semantics gives each argument, as an external
    push, for numeric gradients.
    """
    pushes = np.zeros((len(graph.base), 1)) if offsets is None else offsets
    base = np.repeat(np.asarray(graph.base, dtype=np.float64)[:, None], pushes.shape[1], axis=1)
    rule = RULES[semantics]

    def star(now: Strengths, some: Indices, sides: Sequence[Side]) -> Strengths:
        support, attack = (
            rule.gather(np.zeros((len(some), now.shape[1])), targets, weights * now[sources])
            for sources, targets, weights in sides
        )
        return rule.move(base[some], support, attack) + pushes[some]

    layers = _topological_layers(graph)
    if layers is None:
        everything, sides = np.arange(len(base)), _split_by_sign(graph.edges)
        final = _integrate(base, lambda now: star(now, everything, sides))
    else:
        final = base.copy()
        for some, sides in layers:
            final[some] = star(final, some, sides)
    return final[:, 0] if offsets is None else final


def _split_by_sign(edges: Sequence[WeightedEdge]) -> list[Side]:
    """Split edges into supporting (positive) and attacking (negative) ones."""
    sides = []
    for sign in (1, -1):
        chosen = [edge for edge in edges if edge[2] * sign > 0]
        sources, targets = (np.asarray([edge[i] for edge in chosen], dtype=np.intp) for i in (0, 1))
        sides.append((sources, targets, np.asarray([abs(edge[2]) for edge in chosen])[:, None]))
    return sides


def _topological_layers(graph: BipolarGraph) -> list[tuple[Indices, list[Side]]] | None:
    """Split the graph into layers of arguments that depend on earlier layers only, with their edges.

    None when there is a cycle (an argument on itself included).
    """
    into: dict[int, list[WeightedEdge]] = {node: [] for node in range(len(graph.base))}
    for edge in graph.edges:
        if edge[2]:
            into[edge[1]].append(edge)
    sorter = TopologicalSorter({node: [edge[0] for edge in edges] for node, edges in into.items()})
    try:
        sorter.prepare()
    except CycleError:
        return None
    layers = []
    while sorter.is_active():
        some = sorter.get_ready()
        edges = [
            (source, place, weight) for place, node in enumerate(some) for source, _, weight in into[node]
        ]
        layers.append((np.asarray(some, dtype=np.intp), _split_by_sign(edges)))
        sorter.done(*some)
    return layers


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


def bipolar_graph(claims: Sequence[Claim], edges: Sequence[Edge]) -> BipolarGraph:
    """Build the weighted graph of a debate; edges whose ends are not among the claims are left out."""
    place = {claim.id: i for i, claim in enumerate(claims)}
    open_questions = {(edge.source, edge.target) for edge in unanswered_edges(claims, edges, "questions")}
    weighted = tuple(
        (place[edge.source], place[edge.target], WEIGHTS[edge.type])
        for edge in edges
        if edge.source in place
        and edge.target in place
        and (edge.type != "questions" or (edge.source, edge.target) in open_questions)
    )
    return BipolarGraph(tuple(BASE_CITED if claim.cites else BASE for claim in claims), weighted)


def strengths(claims: Sequence[Claim], edges: Sequence[Edge]) -> dict[str, float]:
    """Compute each claim's strength in [0, 1], by claim id."""
    final = quantise(solve(bipolar_graph(claims, edges))) if claims else []
    return {claim.id: float(value) for claim, value in zip(claims, final, strict=True)}


def balance(claims: Sequence[Claim], edges: Sequence[Edge]) -> float:
    """Compute the balance of a debate in [-1, 1]: the mean of stance times strength; 0 without claims."""
    if not claims:
        return 0.0
    final = solve(bipolar_graph(claims, edges))
    return float(np.mean([claim.stance * value for claim, value in zip(claims, final, strict=True)]))


def influence(claims: Sequence[Claim], edges: Sequence[Edge]) -> dict[str, float]:
    """Compute the derivative of the debate's `balance` with respect to each claim's strength, by claim id.

    A central difference. A claim acts through its own stance and through the claims that it supports,
    counters, refines or questions. Signed; the moderator compares absolute values. Cyclic graphs are solved
    to `RK4_STILL` only, so their gradients are as coarse.
    """
    if not claims:
        return {}
    n = len(claims)
    pushes = np.concatenate([np.eye(n), -np.eye(n)], axis=1) * GRADIENT_STEP
    final = solve(bipolar_graph(claims, edges), offsets=pushes)
    stances = np.asarray([claim.stance for claim in claims])
    outcome = (stances[:, None] * final).sum(axis=0) / n
    slopes = quantise((outcome[:n] - outcome[n:]) / (2 * GRADIENT_STEP))
    return {claim.id: float(slope) for claim, slope in zip(claims, slopes, strict=True)}
