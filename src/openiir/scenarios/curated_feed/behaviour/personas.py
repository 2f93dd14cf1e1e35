"""Personas of users, made for those without one, and first beliefs, drawn or taken from a persona."""

import re
from collections.abc import Sequence

import numpy as np
from pydantic import ValidationError

from openiir.kit.arrays import Floats, Ints
from openiir.kit.beliefs import on_grid
from openiir.kit.items.retrieval import read_queries
from openiir.kit.prompting import join_words
from openiir.kit.rankers import RETRIEVAL
from openiir.plugin import Draw, InputError, Persona, int_sum, quantise, stance_word
from openiir.plugin.arguments import tokens
from openiir.scenarios.curated_feed.config import CuratedFeedConfig
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic
from openiir.scenarios.curated_feed.questions import wording

A_PAGE, A_SURVEY, A_TOPIC = 160, 120, 24
"""Reply tokens of a persona made for a user: for each page, for each survey, and for each topic of a survey.

They suffice for a run of any length.
"""
USER = "user"
"""Word of which the ids of users without a persona are made."""
_SPREAD = 0.35
"""Standard deviation of a belief that a persona does not state, as in the reference study."""
_QUERY_OF = "query_of"
"""Trait of personas that stand for a collection's queries: the name of the collection."""
_VIEWS_A_SIDE = 2
"""Largest number of topics for and of topics against that the bio of a made persona names."""
_VIEW = 0.15
"""Beliefs nearer to 0 are left out of a bio, since people call them undecided."""


def made_persona_id(user: int) -> str:
    """Return the id of the persona generated for a user without one, from the user's number."""
    return f"{USER}-{user:06d}"


def is_made_persona(persona: Persona, user: int) -> bool:
    """Whether a user's persona was generated from its beliefs (rather than beliefs from the persona)."""
    return persona.id == made_persona_id(user)


def draw_beliefs(config: CuratedFeedConfig, draw: Draw, users: Ints) -> Floats:
    """Draw the first beliefs (users x topics) of users without a persona in the study."""
    topics = np.arange(config.k)[None, :]
    start = draw.at("start").normal(0.0, config.spread, agent=users[:, None], item=topics)
    return on_grid(np.clip(start, -1.0, 1.0))


def first_beliefs(
    config: CuratedFeedConfig, topics: Sequence[Topic], draw: Draw, personas: Sequence[Persona]
) -> Floats:
    """Return all users' initial beliefs (users x topics); the study's personas are the first users."""
    start = draw_beliefs(config, draw, np.arange(config.users))
    for user, persona in enumerate(personas):
        if not is_made_persona(persona, user):
            start[user] = on_grid(persona_belief(persona, topics, draw.at("persona")))
    return start


def add_query_personas(config: CuratedFeedConfig, personas: Sequence[Persona]) -> tuple[Persona, ...]:
    """Return the study's personas, and one for each query up to the number of users. Raises InputError."""
    found, where, key = config.queries, "config", "config.queries"
    if isinstance(found, str):
        where, key = found, f"config.queries = {found!r}"
    if not found or any(persona.traits.get(_QUERY_OF) == where for persona in personas):
        return tuple(personas)
    try:
        asked = list(read_queries(found).items())[: max(0, config.users - len(personas))]
        made = [Persona(id=id, name=f"Query {id}", bio=text, traits={_QUERY_OF: where}) for id, text in asked]
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"{key}: query {first['input']!r} can be no persona: {first['msg']}; write personas whose ids "
            "and interests stand for the queries"
        ) from None
    known = {persona.id for persona in personas}
    if taken := [persona.id for persona in made if persona.id in known]:
        raise InputError(f"{key}: query {taken[0]!r} has the id of a persona; rename that")
    return (*personas, *made)


