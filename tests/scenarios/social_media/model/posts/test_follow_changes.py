"""What members say about whom they follow becomes changes of the graph, each once."""

import numpy as np

from openiir.kit.networks import build_graph
from openiir.scenarios.social_media.model.posts.follows import FollowChanges


def test_only_what_changes_the_graph_is_settled_and_each_pair_once() -> None:
    graph = build_graph(4, [0], [1]).graph
    changes = FollowChanges(np.ones((4, 2)))
    authors = np.array([1, 2, 3, 0])
    for _ in range(2):  # on two pages: 0 follows 1 already, does not follow 3, and is 0 itself
        changes.record_stated(0, authors, follows=[1, 2, 4], leaves=[1, 3])
    settled = [
        (members.tolist(), whom.tolist(), began) for members, whom, began in changes.take_changes(graph)
    ]
    assert settled == [([0], [2], True), ([0], [1], False)]
    assert [len(members) for members, _, _ in changes.take_changes(graph)] == [0, 0]
