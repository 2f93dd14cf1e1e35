"""Settings for `openiir audit`: a small study, and for each key the settings under which it has an effect."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent / "reference"
AUDITED: Mapping[str, Any] = {
    "data.synthetic": {"users": 40, "items": 60},
    "users": 4,
    "systems": [{"name": "popularity", "by": "popularity"}],
    "page.most": 2,
}
_RATINGS = {"study": "audit/ratings/study.toml"}
_ITEMS = {"study": "audit/items/study.toml"}
_BOOKS = {"study": "audit/books/study.toml"}
_ITEM_TABLE = (
    "file separator encoding names key attributes lists title summary description caption image".split()
)
_DISCRIMINATION = {
    "experiment": "discrimination",
    "discrimination.items": 4,
    "discrimination.least": 2,
    "discrimination.negatives": [1, 2],
}
_BATTERY = {"battery.pages": [1], "battery.items": 5}
ACTS_WITH: Mapping[str, Mapping[str, Any]] = {
    **{f"data.{key}": _RATINGS for key in ("name", "ratings", "kind", "minimum_ratings")},
    **{
        f"data.ratings.{key}": _RATINGS
        for key in "file separator encoding names user item rating time scale".split()
    },
    **{f"data.rules.{key}": _RATINGS for key in ("duplicates", "strict")},
    "data.items": {**_ITEMS, "data.enrichment": []},
    "data.enrichment": _ITEMS,
    **{f"data.items.{key}": {**_ITEMS, "data.enrichment": []} for key in _ITEM_TABLE},
    **{f"data.enrichment[].{key}": _ITEMS for key in _ITEM_TABLE},
    "data.path": _BOOKS,
    "published_split": _BOOKS,
    "systems": {"systems": [{"name": name, "by": name} for name in ("popularity", "random")]},
    "systems[].options": {"systems": [{"name": "als", "by": "als", "options": {"factors": 4}}]},
    **{f"visitors.{key}": {"visitors.memory": "sim"} for key in ("warm_up", "warm_up_pages")},
    "visitors.travel": {"visitors.leaving": "patch", "page.most": 8},
    "page.clicks": {"users": 12, "page.items": 8, "page.most": 6},
    "page.returns": {"page.items": 1, "page.most": 12, "page.exits": False},
    "page.only": {"page.only": ["drama"]},
    "battery.items": _BATTERY,
    **{f"discrimination.{key}": _DISCRIMINATION for key in ("negatives", "items", "kinds")},
    "discrimination.least": {**_DISCRIMINATION, "users": 12},
    **{f"rating.{key}": {"experiment": "rating", "rating.items": 2} for key in ("items", "unknown")},
    "thumbnails.items": {"experiment": "thumbnails", "thumbnails.items": 2},
    "coherence.requests": {"experiment": "coherence", "coherence.requests": 1},
}
