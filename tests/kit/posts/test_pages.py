"""Pages of posts: a reader's page is the same whoever else reads at the time, and however much they are due."""

from functools import partial

import numpy as np

from openiir.core.seeds import Draw
from openiir.kit.posts import POST_RANKERS, Due, Pages, Paging, Posts


def test_a_page_is_the_same_alone_and_among_readers_who_are_due_more_or_less() -> None:
    draw, posts = Draw(1, "pages"), Posts(1)
    posts.add(np.zeros(90, dtype=np.int64), step=0, minute=np.arange(90.0), topics=np.ones((90, 1)))
    sizes = np.array([1, 2, 3, 17, 60])  # the last is due more than is ranked
    reader = np.repeat(np.arange(5), sizes)
    post = np.concatenate([draw.at(f"{n}").bits(item=np.arange(90)).argsort()[:n] for n in sizes])
    due: Due = {"reader": reader, "post": post, "by": post + 7, "minute": post.astype(np.float64)}
    paging = Paging(POST_RANKERS["chronological"], np.ones(90), np.ones(90), slots=20, attention=100)
    lay_out = partial(
        paging.lay_out, posts=posts, interests=np.ones((5, 1)), minute=99.0, draw=draw.at("page", step=1)
    )
    together = _list_looks(lay_out(due))
    alone = [
        _list_looks(lay_out({name: column[reader == n] for name, column in due.items()})) for n in range(5)
    ]
    assert together == [look for part in alone for look in part]
    assert max(rank for *_, rank in together) > 3 and all(by == post + 7 for _, post, by, _ in together)


def _list_looks(pages: Pages) -> list[tuple[int, int, int, int]]:
    looks = pages.looks()
    return list(zip(*(looks[name].tolist() for name in ("reader", "post", "by", "rank")), strict=True))
