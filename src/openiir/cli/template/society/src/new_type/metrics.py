"""What the log holds of a society, and measures and views of it, computed from the log alone."""

import numpy as np

from new_type.questions import LIKE
from openiir.plugin import Action, Entry, Graph, Series, Surface, Table, Tree, TreeNode, int_sum, ratio

SIDES = ("against", "undecided", "favour")


class Posted(Action):
    """Somebody posted something, or answered a post."""

    kind = "new-type.posted"
    number: int
    parent: int
    """Number of the post that it answers; 0 for none."""
    member: int
    side: str
    text: str


class Reacted(Action):
    """Members read a post that somebody showed them, by posting or liking it."""

    kind = "new-type.reacted"
    post: int
    by: int
    """Row of the member who showed it."""
    does: int
    moved: int
    """Steps that it moved the reader's stance, towards favour."""


def society_measures(log):
    """Compute where members stand at the end, how many moved, and how many a scheduled post reached."""
    read, sides = Reacted.columns(log), log.table("sides")[-1]
    scheduled = [post.number for _, post in Posted.read(log) if not post.parent]
    return {
        "balance": ratio(sides["favour"] - sides["against"], int_sum(map(sides.get, SIDES)), "all left"),
        "moved": ratio(len(np.unique(read["member"][read["moved"] != 0])), log.members.size, "no members"),
        "readers_a_post": ratio(int(np.isin(read["post"], scheduled).sum()), len(scheduled), "nobody posted"),
    }


def list_posts(log, since=0, agent=None):
    """List posts and answers in order."""
    found, name = Posted.read(log, since=since, actor=agent), log.members.name
    return [Entry(step=e.step, actor=name(p.member), agent=e.actor, text=p.text) for e, p in found]


def grow_trees(log):
    """Draw a tree for each post: those who like it below whom they have it from, and its answers below it."""
    read, name, nodes, posts = Reacted.columns(log), log.members.name, [], [p for _, p in Posted.read(log)]
    for post in posts:
        parent = f"{post.parent}/{posts[post.parent - 1].member}" if post.parent else ""
        label = f"{name(post.member)}: {post.text}"
        nodes.append(TreeNode(id=f"{post.number}/{post.member}", parent=parent, label=label, state=post.side))
        likes = (read["post"] == post.number) & (read["does"] == LIKE)
        for row, by in zip(read["member"][likes].tolist(), read["by"][likes].tolist(), strict=True):
            nodes.append(TreeNode(id=f"{post.number}/{row}", parent=f"{post.number}/{by}", label=name(row)))
    return Tree(nodes=tuple(nodes))


def tabulate_posts(log):
    """Count who read, liked and answered each post."""
    read, rows, names = Reacted.columns(log), [], {}
    for event, post in Posted.read(log):
        does = read["does"][read["post"] == post.number]
        counts = len(does), int((does == LIKE).sum()), int((does > LIKE).sum())
        names[event.actor] = log.members.name(post.member)
        rows.append((post.number, event.step, event.actor, post.side, *counts))
    columns = ("post", "hour", {"name": "author", "kind": "agent"}, "side", "readers", "likes", "answers")
    return Table(columns=columns, rows=tuple(rows), labels=names)


def trace_sides(log):
    """Count the members on each side, hour by hour."""
    rows = log.table("sides")
    lines = {side: tuple((row["step"], float(row[side])) for row in rows) for side in SIDES}
    return Series(unit="members", low=0.0, high=float(log.members.size), lines=lines)


def map_arguments(log):
    """Map the claims that posts make, and how they bear on each other."""
    claims = tuple(log.claims())
    names = {claim.speaker: log.members.name(log.members.row(claim.speaker)) for claim in claims}
    topic = log.study["config"]["statement"]
    return Graph(topic=topic, claims=claims, edges=tuple(log.edges()), speakers=names)


SURFACES = (
    Surface("posts", "timeline", "Posts and answers", list_posts, per_agent=True, live="append"),
    Surface("spread", "tree", "Who passed which post on", grow_trees),
    Surface("arguments", "graph", "What is claimed", map_arguments),
    Surface("sides", "series", "Members on each side", trace_sides),
    Surface("reach", "table", "How far posts got", tabulate_posts),
)
