"""Multi-Generational: claim producers and detectors evolve against each other on true and false versions."""

from openiir.scenarios.multi_generational.scenario import MultiGenerational

__all__ = ["MultiGenerational"]
