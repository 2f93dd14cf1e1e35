import math
from itertools import pairwise

import numpy as np
import pytest

from openiir.kit.measures.exposure import jensen_shannon
from openiir.scenarios.conversational.measures.conduct import (
    act_counts,
    symmetric_kl,
    transition_distance,
    transitions,
)
from openiir.scenarios.conversational.model.dialogue import build_act, build_utterance


def talk(words):
    """From "u:A,B s:C" to a dialogue."""
    found = []
    for turn in words.split():
        who, _, acts = turn.partition(":")
        found.append(
            build_utterance(
                "user" if who == "u" else "system", "", map(build_act, filter(None, acts.split(",")))
            )
        )
    return found


def test_acts_are_counted_by_speaker():
    counts = act_counts([talk("u:A,B s:A"), talk("u:A")])
    assert counts == {"user A": 2, "user B": 1, "system A": 1}
    assert act_counts([talk("u:A,B s:A")], "system") == {"system A": 1}


def test_symmetric_kl_against_a_loop():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one = {c: int(n) for c, n in zip("abcd", rng.integers(0, 9, 4), strict=True) if n}
        other = {c: int(n) for c, n in zip("bcde", rng.integers(1, 9, 4), strict=True)}
        one["a"] = 1
        names = set(one) | set(other)
        p = {k: (one.get(k, 0) + 0.5) / (sum(one.values()) + 0.5 * len(names)) for k in names}
        q = {k: (other.get(k, 0) + 0.5) / (sum(other.values()) + 0.5 * len(names)) for k in names}
        both = sum(p[k] * math.log(p[k] / q[k]) for k in names) + sum(
            q[k] * math.log(q[k] / p[k]) for k in names
        )
        assert symmetric_kl(one, other) == pytest.approx(both / 2)
        assert symmetric_kl(one, other) == pytest.approx(symmetric_kl(other, one))


def test_symmetric_kl_has_no_value_where_it_would_be_infinite():
    assert symmetric_kl({"a": 2}, {"a": 7}, 0) == 0
    assert math.isnan(symmetric_kl({"a": 2}, {"b": 7}, 0)) and math.isnan(symmetric_kl({}, {"b": 7}))


def test_transitions_chain_acts_and_pass_over_silence():
    found = transitions([talk("u:A,B s: u:B")])
    chain = ["(start)", "user A", "user B", "user B", "(end)"]
    assert found == dict.fromkeys(pairwise(chain), 1)


def test_distance_is_the_weighted_divergence_of_rows():
    counts = transitions([talk("u:A s:X u:A s:Y")]), transitions([talk("u:A s:X u:B s:X")])
    one, other = ({}, {})
    for table, found in zip((one, other), counts, strict=True):
        for (act, following), times in found.items():
            table.setdefault(act, {})[following] = times
    total = 0.0
    sizes = [sum(sum(r.values()) for r in t.values()) for t in (one, other)]
    for act in sorted(set(one) | set(other)):
        weight = np.mean(
            [sum(t.get(act, {}).values()) / size for t, size in zip((one, other), sizes, strict=True)]
        )
        if act in one and act in other:
            names = sorted(set(one[act]) | set(other[act]))
            rows = [[t[act].get(name, 0) for name in names] for t in (one, other)]
            total += weight * (jensen_shannon(*rows) / math.log(2) if len(names) > 1 else 0)
        else:
            total += weight
    assert transition_distance(*counts) == pytest.approx(total)


def test_distance_knows_its_ends():
    one = transitions([talk("u:A s:X")])
    assert transition_distance(one, one) == 0
    assert transition_distance({("a", "b"): 1}, {("c", "d"): 2}) == 1
    assert math.isnan(transition_distance({}, one))
