"""Set up a feed's run: its items, its users' first beliefs, and personas for the users in the cast."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from openiir.kit.beliefs import on_grid
from openiir.kit.items import Catalogue, check_exhaustion, synthetic
from openiir.kit.items.retrieval import queries_of, query_of, retrieval_scores
from openiir.kit.prompting import join_words
from openiir.kit.rankers import RETRIEVAL, Shelf
from openiir.plugin import Draw, InputError, Persona, Stage, int_sum, stance_word
from openiir.scenarios.curated_feed import wording
from openiir.scenarios.curated_feed.config import CuratedFeedConfig
from openiir.scenarios.curated_feed.model.feeds.platform import Platform
from openiir.scenarios.curated_feed.model.items.item_text import ItemWords, excerpt, title_of
from openiir.scenarios.curated_feed.model.items.persona_beliefs import belief_of
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic
from openiir.scenarios.curated_feed.model.items.topics import (
    catalogue_from_world,
    documents,
    fit_topics,
    named_topics,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
A_PAGE, A_SURVEY, A_TOPIC = 160, 120, 24
"""Reply tokens of a persona made for a user: for each page, for each survey, and for each topic of a survey.

They suffice for a run of any length.
"""
USER = "user"
"""Word of which the ids of users without a persona are made."""
_QUERY_OF = "query_of"
"""Trait of personas that stand for a collection's queries: the name of the collection."""
_VIEWS_A_SIDE = 2
"""Largest number of topics for and of topics against that the bio of a made persona names."""
_VIEW = 0.15
"""Beliefs nearer to 0 are left out of a bio, since people call them undecided."""


@dataclass(frozen=True)
class ItemStock:
    """Items for a run with their topics and texts."""

    topics: tuple[Topic, ...]
    coming: Catalogue
    """All items in order of arrival."""
    texts: Mapping[str, ItemWords]
    """Headline and text of items that are documents, by id."""


def build_platform(stage: Stage) -> Platform:
    """Build the platform as it is before the first week. Raises InputError where a world is too small for the study."""
    config = stage.config
    draw = stage.draw("curated_feed", step=0)
    stock = (
        _items_of_world(stage, draw.at("items"))
        if config.items.source == "world"
        else _draw_items(config, draw.at("items"))
    )
    kept = draw.at("kept").chance(config.kept, agent=np.arange(config.users))
    start = first_beliefs(config, stock.topics, draw, [agent.persona for agent in stage.agents])
    start.flags.writeable = False
    nothing = Shelf(stock.coming.select(np.arange(0)))
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


def _draw_items(config: CuratedFeedConfig, draw: Draw) -> ItemStock:
    items, topics = config.items, config.declared_topics
    assert topics is not None
    names = [topic.name for topic in topics]
    coming = synthetic(
        draw, items.per_week * config.weeks, names, items.per_week, items.concentration, items.quality
    )
    return ItemStock(topics, coming, {})


def _items_of_world(stage: Stage, draw: Draw) -> ItemStock:
    config, items = stage.config, stage.config.items
    texts = documents(stage.world().chunks, items.unit)
    declared = config.declared_topics
    try:
        model = (
            fit_topics([*texts.values()], config.topics)
            if declared is None
            else named_topics([*texts.values()], declared)
        )
        coming = catalogue_from_world(draw, texts, model, items.per_week, items.proposition)
        check_catalogue_lasts(config, coming.count_arrived(config.weeks), coming.count_arrived(1))
    except InputError as error:
        raise InputError(f"the {len(texts)} {items.unit}s of [world] as config.items: {error}") from None
    sources = {chunk.id: chunk.source for chunk in stage.world().chunks} if items.unit == "chunk" else {}
    words = {id: ItemWords(title_of(sources.get(id, id)), excerpt(text)) for id, text in texts.items()}
    return ItemStock(model.topics, coming, words)


def check_catalogue_lasts(config: CuratedFeedConfig, items: int, at_first: int) -> None:
    """Raise InputError where users would see so much of the catalogue that all rankers show the same."""
    if config.repeats:
        return
    try:
        more = config.items.per_week if items > at_first else 0
        check_exhaustion(items, config.weeks * config.sessions * config.slots, more)
    except InputError as error:
        raise InputError(f"{error}; or let users be shown items again (config.repeats)") from None


async def search_world(stage: Stage, platform: Platform) -> None:
    """Search the world once for every user, in the first week with a ranker that needs the scores."""
    if RETRIEVAL not in stage.config.rankers or platform.scores is not None:
        return
    queries = [query_of(agent.persona) for agent in stage.agents[: stage.config.users]]
    platform.scores = await retrieval_scores(
        stage.world(), queries, platform.coming.ids, stage.config.items.unit
    )


def made_persona_id(user: int) -> str:
    """Return the id of the persona that is made for a promoted user, from the user's number in the tables."""
    return f"{USER}-{user:06d}"


def is_made_persona(persona: Persona, user: int) -> bool:
    """Whether this user's persona was made from its beliefs, and not its beliefs from its persona."""
    return persona.id == made_persona_id(user)


