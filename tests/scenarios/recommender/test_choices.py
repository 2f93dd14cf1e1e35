"""What decides on a page and between pages: going back, what was asked for, and what a title's pull is made of."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from openiir.kit.items import Scale
from openiir.plugin import Draw
from openiir.scenarios.recommender.brain import Temper
from openiir.scenarios.recommender.minds import Fitted
from openiir.scenarios.recommender.questions.browse import Browse, BrowseDispositions, BrowseFacts, Scales
from openiir.scenarios.recommender.questions.page import (
    CatalogueEntry,
    TitleDispositions,
    TitleFacts,
    TitleShown,
)
from openiir.scenarios.recommender.visit import Visit
from openiir.scenarios.recommender.visit_record import View
from openiir.scenarios.recommender.wording import reason_for

SCALES = Scales(3.5, 0.5, 0.41, (-1.588, -0.979, -0.190, 0.751))


def shown(n: int, title: str, pull: float, genres: tuple[str, ...] = ()) -> TitleShown:
    return TitleShown(TitleFacts(CatalogueEntry(title, genres)), TitleDispositions(str(n), pull=pull))


def visit(*pulls: tuple[float, int | None]) -> tuple[Visit, list[View]]:
    """On the second of two pages; the first has titles of these pulls and ratings, the second pulls of -1 and 0.2."""
    views = [
        View(n, 1, n + 1, shown(n, f"Title {n}", pull), rating) for n, (pull, rating) in enumerate(pulls)
    ]
    here = [View(10 + n, 2, n + 1, shown(n, "Here", pull)) for n, pull in enumerate((-1.0, 0.2))]
    made: Any = Visit(None, None, None, views={view.item: view for view in (*views, *here)})  # type: ignore[arg-type]
    made.pages, made.at = [[view.item for view in views], [view.item for view in here]], 2
    return made, here


def test_one_goes_back_for_what_draws_by_half_a_deviation_more_than_all_here() -> None:
    """MODELS 7.3: an unwatched item of the page before with m > max(current) + .5."""
    for best, sought in ((0.69, ""), (0.71, "Title 1")):
        passed, here = visit((0.1, None), (best, None), (5.0, 4))
        assert passed._earlier(here) == sought, "what was watched draws nobody back"
    passed, here = visit((0.9, None))
    passed.at = 1
    assert passed._earlier(here) == "", "before the first page there is nothing"


def share_taken(wanted: tuple[str, ...], genre: str) -> float:
    """Of titles that draw as an average one, by a visitor for whom the odds of such are even at a pull of .673."""
    titles = [shown(n, f"Title {n}", 0.875 / 1.3, (genre,)) for n in range(20)]
    facts = BrowseFacts("movie", tuple(title.facts for title in titles), wanted=wanted)
    by = tuple(title.by for title in titles)
    pages = (
        Browse(facts, BrowseDispositions(by, Temper(), SCALES, f"page {page}")) for page in range(1, 501)
    )
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
    made: Any = Fitted(None, ratings, SimpleNamespace(block=lambda users: interest), None, None, 0.0)  # type: ignore[arg-type]
    return np.asarray(made.of(np.arange(len(interest))).pull)


def test_what_one_expects_weighs_as_much_as_what_people_like_oneself_pick() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(3, 1, (4, 50)), rng.normal(3, 1, (4, 50))
    assert np.allclose(pull(one, other), pull(other, one), atol=1e-5)
    assert np.allclose(pull(one, other).std(axis=1), 0.3, atol=1e-5) and np.allclose(
        pull(one, other).mean(axis=1), 0, atol=1e-5
    )
    assert np.allclose(pull(one, -one), 0, atol=1e-5), "the two cancel each other out"


@pytest.mark.parametrize(
    ("pull", "genres", "words"),
    [
        (0.4, ("Drama", "War", "Crime"), "This drama and war movie is my kind of thing."),
        (0.4, (), "This movie is my kind of thing."),
        (-0.4, ("Drama",), "I seldom care for drama."),
    ],
)
def test_a_reason_names_two_genres_at_most(pull: float, genres: tuple[str, ...], words: str) -> None:
    assert reason_for(shown(1, "Title", pull, genres).facts, pull, "movie") == words
