"""The simulated platform behind a run's feeds: users, catalogue, and the steps of a session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.clicks import SlateReading
from openiir.kit.items import INJECTED, Catalogue
from openiir.kit.rankers import (
    ORACLES,
    RandomScores,
    RankedItems,
    Shelf,
    Slates,
    View,
    rank_items,
    ranker,
    serve_slates,
)
from openiir.kit.reranking import Candidates, Identity
from openiir.plugin import Draw, quantise
from openiir.scenarios.curated_feed.behaviour.feed_state import FeedState
from openiir.scenarios.curated_feed.config import CuratedFeedConfig, Injection
from openiir.scenarios.curated_feed.model.browsing import BrowseResult, browse
from openiir.scenarios.curated_feed.model.items.item_text import ItemWords, word_item
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic

_REMEMBERED = 2**20
"""Largest number of (user, item) pairs whose random numbers are cached for a week."""
_CELLS = 2**17
"""Number of (user, item) pairs ranked at a time, chosen so that they fit into the CPU cache."""


@dataclass(frozen=True, eq=False)
class FeedOffer:
    """Slates served to a block of users in one session, with the underlying ranking."""

    block: slice
    view: View
    ranked: RankedItems
    slates: Slates


@dataclass(eq=False)
class Platform:
    """Items, users and rules shared by all feeds of a run; each feed has its own `FeedState`."""

    config: CuratedFeedConfig
    """Configuration in force in the current week."""
    seed: int
    coming: Catalogue
    """Scheduled items of all weeks, without injected ones."""
    shelf: Shelf
    """Items that have arrived so far, injected ones included."""
    start: Floats
    """(U, k) beliefs of the users at the start."""
    kept: Bools
    """(U,) mask of users whose impressions are logged."""
    week: int = 0
    sessions: int = 0
    """Number of sessions held before this week."""
    noise: RandomScores | None = None
    injected: list[int] = field(default_factory=list)
    """Number of items injected up to the end of each week."""
    topics: tuple[Topic, ...] = ()
    texts: Mapping[str, ItemWords] = field(default_factory=dict)
    """Title and first words of documents, by item id."""
    scores: Floats | None = None
    """(U, scheduled items) retrieval scores for each user's query; None unless a ranker uses them."""
    retrieved: Floats | None = None
    """(U, items on the shelf) the same scores; 0 for injected items, which are not documents."""
    _worded: dict[tuple[int, int], ItemWords] = field(default_factory=dict)
    """Wordings of items that pages of this week showed, by item and attempt."""

    def draw(self, purpose: str) -> Draw:
        """Return the random generator for a named purpose.

        Draws are keyed by user, item and session but not by feed, so that all feeds share the same noise.
        """
        return Draw(self.seed, f"curated_feed.{purpose}")

    def open_week(self, week: int, injected: Sequence[Injection] = ()) -> None:
        """Add to the catalogue the items that arrive, or are injected, in this week."""
        arrivals = np.arange(self.coming.count_arrived(week - 1), self.coming.count_arrived(week))
        catalogue = self.shelf.catalogue.concatenate(self.coming.select(arrivals))
        for injection in injected:
            theta = np.zeros((injection.items, catalogue.k))
            theta[:, injection.topic - 1] = 1.0
            rows, first = np.ones(injection.items), len(catalogue) - self.coming.count_arrived(week)
            valence, quality = quantise(rows * injection.valence), quantise(rows * injection.quality)
            weeks, numbers = np.full(len(rows), week), INJECTED + first + np.arange(len(rows))
            items = Catalogue(catalogue.topics, theta, valence, quality, weeks, numbers=numbers)
            catalogue = catalogue.concatenate(items)
        self.take_over(week, catalogue)
        small = len(self.start) * len(catalogue) <= _REMEMBERED
        self.noise = RandomScores(len(self.start), self.shelf) if small else None
        if self.scores is not None:
            numbers = catalogue.numbers_of(np.arange(len(catalogue)))
            own = numbers < INJECTED
            self.retrieved = np.zeros((len(self.scores), len(catalogue)))
            self.retrieved[:, own] = self.scores[:, numbers[own]]

    def take_over(self, week: int, catalogue: Catalogue) -> None:
        """Take over the catalogue of the items that are available in a week."""
        weeks = range(1, week + 1)
        self.injected = [catalogue.count_arrived(w) - self.coming.count_arrived(w) for w in weeks]
        self.week, self.shelf, self._worded = week, Shelf(catalogue), {}

    def words_of(self, item: int, again: int = 0) -> ItemWords:
        """Describe an item in words: the title and opening of a document, or a text for a synthetic item."""
        key = (item, again)
        if key not in self._worded:
            document = self.texts.get(self.shelf.catalogue.id_of(item))
            self._worded[key] = document or word_item(self.shelf.catalogue, item, self.topics, again)
        return self._worded[key]

    def shelf_indices(self, coming: Ints) -> Ints:
        """Convert indices of scheduled items to indices of available items; -1 for items not yet there."""
        before = np.array([0, *self.injected])[np.minimum(self.coming.arrival[coming], self.week + 1) - 1]
        return np.where(self.coming.arrival[coming] <= self.week, coming + before, -1)

    def offer(self, population: FeedState, block: slice, session: int) -> FeedOffer:
        """Rank the candidates of a block of users and serve their slates."""
        config, draw = self.config, self.draw("rank")
        items, oracle = self._choose_pool(block, session), population.ranker in ORACLES
        seen = population.ranker_input(self.shelf, block, items, self.week, session, draw, oracle)
        view = replace(seen, retrieved=self.retrieved, remembered=self.noise)
        few = max(1, _CELLS // max(1, items.shape[-1]))
        parts = [slice(first, first + few) for first in range(0, len(view.users), few)]
        ranked = RankedItems.concatenate([self._rank(population, view.part(rows)) for rows in parts])
        if population.policy != Identity():
            found = np.maximum(ranked.items, 0)
            harmful, about = self.shelf.catalogue.numbers_of(found) >= INJECTED, self.shelf.mixes[found]
            read = Candidates(ranked.scores, self.shelf.main_topics[found], harmful=harmful, vectors=about)
            ranked = ranked.reorder(population.policy.order(read, config.slots))
        slates = serve_slates(ranked, config.slots, config.epsilon, self.draw("serve"), view.users, session)
        return FeedOffer(block, view, ranked, slates)

    def _rank(self, population: FeedState, view: View) -> RankedItems:
        block, config = slice(int(view.users[0]), int(view.users[-1]) + 1), self.config
        blocked = None if config.repeats else population.already_shown(block, view.items)
        return rank_items(ranker(population.ranker)(view), view.items, blocked, config.candidates)

    def browse(
        self, population: FeedState, offer: FeedOffer, answered: Bools | None, usual: Floats
    ) -> BrowseResult:
        """Simulate a block of users browsing their slates, and store what the platform observes.

        The draws are those of the question TYPE.browse, as which a session can be asked: whoever answers
        offline gives the same.
        """
        block, items, view = offer.block, offer.slates.items, offer.view
        draw = self.draw("browse").at(step=view.session)
        reading = SlateReading(self.config.clicks, draw, view.users, items.shape[1])
        belief, start = population.belief[block], population.start[block]
        browsed = browse(belief, start, items, self.shelf, self.config.beliefs, reading, answered)
        stated = population.stated[np.isin(population.stated, view.users)] - block.start
        browsed.belief[stated] = belief[stated]
        population.belief[block] = browsed.belief
        population.update_from_clicks(block, items, browsed.clicks, self.shelf, usual)
        return browsed

    def _choose_pool(self, block: slice, session: int) -> Ints:
        """Choose the items that are handed to the ranker.

        These are all items, or one drawn from each of `pool` equal stretches of the catalogue.
        """
        items, pool = len(self.shelf.catalogue), self.config.pool
        if not 0 < pool < items:
            return np.arange(items)
        edges = np.arange(pool + 1) * items // pool
        users = np.arange(block.start, block.stop)[:, None]
        draws: Any = self.draw("pool").uniform(agent=users, item=np.arange(pool)[None, :], step=session)
        return edges[:-1] + (draws * np.diff(edges)).astype(np.int64)
