"""Recommenders judged by simulated users with personas, memory, perception and moods (SimUSER)."""

from openiir.scenarios.recommender.scenario import RecommenderScenario as Recommender

__all__ = ["Recommender"]
