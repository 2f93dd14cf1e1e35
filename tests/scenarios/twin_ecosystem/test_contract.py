"""The type keeps the contract of every type."""

from openiir.scenarios.twin_ecosystem import TwinEcosystem
from openiir.testing import ScenarioContract

SMALL = ("config.searchers=60", "config.rounds=3")


class TestContract(ScenarioContract):
    type = TwinEcosystem
    sets = SMALL
