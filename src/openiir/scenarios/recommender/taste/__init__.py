"""Models of an agent's taste (picks and ratings), none of which a system under test shares."""

from openiir.scenarios.recommender.taste.discrimination import (
    AGAINST,
    Against,
    Tasks,
    auc,
    drawn_users,
    percentiles,
    score_answers,
    tasks,
    threshold,
)
from openiir.scenarios.recommender.taste.interest import SIGNALS, Interest
from openiir.scenarios.recommender.taste.probit import Probit, QuantileMatching, cutpoints, marginal
from openiir.scenarios.recommender.taste.rating import PARTS, RatingModel

__all__ = [
    "AGAINST",
    "Against",
    "Interest",
    "PARTS",
    "Probit",
    "QuantileMatching",
    "RatingModel",
    "SIGNALS",
    "Tasks",
    "auc",
    "cutpoints",
    "drawn_users",
    "marginal",
    "percentiles",
    "score_answers",
    "tasks",
    "threshold",
]
