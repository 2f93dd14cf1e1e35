"""How posts spread, what a persona's fields do, and what changes nothing at all."""

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from small_medium import ADA, RUMOUR, Run

from openiir.core.agents import Parallelism
from openiir.core.errors import InputError
from openiir.scenarios.social_media.measures.metrics import build_cascades
from openiir.scenarios.social_media.model.cascades import find_shares
from openiir.scenarios.social_media.run.actions import Exposed
from openiir.testing import Finished


def test_the_rumour_spreads_and_its_removal_at_once_stops_it(run: Run) -> None:
    _, free = run(RUMOUR)
    _, removed = run(RUMOUR, {"at": "round 1", "kind": "remove", "post": "rumour"})
    assert free["reach.rumour"].value > 0.2 and removed["reach.rumour"].value == 0


def test_nobody_is_shown_a_post_after_its_removal(run: Run) -> None:
    late, _ = run(RUMOUR, {"at": "round 3", "kind": "remove", "post": "rumour"})
    looks = Exposed.columns(late.log)
    assert looks["step"][looks["post"] == 0].max() == 2 < looks["step"].max()


@pytest.mark.parametrize(
    "idle",
    [
        {"at": "round 2", "kind": "note", "post": "rumour", "text": "It still stands.", "strength": 0.0},
        {"at": "round 2", "kind": "note", "post": "rumour", "text": "It still stands.", "delay": 100_000},
        {"at": "round 2", "kind": "milestone", "activity": 1.0, "rounds": 5},
        {"at": "round 2", "kind": "promote", "member": "user-000040", "name": "Jo", "bio": "Runs the mill."},
    ],
)
def test_an_event_without_effect_changes_no_byte_of_a_number(run: Run, idle: dict[str, Any]) -> None:
    plain, _ = run(RUMOUR)
    after, _ = run(RUMOUR, idle)
    for table in ("social_media_exposed", "rounds", "posts"):
        columns = after.log.columns(table)
        for name, column in plain.log.columns(table).items():
            if name != "text":  # a promoted member writes in words
                assert np.array_equal(column, columns[name]), (table, name)


def test_a_note_cuts_reposts_after_its_delay_and_none_before(run: Run) -> None:
    note = {"at": "round 1", "kind": "note", "post": "rumour", "text": "It stands.", "strength": 5.0}
    looks = {}
    for delay in (60, 100_000):
        done, _ = run(RUMOUR, {**note, "delay": delay}, reproduction=1.5)
        columns = Exposed.columns(done.log)
        reposts = columns["minute"][(columns["post"] == 0) & (columns["did"] == 4)]
        looks[delay] = (reposts[reposts < 60].tolist(), int((reposts >= 60).sum()))
    assert looks[60][0] == looks[100_000][0] != []
    assert looks[60][1] < looks[100_000][1] / 3


def test_a_milestone_multiplies_posts_for_its_rounds_alone(run: Run) -> None:
    plain, _ = run()
    busy, _ = run({"at": "round 3", "kind": "milestone", "activity": 10.0, "rounds": 2})
    a, b = ([row["posts"] for row in one.log.table("rounds")] for one in (plain, busy))
    assert [a[n] == b[n] for n in range(8)] == [True, True, False, False, *[True] * 4]
    assert sum(b[2:4]) > 5 * sum(a[2:4])


def test_false_posts_are_reposted_more_often_than_true_ones(run: Run) -> None:
    """Vosoughi, Roy & Aral (Science 2018): 1.7 times; a thousand posts, without a pull of earlier reposts."""
    posts = [
        {**RUMOUR, "post": f"p{n}", "member": f"user-{n:06d}", "veracity": ("true", "false")[n % 2]}
        for n in range(1_000)
    ]
    small = {
        "members": 1_500,
        "rounds": 3,
        "reproduction": 1.0,
        "followees": 30,
        "activity": {"posts": 0.0},
        "reactions": {"proof": 0.0},
    }
    _, measures = run(*posts, **small)
    assert 1.4 < measures["false_to_true"].value < 2.0


def test_veracity_reaches_nobody_but_by_novelty_and_arousal(run: Run) -> None:
    true, _ = run({**RUMOUR, "veracity": "true"}, falsehood=1.0)
    false, _ = run(RUMOUR, falsehood=1.0)
    assert true.sections["tables"] == false.sections["tables"]


def test_cascades_agree_with_networkx(run: Run) -> None:
    done, measures = run(RUMOUR)
    trees = build_cascades(done.log)
    rows = np.flatnonzero(
        trees.tree == int(trees.tree[find_shares(trees.shares, np.array([0]), np.array([7]))[0]])
    )
    graph = nx.Graph((int(row), int(trees.parent[row])) for row in rows if trees.parent[row] >= 0)
    largest = trees.tree[rows[0]]
    assert len(graph) == trees.size[largest] > 10
    assert nx.average_shortest_path_length(graph) == pytest.approx(float(trees.virality[largest]))
    assert measures["cascade_size.max"].value == trees.size.max()


def test_whoever_reposts_was_shown_the_post_by_somebody_whom_it_sees(run: Run) -> None:
    done, _ = run(RUMOUR)
    looks, posts = Exposed.columns(done.log), done.log.columns("posts")
    pairs = set(zip(looks["member"].tolist(), looks["post"].tolist(), strict=True))
    assert len(pairs) == len(looks["post"])  # nobody looks at a post twice
    again = posts["kind"] == "repost"
    assert again.sum() == (looks["did"] == 4).sum() > 20
    assert set(zip(posts["author"][again].tolist(), posts["parent"][again].tolist(), strict=True)) <= pairs
    assert (looks["minute"] >= posts["minute"][looks["post"]]).all()


