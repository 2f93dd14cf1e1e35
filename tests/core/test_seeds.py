"""The laws of draws by name, their uniformity, and the grid of numbers that decide."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.grid import quantise
from openiir.core.seeds import Draw

laws = settings(derandomize=True, deadline=None, max_examples=60, database=None)

ids = st.text(max_size=8)
indices = st.integers(0, 2**40)
parts = st.one_of(ids, indices)
names = st.builds(Draw, st.integers(0, 2**63), ids, parts, parts, parts)
arrays = st.lists(st.integers(0, 2**62), min_size=1, max_size=12).map(np.array)
which = st.sampled_from(["agent", "item", "step"])

METHODS = {
    "bits": lambda draw, **p: draw.bits(**p),
    "uniform": lambda draw, **p: draw.uniform(**p),
    "normal": lambda draw, **p: draw.normal(1.5, 0.3, **p),
    "gumbel": lambda draw, **p: draw.gumbel(**p),
    "chance": lambda draw, **p: draw.chance(0.4, **p),
    "below": lambda draw, **p: draw.below(7, **p),
}
methods = st.sampled_from(sorted(METHODS))


class TestArrays:
    @laws
    @given(names, methods, which, arrays)
    def test_an_element_is_the_scalar_draw_of_its_name(self, draw, method, part, values):
        got = METHODS[method](draw, **{part: values})
        alone = [METHODS[method](draw, **{part: int(v)}) for v in values]
        assert got.tolist() == alone

    @laws
    @given(names, methods, arrays, arrays)
    def test_two_array_parts_broadcast(self, draw, method, agents, items):
        table = METHODS[method](draw, agent=agents[:, None], item=items)
        assert table.shape == (len(agents), len(items))
        for i, a in enumerate(agents.tolist()):
            assert table[i].tolist() == [METHODS[method](draw, agent=a, item=b) for b in items.tolist()]

    @laws
    @given(names, methods, st.lists(st.integers(1, 40), min_size=1, max_size=6))
    def test_block_size_does_not_matter(self, draw, method, sizes):
        edges = np.cumsum([0, *sizes])
        whole = METHODS[method](draw, item=np.arange(edges[-1]))
        blocks = [METHODS[method](draw, item=np.arange(a, b)) for a, b in zip(edges, edges[1:], strict=False)]
        assert whole.tolist() == np.concatenate(blocks).tolist()

    @laws
    @given(names, methods, indices)
    def test_kinds_of_integer_are_one_index(self, draw, method, index):
        spellings = [index, np.int64(index), np.uint64(index), np.array(index)]
        assert len({METHODS[method](draw, agent=spelt) for spelt in spellings}) == 1

    def test_strided_and_reversed_arrays_draw_the_same(self):
        draw, n = Draw(3, "x"), np.arange(1_000)
        assert draw.gumbel(item=n[::-3]).tolist() == draw.gumbel(item=n)[::-3].tolist()

    def test_no_indices_give_no_draws(self):
        assert Draw(1, "x").normal(agent=np.array([], dtype=np.int64)).shape == (0,)


class TestNames:
    @laws
    @given(names, methods, st.permutations(range(9)))
    def test_the_order_of_calls_does_not_matter(self, draw, method, order):
        forwards = {i: METHODS[method](draw, agent=i) for i in range(9)}
        assert {i: METHODS[method](draw, agent=i) for i in order} == forwards

    @laws
    @given(names, methods, arrays, arrays, which)
    def test_adding_agents_items_or_steps_changes_no_other_draw(self, draw, method, values, more, part):
        before = METHODS[method](draw, **{part: values})
        after = METHODS[method](draw, **{part: np.concatenate([values, more])})
        assert after[: len(values)].tolist() == before.tolist()

    @laws
    @given(names, st.permutations(["agent", "item", "step"]), parts, parts, parts)
    def test_binding_parts_is_naming_them(self, draw, order, agent, item, step):
        name = {"agent": agent, "item": item, "step": step}
        bound = draw
        for part in order:
            bound = bound.at(**{part: name[part]})
        assert bound.bits() == draw.bits(**name)

    @laws
    @given(names, ids.filter(bool), ids.filter(bool))
    def test_purposes_nest_in_order(self, draw, one, two):
        assert draw.at(one).at(two) == draw.at(f"{one}/{two}")
        assert (draw.at(one).at(two).bits() == draw.at(two).at(one).bits()) == (
            f"{one}/{two}" == f"{two}/{one}"
        )

    @laws
    @given(st.sets(st.tuples(st.integers(0, 99), ids, parts, parts, parts), min_size=2, max_size=30))
    def test_different_names_draw_differently(self, distinct):
        assert len({Draw(*name).bits() for name in distinct}) == len(distinct)

    def test_each_part_has_its_own_place(self):
        places = [Draw(5, "x", **{part: 1}).bits() for part in ("agent", "item", "step")]
        swapped = [Draw(5, "x", 1, 2, 3).bits(), Draw(5, "x", 2, 1, 3).bits(), Draw(5, "x", 3, 2, 1).bits()]
        assert len({*places, *swapped}) == 6

    def test_texts_and_indices_do_not_collide(self):
        draw = Draw(11, "x")
        spelt = [draw.bits(agent=str(i)) for i in range(20_000)]
        counted = draw.bits(agent=np.arange(20_000)).tolist()
        assert len({*spelt, *counted}) == 40_000

    def test_arms_share_noise_where_they_share_names(self):
        control, treated = Draw(9, "click"), Draw(9, "click")
        assert control.uniform(agent=np.arange(50)).tolist() == treated.uniform(agent=np.arange(50)).tolist()

    @pytest.mark.parametrize("index", [-1, 2**64, np.int64(-5), np.array([3, -1]), np.array(-2)])
    def test_an_index_out_of_range_is_refused(self, index):
        with pytest.raises(ValueError, match="index is 0 to"):
            Draw(1, "x").bits(item=index)

    @pytest.mark.parametrize("index", [1.0, np.array([1.0]), None])
    def test_an_index_that_is_no_integer_is_refused(self, index):
        with pytest.raises(TypeError):
            Draw(1, "x").bits(item=index)

    def test_an_unknown_part_is_refused(self):
        with pytest.raises(TypeError, match="agent, item and step, got world"):
            Draw(1, "x").bits(world="a")


options = st.lists(ids, min_size=2, max_size=8, unique=True)


class TestChoosing:
    @laws
    @given(names, options, st.data())
    def test_taking_an_option_away_leaves_the_others_noise(self, draw, offered, data):
        utilities = data.draw(
            st.lists(st.floats(-3, 3), min_size=len(offered), max_size=len(offered)), label="utilities"
        )
        chosen = draw.choose(offered, utilities)
        gone = data.draw(st.sampled_from([o for o in offered if o != chosen]), label="gone")
        kept = [(o, u) for o, u in zip(offered, utilities, strict=True) if o != gone]
        assert draw.choose([o for o, _ in kept], [u for _, u in kept]) == chosen

    @laws
    @given(names, options, st.randoms(use_true_random=False))
    def test_the_order_of_options_does_not_matter(self, draw, offered, random):
        shuffled = random.sample(offered, len(offered))
        assert draw.choose(shuffled) == draw.choose(offered)
        assert draw.order(shuffled) == draw.order(offered)

    @laws
    @given(names, options)
    def test_an_order_keeps_its_shape_without_an_option(self, draw, offered):
        ordered = draw.order(offered)
        assert sorted(ordered) == sorted(offered)
        assert draw.order(offered[1:]) == [o for o in ordered if o != offered[0]]

    @laws
    @given(names, options, arrays, st.integers(0, 99))
    def test_many_deciders_choose_as_each_alone(self, draw, offered, agents, seed):
        utilities = Draw(seed, "u").normal(agent=agents[:, None], item=np.arange(len(offered)))
        chosen = draw.choices(offered, utilities, agent=agents)
        alone = [draw.choose(offered, row, agent=int(a)) for a, row in zip(agents, utilities, strict=True)]
        assert [offered[i] for i in chosen] == alone

    def test_choices_follow_the_multinomial_logit(self):
        utilities = {"a": 0.0, "b": 1.0, "c": -0.5}
        n, draw = 6_000, Draw(2, "x")
        counted = Counter(draw.choose(list(utilities), list(utilities.values()), step=i) for i in range(n))
        total = sum(math.exp(u) for u in utilities.values())
        for option, utility in utilities.items():
            p = math.exp(utility) / total
            assert abs(counted[option] / n - p) < 4 * math.sqrt(p * (1 - p) / n)

    def test_every_order_is_equally_likely(self):
        from scipy.stats import chisquare

        draw = Draw(4, "x")
        counted = Counter("".join(draw.order(["a", "b", "c", "d"], step=i)) for i in range(4_800))
        assert len(counted) == 24
        assert chisquare(list(counted.values())).pvalue > 1e-3

    def test_scopes_that_spell_alike_are_kept_apart(self):
        draw, many = Draw(1, "x"), [str(i) for i in range(40)]
        assert draw.order(many, item=3) != draw.order(many, item="3")

    def test_what_cannot_be_weighed_is_refused(self):
        with pytest.raises(ValueError, match="nothing to choose from"):
            Draw(1, "x").choose([])
        with pytest.raises(ValueError, match="NaN"):
            Draw(1, "x").choose(["a", "b"], [0.0, math.nan])
        with pytest.raises(ValueError, match="2 options with 1 util"):
            Draw(1, "x").choose(["a", "b"], [0.0])
        with pytest.raises(ValueError, match="below 0"):
            Draw(1, "x").below(0)

    def test_ties_go_to_the_smaller_id(self):
        draw = Draw(8, "x")
        assert {draw.choose(["b", "a"], [-math.inf, -math.inf], step=i) for i in range(50)} == {"a"}

    def test_an_impossible_option_is_never_chosen_before_a_possible_one(self):
        draw = Draw(8, "x")
        assert {draw.choose(["a", "b"], [-math.inf, -9.0], step=i) for i in range(200)} == {"b"}


AGENTS, ITEMS = 256, 256


def weyl(agent, item):
    """A counter times an odd constant: even, and anything but random."""
    return agent * np.uint64(0x9E3779B97F4A7C15) + item * np.uint64(0xBF58476D1CE4E5B9)


def half_mixed(agent, item):
    """One multiplication and one shift of the three and two that a finaliser needs."""
    x = (agent * np.uint64(ITEMS) + item) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def blind_to_parts(agent, item):
    """Well mixed, but from the parts put together, so that agent and item are interchangeable."""
    return Draw(20260101, "uniformity").bits(item=agent ^ item)


def by_name(agent, item):
    return Draw(20260101, "uniformity").bits(agent=agent, item=item)


def by_seed_and_step(agent, item):
    rows = [Draw(int(seed), "uniformity").bits(step=item.ravel()) for seed in agent.ravel()]
    return np.array(rows)


def p_values(bits):
    """p of each check on a table of 64-bit draws, rows and columns being neighbouring keys."""
    from scipy import stats

    u = (bits >> np.uint64(12)).astype(np.float64) * 2.0**-52
    n = u.size
    p = {"Kolmogorov-Smirnov": float(stats.kstest(u.ravel(), "uniform").pvalue)}
    for name, shift in (("top", 56), ("middle", 30), ("bottom", 0)):
        byte = (bits >> np.uint64(shift)) & np.uint64(255)
        p[f"{name} byte"] = float(
            stats.chisquare(np.bincount(byte.ravel().astype(int), minlength=256)).pvalue
        )
    pairs = {"neighbouring items": (u[:, :-1], u[:, 1:]), "neighbouring agents": (u[:-1], u[1:])}
    pairs["agent and item swapped"] = (u[np.triu_indices(AGENTS, 1)], u.T[np.triu_indices(AGENTS, 1)])
    for name, (x, y) in pairs.items():
        p[name] = float(stats.pearsonr(x.ravel(), y.ravel()).pvalue)
    balance = np.array([((bits >> np.uint64(b)) & np.uint64(1)).sum() for b in range(64)])
    p["bit balance"] = float(stats.chi2.sf(((balance - n / 2) ** 2 / (n / 4)).sum(), 64))
    flips = np.bitwise_count(bits[:, ::2] ^ bits[:, 1::2]).astype(np.float64)
    p["bits that a neighbour flips"] = float(
        2 * stats.norm.sf(abs(flips.mean() - 32) / (4 / np.sqrt(flips.size)))
    )
    return p


def rejected(source):
    """Checks failed at one in a million on either side: too even is no more random than too uneven."""
    agent, item = np.arange(AGENTS, dtype=np.uint64)[:, None], np.arange(ITEMS, dtype=np.uint64)
    return {name for name, p in p_values(source(agent, item)).items() if not 1e-6 < p < 1 - 1e-6}


class TestUniformity:
    @pytest.mark.parametrize("source", [by_name, by_seed_and_step])
    def test_neighbouring_names_look_independent(self, source):
        assert rejected(source) == set()

    @pytest.mark.parametrize(
        ("source", "check"),
        [
            (weyl, "neighbouring items"),
            (weyl, "bottom byte"),
            (half_mixed, "neighbouring agents"),
            (half_mixed, "bits that a neighbour flips"),
            (blind_to_parts, "agent and item swapped"),
        ],
    )
    def test_the_same_checks_reject_a_bad_mixer(self, source, check):
        assert check in rejected(source)

    def test_the_ends_are_never_reached(self):
        u = Draw(7, "x").uniform(item=np.arange(200_000))
        assert 0 < u.min() < u.max() < 1
        assert np.isfinite(Draw(7, "x").gumbel(item=np.arange(200_000))).all()

    def test_normals_and_gumbels_have_their_distributions(self):
        from scipy import stats

        n = np.arange(40_000)
        assert stats.kstest(Draw(1, "n").normal(2.0, 3.0, agent=n), stats.norm(2, 3).cdf).pvalue > 1e-3
        assert stats.kstest(Draw(1, "g").gumbel(agent=n), stats.gumbel_r.cdf).pvalue > 1e-3

    def test_integers_below_n_are_even_and_in_range(self):
        from scipy import stats

        drawn = Draw(3, "x").below(11, agent=np.arange(22_000))
        assert stats.chisquare(np.bincount(drawn, minlength=11)).pvalue > 1e-3
        assert drawn.min() == 0
        assert drawn.max() == 10


numbers = st.floats(-1e6, 1e6)


class TestQuantise:
    @laws
    @given(numbers, st.sampled_from([0.5, 1.0, 2.0, 4.0, 5.0]))
    def test_once_is_enough(self, value, span):
        assert quantise(quantise(value, span), span) == quantise(value, span)

    @laws
    @given(numbers, st.sampled_from([0.5, 1.0, 2.0, 4.0]))
    def test_it_moves_by_half_a_grid_step_at_most(self, value, span):
        assert abs(quantise(value, span) - value) <= span * 2.0**-21

    @laws
    @given(numbers, numbers)
    def test_order_is_kept(self, a, b):
        assert quantise(min(a, b)) <= quantise(max(a, b))

    @laws
    @given(numbers)
    def test_it_is_odd(self, value):
        assert quantise(-value) == -quantise(value)

    @laws
    @given(st.lists(numbers, min_size=1, max_size=9))
    def test_an_element_is_the_scalar(self, values):
        assert quantise(np.array(values)).tolist() == [quantise(v) for v in values]

    def test_rounding_errors_vanish(self):
        assert quantise(0.1 + 0.2) == quantise(0.3)
        assert quantise(math.nan) != quantise(math.nan)
