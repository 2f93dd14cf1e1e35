"""Views of a run: posts, threads, cascades, who reads whom, activity, reach, opinions, claims."""

import math
from collections import Counter
from collections.abc import Mapping
from functools import partial

import numpy as np

from openiir.kit.arrays import Bools, Ints
from openiir.kit.interviewing import look_back
from openiir.kit.prompting import cut_text
from openiir.kit.text_tables import add_help
from openiir.plugin import (
    Column,
    Entry,
    EpisodicMemory,
    Graph,
    Interview,
    Log,
    Members,
    Network,
    NetworkLink,
    NetworkNode,
    Persona,
    Ref,
    Series,
    Surface,
    Table,
    Tree,
    TreeNode,
    first_largest,
    stance_word,
)
from openiir.scenarios.social_media.measures.metrics import (
    build_cascades,
    count_readers,
    find_authors,
    find_sides,
)
from openiir.scenarios.social_media.questions import LIKE, REPOST, AfterMedium
from openiir.scenarios.social_media.run.actions import Exposed, Followed, Injected
from openiir.scenarios.social_media.run.writing import LONGEST


def list_posts(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List the posts and comments that have a text, in order."""
    members = log.members
    return [
        Entry(
            step=post["step"],
            actor=members.name(post["author"]),
            agent=members.id(post["author"]),
            heading=post["kind"],
            text=post["text"],
            id=str(post["id"]),
        )
        for post in log.table("posts", since=since)
        if post["text"] and agent in (None, members.id(post["author"]))
    ]


def build_reply_trees(log: Log, whole: bool = False) -> Tree:
    """Build the reply tree of each conversation with a text: posts, with comments below what they answer.

    `whole` adds the conversations without words, and references to the authors.
    """
    members = log.members
    posts = [post for post in log.table("posts") if post["kind"] != "repost"]
    worded = {post["root"] for post in posts if post["text"] or whole}
    nodes = []
    for post in posts:
        if post["root"] in worded:
            parent = str(post["parent"]) if post["parent"] >= 0 else ""
            said = post["text"] or f"({stance_word(post['valence'])})"
            label, refs = f"{members.name(post['author'])}: {said}", _refer(members, post["author"], whole)
            id, step = str(post["id"]), post["step"]
            nodes.append(
                TreeNode(id=id, parent=parent, step=step, label=label, state=post["kind"], refs=refs)
            )
    return Tree(nodes=tuple(nodes))


def _refer(members: Members, row: int, whole: bool) -> tuple[Ref, ...]:
    return (Ref(to="agent", id=members.id(row)),) if whole else ()


def build_cascade_trees(log: Log, whole: bool = False) -> Tree:
    """Build the cascade of each scheduled post: reposters, each below the member who showed it to them.

    A node's value is to how many members its own share was shown, its step the round in which it shared.
    `whole` adds the cascades of all other posts and comments, and references to those who shared.
    """
    names = {one.post: one.name for _, one in Injected.read(log)}
    minutes, members = log.study["config"]["minutes"], log.members
    looks, trees, nodes = Exposed.columns(log), build_cascades(log), []
    shares, counts = np.unique(
        looks["post"].astype(np.int64) * members.size + looks["shown_by"].astype(np.int64), return_counts=True
    )
    shown = dict(zip(shares.tolist(), counts.tolist(), strict=True))
    for row in np.concatenate([np.zeros(0, dtype=np.int64), *trees.levels]).tolist():
        post, member, parent = int(trees.shares.item[row]), int(trees.shares.member[row]), trees.parent[row]
        if post in names or whole:
            begins, name = parent < 0, members.name(member)
            node = TreeNode(
                id=f"{post}/{member}",
                parent="" if begins else f"{post}/{trees.shares.member[parent]}",
                label=f"{names.get(post, f'post {post}')}, by {name}" if begins else name,
                value=float(shown.get(post * members.size + member, 0)),
                step=int(trees.shares.time[row] // minutes) + 1,
                refs=_refer(members, member, whole),
            )
            nodes.append(node)
    return Tree(nodes=tuple(nodes), unit="members to whom it was shown from here")


def map_network(log: Log, whole: bool = False) -> Network:
    """Map who followed whom within the cast at the start; a weight is how often a member's posts were viewed.

    `whole` maps all members at the end of the run: `follows` with the step at which each began, 0 for the
    start, and `left` with the step at which one ended.
    """
    members = log.members
    rows = range(members.size) if whole else sorted(members.personas)
    shown = np.bincount(Exposed.columns(log)["shown_by"].astype(np.int64), minlength=members.size)
    nodes = [
        NetworkNode(id=members.id(row), label=members.name(row), weight=float(shown[row])) for row in rows
    ]
    follows = log.columns("follows")
    pairs = zip(follows["member"].tolist(), follows["follows"].tolist(), strict=True) if follows else ()
    links = [(a, b, "follows", 0) for a, b in pairs]
    if whole:
        links = _change_follows(links, log)
    else:
        links = [one for one in links if one[0] in members.personas and one[1] in members.personas]
    edges = tuple(
        NetworkLink(source=members.id(a), target=members.id(b), kind=kind, step=step)
        for a, b, kind, step in links
    )
    return Network(nodes=tuple(nodes), edges=edges, weight_name="looks")


def _change_follows(start: list[tuple[int, int, str, int]], log: Log) -> list[tuple[int, int, str, int]]:
    """Change the follows at the start as the run did; list those at its end, then those that ended."""
    since = {(member, whom): step for member, whom, _, step in start}
    changes, left = Followed.columns(log), list[tuple[int, int, str, int]]()
    for member, whom, began, step in zip(
        *(changes[name].tolist() for name in ("member", "whom", "began", "step")), strict=True
    ):
        if began:
            since.setdefault((member, whom), step)
        elif since.pop((member, whom), None) is not None:
            left.append((member, whom, "left", step))
    return [(member, whom, "follows", step) for (member, whom), step in since.items()] + left


def _trace(log: Log, unit: str, low: float, high: float, lines: Mapping[str, str]) -> Series:
    rows = log.table("rounds")
    points = {name: tuple((row["step"], float(row[key])) for row in rows) for name, key in lines.items()}
    return Series(along="round", unit=unit, low=low, high=high, lines=points)


def trace_activity(log: Log) -> Series:
    """Count posts, comments and reposts by round."""
    kinds = ("posts", "comments", "reposts")
    most = max((row[kind] for row in log.table("rounds") for kind in kinds), default=1)
    return _trace(log, "written", 0.0, float(max(most, 1)), dict(zip(kinds, kinds, strict=True)))


def trace_reach(log: Log) -> Series:
    """Count the members who have looked at each scheduled post by the end of each round."""
    looks, steps = Exposed.columns(log), [step for step, label in log.steps() if label.startswith("round")]
    lines = {}
    for _, one in Injected.read(log):
        own = looks["post"] == one.post
        _, first = np.unique(looks["member"][own], return_index=True)
        joined = np.sort(looks["step"][own][first])
        lines[one.name] = tuple((step, float(np.searchsorted(joined, step, "right"))) for step in steps)
    return Series(along="round", unit="members", low=0.0, high=float(log.members.size), lines=lines)


def trace_opinions(log: Log) -> Series:
    """Trace the mean and the variance of stances by round."""
    return _trace(log, "stance", -1.0, 1.0, {"mean": "stance_mean", "variance": "stance_variance"})


def tabulate_spread(log: Log) -> Table:
    """Tabulate views, likes, reposts and cascade depth of each scheduled post."""
    looks, trees, rows = Exposed.columns(log), build_cascades(log), []
    roots = trees.shares.item[trees.roots].tolist() if len(trees) else []
    for event, one in Injected.read(log):
        did, tree = looks["did"][looks["post"] == one.post], roots.index(one.post)
        counts = count_readers(looks, one.post), int((did == LIKE).sum()), int((did == REPOST).sum())
        rows.append((one.name, one.veracity or "unknown", event.step, *counts, int(trees.max_depth[tree])))
    columns = ("post", "veracity", "round", "readers", "likes", "reposts", "depth")
    return Table(columns=columns, rows=tuple(rows))


def tabulate_claims(log: Log) -> Table:
    """List claims with the number of claims for and against them, and the reach of their posts."""
    posts, looks = log.columns("posts", ["id", "parent", "kind"]), Exposed.columns(log)
    claims = [one for one in log.claims() if not one.text.endswith("?")]
    shown = np.bincount(looks["post"].astype(np.int64), minlength=len(posts.get("id", ())))
    shared = np.bincount(looks["post"][looks["did"] == REPOST].astype(np.int64), minlength=len(shown))
    bears = Counter((edge.target, edge.type) for edge in log.edges())
    rows = []
    for claim in sorted(claims, key=lambda one: (-int(shown[one.utterance]), one.id)):
        post = claim.utterance
        answers = posts["parent"][post] if posts["kind"][post] == "comment" else ""
        counts = int(shown[post]), int(shared[post]), bears[claim.id, "supports"], bears[claim.id, "counters"]
        rows.append((claim.text, claim.speaker, post, answers, *counts))
    by = Column(name="by", kind="agent")
    columns = ("claim", by, "post", "answers", "looks", "reposts", "supported by", "countered by")
    return Table(columns=columns, rows=tuple(rows), labels=_name_speakers(log))


def tabulate_audit(log: Log) -> Table:
    """Tabulate impressions by side and by cast member, as authors and as readers."""
    looks, members, side = Exposed.columns(log), log.members, find_sides(log)
    author, did = find_authors(log)[looks["post"].astype(np.int64)], looks["did"]
    cast = {members.id(row): members.name(row) for row in sorted(members.personas)}
    alone = {id: np.arange(members.size) == members.row(id) for id in cast}
    groups = {"for": side == 1, "against": side == 0, **alone}
    rows = (
        ("member", name, *numbers) if name in alone else (name, "", *numbers)
        for name, *numbers in tabulate_group_visibility(
            groups, side, looks["member"], author, did == LIKE, did == REPOST
        )
    )
    seen = ("members", "looks at their posts", "liked", "reposted", "their own looks", "at the other side")
    columns = ("group", Column(name="member", kind="agent"), *seen)
    return Table(columns=columns, rows=tuple(rows), labels=cast)


def map_claims(log: Log) -> Graph:
    """Map the claims made in posts, with their support and attack relations."""
    topic, claims, edges = log.study["config"]["statement"], tuple(log.claims()), tuple(log.edges())
    return Graph(topic=topic, claims=claims, edges=edges, speakers=_name_speakers(log))


def _name_speakers(log: Log) -> dict[str, str]:
    members = log.members
    return {claim.speaker: members.name(members.row(claim.speaker)) for claim in log.claims()}


def tabulate_group_visibility(
    groups: Mapping[str, Bools], side: Ints, reader: Ints, author: Ints, liked: Bools, reposted: Bools
) -> list[tuple[str | float, ...]]:
    """Tabulate for groups of members, given as masks, whom they see and who sees them, from impressions.

    Columns are the group, its members, looks at theirs by member, the share of those that are likes and
    reposts, their own looks by member, and the share of those that go to the other side.
    """
    rows: list[tuple[str | float, ...]] = []
    for name, group in groups.items():
        size, seen, reads = int(group.sum()), group[author], group[reader]
        across = int((reads & (side[author] + side[reader] == 1)).sum())
        rates = (float(did[seen].mean()) if seen.any() else math.nan for did in (liked, reposted))
        looked = int(reads.sum())
        own = looked / max(size, 1), across / max(looked, 1)
        rows.append((name, size, int(seen.sum()) / max(size, 1), *rates, *own))
    return rows


_DID = ("read", "liked", "disliked", "commented on", "reposted")
_OWN = 0.5
"""Importance of what somebody wrote or reposted."""


def interview(log: Log, persona: Persona, asked: str) -> AfterMedium:
    """Build the interview question to a cast member from its log entries; posts without text are left out."""
    memory, row = EpisodicMemory(persona.memory), log.members.row(persona.id)
    looks = Exposed.columns(log, member=row)
    posts = log.columns("posts", ["id", "author", "parent", "kind", "minute", "text"])
    known = set(looks["post"].tolist())
    lived = []
    for n, id in enumerate(posts["id"].tolist() if posts else []):
        text, author = posts["text"][n], int(posts["author"][n])
        answered = int(posts["author"][posts["parent"][n]]) if posts["kind"][n] == "comment" else None
        to = "" if answered is None else f" to {'you' if answered == row else log.members.name(answered)}"
        if text and author == row:
            lived.append((float(posts["minute"][n]), f'you wrote{to}: "{cut_text(text, LONGEST)}"', _OWN))
        elif text and id in known:
            at = int(first_largest(looks["post"] == id))
            did = int(looks["did"][at])
            words = f'you {_DID[did]} what {log.members.name(author)} wrote{to}: "{cut_text(text, LONGEST)}"'
            lived.append((float(looks["minute"][at]), words, _OWN * (did == REPOST)))
    for _, text, importance in sorted(lived):
        memory.store(text, importance)
    statement = log.study["config"]["statement"]
    part = f'You have been on a social medium, where many talked about this: "{statement}"'
    return AfterMedium(part, look_back(memory, asked), asked)


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List the claims of a member of the cast, for its participant to agree or disagree with."""
    return [(claim.id, claim.text) for claim in log.claims() if claim.speaker == agent]


INTERVIEW = Interview("chat", "Ask a member about what they wrote and read", interview, statements)


_HELP = """
spread | Readers are members who looked at the post.
reach | Members who have looked at each scheduled post so far.
audit | By side at the start and persona: looks at their posts by member, shares of these; their own looks,
    share at the other side.
opinions | Stances are from -1 (against) to 1 (in favour).
activity | Posts, comments and reposts in each round.
posts | What the cast wrote, and scheduled posts, in order.
threads | Posts and the comments below them, where somebody used words.
cascades | Scheduled posts, with everybody who reposted them below whom they have it from.
network | A larger weight means that what the member showed was looked at more often.
traced | Claims of posts in words: what supports and counters them, beside how many looked at the post and
    reposted it.
claims | Claims of posts in words, and how they support or counter each other.
"""
_process = partial(Surface, group="process")
SURFACES: tuple[Surface | Interview, ...] = add_help(
    _HELP,
    Surface("spread", "table", "How far scheduled posts got", tabulate_spread),
    Surface("reach", "series", "Reach over time", trace_reach),
    Surface("audit", "table", "Who is seen by whom", tabulate_audit),
    Surface("opinions", "series", "Opinions", trace_opinions),
    Surface("activity", "series", "Activity by round", trace_activity),
    Surface("posts", "timeline", "Posts in words", list_posts, True, live="append"),
    _process(
        "threads", "tree", "Conversations", build_reply_trees, whole=partial(build_reply_trees, whole=True)
    ),
    _process(
        "cascades",
        "tree",
        "Who passed which post on",
        build_cascade_trees,
        whole=partial(build_cascade_trees, whole=True),
    ),
    _process(
        "network",
        "graph",
        "Who follows whom in the cast",
        map_network,
        whole=partial(map_network, whole=True),
    ),
    _process("traced", "table", "Claims, how far they got and why", tabulate_claims),
    _process("claims", "graph", "What is claimed", map_claims),
    INTERVIEW,
)
