"""The readers of one arm: what they are shown, whom they trust and follow, and whether they leave."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.networks import FollowerGraph, build_graph
from openiir.kit.signals import DecayedCounts
from openiir.plugin import Arm, Columns, Draw, Own, first_largest, quantise
from openiir.scenarios.open_web.model.retreat import RetreatRule
from openiir.scenarios.open_web.model.spaces import SpaceMap, TrustRule, find_reputation

ARCHIVE = 1e-9
"""Weight of what a writer who has left wrote before, so that a space that all have left is not empty."""
NOBODY = -1


@dataclass(frozen=True)
class SpacePages:
    """What readers see: a row for each reader, a column for each piece on the page."""

    rows: Ints
    """(readers,) rows of the readers."""
    place: Ints
    """Place of a piece's writer among the accounts of all spaces, space by space."""
    account: Ints
    """Row of its writer."""
    handle: Ints
    """Number by which the space knows its writer."""
    by_agent: Bools
    looks: Bools
    """Whether it looks as if a program wrote it."""
    article: Ints
    """Its number among the articles of the topic, from 0."""

    def pick(self, column: Ints, numbers: Ints) -> Ints:
        """Return a column's entry for the piece of each reader's number, from 1; NOBODY for 0."""
        return np.where(numbers > 0, column[np.arange(len(numbers)), numbers - 1], NOBODY)


@dataclass(eq=False)
class Readership(Arm):
    """The people of one arm, whom they follow, and what they hold of writers and of their spaces."""

    map: SpaceMap
    graph: FollowerGraph = field(init=False)
    present: Own[Bools] = field(init=False)
    """Which people have not left their space."""
    impression: Own[Floats] = field(init=False)
    """Share of what each has seen lately that looked written by programs."""
    streak: Own[Ints] = field(init=False)
    """Rounds in a row in which that was above the threshold."""
    judgements: Own[Floats] = field(init=False)
    """(2, accounts of all spaces) judgements that a piece was worth it, and that it was not; they fade."""

    def __post_init__(self) -> None:
        people, accounts = len(self.map.space), self.map.accounts
        self.graph = build_graph(self.map.size, *np.zeros((2, 0), np.int64)).graph
        self.present, self.streak = np.ones(people, np.bool_), np.zeros(people, np.int64)
        self.impression, self.judgements = np.zeros(people), np.zeros((2, accounts.size))

    def state(self) -> dict[str, NDArray[Any]]:
        links = self.graph.following
        return super().state() | {"follows": np.stack([links.owners(), links.member, links.since])}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        own = dict(arrays)
        self.graph = build_graph(self.graph.members, *own.pop("follows")).graph
        super().restore(own)

    def weigh_accounts(self, agents: Floats, influence: float) -> Floats:
        """Weigh who is shown, (spaces, 2 writers): by what people and agents write, and by their followers.

        `agents` is the agents' share of what is written in each space while no person has left.
        """
        writers = self.map.accounts.shape[1] // 2
        present = np.maximum(self.present[self.map.accounts[:, :writers]], ARCHIVE)
        people, others = (1.0 - agents[:, None]) * present, np.repeat(agents[:, None], writers, axis=1)
        fame = (self.graph.followers.degrees[self.map.accounts] + 1.0) ** influence
        return np.asarray(np.hstack([people, others]) * fame)

    def draw_pages(
        self, agents: Floats, pieces: int, trust: TrustRule, retreat: RetreatRule, draw: Draw
    ) -> SpacePages:
        """Draw the page of each reader who is present: writers in proportion to their weight.

        A page shows the articles of its topic from a drawn one on, so that none comes twice while there are
        enough.
        """
        weight = self.weigh_accounts(agents, trust.influence)
        rows, width, columns = np.flatnonzero(self.present), weight.shape[1], np.arange(pieces)
        each, space = {"agent": rows[:, None], "item": columns}, self.map.space[rows][:, None]
        ends = weight.cumsum(axis=1)
        ends = quantise(ends / ends[:, -1:]) + np.arange(len(ends))[:, None]
        place = np.searchsorted(ends.ravel(), draw.at("writer").uniform(**each) + space, side="right")
        place = np.minimum(place, (space + 1) * width - 1)
        by_agent = place % width >= width // 2
        looking = np.where(by_agent, retreat.detection, retreat.false_alarms)
        articles = np.array([len(articles) for _, articles in self.map.topics])[space]
        first = (draw.at("article").uniform(agent=rows)[:, None] * articles).astype(np.int64)
        account, handle = (one.ravel()[place] for one in (self.map.accounts, self.map.handles))
        looks = draw.at("looks").chance(looking, **each)
        return SpacePages(rows, place, account, handle, by_agent, looks, (first + columns) % articles)

    def take_impressions(self, pages: SpacePages, rule: RetreatRule, rounds: int) -> dict[str, NDArray[Any]]:
        """Take pages into readers' impressions; returns what offline readers decide by, as columns."""
        rows, seen, streak = pages.rows, pages.looks.mean(axis=1), self.streak[pages.rows]
        self.impression[rows] = rule.update_impression(self.impression[rows], seen, rounds)
        over = self.impression[rows] > self.map.threshold[rows]
        self.streak[rows] = np.where(over, streak + 1, 0)
        return {
            "reputation": find_reputation(*self.judgements)[pages.place],
            "followers": self.graph.followers.degrees[pages.account].astype(np.float64),
            "good": self.map.worth.ravel()[pages.place],
            "streak": self.streak[rows],
        }

    def settle(
        self, pages: SpacePages, answers: Mapping[str, NDArray[Any]], half_life: float, step: int
    ) -> dict[str, NDArray[Any]]:
        """Take over what readers judged, whom they follow, and who leaves; returns columns for the log.

        `answers` holds the numbers of the pieces looked into (`piece`) and of those whose writers readers
        follow (`follows`), `opens`, `worth` and `leaves`. Who leaves takes its follows along.
        """
        trust, rows, worth = find_reputation(*self.judgements)[pages.place], pages.rows, answers["worth"]
        place, size = pages.pick(pages.place, answers["piece"]), self.judgements.shape[1]
        counts = DecayedCounts(half_life, self.judgements)
        counts.fade()
        counts.add((place + np.where(worth, 0, size))[place != NOBODY])
        self.judgements = counts.values
        whom = pages.pick(pages.account, answers["follows"])
        new, leavers = (whom != NOBODY) & (whom != rows), rows[answers["leaves"]]
        graph = self.graph.follow(rows[new], whom[new], step)
        who, at = graph.following.expand(leavers)
        self.graph = graph.unfollow(leavers[who], graph.following.member[at])
        self.present[leavers] = False
        return {
            "writer": pages.pick(pages.account, answers["piece"]),
            "opened": answers["opens"],
            "worth": worth,
            "follows": whom,
            "left": answers["leaves"],
            "agents": pages.by_agent.sum(axis=1),
            "trust_people": (trust * ~pages.by_agent).sum(axis=1),
            "trust_agents": (trust * pages.by_agent).sum(axis=1),
        }


