"""Asymmetric-Memory: study whether agents that remember gain an unfair advantage over those that do not."""

from openiir.scenarios.asymmetric_memory.scenario import AsymmetricMemory

__all__ = ["AsymmetricMemory"]
