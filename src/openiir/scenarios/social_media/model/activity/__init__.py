"""How often members act, at which hours, and how long after a post they react to it."""

from openiir.scenarios.social_media.model.activity.delays import (
    draw_delays,
    due_rows,
    reaction_quantile,
    reaction_share,
    round_minutes,
    round_weights,
)
from openiir.scenarios.social_media.model.activity.rates import (
    average_profile,
    draw_rates,
    scale_profile,
)
from openiir.scenarios.social_media.model.activity.rhythm import DailyRhythm
from openiir.scenarios.social_media.model.activity.rules import ActivityRule

__all__ = [
    "ActivityRule",
    "DailyRhythm",
    "average_profile",
    "draw_delays",
    "draw_rates",
    "due_rows",
    "reaction_quantile",
    "reaction_share",
    "round_minutes",
    "round_weights",
    "scale_profile",
]
