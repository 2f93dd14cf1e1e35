"""How visitors decide: published levels, the rules' shapes, and the moods, beside formulas written out."""

import math
from bisect import bisect_left
from itertools import pairwise

import numpy as np
import pytest

from openiir.plugin import Draw
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.model.choice_model import RatingScales, Temper

CUTS = (-1.588, -0.979, -0.190, 0.751)
"""Standard normal quantiles of the shares of ratings in MovieLens 1M."""
SLATES = {
    "random": (0.0, 1.0, 0.295, 2.73),
    "popular": (0.45, 0.9, 0.385, 2.88),
    "MF": (0.75, 0.8, 0.459, 2.98),
    "MultVAE": (1.0, 0.8, 0.522, 3.17),
    "LightGCN": (1.15, 0.8, 0.562, 3.26),
}
"""Mean and deviation of what draws one on a page, and the P_view and N_exit that follow."""
USERS, PAGES, SLOTS = 2_000, 20, 4


def simulated(mean: float, sd: float, picky: int | None = None) -> tuple[float, float, float]:
    """P_view and N_exit of 2,000 visitors, and P_view's standard error.

    60/30/10 % are of low, middle and high activity, and 3/67/30 % not, moderately and extremely picky, as
    users of MovieLens 1M are by their mean rating, unless all are alike `picky`.
    """
    rng = np.random.default_rng(7)
    views, pages = np.empty(USERS), np.empty(USERS)
    levels = rng.choice(3, USERS, p=[0.03, 0.67, 0.30])
    for user in range(USERS):
        engaged = 0 if user % 10 < 6 else 1 if user % 10 < 9 else 2
        temper = Temper(picky=int(levels[user]) if picky is None else picky, engaged=engaged)
        satisfied, watched = choice_model.START, 0
        for page in range(1, PAGES + 1):
            ratings: list[int | None] = []
            for pull, chance, noise in zip(
                rng.normal(mean, sd, SLOTS), rng.random(SLOTS), rng.normal(size=SLOTS), strict=True
            ):
                taken = chance < choice_model.watch_probability(temper, pull)
                ratings.append(RatingScales(0.7, 1.0, 0.41, CUTS).draw_rating(pull, noise) if taken else None)
            watched += sum(rating is not None for rating in ratings)
            satisfied = choice_model.update_satisfaction(satisfied, choice_model.page_gain(ratings))
            if rng.random() < choice_model.p_exit(satisfied, choice_model.fatigue_after(temper, page)):
                break
        views[user], pages[user] = watched / (SLOTS * page), page
    return float(views.mean()), float(pages.mean()), float(views.std() / math.sqrt(USERS))


@pytest.fixture(scope="module")
def levels() -> dict[str, tuple[float, float, float]]:
    return {name: simulated(mean, sd) for name, (mean, sd, _, _) in SLATES.items()}


def test_levels_are_those_that_the_constants_were_set_for(
    levels: dict[str, tuple[float, float, float]],
) -> None:
    """Within four standard errors of each of two simulations of 2,000; a visit's length deviates by about 1.8
    pages."""
    for name, (_, _, p_view, n_exit) in SLATES.items():
        view, pages, error = levels[name]
        assert abs(view - p_view) < 4 * math.sqrt(2) * error + 5e-4, (name, view)
        assert abs(pages - n_exit) < 4 * math.sqrt(2) * 1.8 / math.sqrt(USERS) + 5e-3, (name, pages)


def test_better_pages_are_viewed_more_and_longer(levels: dict[str, tuple[float, float, float]]) -> None:
    for worse, better in pairwise(levels.values()):
        assert worse[0] < better[0]
    assert levels["random"][1] < levels["LightGCN"][1]


def test_the_pickier_view_less(levels: dict[str, tuple[float, float, float]]) -> None:
    picky, mixed = simulated(0.75, 0.8, picky=2), levels["MF"]
    assert picky[0] < mixed[0] - 4 * mixed[2]
    assert (
        choice_model.watch_probability(Temper(picky=0), 0.0)
        > choice_model.watch_probability(Temper(), 0.0)
        > choice_model.watch_probability(Temper(picky=2), 0.0)
    )


