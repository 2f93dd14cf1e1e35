"""The three worlds keep the contract of every type, with drawn sources and with those of a world."""

from openiir.scenarios.asymmetric_memory import AsymmetricMemory
from openiir.testing import ScenarioContract


class TestContract(ScenarioContract):
    type = AsymmetricMemory
    sets = ("config.members=60", "config.rounds=6", "config.drift=0.5", "config.new_goal=0.2")


class TestContractOfFolders(ScenarioContract):
    type = AsymmetricMemory
    study = AsymmetricMemory.reference / "audit"
    sets = ('config.memory="decayed:2"',)
    audited = False
