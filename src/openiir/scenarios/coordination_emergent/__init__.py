"""Coordination-Emergent: study whether agents who see what others ask form cartels of information."""

from openiir.scenarios.coordination_emergent.scenario import CoordinationEmergent

__all__ = ["CoordinationEmergent"]
