"""Audits and effects of interventions beside plain loops and networkx."""

import math

import networkx as nx
import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.networks import build_graph
from openiir.plugin import Persona
from openiir.scenarios.social_media.behaviour.interventions import CounterSpeech, Interventions
from openiir.scenarios.social_media.config import (
    BreakerEvent,
    CounterEvent,
    DownrankEvent,
    NoteEvent,
    NudgeEvent,
    RemovalEvent,
)
from openiir.scenarios.social_media.measures.metrics import (
    compare_counter_speech_arms,
    compare_veracity,
    measure_side_visibility,
)
from openiir.scenarios.social_media.model.posts.follows import FollowChanges, FollowRule
from openiir.scenarios.social_media.model.posts.post_store import Posts
from openiir.scenarios.social_media.run.summing import emit_profile
from openiir.scenarios.social_media.views import tabulate_group_visibility

DRAW = Draw(2, "test.audits")


def test_sides_are_audited_as_by_a_loop() -> None:
    n, rows = 60, np.arange(900)
    side = np.where(np.arange(n) < 30, 1, 0)
    side[:4] = -1
    reader, author, by = (DRAW.at(name).below(n, item=rows) for name in ("reader", "author", "by"))
    reposted = DRAW.at("again").chance(0.4, item=rows) & (reader != by)
    found = measure_side_visibility(side, reader, author, by, reposted)
    assert found["exposure.for"].value == sum(side[a] == 1 for a in author) / 26
    pairs = [(side[r], side[a]) for r, a in zip(reader, author, strict=True) if side[r] >= 0 <= side[a]]
    assert found["cross_cutting"].value == sum(a != b for a, b in pairs) / len(pairs)
    assert abs(found["controversy"].value) < 0.2 and nx.is_connected(
        nx.Graph(list(zip(reader[reposted], by[reposted], strict=True)))
    )
    camps = np.where(reader < 30, by % 30, 30 + by % 30)
    assert measure_side_visibility(side, reader, author, camps, reader != camps)["controversy"].value > 0.9
    rows_of = tabulate_group_visibility(
        {"for": side == 1, "none": side == 7}, side, reader, author, reposted, ~reposted
    )
    seen = side[author] == 1
    assert rows_of[0][:5] == ("for", 26, seen.sum() / 26, reposted[seen].mean(), (~reposted)[seen].mean())
    assert math.isnan(rows_of[1][3])


def test_veracity_is_compared_by_rates() -> None:
    post, reposted = np.array([0, 0, 1, 1, 1, 2]), np.array([True, False, True, False, False, True])
    assert compare_veracity(post, reposted, [0], [1]).value == pytest.approx(1.5)
    assert (
        compare_veracity(post, reposted, [], [1]).reason
        == "nobody looked at a post with the veracity 'false'"
    )


def test_interventions_hold_from_their_round_on() -> None:
    held = Interventions({"a": 0, "b": 1}, minutes=60, halted={})
    posts, minutes = np.array([0, 1, 2]), np.array([100.0, 200.0, 300.0])
    note = NoteEvent(post="b", text="No.", delay=30, strength=2.0)
    for event in (
        note,
        RemovalEvent(post="a"),
        NudgeEvent(strength=0.5),
        NudgeEvent(post="b", strength=0.2),
        DownrankEvent(post="b", factor=0.1),
    ):
        held.put_in_force(3, event)
    assert held.is_hidden(posts, 3).tolist() == [True, False, False]
    assert held.note_strength(posts, minutes).tolist() == [0, 2, 0]
    assert held.note_strength(posts, np.full(3, 149.0)).tolist() == [0, 0, 0]
    assert (held.note_text(1, 150.0), held.note_text(1, 149.0)) == ("No.", "")
    assert np.allclose(np.exp(held.nudge_odds(posts)), [0.5, 0.4, 0.5])
    held.hide_deleted(np.array([1]))
    assert held.is_hidden(posts, 3).tolist() == [True, True, False]
    store = Posts(1)
    store.add([1, 2, 3], step=1, minute=0.0, topics=[[1.0]] * 3)
    assert held.downranking_factors(store).tolist() == [1.0, 0.1, 1.0]
    held.put_in_force(3, BreakerEvent(looks=3, rounds=2))
    assert held.halt_fast_spreading(np.array([2, 2, 1]), 3) == {}
    assert held.halt_fast_spreading(np.array([2, 2, 2, 1]), 3) == {
        2: 6
    }  # as many looks as it names, in its own round
    assert held.halt_fast_spreading(np.array([2, 2, 2, 1]), 4) == {2: 7}
    assert [bool(held.is_hidden(posts, step)[2]) for step in (4, 6, 7)] == [True, True, False]


