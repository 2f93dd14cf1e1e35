"""Users who are members of the cast: personas of the study, and users promoted from the crowd."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from openiir.kit.beliefs.exposure import on_grid
from openiir.kit.feeds.browsing import Answered
from openiir.kit.feeds.platform import Platform
from openiir.kit.feeds.population import Population
from openiir.kit.items import Topic, belief_of, queries_of
from openiir.kit.rankers import NONE, RETRIEVAL
from openiir.plugin import Agent, Draw, InputError, Lane, Persona, Stage, int_sum
from openiir.scenarios.curated_feed import wording
from openiir.scenarios.curated_feed.config import CuratedFeedConfig
from openiir.scenarios.curated_feed.questions import Browse, Shown

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
A_PAGE = 64
"""Reply tokens that a persona made for a user may spend on each page, so that no run is too long for it."""
_QUERY_OF = "query_of"
"""The trait of personas that stand for a collection's queries: which collection."""
_TOLD = 2
"""Topics on each side that the bio of such a persona tells of."""
_VIEW = 0.1
"""Beliefs nearer to 0 are none to tell of."""


def made_id(user: int) -> str:
    """The id of the persona that is made for a promoted user, by the user's number in the tables."""
    return f"user-{user:06d}"


def is_made(persona: Persona, user: int) -> bool:
    """Whether this user's persona was made from its beliefs; else its beliefs are made from its persona."""
    return persona.id == made_id(user)


def drawn_beliefs(config: CuratedFeedConfig, draw: Draw, users: Ints) -> Floats:
    """First beliefs (n, k) of users nobody told us about."""
    topics = np.arange(config.k)[None, :]
    start = draw.at("start").normal(0.0, config.spread, agent=users[:, None], item=topics)
    return on_grid(np.clip(start, -1.0, 1.0))


def first_beliefs(
    config: CuratedFeedConfig, topics: Sequence[Topic], draw: Draw, personas: Sequence[Persona]
) -> Floats:
    """First beliefs (U, k) of all users; the personas of the study are the first of them."""
    start = drawn_beliefs(config, draw, np.arange(config.users))
    for user, persona in enumerate(personas):
        if not is_made(persona, user):
            start[user] = on_grid(belief_of(persona, topics, draw.at("persona")))
    return start


def with_queries(config: CuratedFeedConfig, personas: Sequence[Persona]) -> tuple[Persona, ...]:
    """The study's personas, and one for each query that fills up the users; raises InputError naming `config.queries`."""
    where = config.queries if isinstance(config.queries, str) else "config"
    if not config.queries or any(persona.traits.get(_QUERY_OF) == where for persona in personas):
        return tuple(personas)
    key = "config.queries" if where == "config" else f"config.queries = {where!r}"
    try:
        found = queries_of(where.removeprefix("ir_datasets:")) if isinstance(config.queries, str) else config.queries
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
    """Raises InputError for a cast that the users have no room for, or that has too few queries for its rankers."""
    personas = with_queries(config, personas)
    asking = int_sum(not is_made(persona, user) for user, persona in enumerate(personas))
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
        if re.fullmatch(r"user-\d{6}", persona.id) and not is_made(persona, user):
            raise InputError(
                f"the persona {persona.id!r} has an id that promoted users are given; give it another one"
            )


def full_cast(config: CuratedFeedConfig, personas: Sequence[Persona], draw: Draw) -> tuple[Persona, ...]:
    """The study's personas, and one made for each further promoted user."""
    personas = with_queries(config, personas)
    users = np.arange(len(personas), config.promoted)
    if not len(users):
        return tuple(personas)
    topics = config.declared_topics
    issues = None if topics is None else issues_of(topics)
    beliefs = drawn_beliefs(config, draw, users)
    tokens = max(Persona.model_fields["tokens"].default, A_PAGE * config.weeks * config.sessions)
    made = [
        Persona(id=made_id(user), name=f"User {user}", bio=_bio(issues, belief), tokens=tokens)
        for user, belief in zip(users.tolist(), beliefs, strict=True)
    ]
    return (*personas, *made)


def issues_of(topics: Sequence[Topic]) -> tuple[str, ...]:
    """What there is to be for or against on each topic."""
    return tuple(topic.at_issue or topic.name for topic in topics)


def _bio(issues: Sequence[str] | None, belief: Floats) -> str:
    """One paragraph: the firmest views for and against, where it is known on what before the world has been read."""
    if issues is None:
        return "Reads the news in a feed every few days."
    order = sorted(range(len(issues)), key=lambda topic: (-abs(belief[topic]), topic))
    views = {
        side: [wording.view(issues[topic], float(belief[topic])) for topic in order if belief[topic] * side > _VIEW][:_TOLD]
        for side in (1, -1)
    }
    told = [*views[1], *views[-1]] or ["undecided about nearly everything"]
    words = f"{', '.join(told[:-1])} and {told[-1]}" if told[1:] else told[0]
    return f"Reads the news in a feed every few days, and came to it {words}."


