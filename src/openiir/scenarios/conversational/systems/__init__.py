"""Reference systems: conversational recommenders from a random one to an oracle."""

from openiir.scenarios.conversational.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.systems.knowledge import Known
from openiir.scenarios.conversational.systems.prompted import PromptedSystem, SystemLine
from openiir.scenarios.conversational.systems.registry import REFERENCE_SYSTEMS, reference_system
from openiir.scenarios.conversational.systems.system import System

__all__ = [
    "REFERENCE_SYSTEMS",
    "Known",
    "PromptedSystem",
    "SystemLine",
    "System",
    "DialogueState",
    "reference_system",
]