def test_each_trait_moves_watching_as_it_says() -> None:
    middle = choice_model.watch_probability(Temper(), 0.0)
    assert middle == pytest.approx(1 / (1 + math.exp(0.875)))
    assert (
        choice_model.watch_probability(Temper(engaged=2), 0.0)
        > middle
        > choice_model.watch_probability(Temper(engaged=0), 0.0)
    )
    assert choice_model.watch_probability(Temper(openness=2), 0.0, novelty=1.0) > middle
    assert choice_model.watch_probability(Temper(openness=2), 0.0, novelty=0.0) == middle
    assert (
        choice_model.watch_probability(Temper(), 0.0, shift=choice_model.REVIEW["negative"])
        < middle
        < choice_model.watch_probability(Temper(), 0.0, shift=0.09)
    )
    assert abs(choice_model.REVIEW["negative"]) > choice_model.REVIEW["positive"], (
        "bad words weigh more than good ones"
    )


def test_ratings_have_the_shares_that_the_cuts_stand_for() -> None:
    rng = np.random.default_rng(3)
    n = 20_000
    expected, noise = rng.normal(3.6, 0.4, n), rng.normal(size=n)
    given = np.bincount(
        [RatingScales(3.6, 0.4, 0.41, CUTS).draw_rating(e, z) for e, z in zip(expected, noise, strict=True)],
        minlength=6,
    )[1:]
    shares = np.array([0.0562, 0.1075, 0.2611, 0.3489, 0.2263])
    np.testing.assert_allclose(given / n, shares, atol=4 * math.sqrt(0.25 / n))


def test_a_rating_is_the_number_of_cuts_passed() -> None:
    for noise in (-3.0, -1.2, -0.5, 0.3, 2.0):
        latent = math.sqrt(0.59) * noise
        assert RatingScales(3.0, 0.4, 0.41, CUTS).draw_rating(3.0, noise) == 1 + sum(
            latent > cut for cut in CUTS
        )
    assert RatingScales(3.0, 0.0, 0.41, CUTS).draw_rating(5.0, 0.0) == 4, (
        "without a spread nothing is foreseen"
    )


def test_a_page_gives_the_mean_over_its_titles() -> None:
    assert choice_model.page_gain([5, None, 1, 3]) == pytest.approx((1 + 0.15 + 0 + 0.5) / 4)
    assert choice_model.page_gain([]) == 0.0 and choice_model.page_gain([None]) == 0.15
    assert choice_model.update_satisfaction(0.5, 1.0) == pytest.approx(0.7)


def test_fatigue_saturates_and_the_older_tire_sooner() -> None:
    curve = [choice_model.fatigue_after(Temper(), page) for page in range(30)]
    assert curve[0] == 0 and curve[4] == pytest.approx(1 - math.exp(-1)) and curve[-1] < 1
    assert all(b > a for a, b in pairwise(curve))
    assert (
        choice_model.fatigue_after(Temper(age=2), 4) > curve[4] > choice_model.fatigue_after(Temper(age=0), 4)
    )
    assert choice_model.p_exit(0.2, 0.5) > choice_model.p_exit(0.8, 0.5) and choice_model.p_exit(
        0.5, 0.9
    ) > choice_model.p_exit(0.5, 0.1)


def test_people_remember_the_best_page_and_the_last() -> None:
    assert choice_model.peak_end_rating([0.2, 0.8, 0.4]) == pytest.approx(1 + 9 * (0.5 * 0.8 + 0.5 * 0.4))
    assert choice_model.peak_end_rating([]) == 1.0 and choice_model.peak_end_rating([1.0]) == 10.0
    assert choice_model.peak_end_rating([0.1, 0.9, 0.5]) > choice_model.peak_end_rating([0.5, 0.5, 0.5])


