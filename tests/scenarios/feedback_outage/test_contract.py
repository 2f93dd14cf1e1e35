"""The type keeps the contract, on synthetic material and on documents with judgements."""

from typing import Any

from openiir.scenarios.feedback_outage import FeedbackOutage
from openiir.testing import ScenarioContract

SMALL: dict[str, Any] = {"rounds": 14, "searchers": 40, "queries": 12, "documents": 12}
EVENTS = [
    {"at": "round 4", "kind": "outage", "channel": "click", "share": 0.8},
    {"at": "round 9", "kind": "restore", "channel": "click"},
]


class TestContract(ScenarioContract):
    type = FeedbackOutage
    study = {"type": "feedback_outage", "seed": 3, "config": SMALL, "event": EVENTS}
    lives_apart = True


class TestOnJudgedDocuments(ScenarioContract):
    type = FeedbackOutage
    study = FeedbackOutage.reference / "audit" / "judged.toml"
    audited = False
    lives_apart = True
