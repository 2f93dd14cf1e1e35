"""The type keeps the contract of every type, on judged needs and on known items."""

from openiir.scenarios.tiered_capability import TieredCapability
from openiir.testing import ScenarioContract
from openiir.testing.contract import QuestionContract


class TestContract(ScenarioContract):
    type = TieredCapability
    sets = ("config.members=30", "config.rounds=4")


class TestKnownItems(QuestionContract):
    type = TieredCapability
    study = TieredCapability.reference / "known.toml"
    sets = ("config.members=20", "config.rounds=3")
