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
    posts.repost([8, 9], [2, 0], step=2, minute=60.0)
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
        wanted = []
        for number in batch:  # any earlier post, also one of the same batch, or none
            known = len(parents) + len(wanted)
            wanted.append(number % known if known and number % 3 else -1)
        parents += wanted
        kinds = [PostKind.COMMENT if parent >= 0 else PostKind.POST for parent in wanted]
        posts.add(np.zeros(len(wanted), int), step=0, minute=1.0, topics=1.0, kind=kinds, parent=wanted)
    for post, root in enumerate(posts["root"].tolist()):
        while parents[post] >= 0:
            post = parents[post]
        assert post == root
    counts = [parents.count(post) for post in range(len(parents))]
    assert posts["comments"].tolist() == counts


def test_a_long_conversation_in_one_batch_has_one_root():
    posts, length = Posts(topics=1), 1_000
    parents = np.arange(-1, length - 1)
    posts.add(
        np.zeros(length, int), step=0, minute=0.0, topics=0.0, kind=np.sign(parents + 1), parent=parents
    )
    assert not posts["root"].any()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"parent": [9, -1], "kind": [1, 0]}, "row 0 .* parent that does not exist; there are 5 posts"),
        ({"parent": [-2, -1], "kind": [1, 0]}, "row 0 .* does not exist"),
        ({"parent": [6, -1], "kind": [1, 0]}, "row 0 .* stands before its parent"),
        ({"parent": [6, 5], "kind": [1, 1]}, "row 0 .* cycle of parents"),
        ({"parent": [-1, 6], "kind": [0, 1]}, "row 1 .* cycle"),
        ({"parent": [-1, 3], "kind": [0, 1], "minute": [70, 59.0]}, "row 1 .* made before its parent"),
        ({"parent": [-1, 5], "kind": [0, 1], "minute": [70, 69.0]}, "row 1 .* made before its parent"),
        ({"parent": 0}, "row 0 .* a post with a parent, or a reply without"),
        ({"kind": PostKind.REPOST}, "a reply without"),
        ({"kind": 3}, "none of"),
        ({"author": [1, -1]}, "row 1 .* author below 0"),
        ({"author": [0.5, 1]}, "give numbers"),
        ({"valence": [0, -1.1]}, "row 1 .* valence beyond -1 to 1"),
        ({"novelty": 2}, "novelty beyond 0 to 1"),
        ({"arousal": np.nan}, "holds NaN"),
        ({"minute": [1, 2, 3]}, r"shape \(3,\); \(2,\) is needed"),
        ({"topics": [1, 2, 3]}, r"\(2, 2\) is needed"),
        ({"topics": [[1, 0], [2, -1]]}, "row 1 .* negative share"),
        ({"texts": ["one"]}, "1 texts for 2 posts"),
    ],
)
def test_what_no_post_can_be_is_refused_and_nothing_is_added(values, why):
    posts = make_posts()
    before = posts.state()
    with pytest.raises(InputError, match=why):
        posts.add(**{"author": [1, 2], "step": 3, "minute": 80.0, "topics": MIX, **values})
    assert all(np.array_equal(values, posts.state()[name]) for name, values in before.items())


@pytest.mark.parametrize(
    "call", [lambda p: p.repost(1, 5, step=3, minute=80), lambda p: p.count_reactions("likes", [0, -1])]
)
def test_reactions_to_posts_that_do_not_exist_are_refused(call):
    with pytest.raises(InputError, match="numbered from 0 to 4"):
        call(make_posts())
    with pytest.raises(InputError, match="count likes, dislikes, shown, and add comments"):
        make_posts().count_reactions("comments", 0)


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
    with pytest.raises(InputError, match="of 2 topics, not of 3"):
        Posts(3, state)


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
    posts.repost([8, 9], [0, 0], step=1, minute=2.0)
    posts.repost([7, 6], [3, 2], step=2, minute=3.0)
    parent = posts["parent"]
    shown_by = np.where(parent < 0, NOBODY, posts["author"][parent])
    trees = build_trees(posts["root"], posts["author"], shown_by, posts["minute"])
    assert trees.size.tolist() == [5, 1] and trees.depth.tolist() == [0, 0, 1, 1, 2, 2]
