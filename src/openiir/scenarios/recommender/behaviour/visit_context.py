"""Data and settings that all visits of a run share: catalogue entries, rating scales and options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.plugin import Draw
from openiir.scenarios.recommender.config import PageSpec, VisitorSpec
from openiir.scenarios.recommender.model.attraction import AttractionModel
from openiir.scenarios.recommender.model.choice_model import classify_feeling
from openiir.scenarios.recommender.model.guard import Guard
from openiir.scenarios.recommender.questions.page import (
    ACTORS,
    CatalogueEntry,
    RatedTitle,
    popularity_words,
)
from openiir.scenarios.recommender.questions.wording import choose_comment

MAKERS = ("director", "author", "developer")
"""Attributes that name the maker of an item."""


@dataclass(frozen=True, eq=False)
class VisitContext:
    """Read-only data and settings that all visits of a run share."""

    collection: Collection
    train: Ratings
    """Training ratings, on the data's scale; visitors rate from 1 to 5."""
    model: AttractionModel
    guard: Guard
    draw: Draw
    """Random source of the comments that pages show."""
    captions: Sequence[str]
    """Captions of the items' pictures; empty where there are none."""
    spec: VisitorSpec
    page: PageSpec
    follow_ups: Mapping[str, tuple[str, ...]]
    """Follow-up questions that self-ask adds to a query to memory, by query."""

    @cached_property
    def usual(self) -> list[float]:
        """Baseline rating of each item: mean rating plus item bias."""
        usual: list[float] = (self.model.bias.mean + self.model.bias.items).tolist()
        return usual

    def to_stars(self, rating: Any) -> Any:
        """Convert a rating of the data, or an array of them, to the scale 1 to 5."""
        return 1 + (rating - self.train.scale.low) * self.stars_per_unit

    @cached_property
    def _entries(self) -> dict[tuple[int, bool], CatalogueEntry]:
        return {}

    def entry(self, item: int, opened: bool = False) -> CatalogueEntry:
        """Get an item's catalogue entry, the long one if the item was opened; cached."""
        if (item, opened) in self._entries:
            return self._entries[item, opened]
        of, mean = self.collection, float(self.train.item_means[item])
        entry = self._entries[item, opened] = CatalogueEntry(
            title=of.titles[item],
            genres=of.values("genre", item),
            makers=tuple(maker for name in MAKERS for maker in of.values(name, item)),
            actors=of.values("actor", item)[:ACTORS],
            average=None if np.isnan(mean) else round(round(self.to_stars(mean), 2), 1),
            raters=int(self.train.counts[item]) if self.page.reviews == "count" else None,
            review=choose_comment(self.draw, of.ids[item], self.tone) if self.tone else "",
            summary=(opened and of.text("descriptions", item)) or of.text("summaries", item),
            picture=self.captions[item] if self.captions else "",
            fame=popularity_words(self.known[item]),
        )
        return entry

    def rated_title(self, item: int, rating: float, usual: float) -> RatedTitle:
        """Build a visitor's memory of a rating, which is on the data's scale.

        `usual` is the visitor's mean rating, 1 to 5.
        """
        stars, of = round(self.to_stars(rating), 1), self.collection
        return RatedTitle(of.titles[item], of.values("genre", item), stars, classify_feeling(stars, usual))

    @property
    def tone(self) -> str:
        """Tone of the user comments that pages show, `negative` or `positive`; empty for none."""
        return self.page.reviews if self.page.reviews in ("negative", "positive") else ""

    @cached_property
    def known(self) -> list[float]:
        """Popularity percentile of each item: the share of items with fewer ratings."""
        fewer = np.searchsorted(np.sort(self.train.counts), self.train.counts)
        return [round(share, 2) for share in (fewer / max(1, len(fewer) - 1)).tolist()]

    @cached_property
    def stars_per_unit(self) -> float:
        """Number of stars, on 1 to 5, for a unit of the data's scale."""
        return 4 / (self.train.scale.high - self.train.scale.low)

    @property
    def noun(self) -> str:
        return self.collection.kind
