"""The conversational type keeps the contract of every type, with each simulator and kind of system."""

from collections import Counter
from typing import Any

from openiir.scenarios.conversational import Conversational
from openiir.testing import ScenarioContract
from openiir.testing.offline import Finished

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 30, "items": 60}},
    "dialogues": 4,
    "turns": 5,
    "systems": ["random", "attribute"],
}


class ConversationalContract(ScenarioContract):
    type = Conversational
    audited = False  # tests/runs/test_audit.py audits every built-in type

    def test_budgets_add_up(self, finished: Finished) -> None:
        """A budget is for one dialogue, and each dialogue is a lane."""
        spent: Counter[tuple[str, str | None]] = Counter()
        for event in finished.log.events("asked"):
            assert event.payload["debit"] >= 0, f"a debit below zero: {event}"
            spent[event.lane, event.actor] += event.payload["debit"]
        for persona, left in finished.left:
            assert left.tokens == persona.tokens, "what a dialogue costs is not the stage's to pay"
            assert all(n <= persona.tokens for (_, who), n in spent.items() if who == persona.id)


def study(**config: Any) -> dict[str, Any]:
    return {"type": "conversational", "personas": [], "config": {**SMALL, **config}}


class TestAgenda(ConversationalContract):
    study = study(simulators=[{"name": "agenda", "by": "agenda", "acts": False}])


class TestSingle(ConversationalContract):
    study = study(simulators=["single"])


class TestDual(ConversationalContract):
    study = study(simulators=["dual"], systems=["prompted"])
    shown_by_persona = {"conversational.say-over": ("talk",)}
    """What the system has made of the history, which the prompt shows."""


class TestJudged(ConversationalContract):
    study = study(judge={"dialogues": 4, "probes": True, "repeats": 2})
