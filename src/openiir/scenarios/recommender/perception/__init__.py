"""Perception of pictures: captions, appeal, variants of posters, and synthetic posters."""

from openiir.scenarios.recommender.perception.captions import (
    CAPTIONER,
    Caption,
    CaptionFacts,
    CaptionPicture,
    captions,
)
from openiir.scenarios.recommender.perception.image_features import ImageFeatures, look
from openiir.scenarios.recommender.perception.image_words import appeal, appeal_in, describe_picture, mood
from openiir.scenarios.recommender.perception.posters import poster, posters
from openiir.scenarios.recommender.perception.thumbnails import Variant, thumbnail_captions, variants

__all__ = [
    "CAPTIONER",
    "Caption",
    "CaptionFacts",
    "CaptionPicture",
    "ImageFeatures",
    "Variant",
    "appeal",
    "appeal_in",
    "captions",
    "describe_picture",
    "look",
    "mood",
    "poster",
    "posters",
    "thumbnail_captions",
    "variants",
]
