"""Twin-Ecosystem: does a policy on rankings help, in a world that responds to it."""

from openiir.scenarios.twin_ecosystem.scenario import TwinEcosystem

__all__ = ["TwinEcosystem"]
