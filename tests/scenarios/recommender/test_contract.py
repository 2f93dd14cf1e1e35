"""The recommender keeps the contract of every type, in each of its experiments."""

from collections import Counter
from typing import Any

from openiir.scenarios.recommender import Recommender
from openiir.testing import ScenarioContract
from openiir.testing.contract import QuestionContract
from openiir.testing.offline import Finished

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 60, "items": 90}},
    "users": 5,
    "systems": ["random", "popularity"],
    "page": {"most": 3, "items": 4},
}
TEMPER = ("temper",)


class RecommenderContract(ScenarioContract):
    type = Recommender
    audited = False  # tests/runs/test_audit.py audits every built-in type
    shown_by_persona = {"recommender.browse": TEMPER, "recommender.act": TEMPER}

    def test_budgets_add_up(self, finished: Finished) -> None:
        """A budget is for one visit, and each visit is a lane."""
        spent: Counter[tuple[str, str | None]] = Counter()
        for event in finished.log.events("asked"):
            assert event.payload["debit"] >= 0, f"a debit below zero: {event}"
            spent[event.lane, event.actor] += event.payload["debit"]
        for persona, left in finished.left:
            assert left.tokens == persona.tokens, "what a visit costs is not the stage's to pay"
            assert all(n <= persona.tokens for (_, who), n in spent.items() if who == persona.id)


def study(**config: Any) -> dict[str, Any]:
    return {"type": "recommender", "personas": [], "config": {**SMALL, **config}}


class TestVisits(RecommenderContract):
    study = study(
        systems=["random", "ease"],
        users=4,
        visitors={"memory": "sim", "warm_up": "popularity", "warm_up_pages": 1, "exposure": True},
        battery={"pages": [0, 2], "items": 6},
        judge={"visits": 2},
        retrain_every=2,
        page={"most": 3, "items": 4, "reviews": "negative"},
    )


class TestPatchLeaving(QuestionContract):
    type = Recommender
    shown_by_persona = RecommenderContract.shown_by_persona
    study = study(visitors={"leaving": "patch", "travel": 2.0, "persona": False, "graph": False})


class TestDiscrimination(RecommenderContract):
    study = study(experiment="discrimination", discrimination={"negatives": [1], "items": 4, "least": 2})


class TestRating(RecommenderContract):
    study = study(experiment="rating", rating={"items": 5, "unknown": True})


class TestCoherence(RecommenderContract):
    study = study(experiment="coherence", coherence={"requests": 2})


class TestThumbnails(RecommenderContract):
    study = study(experiment="thumbnails", thumbnails={"items": 3}, users=3)


class TestPersonas(RecommenderContract):
    study = study(experiment="personas")
