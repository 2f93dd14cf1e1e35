"""What a feed's run starts from: its items, drawn or made of a world's documents, and its users' first beliefs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from openiir.kit.feeds.platform import Platform
from openiir.kit.items import (
    Catalogue,
    ItemWords,
    Topic,
    check_exhaustion,
    documents,
    excerpt,
    fitted,
    from_world,
    named,
    query_of,
    retrieval_scores,
    synthetic,
    title_of,
)
from openiir.kit.rankers import RETRIEVAL, Shelf
from openiir.plugin import Draw, InputError, Stage
from openiir.scenarios.curated_feed.casting import first_beliefs
from openiir.scenarios.curated_feed.config import CuratedFeedConfig


@dataclass(frozen=True)
class Stock:
    """Items with their topics."""

    topics: tuple[Topic, ...]
    coming: Catalogue
    """In order of arrival."""
    texts: Mapping[str, ItemWords]
    """By id, items that are documents as a page shows them."""


def found(stage: Stage) -> Platform:
    """The platform as it stands before the first week; raises InputError where a world is too small for the study."""
    config = stage.config
    draw = stage.draw("curated_feed", step=0)
    stock = (
        _of_world(stage, draw.at("items"))
        if config.items.source == "world"
        else _drawn(config, draw.at("items"))
    )
    kept = draw.at("kept").chance(config.kept, agent=np.arange(config.users))
    start = first_beliefs(config, stock.topics, draw, [agent.persona for agent in stage.agents])
    start.flags.writeable = False
    nothing = Shelf(stock.coming.chosen(np.arange(0)))
    return Platform(
        "curated_feed",
        config,
        stage.answering.seed,
        stock.coming,
        nothing,
        start,
        kept,
        topics=stock.topics,
        texts=stock.texts,
    )


def _drawn(config: CuratedFeedConfig, draw: Draw) -> Stock:
    items, topics = config.items, config.declared_topics
    assert topics is not None
    names = [topic.name for topic in topics]
    coming = synthetic(
        draw, items.per_week * config.weeks, names, items.per_week, items.concentration, items.quality
    )
    return Stock(topics, coming, {})


def _of_world(stage: Stage, draw: Draw) -> Stock:
    config, items = stage.config, stage.config.items
    texts = documents(stage.world().chunks, items.unit)
    declared = config.declared_topics
    try:
        model = (
            fitted([*texts.values()], config.topics)
            if declared is None
            else named([*texts.values()], declared)
        )
        coming = from_world(draw, texts, model, items.per_week, items.proposition)
        check_lasting(config, coming.arrived(config.weeks), coming.arrived(1))
    except InputError as error:
        raise InputError(f"the {len(texts)} {items.unit}s of [world] as config.items: {error}") from None
    sources = {chunk.id: chunk.source for chunk in stage.world().chunks} if items.unit == "chunk" else {}
    words = {id: ItemWords(title_of(sources.get(id, id)), excerpt(text)) for id, text in texts.items()}
    return Stock(model.topics, coming, words)


def check_lasting(config: CuratedFeedConfig, items: int, at_first: int) -> None:
    """Raises InputError where users would come so near to the catalogue's end that all rankers show the same."""
    if config.repeats:
        return
    try:
        more = config.items.per_week if items > at_first else 0
        check_exhaustion(items, config.weeks * config.sessions * config.slots, more)
    except InputError as error:
        raise InputError(f"{error}; or let users be shown items again (config.repeats)") from None


async def ready(stage: Stage, platform: Platform) -> None:
    """Have the world searched for every user, in the first week in which a ranker asks for it."""
    if RETRIEVAL not in stage.config.rankers or platform.scores is not None:
        return
    queries = [query_of(agent.persona) for agent in stage.agents[: stage.config.users]]
    platform.scores = await retrieval_scores(
        stage.world(), queries, platform.coming.ids, stage.config.items.unit
    )