class Cast:
    """The members of the cast among the users of one feed, each with a budget for this feed."""

    def __init__(self, stage: Stage, platform: Platform) -> None:
        self._promoted: int = stage.config.promoted
        self.people = [Agent.of(agent.persona, user) for user, agent in enumerate(stage.agents)]
        """User n is the n-th; promoted ones come first."""
        self.topics = platform.topics
        self._issues = issues_of(platform.topics)
        self._items: dict[int, Shown] = {}
        self._start = platform.start[: len(self.people)]
        self._diet = np.zeros((2, len(self.people), len(self.topics)))

    @property
    def tokens(self) -> Ints:
        """(n,) what everybody may still spend: the state of the cast, for a checkpoint."""
        return np.array([agent.budget.tokens for agent in self.people], dtype=np.int64)

    def restore(self, tokens: Ints) -> None:
        """Take up what was kept of `tokens`."""
        for agent, left in zip(self.people, tokens.tolist(), strict=True):
            agent.debit(agent.budget.tokens - left)

    async def answers(self, lane: Lane, platform: Platform, population: Population, session: int) -> Answered | None:
        """What the promoted users click in this session; who gives no usable answer clicks nothing."""
        promoted = self.people[: self._promoted]
        if not promoted:
            return None
        items = platform.offer(population, slice(0, len(promoted)), session).slates.items
        beliefs = population.belief[: len(promoted)].tolist()
        asked = [n for n, row in enumerate(items) if (row != NONE).any()]
        batch = [(promoted[n], self._question(platform, beliefs[n], items[n], session)) for n in asked]
        clicks = np.zeros(items.shape, dtype=np.bool_)
        for n, reply in zip(asked, await lane.ask_all(batch), strict=True):
            if reply is not None:
                clicks[n, [position - 1 for position in reply.clicked]] = True
        return Answered(clicks)

    def _question(self, platform: Platform, belief: list[float], items: Ints, session: int) -> Browse:
        return Browse(
            topics=platform.shelf.catalogue.topics,
            issues=self._issues,
            belief=tuple(belief),
            items=tuple(self._item(platform, item) for item in items[items != NONE].tolist()),
            session=session,
            clicks=platform.config.clicks,
            beliefs=platform.config.beliefs,
        )

    def _item(self, platform: Platform, item: int) -> Shown:
        """An item as it is shown; it never changes once it is on the shelf."""
        if item not in self._items:
            catalogue = platform.shelf.catalogue
            theta, valence, quality = (column[item].tolist() for column in (catalogue.theta, catalogue.valence, catalogue.quality))
            self._items[item] = Shown(platform.text_of(item), tuple(theta), valence, quality)
        return self._items[item]

    def see(self, platform: Platform, items: Sequence[Ints], clicks: Sequence[Bools]) -> None:
        """Keep, topic by topic, what everybody in the cast was shown and clicked in a session; a block an element."""
        at = 0
        for item, click in zip(items, clicks, strict=True):
            rows = len(self.people) - at
            if rows <= 0:
                return
            there = (item[:rows] != NONE)[:, :, None]
            mix = platform.shelf.catalogue.theta[np.maximum(item[:rows], 0)] * there
            self._diet[0, at : at + len(mix)] += mix.sum(axis=1)
            self._diet[1, at : at + len(mix)] += (mix * click[:rows, :, None]).sum(axis=1)
            at += len(mix)

    def write(self, lane: Lane, platform: Platform, population: Population) -> None:
        """Write how everybody in the cast stands at a week's end.

        Promoted users who did what the crowd does leave no more behind than the crowd.
        """
        asked = {actor for _, kind, actor, _ in lane.rows.events if kind == "asked"}
        told = [n for n, agent in enumerate(self.people) if agent.id in asked or not is_made(agent.persona, n)]
        shown, clicked = self._diet[:, told]
        self._diet[:] = 0.0
        if not told:
            return
        k = len(self.topics)
        ids: list[Any] = [self.people[n].id for n in told for _ in range(k)]
        lane.columns(
            "standings",
            {
                "feed": population.feed,
                "week": np.full(len(ids), platform.week, dtype=np.int16),
                "persona": ids,
                "user": np.repeat(np.array(told, dtype=np.int32), k),
                "topic": np.tile(np.arange(1, k + 1, dtype=np.int16), len(told)),
                "shown": shown.ravel(),
                "clicked": clicked.ravel(),
                "first": self._start[told].ravel(),
                "belief": population.belief[told].ravel(),
            },
        )
