"""Agents who share sources keep the contract of every type, with synthetic sources and with documents."""

from openiir.scenarios.coordination_emergent import CoordinationEmergent
from openiir.testing import ScenarioContract
from openiir.testing.contract import QuestionContract

SMALL = ("config.members=24", "config.rounds=6", "config.sources=12")


class TestContract(ScenarioContract):
    type = CoordinationEmergent
    sets = SMALL


class TestDocuments(QuestionContract):
    type = CoordinationEmergent
    study = CoordinationEmergent.reference / "documents.toml"
    sets = ("config.members=12", "config.rounds=3")
