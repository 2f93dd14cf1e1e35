"""Conversational recommenders of our own to compare others with, from a random one to one that knows the answer."""

from openiir.scenarios.conversational.systems.known import Known
from openiir.scenarios.conversational.systems.prompted import Prompted, SayOver
from openiir.scenarios.conversational.systems.registry import REFERENCE_SYSTEMS, reference_system
from openiir.scenarios.conversational.systems.system import System
from openiir.scenarios.conversational.systems.talk import Talk

__all__ = ["REFERENCE_SYSTEMS", "Known", "Prompted", "SayOver", "System", "Talk", "reference_system"]
