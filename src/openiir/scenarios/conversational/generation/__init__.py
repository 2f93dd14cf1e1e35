"""From acts to words: by templates, by training data, or by a model."""

from openiir.scenarios.conversational.generation.learnt import TrainedTemplates
from openiir.scenarios.conversational.generation.templates import Templates

__all__ = ["Templates", "TrainedTemplates"]