def check_cast(config: CuratedFeedConfig, personas: Sequence[Persona]) -> None:
    """Raise InputError for more personas than users, or for too few queries for the rankers."""
    personas = add_query_personas(config, personas)
    asking = int_sum(not is_made_persona(persona, user) for user, persona in enumerate(personas))
    if RETRIEVAL in config.rankers and asking < config.users:
        raise InputError(
            f"config.users = {config.users}: the ranker {RETRIEVAL!r} needs a query from each, and {asking} "
            "have one (the study's personas, and what config.queries adds); set users to that, or add "
            "personas or queries"
        )
    if config.promoted > config.users:
        raise InputError(
            f"config.promoted = {config.promoted} of config.users = {config.users}: no more users can be "
            "promoted than there are; lower promoted or raise users"
        )
    if len(personas) > config.users:
        raise InputError(
            f"{len(personas)} personas for config.users = {config.users}: each persona is a user, so raise "
            "users, or choose from the personas with the key cast"
        )
    for user, persona in enumerate(personas):
        if re.fullmatch(rf"{USER}-\d{{6}}", persona.id) and not is_made_persona(persona, user):
            raise InputError(
                f"the persona {persona.id!r} has an id that promoted users are given; give it another one"
            )


def complete_cast(config: CuratedFeedConfig, personas: Sequence[Persona], draw: Draw) -> tuple[Persona, ...]:
    """Return the study's personas, and a generated one for each further user that gets one."""
    personas = add_query_personas(config, personas)
    users = np.arange(len(personas), config.promoted)
    if not len(users):
        return tuple(personas)
    topics = config.declared_topics
    issues = None if topics is None else list_issues(topics)
    beliefs = draw_beliefs(config, draw, users)
    needed = A_PAGE * config.weeks * config.sessions + (config.weeks + 1) * (A_SURVEY + A_TOPIC * config.k)
    tokens = max(Persona.model_fields["tokens"].default, needed)
    made = []
    for user, belief in zip(users.tolist(), beliefs, strict=True):
        id, bio = made_persona_id(user), _bio(issues, belief)
        made.append(Persona(id=id, name="a reader of the news", bio=bio, tokens=tokens))
    return (*personas, *made)


def list_issues(topics: Sequence[Topic]) -> tuple[str, ...]:
    """List for each topic the issue on which users can be for or against."""
    return tuple(topic.at_issue or topic.name for topic in topics)


def _bio(issues: Sequence[str] | None, belief: Floats) -> str:
    """Write a bio with the firmest views for and against; without views where topics are not known yet."""
    if issues is None:
        return "Somebody who opens a feed every few days."
    order = sorted(range(len(issues)), key=lambda topic: (-abs(belief[topic]), topic))
    views = []
    for side in (1, -1):
        held = [topic for topic in order if belief[topic] * side > _VIEW][:_VIEWS_A_SIDE]
        views += [wording.stance_phrase(stance_word(float(belief[t])), issues[t]) for t in held]
    words = join_words(views) or "undecided about nearly everything"
    return f"Somebody who opens a feed every few days, and came to it {words}."


def persona_belief(persona: Persona, topics: Sequence[Topic], draw: Draw) -> Floats:
    """Compute a persona's belief vector (k,), each element in [-1, 1].

    b_j = clip(s * m_j + 2 * o * 0.35 * z_j * (1 - |s| * m_j / 2)): s is the stance (0 where there is none), o
    the Big Five openness, z_j standard normal, and m_j is 1 where the topic's name or keywords share a stem
    with the persona's interests (its bio, where no interest fits any topic), else 0. So a persona holds its
    stance on what it cares about, the more surely the firmer it is; elsewhere beliefs are drawn as for
    anybody, and vary more in open people. Draws are named by persona and topic: a topic more changes no other
    belief.
    """
    stance = persona.stance or 0.0
    about = set(tokens(" ".join(persona.interests)))
    if not any(topic.stems() & about for topic in topics):
        about = set(tokens(persona.bio))
    cares = np.array([float(bool(topic.stems() & about)) for topic in topics])
    noise = np.array([draw.normal(agent=persona.id, item=topic.name) for topic in topics])
    spread = 2 * persona.big_five.openness * _SPREAD * (1 - abs(stance) * cares / 2)
    return np.asarray(quantise(np.clip(stance * cares + spread * noise, -1.0, 1.0)))
