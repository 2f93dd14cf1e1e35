"""A small catalogue, with needs and user states for it, for tests of simulated users."""

from collections.abc import Sequence

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.needs import UserNeed
from openiir.scenarios.conversational.behaviour.user_state import UserState
from openiir.scenarios.conversational.config import Traits
from openiir.scenarios.conversational.model.dialogue import Act, Need
from openiir.scenarios.conversational.model.dialogue import build_act as act
from openiir.scenarios.conversational.model.taste import NEWCOMER, TasteModel
from openiir.scenarios.conversational.model.titles.facets import Facets

FILMS = Collection(
    kind="movie",
    ids=("heat", "ronin", "alien", "it", "emma", "up"),
    titles=("Heat (1995)", "Ronin (1998)", "Alien (1979)", "It (2017)", "Emma. (2020)", "Up (2009)"),
    attributes={
        "genre": (("crime", "drama"), ("crime", "action"), ("horror",), ("horror", "drama"), ("comedy",), ()),
        "director": (("Mann",), ("Frankenheimer",), ("Scott",), ("Muschietti",), ("de Wilde",), ("Docter",)),
        "year": (("1995",), ("1998",), ("1979",), ("2017",), ("2020",), ("2009",)),
    },
)
FACETS = Facets(FILMS)
RATINGS = Ratings(
    users=3,
    items=6,
    user=np.array([0, 0, 1, 1, 2]),
    item=np.array([1, 2, 0, 5, 4]),
    value=np.array([5.0, 1.0, 4.0, 3.0, 2.0]),
)
HELD_OUT = Ratings(users=3, items=6, user=np.array([0, 1]), item=np.array([3, 2]), value=np.array([1.0, 5.0]))
TASTES = TasteModel(FILMS, RATINGS, HELD_OUT)
ABLE = Traits(patience=1.0, cooperativeness=1.0, talkativeness=0.0, knowledge=1.0)
"""Traits of a user who never gives up, always answers, says one constraint a time and knows all films."""


def wish(
    constraints: Sequence[tuple[str, str]], requests: Sequence[str] = (), user: int = NEWCOMER
) -> UserNeed:
    """Build a need whose targets are all items that satisfy it."""
    targets = tuple(FILMS.ids[item] for item in FACETS.satisfying(constraints).tolist())
    need = Need(constraints=tuple(constraints), requests=tuple(requests), targets=targets)
    return UserNeed(0, need, TASTES.user_taste(user), 0.5)


def mind_of(
    constraints: Sequence[tuple[str, str]],
    requests: Sequence[str] = (),
    traits: Traits = ABLE,
    user: int = NEWCOMER,
) -> UserState:
    """Build a user's state at the beginning of a dialogue."""
    return UserState(wish(constraints, requests, user), traits, FILMS, Draw(1, "test.knows"))


def offer(*ids: str) -> tuple[tuple[Act, ...], list[int]]:
    """Build the act and items of a recommendation, best first, as input of `UserState.hear`."""
    items = [FILMS.index[id] for id in ids]
    return (act("RECOMMEND", *(("title", FILMS.titles[item]) for item in items)),), items
