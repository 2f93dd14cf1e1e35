"""Perception: pictures as captions and as appeal, variants of a poster, and posters made up for trials."""

from openiir.scenarios.recommender.perception.captions import CAPTIONER, Caption, CaptionPicture, captions
from openiir.scenarios.recommender.perception.describing import appeal, appeal_in, described
from openiir.scenarios.recommender.perception.looking import Look, look

__all__ = [
    "CAPTIONER",
    "Caption",
    "CaptionPicture",
    "Look",
    "appeal",
    "appeal_in",
    "captions",
    "described",
    "look",
]
