"""Reference systems: conversational recommenders from a random one to an oracle."""

from openiir.scenarios.conversational.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.systems.prompted import PromptedSystem, SystemLine
from openiir.scenarios.conversational.systems.registry import REFERENCE_SYSTEMS, reference_system
from openiir.scenarios.conversational.systems.system import ReferenceSystem

__all__ = [
    "DialogueState",
    "PromptedSystem",
    "REFERENCE_SYSTEMS",
    "ReferenceSystem",
    "SystemKnowledge",
    "SystemLine",
    "reference_system",
]
