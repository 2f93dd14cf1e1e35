"""Argument strength: published values, limits, and the solver against independent references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.claims.strength import (
    RULES,
    BipolarGraph,
    balance,
    bipolar_graph,
    influence,
    solve,
    strengths,
)

SUPPORT_AND_ATTACK = BipolarGraph((0.5, 0.8, 0.4), ((1, 0, 1.0), (2, 0, -1.0)))
TWO_SUPPORTERS = BipolarGraph((0.5, 0.5, 0.5), ((1, 0, 1.0), (2, 0, 1.0)))
TWO_FULL_ATTACKERS = BipolarGraph((0.5, 1.0, 1.0), ((1, 0, -1.0), (2, 0, -1.0)))


@pytest.mark.parametrize(
    ("graph", "semantics", "expected"),
    [
        (SUPPORT_AND_ATTACK, "df-quad", 0.7),
        (TWO_SUPPORTERS, "df-quad", 0.875),
        (SUPPORT_AND_ATTACK, "quadratic-energy", 0.5689655172413793),
        (TWO_SUPPORTERS, "quadratic-energy", 0.75),
        (TWO_FULL_ATTACKERS, "quadratic-energy", 0.1),
    ],
)
def test_golden_values(graph, semantics, expected):
    assert solve(graph, semantics)[0] == pytest.approx(expected, abs=1e-12)


def test_one_full_supporter_saturates_df_quad_but_not_the_quadratic_energy():
    graph = BipolarGraph((0.5, 1.0), ((1, 0, 1.0),))
    assert solve(graph, "df-quad")[0] == 1.0
    assert solve(graph)[0] < 1.0


@st.composite
def acyclic_graphs(draw):
    n = draw(st.integers(1, 7))
    bases = draw(st.lists(st.floats(0, 1), min_size=n, max_size=n))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=8)) if pairs else []
    weights = draw(
        st.lists(st.sampled_from([1.0, -1.0, 0.5, -0.25]), min_size=len(chosen), max_size=len(chosen))
    )
    return BipolarGraph(tuple(bases), tuple((i, j, w) for (i, j), w in zip(chosen, weights, strict=True)))


@settings(deadline=None, max_examples=50)
@given(acyclic_graphs(), st.sampled_from(["df-quad", "quadratic-energy"]))
def test_strengths_stay_in_the_unit_interval(graph, semantics):
    final = solve(graph, semantics)
    assert np.all((final >= -1e-12) & (final <= 1 + 1e-12))


@settings(deadline=None, max_examples=50)
@given(acyclic_graphs(), st.sampled_from(["df-quad", "quadratic-energy"]))
def test_an_unattached_cycle_makes_the_integrator_agree_with_the_topological_pass(graph, semantics):
    n = len(graph.base)
    ring = ((n, n + 1, 1.0), (n + 1, n, -1.0))
    with_cycle = BipolarGraph((*graph.base, 0.5, 0.5), (*graph.edges, *ring))
    assert solve(with_cycle, semantics)[:n] == pytest.approx(solve(graph, semantics), abs=1e-3)


def test_a_cycle_is_solved_to_a_fixed_point():
    graph = BipolarGraph((0.6, 0.4, 0.9), ((0, 1, -1.0), (1, 0, 1.0), (2, 0, -1.0), (1, 2, 0.5)))
    final = solve(graph)
    energies = [final[1] - final[2], -final[0], 0.5 * final[1]]
    for base, energy, value in zip(graph.base, energies, final, strict=True):
        share = energy**2 / (1 + energy**2)
        assert value == pytest.approx(base + share * ((1 - base) if energy > 0 else -base), abs=2e-4)


def test_citations_raise_the_base_and_answered_questions_weigh_nothing(debate, claim, edge):
    claims, edges = debate
    graph = bipolar_graph(claims, edges)
    assert graph.base == (0.7, 0.5, 0.5, 0.5, 0.5)
    assert sorted(weight for _, _, weight in graph.edges) == [-1.0, -0.25, 0.5, 1.0]
    answered = bipolar_graph([*claims, claim("k6")], [*edges, edge("k6", "k2", "supports")])
    assert -0.25 not in [weight for _, _, weight in answered.edges]


def test_strength_by_hand(debate):
    values = strengths(*debate)
    k2 = 0.5 - 0.5 * 0.125**2 / (1 + 0.125**2)
    energy = 0.5 + 0.25 - k2
    k1 = 0.7 + 0.3 * energy**2 / (1 + energy**2)
    assert values == pytest.approx({"k1": k1, "k2": k2, "k3": 0.5, "k4": 0.5, "k5": 0.5}, abs=2e-6)


def test_no_claims_no_strength():
    assert strengths([], []) == {}
    assert influence([], []) == {}
    assert balance([], []) == 0.0


def test_influence_of_an_isolated_claim_is_its_share_of_the_balance(claim):
    claims = [claim("k1", 0.8), claim("k2", -0.4)]
    assert influence(claims, []) == pytest.approx({"k1": 0.4, "k2": -0.2}, abs=1e-6)


def test_influence_agrees_with_the_chain_rule(claim, edge):
    claims = [claim("k1", 0.8), claim("k2", 0.0)]
    attacked = influence(claims, [edge("k2", "k1", "counters")])
    # sigma_1 = base (1 - h(s)), h(s) = s^2 / (1 + s^2), h'(s) = 2 s / (1 + s^2)^2 at s = 0.5
    slope = 0.8 / 2 * -0.5 * (2 * 0.5 / 1.25**2)
    assert attacked["k2"] == pytest.approx(slope, abs=1e-5)
    assert attacked["k1"] == pytest.approx(0.4, abs=1e-5)


def test_a_claim_that_props_up_a_strong_stance_matters_more_than_a_stray_one(debate, claim):
    claims, edges = debate
    gradient = influence([*claims, claim("k9", 0.0)], edges)
    assert abs(gradient["k4"]) > abs(gradient["k9"]) == 0
    assert gradient["k2"] < 0


@pytest.mark.parametrize("semantics", sorted(RULES))
def test_a_graph_without_cycles_is_solved_in_one_pass_to_the_bits_of_many(monkeypatch, semantics):
    rng, n = np.random.default_rng(5), 40
    pairs = np.sort(rng.integers(0, n, (80, 2)), axis=1)
    edges = tuple((int(b), int(a), float(rng.choice([1.0, -1.0, 0.5, -0.25]))) for a, b in pairs if a != b)
    base, rule, gathered = rng.random(n), RULES[semantics], []

    def gather(zeros, targets, values):
        gathered.extend(values)
        return rule.gather(zeros, targets, values)

    monkeypatch.setitem(RULES, semantics, rule._replace(gather=gather))
    found = solve(BipolarGraph(tuple(base), edges), semantics)
    assert len(gathered) == len(edges)  # a chain of 15,000 claims takes as many steps, not their square
    rounds = base[:, None]
    for _ in range(n):
        sides = []
        for sign in (1, -1):
            side = [edge for edge in edges if edge[2] * sign > 0]
            values = np.array([abs(weight) * rounds[source] for source, _, weight in side])
            sides.append(rule.gather(np.zeros((n, 1)), np.array([target for _, target, _ in side]), values))
        rounds = rule.move(base[:, None], *sides)
    assert found.tobytes() == rounds[:, 0].tobytes()
