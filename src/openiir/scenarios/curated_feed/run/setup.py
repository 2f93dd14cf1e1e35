"""Set up a feed's run: its items, its users' first beliefs, and personas for the users in the cast."""

from collections.abc import Mapping

import numpy as np

from openiir.kit.items import INJECTED, Catalogue, check_exhaustion, synthetic
from openiir.kit.items.retrieval import query_of, retrieval_scores
from openiir.kit.rankers import RETRIEVAL, Shelf
from openiir.plugin import Draw, InputError, Log, Stage
from openiir.scenarios.curated_feed.behaviour.personas import first_beliefs
from openiir.scenarios.curated_feed.behaviour.platform import Platform
from openiir.scenarios.curated_feed.config import CuratedFeedConfig
from openiir.scenarios.curated_feed.model.items.item_text import ItemWords, document_title, excerpt
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic
from openiir.scenarios.curated_feed.model.items.topics import (
    catalogue_from_world,
    documents,
    fit_topics,
    named_topics,
)

ItemStock = tuple[tuple[Topic, ...], Catalogue, Mapping[str, ItemWords]]
"""Topics, all items in order of arrival, and headline and text of items that are documents, by id."""


def build_platform(stage: Stage) -> Platform:
    """Build the platform as it is before the first week. Raises InputError where a world is too small."""
    config, draw = stage.config, stage.draw("curated_feed", step=0)
    if config.items.source == "world":
        topics, coming, texts = _items_of_world(stage, draw.at("items"))
    else:
        topics, coming, texts = _draw_items(config, draw.at("items"))
    start = first_beliefs(config, topics, draw, [agent.persona for agent in stage.agents])
    start.flags.writeable = False
    return Platform(
        config,
        stage.answering.seed,
        coming=coming,
        shelf=Shelf(coming.select(np.arange(0))),
        start=start,
        kept=draw.at("kept").chance(config.kept, agent=np.arange(config.users)),
        topics=topics,
        texts=texts,
    )


def read_catalogue(log: Log, coming: Catalogue) -> Catalogue:
    """Rebuild the catalogue from the log, injected items included."""
    rows = log.columns("catalogue")
    theta = np.stack([rows[f"topic_{topic + 1}"] for topic in range(coming.k)], axis=1)
    names = None if coming.names is None else tuple(rows["id"])
    injected, week = rows["injected"], rows["week"].astype(np.int64)
    numbers = np.where(injected, INJECTED + np.cumsum(injected), np.cumsum(~injected)) - 1
    return Catalogue(coming.topics, theta, rows["valence"], rows["quality"], week, names, numbers)


def _draw_items(config: CuratedFeedConfig, draw: Draw) -> ItemStock:
    items, topics = config.items, config.declared_topics
    assert topics is not None
    names, number = [topic.name for topic in topics], items.per_week * config.weeks
    coming = synthetic(draw, number, names, items.per_week, items.concentration, items.quality)
    return topics, coming, {}


def _items_of_world(stage: Stage, draw: Draw) -> ItemStock:
    config, items = stage.config, stage.config.items
    texts = documents(stage.world().chunks, items.unit)
    declared, read = config.declared_topics, [*texts.values()]
    try:
        model = fit_topics(read, config.topics) if declared is None else named_topics(read, declared)
        coming = catalogue_from_world(draw, texts, model, items.per_week, items.proposition)
        check_catalogue_lasts(config, coming.count_arrived(config.weeks), coming.count_arrived(1))
    except InputError as error:
        raise InputError(f"the {len(texts)} {items.unit}s of [world] as config.items: {error}") from None
    sources = {chunk.id: chunk.source for chunk in stage.world().chunks} if items.unit == "chunk" else {}
    words = {id: ItemWords(document_title(sources.get(id, id)), excerpt(text)) for id, text in texts.items()}
    return model.topics, coming, words


def check_catalogue_lasts(config: CuratedFeedConfig, items: int, at_first: int) -> None:
    """Raise InputError if users would see so much of the catalogue that all rankers show the same."""
    if config.repeats:
        return
    try:
        more = config.items.per_week if items > at_first else 0
        check_exhaustion(items, config.weeks * config.sessions * config.slots, more)
    except InputError as error:
        raise InputError(f"{error}; or let users be shown items again (config.repeats)") from None


async def search_world(stage: Stage, platform: Platform) -> None:
    """Retrieve items from the world for every user, in the first week with a ranker that needs the scores."""
    if RETRIEVAL not in stage.config.rankers or platform.scores is not None:
        return
    queries = [query_of(agent.persona) for agent in stage.agents[: stage.config.users]]
    ids, unit = platform.coming.ids, stage.config.items.unit
    platform.scores = await retrieval_scores(stage, queries, ids, unit)
