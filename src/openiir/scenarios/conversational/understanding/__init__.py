"""From what was said to the acts in it: by catalogue and patterns, by training data, or by a model."""

from openiir.scenarios.conversational.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.understanding.notation import format_acts, parse_acts

__all__ = ["CatalogueReader", "format_acts", "parse_acts"]
