"""Settings for `openiir audit`: a small study, and companion settings without which some keys have no
effect."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openiir.scenarios.conversational.config import TRAITS

REFERENCE = Path(__file__).parents[1] / "reference"
AUDITED: Mapping[str, Any] = {
    "data.synthetic": {"users": 40, "items": 60},
    "dialogues": 8,
    "turns": 4,
    "simulators": ["agenda"],
    "systems": ["attribute"],
    "users.groups": [{"name": "some", "share": 0.5, **{trait: {"mean": 0.5, "sd": 0.1} for trait in TRAITS}}],
    "judge.dialogues": 2,
}
_RATINGS = {"study": "audit/ratings/study.toml"}
_ITEMS = {"study": "audit/items/study.toml"}
_FILMS = {"study": "audit/films/study.toml"}
_ITEM_TABLE = (
    "file separator encoding names key attributes lists title summary description caption image".split()
)
_GIVEN = {"needs.given": [{"constraints": {"genre": "Drama"}, "requests": ["year"]}]}
_WIDE = {
    "needs.constraints": {"least": 1, "most": 1},
    "needs.targets": {"least": 1, "most": 10},
    "dialogues": 12,
}
"""Settings under which each need has many target items."""
ACTS_WITH: Mapping[str, Mapping[str, Any]] = {
    "persona.memory": {
        "turns": 40,
        "systems": [{"name": "random", "by": "random"}],
        "users.patience": {"mean": 1.0},
        "users.groups": [],
    },
    **{f"data.{key}": _RATINGS for key in ("name", "ratings", "kind", "minimum_ratings")},
    **{
        f"data.ratings.{key}": _RATINGS
        for key in "file separator encoding names user item rating time scale".split()
    },
    **{f"data.rules.{key}": _RATINGS for key in ("duplicates", "strict")},
    "data.items": _ITEMS,
    "data.enrichment": _ITEMS,
    **{f"data.items.{key}": {**_ITEMS, "data.enrichment": []} for key in _ITEM_TABLE},
    **{f"data.enrichment[].{key}": _ITEMS for key in _ITEM_TABLE},
    "data.path": _FILMS,
    "needs.targets.most": _WIDE,
    "needs.stars": _WIDE,
    "needs.informable": {"needs.informable": ["genre", "director"]},
    "needs.requestable": {"needs.requestable": ["genre", "year"], "needs.requests": {"least": 1, "most": 1}},
    **dict.fromkeys(("needs.given", "needs.given[].constraints", "needs.given[].requests"), _GIVEN),
    "simulators[].dialogues": {
        **_GIVEN,
        "simulators": [{"name": "agenda", "by": "agenda", "dialogues": "past.json"}],
    },
    "systems[].options": {"systems": [{"name": "attribute", "by": "attribute", "options": {"asks": 1}}]},
    "needs.dialogues": {"needs.dialogues": "past.json"},
    "validity.dialogues": {"validity.dialogues": "past.json"},
}
