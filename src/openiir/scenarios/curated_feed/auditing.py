"""Settings of `openiir audit` for this type: a small study, and other keys that some keys need to act."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent / "reference"
AUDITED: Mapping[str, Any] = {
    "users": 16,
    "weeks": 2,
    "sessions": 1,
    "items.per_week": 40,
    "slots": 5,
    "candidates": 10,
    "audit_items": 10,
    "audit_users": 6,
    "beside": ["random"],
    "evaluate": ["history", "popularity"],
}
_WORLD = {"study": "audit/study.toml"}
_NAMED = {
    **_WORLD,
    "promoted": 2,
    "topics": [
        {"name": "trams", "keywords": ["street"]},
        {"name": "libraries", "keywords": ["school", "children"]},
    ],
}
_EVALUATED = {
    "epsilon": 1.0,
    "candidates": 5,
    "measuring.ope.ranker": "history",
    "measuring.ope.least_ess": 1.0,
    "measuring.ope.largest_share": 1.0,
}
_JUDGED = {"measuring.qrels": str(REFERENCE / "audit" / "qrels.txt")}
ACTS_WITH: Mapping[str, Mapping[str, Any]] = {
    "persona.memory": {"promoted": 2},
    **{f"topics[].{key}": _NAMED for key in ("name", "keywords", "proposition", "at_issue")},
    **{f"items.{key}": _WORLD for key in ("source", "unit", "proposition")},
    "pool": {"pool": 25},
    **{f"clicks.{key}": {"clicks.model": "dbn"} for key in ("satisfaction", "continuation")},
    "beliefs.bound": {"beliefs.rule": "bounded"},
    **{f"beliefs.{key}": {"beliefs.rule": "repulsion"} for key in ("repel_beyond", "repulsion")},
    **{
        f"measuring.ope.{key}": _EVALUATED
        for key in ("ranker", "clip", "least_ess", "largest_share", "resamples")
    },
    **{f"measuring.{key}": _JUDGED for key in ("qrels", "retrieval")},
}