def decide(columns: Columns, trust: TrustRule, retreat: RetreatRule, draw: Draw) -> Columns:
    """Decide for offline readers, by columns with a row for each.

    `reputation`, `followers` and `good` (chance to be worth the time) are of each piece, `streak` the rounds
    in a row with too many agents, this one included, `chance` that the reader opens a page.

    A piece is looked into in proportion to its writer's reputation, and a writer followed in proportion to
    (followers + 1)^popularity times reputation. Who has seen too many agents for some rounds leaves
    (Schelling, J. Math. Sociol. 1971).
    """
    log_trust, fame = np.log(columns["reputation"]), trust.popularity * np.log(columns["followers"] + 1.0)
    piece, whom = (
        choose_piece(draw.at(to), u) for to, u in (("piece", log_trust), ("whom", log_trust + fame))
    )
    good = np.take_along_axis(columns["good"], piece[:, None], axis=1)[:, 0]
    return {
        "piece": piece + 1,
        "opens": draw.at("opens").chance(columns["chance"]),
        "worth": draw.at("worth").chance(good),
        "follows": np.where(draw.at("follows").chance(trust.follow), whom + 1, 0),
        "leaves": columns["streak"] >= retreat.rounds,
    }


def choose_piece(draw: Draw, utilities: Floats) -> Ints:
    """Choose one piece for each reader by the logit of its utility, (readers, pieces) (McFadden 1974)."""
    agent = draw.agent if isinstance(draw.agent, str) else np.asarray(draw.agent)[:, None]
    noise = draw.gumbel(agent=agent, item=np.arange(utilities.shape[1]))
    return np.asarray(first_largest(quantise(utilities + noise), axis=1))