def test_each_field_of_an_activity_profile_acts(run: Run) -> None:
    usual = {"posts_per_hour": 2.0, "comments_per_hour": 0.2, "response_delay_minutes": 40.0}

    def live(**changed: Any) -> dict[str, Any]:
        done, _ = run(RUMOUR, personas=[{**ADA, "activity": {**usual, **changed}}], rounds=12, members=100)
        posts, looks = done.log.columns("posts"), Exposed.columns(done.log, member=0)
        own = posts["author"] == 0
        kinds = [int((own & (posts["kind"] == kind)).sum()) for kind in ("post", "comment")]
        direct = looks["shown_by"] == posts["author"][looks["post"]]
        delays = (looks["minute"] - posts["minute"][looks["post"]])[direct]
        return {
            "posts": kinds[0],
            "comments": kinds[1],
            "hours": set((posts["minute"][own & (posts["kind"] == "post")] // 60).tolist()),
            "delay": float(np.median(delays)),
        }

    plain = live()
    assert live(posts_per_hour=0.1)["posts"] < plain["posts"] / 4
    assert live(active_hours=[3, 4])["hours"] <= {3.0, 4.0}
    assert (
        live(comments_per_hour=20.0)["comments"]
        > plain["comments"]
        == live(comments_per_hour=0.0)["comments"]
        == 0
    )
    assert live(response_delay_minutes=1.0)["delay"] < plain["delay"] / 2


def test_influence_puts_a_post_higher_and_bias_turns_its_tone(run: Run) -> None:
    posts = {"activity": {"posts_per_hour": 3.0}}

    def live(**changed: Any) -> tuple[float, float]:
        done, _ = run(
            personas=[{**ADA, **posts, **changed}],
            activity={"posts": 0.5},
            ranker="engagement",
            gamma=2.0,
            members=150,
        )
        looks, all_posts = Exposed.columns(done.log), done.log.columns("posts")
        own = (all_posts["author"] == 0) & (all_posts["kind"] == "post")
        rank = looks["rank"][np.isin(looks["post"], all_posts["id"][own])]
        return float(rank.mean()), float(all_posts["valence"][own].mean())

    rank, tone = live()
    assert live(influence=9.0)[0] < rank
    assert live(traits={"sentiment_bias": -0.6})[1] < tone - 0.4
    assert live(stance=-0.6)[1] < 0 < tone


@pytest.mark.parametrize(
    ("events", "config", "message"),
    [
        ([{**RUMOUR, "member": "user-000300"}], {}, "no member of this run is called 'user-000300'"),
        ([RUMOUR, RUMOUR], {}, "called 'rumour' already"),
        ([{"at": "round 2", "kind": "remove", "post": "rumour"}], {}, "no post is called 'rumour' by then"),
        ([{**RUMOUR, "text": "x" * 601}], {}, "at most 600"),
        (
            [{"at": "round 1", "kind": "leave", "member": "user-000007"}, {**RUMOUR, "at": "round 2"}],
            {},
            "has left by then",
        ),
        ([], {"ranker": "newest"}, "no ranker is called so"),
        ([], {"followees": 200}, "follow at most 149"),
    ],
)
def test_bad_input_is_refused_with_the_reason(run: Run, events: Any, config: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(*events, **config)


def test_members_who_all_stand_at_one_end_have_two_halves(run: Run) -> None:
    done, found = run(RUMOUR, stance_mean=1.0)
    assert (done.log.columns("members")["stance"] == 1).mean() > 0.5 and found["reach.rumour"].value > 0


def test_a_sentiment_bias_that_is_no_number_is_refused(run: Run) -> None:
    with pytest.raises(InputError, match="sentiment_bias is 'gloomy'"):
        run(personas=[{**ADA, "traits": {"sentiment_bias": "gloomy"}}])


def test_workers_and_blocks_change_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    one, _ = run(RUMOUR, personas=[ADA])
    monkeypatch.setattr(
        Parallelism, "__init__", lambda self, *_, **__: self.__dict__.update(workers=4, block=7)
    )
    four, _ = run(RUMOUR, personas=[ADA], fresh=True)
    assert one.content == four.content


def test_a_ranker_of_the_study_orders_pages_until_a_change_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    (tmp_path / "oldest_first.py").write_text(
        "def rank(view):\n    return -view.spread(view.column('minute'))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    busy = {"activity": {"posts": 0.5}, "gamma": 0.0, "attention": 100.0, "reproduction": 0.1}
    oldest, _ = run(**busy, ranker="oldest_first:rank")
    newest, _ = run(**busy, ranker="chronological")

    def ages_by_rank(done: Finished) -> float:
        """Mean difference of the posts' minutes from one place of a page to the next."""
        looks, born = Exposed.columns(done.log), done.log.columns("posts")["minute"]
        same = (looks["member"][1:] == looks["member"][:-1]) & (np.diff(looks["rank"]) > 0)
        return float(np.diff(born[looks["post"]])[same].mean())

    assert ages_by_rank(oldest) > 0 > ages_by_rank(newest)
