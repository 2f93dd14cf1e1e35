"""The conversational type keeps the contract of every type, with each simulator and kind of system."""

from typing import Any

from openiir.scenarios.conversational.scenario import Conversational
from openiir.testing import ScenarioContract

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 30, "items": 60}},
    "dialogues": 4,
    "turns": 5,
    "systems": ["random", "attribute"],
}


class ConversationalContract(ScenarioContract):
    type = Conversational
    audited = False  # tests/runs/test_audit.py audits every built-in type
    lives_apart = True


def study(**config: Any) -> dict[str, Any]:
    return {"type": "conversational", "personas": [], "config": {**SMALL, **config}}


class TestAgenda(ConversationalContract):
    study = study(
        simulators=[{"name": "agenda", "by": "agenda", "acts": False}],
        judge={"dialogues": 4, "probes": True, "repeats": 2},
    )


class TestPrompted(ConversationalContract):
    study = study(simulators=["single", "dual"], systems=["random", "prompted"])