def draw_beliefs(config: CuratedFeedConfig, draw: Draw, users: Ints) -> Floats:
    """Draw the first beliefs (users x topics) of users without a persona in the study."""
    topics = np.arange(config.k)[None, :]
    start = draw.at("start").normal(0.0, config.spread, agent=users[:, None], item=topics)
    return on_grid(np.clip(start, -1.0, 1.0))


def first_beliefs(
    config: CuratedFeedConfig, topics: Sequence[Topic], draw: Draw, personas: Sequence[Persona]
) -> Floats:
    """Return the first beliefs (users x topics) of all users; the study's personas are the first users."""
    start = draw_beliefs(config, draw, np.arange(config.users))
    for user, persona in enumerate(personas):
        if not is_made_persona(persona, user):
            start[user] = on_grid(belief_of(persona, topics, draw.at("persona")))
    return start


def add_query_personas(config: CuratedFeedConfig, personas: Sequence[Persona]) -> tuple[Persona, ...]:
    """Return the study's personas, and one for each query up to the number of users. Raises InputError."""
    where = config.queries if isinstance(config.queries, str) else "config"
    if not config.queries or any(persona.traits.get(_QUERY_OF) == where for persona in personas):
        return tuple(personas)
    key = "config.queries" if where == "config" else f"config.queries = {where!r}"
    try:
        found = (
            queries_of(where.removeprefix("ir_datasets:"))
            if isinstance(config.queries, str)
            else config.queries
        )
        asked = list(found.items())[: max(0, config.users - len(personas))]
        made = [Persona(id=id, name=f"Query {id}", bio=text, traits={_QUERY_OF: where}) for id, text in asked]
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
    except ValidationError as error:
        raise InputError(
            f"{key}: query {error.errors()[0]['input']!r} can be no persona: "
            f"{error.errors()[0]['msg']}; write personas whose ids and interests stand for the queries"
        ) from None
    known = {persona.id for persona in personas}
    if taken := [persona.id for persona in made if persona.id in known]:
        raise InputError(f"{key}: query {taken[0]!r} has the id of a persona; rename that")
    return (*personas, *made)


def check_cast(config: CuratedFeedConfig, personas: Sequence[Persona]) -> None:
    """Raise InputError for a cast larger than the number of users, or with too few queries for its rankers."""
    personas = add_query_personas(config, personas)
    asking = int_sum(not is_made_persona(persona, user) for user, persona in enumerate(personas))
    if RETRIEVAL in config.rankers and asking < config.users:
        raise InputError(
            f"config.users = {config.users}: the ranker {RETRIEVAL!r} needs a query from each, and {asking} have one (the "
            "study's personas, and what config.queries adds); set users to that, or add personas or queries"
        )
    if config.promoted > config.users:
        raise InputError(
            f"config.promoted = {config.promoted} of config.users = {config.users}: no more users can be promoted than "
            "there are; lower promoted or raise users"
        )
    if len(personas) > config.users:
        raise InputError(
            f"{len(personas)} personas for config.users = {config.users}: each persona is a user, so raise users, or "
            "choose from the personas with the key cast"
        )
    for user, persona in enumerate(personas):
        if re.fullmatch(rf"{USER}-\d{{6}}", persona.id) and not is_made_persona(persona, user):
            raise InputError(
                f"the persona {persona.id!r} has an id that promoted users are given; give it another one"
            )


def complete_cast(config: CuratedFeedConfig, personas: Sequence[Persona], draw: Draw) -> tuple[Persona, ...]:
    """Return the study's personas, and one made for each further promoted user."""
    personas = add_query_personas(config, personas)
    users = np.arange(len(personas), config.promoted)
    if not len(users):
        return tuple(personas)
    topics = config.declared_topics
    issues = None if topics is None else list_issues(topics)
    beliefs = draw_beliefs(config, draw, users)
    needed = A_PAGE * config.weeks * config.sessions + (config.weeks + 1) * (A_SURVEY + A_TOPIC * config.k)
    tokens = max(Persona.model_fields["tokens"].default, needed)
    made = [
        Persona(
            id=made_persona_id(user), name="a reader of the news", bio=_bio(issues, belief), tokens=tokens
        )
        for user, belief in zip(users.tolist(), beliefs, strict=True)
    ]
    return (*personas, *made)


def list_issues(topics: Sequence[Topic]) -> tuple[str, ...]:
    """Return for each topic the issue that one can be for or against."""
    return tuple(topic.at_issue or topic.name for topic in topics)


def _bio(issues: Sequence[str] | None, belief: Floats) -> str:
    """Write a bio with the firmest views for and against; without views where the topics are not known yet."""
    if issues is None:
        return "Somebody who opens a feed every few days."
    order = sorted(range(len(issues)), key=lambda topic: (-abs(belief[topic]), topic))
    views = {
        side: [
            wording.stance_phrase(stance_word(float(belief[topic])), issues[topic])
            for topic in order
            if belief[topic] * side > _VIEW
        ][:_VIEWS_A_SIDE]
        for side in (1, -1)
    }
    words = join_words([*views[1], *views[-1]]) or "undecided about nearly everything"
    return f"Somebody who opens a feed every few days, and came to it {words}."
