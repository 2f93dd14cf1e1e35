"""Pairs: what is refused, matching, splits by topic, rotation over generations."""

from collections import Counter

import pytest

from openiir.plugin import Draw, InputError
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    ClaimPair,
    draw_split,
    match_pairs,
    refuse_same_ids,
    rotate_items,
    split_topics,
)

DRAW = Draw(4, "pairs")


def pair(number, topic="t", true_ratings=(), false_ratings=()):
    return ClaimPair(f"p{number}", topic, "It is so.", "It is not.", None, true_ratings, false_ratings)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("p", "t", "", "It is not."), "pair 'p' has no true"),
        (("p", "t", "It is so.", " "), "pair 'p' has no false"),
        (("p", "", "It is so.", "It is not."), "pair 'p' has no topic"),
        ((" ", "t", "It is so.", "It is not."), "has no id"),
        (("p", "t", "It is so.", "it  IS so."), "identical"),
        (("p", "t", "It is so.", "no " * 167), "a version of 501 characters"),
        (("p", "t", "It is so.", "It is not.", 1.5), "evidence strength 1.5 is outside 0 to 1"),
        (("p", "t", "It is so.", "It is not.", float("nan")), "evidence strength nan"),
        (("p", "t", "It is so.", "It is not.", 1.0, (float("inf"),)), "a plausibility rating is no number"),
    ],
)
def test_a_pair_that_cannot_be_judged_is_refused(texts, message):
    with pytest.raises(InputError, match=message):
        ClaimPair(*texts)


def test_pairs_further_apart_than_the_distance_are_dropped():
    pairs = [pair(0, "t", (5, 6), (5, 5)), pair(1, "t", (3, 3), (4, 5)), pair(2, "t", (6, 6), (5, 5))]
    found = match_pairs(pairs)
    assert [one.plausibility_lead for one in pairs] == [0.5, -1.5, 1.0]
    assert [one.id for one in found.pairs] == ["p0", "p2"] and [one.id for one in found.dropped] == ["p1"]
    assert match_pairs(pairs, 0).pairs == () and len(match_pairs(pairs, 1.5).pairs) == 3


@pytest.mark.parametrize("ratings", [((5.0,), ()), ((), ())])
def test_matching_needs_ratings(ratings):
    with pytest.raises(InputError, match="no plausibility rating for both"):
        match_pairs([pair(0, "t", *ratings)], 1)


def test_a_split_has_the_pairs_of_its_topics():
    pairs = [pair(n, "abc"[n % 3]) for n in range(9)]
    found = split_topics(pairs, ["c"])
    assert [one.id for one in found.train] == ["p0", "p1", "p3", "p4", "p6", "p7"]
    assert [one.id for one in found.held_out] == ["p2", "p5", "p8"]


@pytest.mark.parametrize(
    ("held_out", "message"),
    [
        (["b", "d"], "no pair has the topics d; the topics are a, b, c"),
        ([], "held_out leaves a split without a topic"),
        (["a", "b", "c"], "held_out leaves a split without a topic"),
    ],
)
def test_splits_that_are_empty_are_refused(held_out, message):
    with pytest.raises(InputError, match=message):
        split_topics([pair(n, "abc"[n % 3]) for n in range(9)], held_out)


def test_a_drawn_split_never_shares_a_topic_and_keeps_the_order_of_others():
    pairs = [pair(n, f"topic {n % 8}") for n in range(40)]
    for seed in range(20):
        found = draw_split(pairs, 3, Draw(seed, "split"))
        train, held_out = ({one.topic for one in part} for part in (found.train, found.held_out))
        assert not train & held_out and len(held_out) == 3 and len(found.train + found.held_out) == 40
        fewer = draw_split([one for one in pairs if one.topic not in held_out], 1, Draw(seed, "split"))
        order = Draw(seed, "split").order(sorted(train | held_out))
        assert {one.topic for one in fewer.held_out} == {order[3]}
    assert len({draw_split(pairs, 3, Draw(seed, "split")) for seed in range(20)}) > 10


@pytest.mark.parametrize("held_out", [0, 8, -1])
def test_each_split_keeps_a_topic(held_out):
    with pytest.raises(InputError, match="hold out 1 to 7"):
        draw_split([pair(n, f"topic {n % 8}") for n in range(40)], held_out, DRAW)


def test_every_pair_comes_once_before_any_comes_again():
    pairs = [pair(n) for n in range(80)]
    seen = [rotate_items(pairs, 20, generation, DRAW) for generation in range(8)]
    for first in (0, 4):
        assert len({one.id for items in seen[first : first + 4] for one in items}) == 80
    assert {one.id for one in seen[0]} != {one.id for one in seen[4]}
    assert seen[3] == rotate_items(list(reversed(pairs)), 20, 3, DRAW)


def test_pairs_that_fill_no_generation_rest_and_take_turns():
    pairs = [pair(n) for n in range(10)]
    counts = Counter(one.id for g in range(200) for one in rotate_items(pairs, 3, g, DRAW))
    assert len(counts) == 10 and sum(counts.values()) == 600 and min(counts.values()) > 45
    assert all(len({one.id for one in rotate_items(pairs, 3, g, DRAW)}) == 3 for g in range(20))


@pytest.mark.parametrize("size", [0, 11])
def test_a_generation_has_at_least_one_pair_and_none_twice(size):
    with pytest.raises(InputError, match="the split holds 10"):
        rotate_items([pair(n) for n in range(10)], size, 0, DRAW)


def test_a_set_has_pairs_of_different_ids():
    with pytest.raises(InputError, match="set.csv holds two pairs with the id 'p1'"):
        refuse_same_ids([pair(1), pair(2), pair(1)], "set.csv")
    with pytest.raises(InputError, match="set.csv holds no pair"):
        refuse_same_ids([], "set.csv")
