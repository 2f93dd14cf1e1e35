"""Behaviour model of a visit: formulas of watching, rating, satisfaction, fatigue, leaving and mood.

The defaults of MODELS 7 reproduce the levels that SimUSER reports (Bougie & Watanabe, ICLR 2025 submission,
Table 3) with ratings that follow MovieLens. Constants marked [design] have no published value.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from openiir.plugin import Draw, int_sum

WATCH, SLOPE = -0.875, 1.3
PICKY = (-0.4, 0.0, 0.4)
"""Shift of the attraction needed to watch a title, for not, moderately and extremely picky visitors."""
ACTIVE = (-0.3, 0.0, 0.5)
"""Shift of the log-odds of watching, for occasional, regular and heavy users."""
TIRES_AFTER = (2.5, 4.0, 8.0)
"""Number of pages after which 63 % of the energy is gone, for occasional, regular and heavy users."""
UNWATCHED = 0.15
"""Gain from a title that is passed over; a watched title gives (rating - 1) / 4."""
KEPT, START = 0.6, 0.5
"""Weight of earlier satisfaction in its update after a page, and satisfaction at the start."""
EXIT, BORED, TIRED = -2.2, 3.2, 3.0
NEUTRAL_AT = 0.45
"""Satisfaction at which boredom has no effect on the probability of leaving."""
REVIEW = {"negative": -0.13, "positive": 0.09, "count": 0.03}
"""Shifts of the log-odds of watching by reviews on the page: the mean logit shifts of SimUSER's Table 5."""
PICTURE = 0.5
"""Shift of the log-odds of watching for a picture with an appeal of 1 [design]."""
REQUESTED = 2.0
"""Shift of the log-odds of taking a title that fits the visitor's request, and minus that for others
[design]."""
RISE, WEAR = 0.15, 0.10
"""Strength of mere exposure and of wear-out (Berlyne, Perception & Psychophysics 1970), in standard
deviations of a rating [design]."""

Emotion = Literal["curious", "frustrated", "excited", "neutral", "overwhelmed"]
Tiredness = Literal["not tired", "a little tired", "very tired"]
Liking = Literal["not at all", "no", "so-so", "yes", "very much"]
LIKING: Mapping[Liking, float] = {"not at all": 0.1, "no": 0.3, "so-so": 0.5, "yes": 0.7, "very much": 0.9}
"""Satisfaction, 0 to 1, represented by each answer: the middle of its fifth of the range."""


@dataclass(frozen=True)
class Temper:
    """Personality traits that affect a visitor's decisions, at levels 0 (low), 1 (middle) and 2 (high).

    That age, openness and agreeableness act at all is an assumption of ours [design]; nothing else of a
    persona acts.
    """

    picky: int = 1
    engaged: int = 1
    age: int = 1
    """Age level: 0 below 25, 2 from 45."""
    openness: int = 1
    agreeableness: int = 1

    @property
    def patience(self) -> float:
        """Number of pages after which 63 % of the visitor's energy is used up."""
        return TIRES_AFTER[self.engaged] * (1.15, 1.0, 0.87)[self.age]


def sigmoid(x: float) -> float:
    """Convert log-odds to a probability."""
    return 1 / (1 + math.exp(-x))


def watch_probability(temper: Temper, pull: float, novelty: float = 0.0, shift: float = 0.0) -> float:
    """Compute the probability that a visitor watches a title.

    `pull` is the title's attraction for this person, 0 for an average title; `novelty` (0 to 1) is how
    little known it is, which attracts open people [design]; `shift` adds to the log-odds.
    """
    drawn = pull + 0.15 * (temper.openness - 1) * novelty
    return sigmoid(WATCH + SLOPE * (drawn - PICKY[temper.picky]) + ACTIVE[temper.engaged] + shift)


def page_gain(ratings: Sequence[int | None]) -> float:
    """Compute a page's gain, 0 to 1: the mean over its titles' ratings, None for a title not taken."""
    worth = [UNWATCHED if rating is None else (rating - 1) / 4 for rating in ratings]
    return fmean(worth) if worth else 0.0


def update_satisfaction(before: float, page_gain: float) -> float:
    """Update satisfaction, 0 to 1, by exponential smoothing of the pages' gains."""
    return KEPT * before + (1 - KEPT) * page_gain


