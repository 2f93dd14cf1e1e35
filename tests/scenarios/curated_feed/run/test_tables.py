import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.items import synthetic
from openiir.kit.rankers import Shelf
from openiir.scenarios.curated_feed.behaviour import platform as module
from openiir.scenarios.curated_feed.behaviour.feed_state import FeedState
from openiir.scenarios.curated_feed.behaviour.platform import Platform
from openiir.scenarios.curated_feed.config import CuratedFeedConfig
from openiir.scenarios.curated_feed.run import tables


@pytest.fixture
def feed():
    """A platform of 6 users and 8 items, of which 2 arrive each week, in its first week; and its feed."""
    coming = synthetic(Draw(3, "items"), 8, ("trams", "rents"), 2)
    start = np.round(np.random.default_rng(4).uniform(-1, 1, (6, 2)) * 2**19) / 2**19
    config = CuratedFeedConfig(users=6, topics=2, slots=1, candidates=2, audit_items=4, audit_users=6)
    shelf, kept = Shelf(coming.select(np.arange(0))), np.ones(6, dtype=np.bool_)
    platform = Platform(config, 5, coming, shelf, start, kept)
    platform.open_week(1)
    population = FeedState("main", "popularity", start.copy(), 1, start)
    population.grow(2)
    return platform, population


def test_audited_items_have_the_counts_of_those_that_have_arrived(feed, monkeypatch):
    platform, population = feed
    population.item_clicks, population.item_shown = np.array([5, 7]), np.array([8, 9])
    population.chart = np.array([2, 3])
    views = []
    monkeypatch.setattr(
        tables, "ranker", lambda name: lambda view: views.append(view) or view.cosine(view.belief)
    )
    assert tables.compare_with_oracle(platform, population, 0) == (6.0, 6)
    (view,) = views
    assert view.all_clicks.tolist() == [5, 7, 0, 0] and view.all_shown.tolist() == [8, 9, 0, 0]
    assert view.chart.tolist() == [2, 3, 0, 0]


def test_offers_are_the_same_however_few_users_are_ranked_at_a_time(feed, monkeypatch):
    platform, population = feed
    platform.config = platform.config.model_copy(update={"epsilon": 0.5})
    whole = platform.offer(population, slice(0, 6), 0).slates
    monkeypatch.setattr(module, "_CELLS", 1)
    few = platform.offer(population, slice(0, 6), 0).slates
    assert [*map(np.ndarray.tolist, vars(whole).values())] == [*map(np.ndarray.tolist, vars(few).values())]
