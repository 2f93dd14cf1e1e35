"""Posts as a page shows them."""

from types import SimpleNamespace

import numpy as np

from openiir.scenarios.social_media.model.posts.post_store import PostKind, Posts
from openiir.scenarios.social_media.run.writing import CastWriter


def make_writer(hidden: tuple[int, ...] = ()) -> CastWriter:
    posts = Posts(topics=1)
    posts.add([4], step=0, minute=0.0, topics=1.0, texts=["The bridge is loud."])
    posts.add([0], step=1, minute=5.0, topics=1.0, kind=PostKind.COMMENT, parent=0, texts=["It is not."])
    stage = SimpleNamespace(
        agents=[], step=1, config=SimpleNamespace(topics=("noise",), statement="Close it.")
    )
    people = SimpleNamespace(name=lambda row: f"member {row}", agents={})
    interventions = SimpleNamespace(
        note_text=lambda post, minute: "", is_hidden=lambda posts, step: np.isin(posts, hidden)
    )
    return CastWriter(stage, people, posts, interventions)


def test_a_comment_on_a_page_quotes_what_it_answers_whoever_shares_it() -> None:
    quoted = 'member 4: "The bridge is loud."'
    assert [make_writer().shown_post(1, by, 6.0).answers for by in (0, 3)] == [quoted, quoted]


def test_nothing_is_quoted_above_a_reply_nor_what_is_hidden_or_answers_nothing() -> None:
    assert make_writer().shown_post(1, -1, 6.0).answers == ""
    assert make_writer(hidden=(0,)).shown_post(1, 0, 6.0).answers == ""
    assert make_writer().shown_post(0, 4, 6.0).answers == ""
