"""What decides on a page and between pages: going back, what was asked for, and what a title's pull is made
of."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from openiir.kit.items import Scale
from openiir.plugin import Draw, UnusableAnswer
from openiir.scenarios.recommender.model.attraction import AttractionModel
from openiir.scenarios.recommender.model.choice_model import RatingScales, Temper, classify_feeling
from openiir.scenarios.recommender.questions.browse import (
    PageVerdicts,
    TitleVerdict,
    VisitBrowse,
)
from openiir.scenarios.recommender.questions.page import (
    CatalogueEntry,
    RatedTitle,
    TitleDispositions,
    TitleShown,
)
from openiir.scenarios.recommender.questions.reflect import (
    Reflect,
    TakenTitle,
)
from openiir.scenarios.recommender.questions.wording import reason_to_pass, reason_to_take
from openiir.scenarios.recommender.run.visit_questions import find_better_earlier_title
from openiir.scenarios.recommender.run.visit_record import PageView, VisitRecord, log_title

SCALES = RatingScales(3.5, 0.5, 0.41, (-1.588, -0.979, -0.190, 0.751))


def shown(n: int, title: str, pull: float, genres: tuple[str, ...] = ()) -> TitleShown:
    return TitleShown(CatalogueEntry(title, genres), TitleDispositions(str(n), pull=pull))


def record_of(*pulls: tuple[float, int | None]) -> tuple[VisitRecord, list[PageView]]:
    """On the second of two pages; the first has titles of these pulls and ratings, the second pulls of -1 and
    0.2."""
    views = [
        PageView(n, 1, n + 1, shown(n, f"Title {n}", pull), rating) for n, (pull, rating) in enumerate(pulls)
    ]
    here = [PageView(10 + n, 2, n + 1, shown(n, "Here", pull)) for n, pull in enumerate((-1.0, 0.2))]
    pages = [[view.item for view in views], [view.item for view in here]]
    return VisitRecord({view.item: view for view in (*views, *here)}, pages, at=2), here


def test_one_goes_back_for_what_draws_by_half_a_deviation_more_than_all_here() -> None:
    """MODELS 7.3: an unwatched item of the page before with m > max(current) + .5."""
    for best, sought in ((0.69, ""), (0.71, "Title 1")):
        record, here = record_of((0.1, None), (best, None), (5.0, 4))
        assert find_better_earlier_title(record, here) == sought, "what was watched draws nobody back"
    record, here = record_of((0.9, None))
    record.at = 1
    assert find_better_earlier_title(record, here) == "", "before the first page there is nothing"


def browse(titles: Sequence[TitleShown], place: str = "page 1", wanted: tuple[str, ...] = ()) -> VisitBrowse:
    """The question about a page with these titles."""
    return VisitBrowse(
        noun="movie",
        titles=tuple(title.entry for title in titles),
        wanted=wanted,
        looks=tuple(title.by for title in titles),
        temper=Temper(),
        scales=SCALES,
        place=place,
        usual=3.0,
    )


def share_taken(wanted: tuple[str, ...], genre: str) -> float:
    """Of titles that draw as an average one, by a visitor for whom the odds of such are even at a pull of
    .673."""
    titles = [shown(n, f"Title {n}", 0.875 / 1.3, (genre,)) for n in range(20)]
    pages = (browse(titles, f"page {page}", wanted) for page in range(1, 501))
    taken = [v.take for page in pages for v in page.offline(Draw(3, "browse", agent=page.subject)).verdicts]
    return float(np.mean(taken))


def test_what_one_asked_for_is_taken_seven_times_as_readily_by_odds_and_else_the_less() -> None:
    """A shift of the log-odds by 2 either way, that is by a factor of 7.4."""
    for wanted, genre, shift in (
        ((), "drama", 0.0),
        (("drama", "war"), "drama", 2.0),
        (("war",), "drama", -2.0),
    ):
        share = share_taken(wanted, genre)
        assert math.log(share / (1 - share)) == pytest.approx(shift, abs=0.12)


def pull(interest: np.ndarray, expected: np.ndarray) -> np.ndarray:
    ratings = SimpleNamespace(block=lambda users: expected, scale=Scale(), items=interest.shape[1])
    made: Any = AttractionModel(None, ratings, SimpleNamespace(block=lambda users: interest), None, None, 0.0)  # type: ignore[arg-type]
    return np.asarray(made.of(np.arange(len(interest))).pull)


def test_what_one_expects_weighs_as_much_as_what_people_like_oneself_pick() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(3, 1, (4, 50)), rng.normal(3, 1, (4, 50))
    assert np.allclose(pull(one, other), pull(other, one), atol=1e-5)
    assert np.allclose(pull(one, other).std(axis=1), 0.3, atol=1e-5) and np.allclose(
        pull(one, other).mean(axis=1), 0, atol=1e-5
    )
    assert np.allclose(pull(one, -one), 0, atol=1e-5), "the two cancel each other out"


def rated(stars: float, usual: float) -> RatedTitle:
    return RatedTitle(f"Rated {stars:g}", ("War",), stars, classify_feeling(stars, usual))


@pytest.mark.parametrize(
    ("usual", "felt"),
    [
        (1.9, ("disliked", "", "liked", "liked", "liked")),
        (3.6, ("disliked", "disliked", "disliked", "", "liked")),
        (4.6, ("disliked",) * 4 + ("liked",)),
    ],
)
def test_what_is_liked_is_more_than_the_usual_stars(usual: float, felt: tuple[str, ...]) -> None:
    assert tuple(classify_feeling(stars, usual) for stars in (1, 2, 3, 4, 5)) == felt


@pytest.mark.parametrize(
    ("pull", "genres", "near", "take", "leave"),
    [
        (0.4, ("Drama", "War", "Crime"), (), "This drama and war movie is my kind of thing.", ""),
        (0.4, (), (), "This movie is my kind of thing.", ""),
        (-0.4, ("Drama",), (), "It looks worth a try.", "I seldom care for drama movies."),
        (-0.4, (), (), "It looks worth a try.", "It does not appeal to me."),
        (
            0.4,
            ("War",),
            (2, 1),
            "This war movie is my kind of thing.",
            "It is close to Rated 1, which I disliked (1 of 5).",
        ),
        (
            0.0,
            ("War",),
            (4, 2),
            "It is close to Rated 4, which I liked (4 of 5).",
            "It is close to Rated 2, which was about my usual (2 of 5).",
        ),
        (
            -0.4,
            ("War",),
            (2, 3, 4),
            "It is close to Rated 3, which was above my usual (3 of 5).",
            "I seldom care for war movies.",
        ),
    ],
)
def test_a_reason_speaks_for_the_decision(
    pull: float, genres: tuple[str, ...], near: tuple[int, ...], take: str, leave: str
) -> None:
    """For somebody whose usual rating is 2, so that a title rated 2 speaks neither for nor against one like
    it."""
    title = TitleShown(
        CatalogueEntry("Title", genres),
        TitleDispositions("1", pull=pull, near=tuple(rated(n, 2.0) for n in near)),
    )
    assert (reason_to_take(title, "movie"), reason_to_pass(title, "movie")) == (take, leave)


def test_what_others_say_is_a_reason_where_it_bears_the_decision_out() -> None:
    said = {
        mean: TitleShown(CatalogueEntry("Title", average=mean), TitleDispositions("1", pull=0.1))
        for mean in (2.4, 4.2)
    }
    assert reason_to_take(said[4.2], "movie") == "Others think well of it: 4.2 of 5."
    assert reason_to_pass(said[2.4], "movie") == "Others think little of it: 2.4 of 5."
    assert reason_to_pass(said[2.4], "movie", "Another") == "I would rather watch Another."
    assert (reason_to_take(said[2.4], "movie"), reason_to_pass(said[4.2], "movie")) == (
        "It appeals to me.",
        "",
    )


def test_what_was_taken_instead_is_said_of_the_next_best_title_alone() -> None:
    """Of somebody who takes what draws at all: one may take several, so the others are told by what draws
    less."""
    titles = [shown(n, f"Title {n}", pull, ("Drama",)) for n, pull in enumerate((30.0, 0.1, 0.2, 0.0))]
    question = browse(titles)
    pages = (question.offline(Draw(seed, "browse")).verdicts for seed in range(100))
    page = next(page for page in pages if [v.take for v in page] == [True, False, False, False])
    assert [v.thoughts for v in page[1:]] == [
        less := "This drama movie appeals to me less.",
        "I would rather watch Title 0.",
        less,
    ]


@pytest.mark.parametrize(
    ("taken", "learnt", "found"),
    [
        ([(3, "Action")], (), []),
        (
            [(1, "Action War")],
            (),
            ["The action and war movie I took here was well below what I usually give."],
        ),
        ([(1, "Action")], ("The action movie I took here was well below what I usually give.",), []),
        (
            [(5, "War"), (4, "War"), (2, "Comedy"), (3, "Drama")],
            (),
            [
                "The 2 war movies I took here were on average well above what I usually give.",
                "The comedy movie I took here was below what I usually give.",
            ],
        ),
        (
            [(5, "War"), (4, "War Comedy")],
            (),
            ["The 2 war movies I took here were on average well above what I usually give."],
        ),
    ],
)
def test_looking_back_speaks_of_what_was_taken_here_and_differs_from_the_usual(
    taken: list[tuple[int, str]], learnt: tuple[str, ...], found: list[str]
) -> None:
    """The usual is told as 3 stars, so a 3 is neither above nor below it."""
    titles = tuple(
        TakenTitle(f"Title {n}", stars, tuple(genres.split())) for n, (stars, genres) in enumerate(taken)
    )
    question = Reflect(noun="movie", taken=titles, learnt=learnt, usual=3.1, place="page 1")
    reply = question.offline(Draw(1, "reflect"))
    assert [one.text for one in reply.learnt] == found and len(reply.questions) == len(found)


def test_stars_count_for_titles_taken_and_these_have_some() -> None:
    page = (shown(1, "First", 0.0), shown(2, "Second", 0.0))
    question = browse(page)

    def said(take: bool, stars: int | None) -> PageVerdicts:
        return PageVerdicts(verdicts=tuple(TitleVerdict(number=n, take=take, stars=stars) for n in (1, 2)))

    question.check(said(False, 3))
    assert [log_title(*one).rating for one in zip(page, said(False, 3).verdicts, strict=True)] == [None, None]
    assert [log_title(*one).rating for one in zip(page, said(True, 3).verdicts, strict=True)] == [3, 3]
    with pytest.raises(UnusableAnswer, match="you take it and give no stars"):
        question.check(said(True, None))