def test_counter_speech_answers_each_hostile_author_once_and_half_of_them() -> None:
    posts, state = (
        Posts(1),
        CounterSpeech(
            400, {name: np.zeros(0, dtype=np.int64) for name in ("member", "posts", "post", "deleted")}
        ),
    )
    state.event = CounterEvent(member="x", text="Hm.", below=-0.2, posts=0.33, deletion=0.5)
    posts.add(
        np.tile(np.arange(400), 2),
        step=1,
        minute=0.0,
        topics=[[1.0]] * 800,
        valence=np.repeat([-0.5, 0.5], [600, 200]),
    )
    author, found = state.find_hostile_posts(posts, 0, DRAW)
    assert author.tolist() == list(range(400)) and found["post"].tolist() == list(range(400))
    assert 0.4 < found["answered"].mean() < 0.6 and not found["deleted"][~found["answered"]].any()
    assert set(state.factor[found["answered"]]) == {1 - 0.33} and not len(
        state.find_hostile_posts(posts, 0, DRAW)[0]
    )
    first = {"member": author, "step": np.ones(400, dtype=np.int64), **found}
    written = np.repeat(np.arange(400), np.where(found["answered"], 1, 2))
    later = compare_counter_speech_arms(first, written, np.full(len(written), 2), rounds=5)
    assert later["counter.posts"].value == pytest.approx(-0.5)
    assert later["counter.deleted"].value == found["deleted"][found["answered"]].mean()


def test_follows_change_by_what_is_said_and_what_is_drawn() -> None:
    graph = build_graph(50, [0, 1, 3], [10, 10, 10]).graph
    changes = FollowChanges(np.ones((50, 2)))
    changes.record_stated(3, np.array([10, 11, 3]), follows=[2, 3], leaves=[1])
    looks = {"reader": np.array([0, 0, 1, 2]), "post": np.array([0, 1, 0, 1])}
    author, liked = np.array([10, 11, 10, 12]), np.array([False, True, False, False])
    rule = FollowRule(rate=1.0, leave=1.0)
    changes.draw_changes(rule, graph, looks, author, liked, np.array([0.9, 0.0, 0.1, 0.9]), DRAW)
    (began, whom, _), (left, from_whom, _) = changes.take_changes(graph)
    assert sorted(zip(began.tolist(), whom.tolist(), strict=True)) == [(0, 11), (3, 11)]
    assert sorted(zip(left.tolist(), from_whom.tolist(), strict=True)) == [(0, 10), (3, 10)]
    assert not any(len(part[0]) for part in changes.take_changes(graph))


def test_a_profile_has_the_attributes_of_its_style() -> None:
    ada = Persona(id="ada-lo", name="Ada Lo", bio="Repairs lifts. " * 20, traits={"mood": "calm"})
    short = emit_profile("twitter", ada, 7, 3, ["lifts"])
    assert short["handle"] == "@ada_lo" and len(short["description"]) == 160 and short["followers"] == "7"
    assert emit_profile("reddit", ada, 7, 3, ["lifts", "noise"])["communities"] == "lifts, noise"
