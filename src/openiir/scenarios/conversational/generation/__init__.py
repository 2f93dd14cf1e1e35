"""Generation of utterances from dialogue acts by built-in templates, learnt templates or a model."""

from openiir.scenarios.conversational.generation.templates import Templates
from openiir.scenarios.conversational.generation.trained_templates import TrainedTemplates

__all__ = ["Templates", "TrainedTemplates"]
