"""The feed keeps the contract of every type, under each way of reading and each rule of belief."""

from typing import Any

from openiir.scenarios.curated_feed import CuratedFeed
from openiir.testing import ScenarioContract
from openiir.testing.contract import QuestionContract

SMALL: dict[str, Any] = {
    "users": 16,
    "weeks": 2,
    "sessions": 2,
    "topics": 3,
    "slots": 4,
    "candidates": 10,
    "audit_items": 6,
    "audit_users": 3,
    "promoted": 6,
    "items": {"per_week": 30},
    "beside": ["random", "none"],
}


class TestByPosition(ScenarioContract):
    type = CuratedFeed
    study = {"type": "curated_feed", "config": SMALL}
    audited = False


class TestCascade(QuestionContract):
    type = CuratedFeed
    study = {
        "type": "curated_feed",
        "config": {
            **SMALL,
            "clicks": {"model": "cascade", "leave": 0.2, "intercept": 0.0},
            "beliefs": {"rule": "bounded", "rate": 0.8, "exposure": 1.0},
        },
    }


class TestDynamicBayesianNetwork(QuestionContract):
    type = CuratedFeed
    study = {
        "type": "curated_feed",
        "config": {
            **SMALL,
            "clicks": {"model": "dbn", "intercept": 0.0},
            "beliefs": {"rule": "repulsion", "rate": 0.8, "repel_beyond": 0.5, "repulsion": 1.0},
        },
    }
