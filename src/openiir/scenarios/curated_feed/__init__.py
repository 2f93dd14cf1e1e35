"""Curated-Feed: study how a ranker affects what its users are shown, click and come to believe."""

from openiir.scenarios.curated_feed.scenario import CuratedFeed

__all__ = ["CuratedFeed"]