def fatigue_after(temper: Temper, pages: int) -> float:
    """Compute fatigue after a number of pages, from 0 (fresh) to 1, saturating."""
    return 1 - math.exp(-pages / temper.patience)


def p_exit(satisfied: float, tired: float) -> float:
    """Compute the probability of leaving after a page."""
    return sigmoid(EXIT + BORED * (NEUTRAL_AT - satisfied) + TIRED * tired)


def patch_is_spent(gains: Sequence[float], temper: Temper, travel: float) -> bool:
    """Whether to leave by the marginal value theorem of foraging, given the gains of pages so far.

    Charnov, Theor. Popul. Biol. 1976; Pirolli & Card 1999. A page's gain counts by the energy left for it.
    One leaves when the next page, taken to give what the last one gave, promises less than the long-run rate:
    all that was gained over the pages and the `travel` to get here.
    """
    if not gains:
        return False
    energy = [1 - fatigue_after(temper, page) for page in range(len(gains) + 1)]
    long_run = math.fsum(g * e for g, e in zip(gains, energy, strict=False)) / (len(gains) + travel)
    return gains[-1] * energy[-1] < long_run


def tiredness_words(tired: float) -> Tiredness:
    """Describe a level of fatigue, 0 to 1."""
    return "not tired" if tired < 0.4 else "a little tired" if tired < 0.75 else "very tired"


def liking_words(satisfied: float) -> Liking:
    """Describe a level of satisfaction, 0 to 1."""
    return min(LIKING, key=lambda words: (abs(LIKING[words] - satisfied), words))


def mood_after_page(
    satisfied: float, page_gain: float, before: float, tired: float, page: int, novelty: float
) -> Emotion:
    """Name the mood after a page, from satisfaction, surprise, fatigue and novelty [design]."""
    valence, surprise = satisfied - 0.5, abs(page_gain - before)
    if valence > 0.15 and surprise > 0.1:
        return "excited"
    if valence < -0.15 and page >= 2:
        return "frustrated"
    if tired > 0.8:
        return "overwhelmed"
    return "curious" if novelty > 0.5 else "neutral"


def peak_end_rating(gains: Sequence[float]) -> float:
    """Compute the satisfaction rating of a visit, 1 to 10, by the peak-end rule.

    Kahneman et al., Psychological Science 1993.
    """
    return 1 + 9 * (0.5 * max(gains) + 0.5 * gains[-1]) if gains else 1.0


def exposure_shift(pages: float) -> float:
    """Compute the change of attraction to a genre's titles after it was shown on `pages` pages.

    Counted in pages, the rise comes after some twenty of them, as SimUSER saw it; counted in titles it would
    be over by then, and turned into its opposite.
    """
    return RISE * (1 - math.exp(-pages / 20)) - WEAR * max(0.0, pages / 40 - 1)


def rating_noise(draw: Draw, title: str) -> float:
    """Draw the rating noise of a title, standard normal; keyed by the title, so the same on every page."""
    return float(draw.at("rating").normal(item=title, step=0))


@dataclass(frozen=True)
class RatingScales:
    """Parameters that turn expected into whole ratings: mean, spread and cut points."""

    mean: float
    spread: float
    r2: float
    """Share of the variance of ratings explained by expected ratings."""
    cuts: tuple[float, ...]
    """Standard normal quantiles of the cumulated shares of ratings, ascending."""

    def draw_rating(self, expected: float, noise: float, shift: float = 0.0) -> int:
        """Draw a rating, 1 upwards, by an ordered probit (McKelvey & Zavoina, J. Math. Sociology 1975).

        The latent rating is sqrt(r2) * z + sqrt(1 - r2) * noise, z the standardised expectation and `noise`
        standard normal.
        """
        z = (expected - self.mean) / self.spread if self.spread else 0.0
        latent = math.sqrt(self.r2) * z + math.sqrt(1 - self.r2) * noise + shift
        return 1 + int_sum(latent > cut for cut in self.cuts)


Feeling = Literal["liked", "disliked", ""]


def classify_feeling(stars: float, usual: float) -> Feeling:
    """Classify a rating as liked, disliked or neither, relative to the visitor's usual rating.

    5 is always liked and 1 always disliked.
    """
    given, mean = int(stars + 0.5), int(usual + 0.5)
    if given == 5 or given > mean:
        return "liked"
    return "disliked" if given == 1 or given < mean else ""
