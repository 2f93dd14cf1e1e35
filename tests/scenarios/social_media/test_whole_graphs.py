"""Views in full, for graph databases: everybody's follows, every cascade, every conversation."""

from collections import Counter

import numpy as np
from small_medium import ADA, RUMOUR, Run

from openiir.kit.networks import build_graph
from openiir.runs.post_run import find_surface
from openiir.scenarios.social_media.measures.metrics import build_cascades
from openiir.scenarios.social_media.run.actions import Exposed, Followed


def whole_and_drawn(done, name):
    surface = find_surface(done.run, name)
    assert surface.whole is not None
    return surface.whole(done.log), surface.view(done.log)


def test_the_whole_network_is_that_at_the_end_and_what_was_left(run: Run) -> None:
    follows = {"rate": 0.6, "leave": 0.4, "tolerance": 0.3}
    done, _ = run(RUMOUR, stance_sd=1.5, follows=follows)
    network, _ = whole_and_drawn(done, "network")
    start, changes, members = done.log.columns("follows"), Followed.columns(done.log), done.log.members
    graph = build_graph(members.size, start["member"], start["follows"]).graph
    assert graph.links > 10 * members.size
    for step in np.unique(changes["step"]).tolist():
        for began in (True, False):
            own = (changes["step"] == step) & (changes["began"] == began)
            pair = changes["member"][own], changes["whom"][own]
            graph = graph.follow(*pair, step) if began else graph.unfollow(*pair)
    links = graph.following
    expected = zip(links.owners().tolist(), links.member.tolist(), links.since.tolist(), strict=True)
    found = [(one.source, one.target, one.step) for one in network.edges if one.kind == "follows"]
    assert sorted(found) == sorted((members.id(a), members.id(b), step) for a, b, step in expected)
    left = [(one.source, one.target) for one in network.edges if one.kind == "left"]
    assert len(left) == int((~changes["began"].astype(bool)).sum()) > 0
    assert any(step > 0 for *_, step in found) and len(network.nodes) == members.size


def test_the_drawn_network_is_that_of_the_cast(run: Run) -> None:
    bo = {**ADA, "id": "bo", "name": "Bo"}
    done, _ = run(RUMOUR, personas=[ADA, bo], acquainted=1.0)
    whole, drawn = whole_and_drawn(done, "network")
    assert {(one.source, one.target) for one in drawn.edges} == {("ada", "bo"), ("bo", "ada")}
    assert set(drawn.edges) < set(whole.edges) and set(drawn.nodes) < set(whole.nodes)


def test_every_share_is_in_the_whole_cascades(run: Run) -> None:
    done, _ = run(RUMOUR)
    whole, drawn = whole_and_drawn(done, "cascades")
    trees, looks = build_cascades(done.log), Exposed.columns(done.log)
    assert len(whole.nodes) == len(trees.shares.item) > len(drawn.nodes) > 5
    assert {node.id: node.parent for node in drawn.nodes}.items() <= {
        node.id: node.parent for node in whole.nodes
    }.items()
    shown = Counter(zip(looks["post"].tolist(), looks["shown_by"].tolist(), strict=True))
    for node in whole.nodes:
        post, member = map(int, node.id.split("/"))
        assert node.value == shown[post, member]
        assert [ref.id for ref in node.refs] == [done.log.members.id(member)]


def test_wordless_conversations_are_in_the_whole_threads(run: Run) -> None:
    done, _ = run(RUMOUR)
    whole, drawn = whole_and_drawn(done, "threads")
    kinds = done.log.columns("posts", ["kind"])["kind"]
    assert len(whole.nodes) == int((kinds != "repost").sum()) > len(drawn.nodes) > 0
