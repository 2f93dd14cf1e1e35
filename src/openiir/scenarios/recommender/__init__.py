"""Recommender study type: simulated users with personas, memory and moods visit recommenders (SimUSER)."""

from openiir.scenarios.recommender.scenario import RecommenderScenario as Recommender

__all__ = ["Recommender"]