def test_a_genre_is_liked_more_at_first_and_then_wears_out() -> None:
    curve = [choice_model.exposure_shift(n) for n in range(201)]
    assert curve[0] == 0 and all(b > a for a, b in pairwise(curve[:41]))
    assert max(range(201), key=curve.__getitem__) in range(38, 45) and curve[200] < curve[0] < curve[40]
    assert curve[20] == pytest.approx(0.15 * (1 - math.exp(-1)))


def stay(travel: float, temper: Temper, gains: list[float]) -> int:
    """Pages after which one leaves by the marginal value theorem."""
    return next(
        (n for n in range(1, len(gains) + 1) if choice_model.patch_is_spent(gains[:n], temper, travel)),
        len(gains),
    )


def test_who_came_far_stays_long() -> None:
    stays = [stay(travel, Temper(), [0.5] * 60) for travel in (0.5, 2.0, 8.0, 30.0)]
    assert stays == sorted(stays) and len(set(stays)) == len(stays)
    assert stay(2.0, Temper(engaged=2), [0.5] * 60) > stay(2.0, Temper(engaged=0), [0.5] * 60), (
        "patience keeps one"
    )
    assert not choice_model.patch_is_spent([], Temper(), 1.0)


@pytest.mark.parametrize(("travel", "golden"), [(5.0, 8.577), (20.0, 15.052), (60.0, 22.215)])
def test_leaving_is_charnov_s_optimum(travel: float, golden: float) -> None:
    """A patch of gain 1 - exp(-t/10): one that pays less and less by tiring alone, with a patience of 10.

    The rule looks at whole pages, which here are a hundred to the unit of time.
    """
    fine = 100
    temper = Tiring()
    pages = range(1, 60 * fine)
    left = pages[
        bisect_left(pages, True, key=lambda n: choice_model.patch_is_spent([1.0] * n, temper, travel * fine))
    ]
    assert left / fine == pytest.approx(golden, abs=0.02)


class Tiring(Temper):
    @property
    def patience(self) -> float:
        return 10.0 * 100


@pytest.mark.parametrize(
    ("satisfied", "gain", "before", "tired", "page", "novelty", "feels"),
    [
        (0.7, 0.9, 0.5, 0.2, 1, 0.0, "excited"),
        (0.7, 0.55, 0.5, 0.2, 1, 0.0, "neutral"),
        (0.3, 0.1, 0.4, 0.2, 2, 0.9, "frustrated"),
        (0.3, 0.1, 0.4, 0.2, 1, 0.9, "curious"),
        (0.5, 0.5, 0.5, 0.85, 9, 0.9, "overwhelmed"),
        (0.5, 0.5, 0.5, 0.5, 3, 0.6, "curious"),
        (0.5, 0.5, 0.5, 0.5, 3, 0.5, "neutral"),
    ],
)
def test_emotions(
    satisfied: float, gain: float, before: float, tired: float, page: int, novelty: float, feels: str
) -> None:
    assert choice_model.mood_after_page(satisfied, gain, before, tired, page, novelty) == feels


def test_tiredness_in_words() -> None:
    words = [choice_model.tiredness_words(tired) for tired in (0.0, 0.39, 0.4, 0.74, 0.75, 1.0)]
    assert words == ["not tired"] * 2 + ["a little tired"] * 2 + ["very tired"] * 2


def test_a_title_is_rated_alike_on_whichever_page_it_comes() -> None:
    one, other = (
        Draw(5, "recommender.browse", agent="user-1", step=step, item=f"page {step}") for step in (2, 7)
    )
    assert (
        choice_model.rating_noise(one, "Heat")
        == choice_model.rating_noise(other, "Heat")
        != choice_model.rating_noise(one, "Alien")
    )
    assert choice_model.rating_noise(
        Draw(5, "recommender.browse", agent="user-2"), "Heat"
    ) != choice_model.rating_noise(one, "Heat")
