"""Pages beside a plain loop: order, ranking down, and how far down readers look."""

from functools import partial

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.scenarios.social_media.model.posts.pages import CANDIDATES, PageLayout, ReaderPages
from openiir.scenarios.social_media.model.posts.post_rankers import POST_RANKERS
from openiir.scenarios.social_media.model.posts.post_store import Posts
from openiir.scenarios.social_media.model.posts.sites import Due

DRAW = Draw(9, "test.pages", step=1)


def lay_out(
    readers: int = 3_000, posts: int = 6, lowering: dict[int, float] | None = None, slots: int = 20
) -> ReaderPages:
    made = Posts(1)
    made.add(np.arange(posts), step=1, minute=np.arange(posts), topics=np.ones((posts, 1)))
    down = np.ones(posts)
    for post, factor in (lowering or {}).items():
        down[post] = factor
    due = {
        "reader": np.repeat(np.arange(readers), posts),
        "post": np.tile(np.arange(posts), readers),
        "minute": np.full(readers * posts, 8.0),
        "by": np.tile(np.arange(posts), readers) + 100,
    }
    paging = PageLayout(POST_RANKERS["chronological"], np.ones(posts), down, slots, 10.0)
    return paging.lay_out(due, made, np.ones((readers, 1)), 9.0, DRAW)


def test_readers_go_down_as_far_as_the_model_says() -> None:
    pages = lay_out()
    assert pages.posts.shape == (3_000, 6) and set(pages.posts[:, 0]) == {
        5
    }  # the newest first, always looked at
    for place in range(6):
        chance = (10 / 11) ** place / (place + 1)
        seen = (pages.posts[:, place] >= 0).mean()
        assert seen == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / 3_000) + 1e-9)
    looks = pages.list_impressions()
    assert (looks["by"] == looks["post"] + 100).all() and (looks["post"] == 6 - looks["rank"]).all()


def test_ranking_down_moves_a_post_by_places() -> None:
    looks = lay_out(lowering={5: 0.3}).list_impressions()
    assert set(looks["rank"][looks["post"] == 5]) == {3}  # place 1 / .3 = 3.3, after those at 2 and 3
    assert set(looks["rank"][looks["post"] == 4]) == {1}
    first = {int(post) for post in looks["post"][looks["rank"] == 6]}
    assert first == {0}


def test_a_page_has_its_slots_and_no_more() -> None:
    assert lay_out(readers=50, slots=2).posts.shape == (50, 2)


def test_a_page_is_the_same_alone_and_among_readers_who_are_due_more_or_less() -> None:
    draw, posts = Draw(1, "pages"), Posts(1)
    posts.add(np.zeros(90, dtype=np.int64), step=0, minute=np.arange(90.0), topics=np.ones((90, 1)))
    sizes = np.array([1, 2, 3, 17, 60])  # the last is due more than is ranked
    reader = np.repeat(np.arange(5), sizes)
    post = np.concatenate([draw.at(f"{n}").bits(item=np.arange(90)).argsort()[:n] for n in sizes])
    due: Due = {"reader": reader, "post": post, "by": post + 7, "minute": post.astype(np.float64)}
    paging = PageLayout(POST_RANKERS["chronological"], np.ones(90), np.ones(90), slots=20, attention=100)
    lay_out = partial(
        paging.lay_out, posts=posts, interests=np.ones((5, 1)), minute=99.0, draw=draw.at("page", step=1)
    )
    together = _list_looks(lay_out(due))
    alone = [
        _list_looks(lay_out({name: column[reader == n] for name, column in due.items()})) for n in range(5)
    ]
    assert together == [look for part in alone for look in part]
    assert max(rank for *_, rank in together) > 3 and all(by == post + 7 for _, post, by, _ in together)


def test_of_more_posts_than_are_ranked_the_latest_are_kept() -> None:
    number = CANDIDATES + 10
    minute = np.arange(number, 0, -1.0)  # the first post is the latest, against the order of ids
    posts = Posts(1)
    posts.add(np.zeros(number, dtype=np.int64), step=1, minute=minute, topics=np.ones((number, 1)))
    due: Due = {"reader": np.zeros(number, dtype=np.int64), "post": np.arange(number), "minute": minute}
    paging = PageLayout(
        POST_RANKERS["chronological"], np.ones(number), np.ones(number), number, attention=1e9
    )
    shown = paging.lay_out(due, posts, np.ones((1, 1)), float(number), DRAW).posts
    assert shown.max() < CANDIDATES and shown.shape == (1, CANDIDATES)


def _list_looks(pages: ReaderPages) -> list[tuple[int, int, int, int]]:
    looks = pages.list_impressions()
    return list(zip(*(looks[name].tolist() for name in ("reader", "post", "by", "rank")), strict=True))
