"""Posts in columns beside a list of records, and batches that are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.core.storage.table_rows import TableRows
from openiir.core.storage.tables import read_part, write_part
from openiir.scenarios.social_media.model.cascades import NOBODY, build_trees
from openiir.scenarios.social_media.model.posts.post_store import COUNTS, PostKind, Posts

DRAW = Draw(2, "test.posts")
MIX = [0.25, 0.75]


def make_posts():
    posts = Posts(topics=2)
    posts.add(
        [5, 6], step=1, minute=[0.0, 3.5], topics=[MIX, [1, 0]], valence=[-0.5, 1], texts=["Wind!", None]
    )
    posts.add(7, step=1, minute=4.0, topics=MIX, kind=PostKind.COMMENT, parent=0, texts=["Why ünd how?"])
    posts.repost(np.array([8, 9]), np.array([2, 0]), step=2, minute=60.0)
    return posts


def test_a_post_is_a_row():
    posts = make_posts()
    assert posts["author"].tolist() == [5, 6, 7, 8, 9]
    assert posts["parent"].tolist() == [-1, -1, 0, 2, 0]
    assert posts["root"].tolist() == [0, 1, 0, 0, 0]
    assert posts["kind"].tolist() == [0, 0, 1, 2, 2]
    assert posts["topics"].tolist() == [MIX, [1, 0], MIX, MIX, MIX]
    assert posts["valence"].tolist() == [-0.5, 1, 0, 0, -0.5]
    assert posts["comments"].tolist() == [1, 0, 0, 0, 0]
    assert posts["reposts"].tolist() == [1, 0, 1, 0, 0]
    assert posts.texts == {0: "Wind!", 2: "Why ünd how?"}
    with pytest.raises(ValueError, match="read-only"):
        posts["likes"][0] = 3


def test_counts_grow_by_batches_in_which_posts_repeat():
    posts = make_posts()
    posts.count_reactions("likes", [4, 1, 1, 4, 1])
    posts.count_reactions("likes", 1)
    posts.count_reactions("shown", np.arange(5))
    assert posts["likes"].tolist() == [0, 4, 0, 0, 2]
    assert posts["shown"].tolist() == [1] * 5
    for each in (posts, Posts(2, posts.state())):
        assert each.totals == {name: each[name].sum() for name in COUNTS}


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 99), max_size=9), max_size=6))
def test_roots_are_those_of_a_walk_up_the_parents(batches):
    posts, parents = Posts(topics=1), []
    for batch in batches:
        known = len(parents)  # any post of an earlier batch, or none
        wanted = [number % known if known and number % 3 else -1 for number in batch]
        parents += wanted
        kinds = [PostKind.COMMENT if parent >= 0 else PostKind.POST for parent in wanted]
        posts.add(np.zeros(len(wanted), int), step=0, minute=1.0, topics=1.0, kind=kinds, parent=wanted)
    for post, root in enumerate(posts["root"].tolist()):
        while parents[post] >= 0:
            post = parents[post]
        assert post == root
    counts = [parents.count(post) for post in range(len(parents))]
    assert posts["comments"].tolist() == counts


@pytest.mark.parametrize(
    "call",
    [
        lambda posts: posts.repost(np.array([1]), np.array([5]), step=3, minute=80),
        lambda posts: posts.add(
            [1, 2], step=3, minute=80.0, topics=MIX, kind=PostKind.COMMENT, parent=[0, 5]
        ),
        lambda posts: posts.add(1, step=3, minute=80.0, topics=MIX, kind=PostKind.COMMENT, parent=-2),
        lambda posts: posts.count_reactions("likes", [0, -1]),
    ],
)
def test_answers_and_reactions_to_posts_that_do_not_exist_are_refused(call):
    posts = make_posts()
    before = posts.state()
    with pytest.raises(InputError, match="numbered from 0 to 4"):
        call(posts)
    assert all(np.array_equal(values, posts.state()[name]) for name, values in before.items())


def test_a_checkpoint_holds_everything():
    posts = make_posts()
    posts.count_reactions("dislikes", 3)
    state = posts.state()
    assert all(array.dtype.kind in "biuf" for array in state.values())
    twin = Posts(2, {"other": np.zeros(3), **state})
    for each in (posts, twin):
        each.add(1, step=3, minute=61.0, topics=MIX, kind=PostKind.COMMENT, parent=4, texts=["\udc80 later"])
    assert twin.texts == posts.texts
    assert all(np.array_equal(array, twin.state()[name]) for name, array in posts.state().items())
    assert Posts(2, Posts(2).state()).state().keys() == state.keys()


def test_adding_batch_by_batch_copies_little():
    posts, moved, last = Posts(topics=1), 0, None
    for minute in range(500):
        posts.add(0, step=0, minute=minute, topics=0.0)
        address = posts["minute"].__array_interface__["data"][0]
        moved += address != last
        last = address
    assert posts["minute"].tolist() == list(range(500))
    assert moved <= 10


def test_new_posts_are_a_part_of_a_table(tmp_path):
    (tmp_path / "tables").mkdir()
    posts = make_posts()
    rows = TableRows("posts")
    rows.add_columns(posts.table(first=2))
    write_part(tmp_path, 2, rows)
    found = read_part(tmp_path, "posts-000002.parquet").to_pydict()
    assert found["id"] == [2, 3, 4] and found["kind"] == ["comment", "repost", "repost"]
    assert found["text"] == ["Why ünd how?", None, None] and found["topic_1"] == [0.75] * 3
    assert not found.keys() & set(COUNTS)


def test_reposts_are_shares_of_cascade_trees():
    posts = Posts(topics=1)
    posts.add([5, 6], step=1, minute=0.0, topics=1.0)
    posts.repost(np.array([8, 9]), np.array([0, 0]), step=1, minute=2.0)
    posts.repost(np.array([7, 6]), np.array([3, 2]), step=2, minute=3.0)
    parent = posts["parent"]
    shown_by = np.where(parent < 0, NOBODY, posts["author"][parent])
    trees = build_trees(posts["root"], posts["author"], shown_by, posts["minute"])
    assert trees.size.tolist() == [5, 1] and trees.depth.tolist() == [0, 0, 1, 1, 2, 2]
