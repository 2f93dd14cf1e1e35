"""Understanding of utterances as dialogue acts: by catalogue and patterns, trained classifiers or a model."""

from openiir.scenarios.conversational.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.understanding.notation import format_acts, parse_acts

__all__ = ["CatalogueReader", "format_acts", "parse_acts"]
