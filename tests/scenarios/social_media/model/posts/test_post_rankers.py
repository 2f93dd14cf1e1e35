"""Rankers of posts against scores for one reader and one post, and candidates against a plain loop."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from openiir.core.callables import trusting
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.rankers import NONE, check_name, rank_items, ranker
from openiir.scenarios.social_media.model.posts.post_rankers import (
    POST_RANKERS,
    REDDIT_EPOCH,
    TWITTER_WEIGHTS,
    PostView,
    controversy_score,
    hot_score,
    wilson_bound,
)
from openiir.scenarios.social_media.model.posts.post_store import PostKind, Posts

DRAW = Draw(6, "test.rankers")
READERS = np.array([3, 0, 59, 17])


def make_posts(number=80):
    posts, ids = Posts(topics=3), np.arange(number)
    mixes = DRAW.at("topics").uniform(agent=ids[:, None], item=np.arange(3)[None, :])
    mixes[7] = 0
    minutes = np.sort(np.floor(DRAW.at("minute").uniform(item=ids) * 900))
    posts.add(DRAW.at("author").below(60, item=ids), step=0, minute=minutes, topics=mixes)
    for name in ("likes", "dislikes", "shown"):
        posts.count_reactions(name, np.repeat(ids, DRAW.at(name).below(9, item=ids)))
    commented = DRAW.at("comments").below(number, item=np.arange(40))
    posts.add(ids[:40], step=1, minute=900, topics=0, kind=PostKind.COMMENT, parent=commented)
    posts.repost(ids[:30], commented[:30], step=1, minute=901)
    return posts


POSTS = make_posts()


def view(items):
    interests = DRAW.at("interests").uniform(agent=READERS[:, None], item=np.arange(3)[None, :])
    return PostView(POSTS, READERS, np.asarray(items), 950.0, interests, DRAW)


SHARED = np.tile(np.arange(0, 150, 3), (len(READERS), 1))
OWN = np.sort(np.argsort(DRAW.uniform(agent=READERS[:, None], item=np.arange(150)), axis=1)[:, :20], axis=1)


def by_hand(name, seen, row, post):
    count = {each: int(POSTS[each][post]) for each in ("likes", "dislikes", "comments", "reposts", "shown")}
    if name == "chronological":
        return POSTS["minute"][post]
    if name == "hot":
        return hot_score(count["likes"], count["dislikes"], REDDIT_EPOCH + 60 * POSTS["minute"][post])
    if name == "controversial":
        return controversy_score(count["likes"], count["dislikes"])
    if name == "best":
        return wilson_bound(count["likes"], count["dislikes"])
    if name == "similarity":
        one, other = seen.interests[row].tolist(), POSTS["topics"][post].tolist()
        size = math.hypot(*one) * math.hypot(*other)
        return math.fsum(a * b for a, b in zip(one, other, strict=True)) / size if size else 0.0
    total = 0.0
    for kind, column in zip(
        ("like", "repost", "reply", "negative_feedback"),
        ("likes", "reposts", "comments", "dislikes"),
        strict=True,
    ):
        usual = POSTS[column].sum() / POSTS["shown"].sum()
        total += TWITTER_WEIGHTS[kind] * (count[column] + 10 * usual) / (count["shown"] + 10)
    return total


@pytest.mark.parametrize("items", [SHARED, OWN], ids=["shared", "own"])
@pytest.mark.parametrize("name", POST_RANKERS)
def test_scores_are_those_of_the_formula(name, items):
    seen = view(items)
    scores = ranker(name, POST_RANKERS)(seen)
    assert scores.shape == items.shape
    naive = [[by_hand(name, seen, row, post) for post in items[row]] for row in range(len(READERS))]
    assert scores == pytest.approx(np.array(naive, dtype=float), abs=3e-6)
    assert np.ptp(scores) > 0


@pytest.mark.parametrize("name", POST_RANKERS)
def test_the_size_of_a_block_changes_no_score(name):
    whole, parts = POST_RANKERS[name](view(OWN)), []
    for row in range(len(READERS)):
        seen = view(OWN)
        part = PostView(POSTS, READERS[[row]], OWN[[row]], 950.0, seen.interests[[row]], DRAW)
        parts.append(POST_RANKERS[name](part))
    assert np.array_equal(whole, np.concatenate(parts))


def test_engagement_is_nothing_before_anything_was_shown():
    posts = Posts(topics=1)
    posts.add([0, 1], step=0, minute=[1, 2], topics=1)
    seen = PostView(posts, np.array([0]), np.array([[0, 1]]), 3.0, np.ones((1, 1)), DRAW)
    assert not POST_RANKERS["engagement"](seen).any()


def test_the_studys_own_callable_ranks_posts(monkeypatch, tmp_path):
    (tmp_path / "own_posts.py").write_text(
        "import numpy as np\n"
        "def even(view): return 1.0 - view.items % 2\n"
        "def order(view): return view.items[:, ::-1]\n"
        "def nothing(view): return np.full(view.items.shape, np.nan)\n"
        "def write(view): view.posts['likes'][0] = 99\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with trusting(*(f"own_posts:{name}" for name in ("even", "order", "nothing", "write"))):
        check_name("own_posts:even", "config.ranker", POST_RANKERS)
        even, order = (ranker(f"own_posts:{name}", POST_RANKERS) for name in ("even", "order"))
        served = rank_items(even(view(SHARED)), SHARED, None, 30)
        assert served.items[0].tolist() == sorted(SHARED[0].tolist(), key=lambda post: (post % 2, post))[:30]
        assert rank_items(order(view(SHARED)), SHARED, None, 3).items[2].tolist() == [147, 144, 141]
        for name, why in (("nothing", "finite score"), ("write", "read-only")):
            with pytest.raises(Exception, match=why):
                ranker(f"own_posts:{name}", POST_RANKERS)(view(SHARED))
    with pytest.raises(InputError, match="known: chronological, engagement, hot"):
        check_name("popularity", "config.ranker", POST_RANKERS)


def test_a_feed_ranks_its_candidates_alone():
    items = np.full((len(READERS), 12), NONE)
    for row, number in enumerate((0, 12, 7, 3)):
        items[row, :number] = OWN[row, :number]
    assert (items == NONE).any() and (items != NONE).any()
    served = rank_items(POST_RANKERS["chronological"](view(items)), items, items == NONE, 5)
    for row in range(len(READERS)):
        there = items[row][items[row] != NONE]
        newest = sorted(there.tolist(), key=lambda post: (-POSTS["minute"][post], post))[:5]
        assert served.items[row][: len(newest)].tolist() == newest and served.found[row] == len(newest)


@pytest.mark.parametrize(("ups", "downs"), [(1, 0), (0, 3), (7, 2), (40, 60), (1_000, 1)])
def test_the_bound_of_the_share_of_up_votes_is_that_of_scipy(ups, downs):
    interval = binomtest(ups, ups + downs).proportion_ci(confidence_level=0.8, method="wilson")
    assert float(wilson_bound(ups, downs)) == pytest.approx(interval.low, abs=1e-6)
    assert float(wilson_bound(0, 0)) == 0.0
