"""Sites beside plain loops: who is shown what, by whom and when."""

from dataclasses import dataclass, field

import numpy as np

from openiir.core.seeds import Draw
from openiir.kit.networks import FollowerGraph, build_graph
from openiir.scenarios.social_media.model.activity import DailyRhythm, draw_delays, round_minutes
from openiir.scenarios.social_media.model.posts.post_store import PostKind, Posts
from openiir.scenarios.social_media.model.posts.sites import SITES, split_first_impressions

N, DAY = 40, 1_440.0
DRAW = Draw(4, "test.sites")


@dataclass
class People:
    """Members 0 to 39: each follows the next three; even ones care for the first of two topics alone."""

    graph: FollowerGraph = build_graph(
        N, np.repeat(np.arange(N), 3), (np.repeat(np.arange(N), 3) + np.tile([1, 2, 3], N)) % N
    ).graph
    delay: np.ndarray = field(default_factory=lambda: np.ones(N))
    rhythm: DailyRhythm = field(default_factory=lambda: DailyRhythm(N, {}))
    interests: np.ndarray = field(
        default_factory=lambda: np.where((np.arange(N) % 2 == 0)[:, None], [0.9, 0.1], [0.1, 0.9])
    )
    visits: float = 50.0

    def expect_visits(self, start: float) -> np.ndarray:
        return np.full(N, self.visits)


def write(posts: Posts, *authors: int, minute: float = 0.0, topic: int = 0, **columns: object) -> np.ndarray:
    return posts.add(authors, step=1, minute=minute, topics=[[1 - topic, topic]] * len(authors), **columns)


def test_followers_are_shown_a_post_after_their_delay_and_nobody_after_the_end() -> None:
    posts, people = Posts(2), People(delay=np.linspace(0.5, 2, N))
    site = SITES["twitter"](posts, people, DAY, DRAW, None)
    ids = write(posts, 10, 25)
    site.schedule_for_followers(np.array([10, 25]), ids, ids, np.zeros(2))
    due = site.take_due(0, DAY, None)
    expected = {}
    for author, id in zip((10, 25), ids, strict=True):
        for reader in ((author - np.arange(1, 4)) % N).tolist():
            minute = float(draw_delays(DRAW, np.array([reader]), np.array([id]))[0]) * people.delay[reader]
            if minute < DAY:
                expected[reader, int(id)] = (author, round_minutes(minute))
    rows = zip(*(due[name].tolist() for name in ("reader", "post", "by", "minute")), strict=True)
    assert {(reader, post): (by, minute) for reader, post, by, minute in rows} == expected
    assert (np.diff(due["minute"]) >= 0).all() and not len(site.take_due(0, DAY, None)["post"])


def test_a_sleeper_is_shown_a_post_when_it_wakes() -> None:
    awake = np.zeros(24, dtype=bool)
    awake[[9, 20]] = True
    posts, people = Posts(2), People(rhythm=DailyRhythm(N, {9: awake}))
    site = SITES["twitter"](posts, people, 3 * DAY, DRAW, None)
    ids = write(posts, 10)
    site.schedule_for_followers(np.array([10]), ids, ids, np.zeros(1))
    due = site.take_due(0, 3 * DAY, None)
    hours = (due["minute"] // 60 % 24).astype(int)
    assert set(hours[due["reader"] == 9]) <= {9, 20} and len(due["post"]) == 3


def test_a_community_offers_what_is_hot_and_what_is_new_to_its_members_alone() -> None:
    posts, people = Posts(2), People()
    old = write(posts, *range(40), topic=0)
    new = write(posts, *range(20), topic=0, minute=30.0)
    other = write(posts, *range(5), topic=1, minute=20.0)
    posts.count_reactions("likes", np.repeat(old[:12], 30))
    site = SITES["reddit"](posts, people, DAY, DRAW, None)
    site.schedule_for_followers(np.arange(40), old, old, np.zeros(40))
    due = site.take_due(60, 120, None)
    assert set(due["reader"].tolist()) == set(range(N))
    first = set(due["post"][due["reader"] == 0].tolist())
    assert set(old[:12].tolist()) <= first and set(new[-15:].tolist()) <= first and len(first) == 30
    assert set(due["post"][due["reader"] == 1].tolist()) == set(other.tolist())
    assert ((due["minute"] >= 60) & (due["minute"] < 120)).all()
    assert len({*due["minute"][due["reader"] == 0].tolist()}) == 1  # one visit a round


def test_a_repost_brings_a_post_before_the_community_of_who_reposts() -> None:
    posts, people = Posts(2), People()
    (post,) = write(posts, 0, topic=0)
    posts.repost(np.array([1]), np.array([post]), step=1, minute=1.0)
    due = SITES["reddit"](posts, people, DAY, DRAW, None).take_due(60, 120, None)
    assert set(due["post"].tolist()) == {int(post)}
    assert set(due["by"][due["reader"] % 2 == 1].tolist()) == {1}
    assert set(due["by"][due["reader"] % 2 == 0].tolist()) == {0}


def test_below_a_post_stand_its_ten_best_comments_of_before_the_look() -> None:
    posts, people = Posts(2), People()
    (post,) = write(posts, 0)
    early = write(posts, *range(1, 13), minute=5.0, kind=PostKind.COMMENT, parent=post)
    late = write(posts, 20, minute=50.0, kind=PostKind.COMMENT, parent=post)
    posts.count_reactions("likes", np.repeat(early[2:], 3))
    posts.count_reactions("dislikes", late)
    looks = {"reader": np.array([30, 31]), "post": np.array([post, post]), "minute": np.array([10.0, 60.0])}
    due = SITES["reddit"](posts, people, DAY, DRAW, None).take_due(0, 120, looks)
    for reader in (30, 31):
        assert due["post"][due["reader"] == reader].tolist() == early[2:].tolist()


def test_of_several_exposures_the_earliest_is_kept_with_their_number() -> None:
    due = {
        "reader": np.array([5, 2, 5, 5, 2]),
        "post": np.array([1, 1, 1, 0, 3]),
        "by": np.array([7, 8, 9, 7, 6]),
        "minute": np.array([4.0, 1.0, 2.0, 9.0, 3.0]),
    }
    first, rest = split_first_impressions(due)
    rows = list(
        zip(*(first[name].tolist() for name in ("reader", "post", "by", "minute", "times")), strict=True)
    )
    assert rows == [(2, 1, 8, 1.0, 1), (2, 3, 6, 3.0, 1), (5, 0, 7, 9.0, 1), (5, 1, 9, 2.0, 2)]
    assert rest["by"].tolist() == [7]
