"""The recommender keeps the contract of every type, in each of its experiments."""

from typing import Any

from openiir.scenarios.recommender import Recommender
from openiir.testing import ScenarioContract
from openiir.testing.contract import QuestionContract

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 60, "items": 90}},
    "users": 5,
    "systems": ["random", "popularity"],
    "page": {"most": 3, "items": 4},
}


class RecommenderContract(ScenarioContract):
    type = Recommender
    audited = False  # tests/runs/test_audit.py audits every built-in type
    lives_apart = True


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
