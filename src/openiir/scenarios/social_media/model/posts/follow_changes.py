"""Changes of a follower graph as members read: collected during a round, made at its end."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints, number_within
from openiir.kit.networks import FollowerGraph
from openiir.kit.rankers import NONE
from openiir.plugin import Draw
from openiir.scenarios.social_media.model.posts.follow_rules import FollowRule

Follows = tuple[Ints, Ints, bool]
"""Members, whom each begins to follow or leaves, and whether it begins."""


class FollowChanges:
    """What members decide about whom they follow in a round."""

    def __init__(self, interests: Floats) -> None:
        """`interests` are (N, k) by member; the more two are alike, the likelier one follows the other."""
        self._unit = interests / np.linalg.norm(interests, axis=1, keepdims=True)
        self._changes: list[Follows] = []

    def say(self, member: int, authors: Ints, follows: Sequence[int], leaves: Sequence[int]) -> None:
        """Take down what a member says about the authors on its page: their places, from 1."""
        for places, began in ((follows, True), (leaves, False)):
            whom = np.unique([authors[place - 1] for place in places]).astype(np.int64)
            whom = whom[whom != member]
            self._changes.append((np.full(len(whom), member), whom, began))

    def decide(
        self, rule: FollowRule, graph: FollowerGraph, looks: Mapping[str, NDArray[Any]], author: Ints, liked: Bools,
        distance: Floats, draw: Draw,
    ) -> None:  # fmt: skip
        """Draw what readers decide about the authors of posts that they looked at.

        `looks` has the columns reader and post, one row a look, by reader; `author`, `liked` (or reposted) and the
        `distance` of stances are columns of it too. Whom one leaves is drawn by the rule. Who likes something considers with
        the probability `rule.rate` whom to follow, and chooses by the rule among the authors of what it looked at.
        """
        reader, post = looks["reader"], looks["post"]
        left = np.flatnonzero(rule.draw_unfollows(distance, draw.at("leave"), reader, post))
        left = left[graph.follows(reader[left], author[left])]
        self._changes.append((reader[left], author[left], False))
        fond = np.unique(reader[liked])
        seeking = np.flatnonzero(np.isin(reader, fond[draw.at("seek").chance(rule.rate, agent=fond)]))
        if len(seeking):
            members, row = np.unique(reader[seeking], return_inverse=True)
            place = number_within(row)
            candidates = np.full((len(members), int(place.max()) + 1), NONE)
            candidates[row, place] = author[seeking]
            cosine = np.einsum("bk,bck->bc", self._unit[members], self._unit[candidates])
            chosen = rule.choose(graph, members, candidates, cosine, draw.at("choose"))
            self._changes.append((members[chosen != NONE], chosen[chosen != NONE], True))

    def settle(self, graph: FollowerGraph) -> list[Follows]:
        """Return the changes of the round and begin the next: first whom members begin to follow, then whom they leave.

        Each pair is listed once, and only if it changes the graph as it was in the round.
        """
        empty = np.zeros(0, dtype=np.int64)
        found = []
        for began in (True, False):
            parts = [(empty, empty), *(change[:2] for change in self._changes if change[2] == began)]
            members, whom = (np.concatenate(side) for side in zip(*parts, strict=True))
            _, first = np.unique(np.column_stack((members, whom)), axis=0, return_index=True)
            kept = np.sort(first)[graph.follows(members, whom)[np.sort(first)] != began]
            found.append((members[kept], whom[kept], began))
        self._changes.clear()
        return found
