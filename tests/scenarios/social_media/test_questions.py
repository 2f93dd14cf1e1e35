"""Replies and rows of answers: there and back for the behaviour model, the said word for everybody else."""

from dataclasses import replace

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.beliefs import BeliefRule
from openiir.plugin import UnusableAnswer
from openiir.scenarios.social_media.model.posts.reactions import ReactionFeatures, ReactionRule
from openiir.scenarios.social_media.model.short_posts import classify_side
from openiir.scenarios.social_media.questions import (
    Compose,
    PageReply,
    React,
    ReaderModel,
    ShownPost,
)

ROW = {"does": np.array([4, 0, 1]), "stance": np.float64(0.25), "post": np.array([12, -1, 7])}
READER = ReaderModel(
    ReactionRule().calibrate(ReactionFeatures(np.linspace(-1, 1, 11), 0.2, 0.2), 0.02), BeliefRule()
)


def page(rows: int, noted: float = 0.0, comments: float = 0.0) -> dict[str, np.ndarray]:
    wide = np.ones((rows, 2))
    return {
        "stance": np.full(rows, 0.5),
        "start": np.full(rows, 0.5),
        "comments": np.full(rows, comments),
        "post": np.tile([3, -1], (rows, 1)),
        "valence": wide,
        "novelty": 0.2 * wide,
        "arousal": 0.2 * wide,
        "score": 0 * wide,
        "times": wide,
        "weight": wide,
        "noted": noted * wide,
        "nudged": 0 * wide,
        "again": 0 * wide,
    }


def test_a_row_of_the_behaviour_model_is_the_same_there_and_back() -> None:
    reply = React.reply_of(ROW)
    assert reply.does == ("repost", "like") and reply.stands == "leaning in favour"
    again = React.row_of(reply, ROW)
    assert all(np.array_equal(again[name], ROW[name]) for name in ROW)


def test_whoever_says_another_stance_has_it() -> None:
    row = React.row_of(PageReply(does=("ignore", "comment"), stands="against"), ROW)
    assert row["does"].tolist() == [0, 0, 3] and row["stance"] == -0.6


def test_a_reply_needs_one_reaction_for_each_post() -> None:
    shown = ShownPost("Jo", "The bridge fell.", "", 0, 0, "")
    asked = React(
        "twitter", "It should close", "undecided", (), (shown, shown), 0.0, 0.0, 0.0, *((),) * 10, READER
    )
    with pytest.raises(UnusableAnswer, match="each of the 2 posts"):
        asked.check(PageReply(does=("like",), stands="undecided"))


def test_a_note_cuts_the_odds_of_reposts_as_published() -> None:
    rows, draw = 200_000, Draw(1, "react")
    counts = []
    for noted in (0.0, 1.0):
        does = React.answer_columns(page(rows, noted), draw.at(agent=np.arange(rows)), READER)["does"][:, 0]
        share = np.bincount(does, minlength=5) / rows
        counts.append(share / share[0])
    assert counts[1][1:] / counts[0][1:] == pytest.approx([0.565, 1.0, 0.771, 0.543], abs=0.06)


def test_nobody_reacts_to_a_place_that_it_did_not_look_at() -> None:
    found = React.answer_columns(
        page(1_000, comments=20.0), Draw(1, "react").at(agent=np.arange(1_000)), READER
    )
    assert (found["does"][:, 0] == 3).all() and (found["does"][:, 1] == 0).all()


STATEMENT = "Cities should adopt a four-day week"
PASSAGE = f"{STATEMENT}, because shorter weeks reduce burnout among all employees."
ASKED = Compose(STATEMENT, "in favour", "burnout", (), (PASSAGE,), (), ())


def test_an_offline_writer_quotes_its_side_and_speaks_for_itself_without_passages() -> None:
    draws = [Draw(1, "compose", f"author-{n}") for n in range(10)]
    for_it = [ASKED.offline(draw) for draw in draws]
    assert any(PASSAGE in one.text for one in for_it) and {one.stands for one in for_it} == {"in favour"}
    against = [replace(ASKED, stands="against").offline(draw).text for draw in draws]
    assert not any(PASSAGE in text for text in against)
    assert {classify_side(text, STATEMENT) for text in against} == {-1}


def test_a_prompt_to_comment_shows_what_it_answers_and_what_that_answered() -> None:
    thread = tuple(
        ShownPost(author, f"{author}'s words.", "", 1, 0, "") for author in ("Ada Berg", "Jo Lang")
    )
    prompt = replace(ASKED, thread=thread).prompt()
    assert prompt.index("Ada Berg's words.") < prompt.index("Jo Lang's words.")
    assert prompt.endswith("What do you write to Jo Lang?")


def test_an_offline_comment_names_whom_it_answers_and_points_to_a_note() -> None:
    for note, found in (("The town denies it.", "note"), ("", "Jo")):
        post = ShownPost("Jo Lang", "The town went bankrupt after the four-day week.", "", 1, 0, note)
        texts = [
            replace(ASKED, thread=(post,)).offline(Draw(1, "compose", f"author-{n}")).text for n in range(10)
        ]
        assert any(found in text for text in texts)
