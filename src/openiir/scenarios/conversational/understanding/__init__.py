"""From what was said to the acts in it: by catalogue and patterns, by training data, or by a model."""

from openiir.scenarios.conversational.understanding.catalogue import CatalogueReader

__all__ = ["CatalogueReader"]
