"""CPU time and memory of rounds of posts, feeds and reactions, from 10,000 members to 1,000,000.

    python benchmarks/posts.py [--sizes 10000 100000 1000000] [--rounds 3]

In a round of an hour members post by their rates, everybody is served the 10 best of the 50 latest posts of
those it follows, by one ranker, and reacts; reposts, counts and who saw what are kept. Posts have 8 topics
and no texts. Nothing is logged. Each size runs in a process of its own; the network is not counted. The
reference is the smallest size: a ratio of 1 is a cost per member that does not grow.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

from lab.followed_posts import FollowedPosts
from openiir.core.agents import Crowd
from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats, Ints
from openiir.kit.counts import draw_counts
from openiir.kit.networks import FollowerGraph, power_law_graph
from openiir.kit.rankers import NONE, best
from openiir.scenarios.social_media.model.activity import draw_rates
from openiir.scenarios.social_media.model.posts.post_rankers import POST_RANKERS, PostView
from openiir.scenarios.social_media.model.posts.post_store import Posts
from openiir.scenarios.social_media.model.posts.reactions import ACTIONS, ReactionFeatures, ReactionRule
from openiir.scenarios.social_media.model.posts.sites import SeenPosts

DRAW, TOPICS, SLOTS = Draw(1, "benchmark.posts"), np.arange(8), 10
MODEL = ReactionRule().calibrate(ReactionFeatures(np.linspace(-1, 1, 101), 0.2, 0.2), 0.01)


def write(posts: Posts, rates: Floats, step: int) -> None:
    """Let members post."""
    draw = DRAW.at(step=step)
    author = np.repeat(np.arange(len(rates)), draw_counts(draw.at("count"), np.arange(len(rates)), rates))
    born = np.sort(60 * (step + draw.at("born").uniform(item=np.arange(len(author)))))
    topics = draw.at("topic").uniform(agent=author[:, None], item=TOPICS)
    posts.add(author, step=step, minute=born, topics=topics, arousal=topics[:, 0], novelty=topics[:, 1])


def read(
    posts: Posts, seen: SeenPosts, graph: FollowerGraph, interests: Floats, ranker: str, step: int
) -> tuple[Ints, Ints, Ints]:
    """Let everybody read and react; readers, posts and reactions."""
    followed = FollowedPosts(graph, posts)

    def serve(block: slice) -> tuple[Ints, Ints, Ints]:
        readers = np.arange(block.start, block.stop)
        items = followed.find_latest(readers, 50)
        blocked = (items == NONE) | seen.contains(readers[:, None], items)
        view = PostView(posts, readers, items, 60.0 * step, interests[block], DRAW)
        row, slot = np.nonzero(
            (served := best(POST_RANKERS[ranker](view), items, blocked, SLOTS).items) != NONE
        )
        reader, post = readers[row], served[row, slot]
        shown = posts["novelty"][post], posts["arousal"][post], posts["likes"][post] - posts["dislikes"][post]
        features = ReactionFeatures(interests[reader, 0] - 0.5, *shown, posts["reposts"][post])
        return (
            reader,
            post,
            DRAW.at("react", agent=reader, item=post).choices(ACTIONS, MODEL.utilities(features)),
        )

    parts = Crowd(graph.members).each(serve)
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def print_rounds(members: int, rounds: int, ranker: str) -> None:
    """Print the figures of one size as JSON."""
    graph = power_law_graph(members, DRAW, 2.3, 7)
    start = time.process_time()
    rates = draw_rates(DRAW.at("rate"), np.arange(members), 0.1)
    interests = DRAW.at("interest").uniform(agent=np.arange(members)[:, None], item=TOPICS)
    posts, seen, exposures = Posts(len(TOPICS)), SeenPosts(), 0
    for step in range(rounds):
        write(posts, rates, step)
        reader, post, did = read(posts, seen, graph, interests, ranker, step)
        seen.add(reader, post)
        posts.count_reactions("shown", post)
        posts.count_reactions("likes", post[did == ACTIONS.index("like")])
        again = did == ACTIONS.index("repost")
        posts.repost(reader[again], post[again], step=step, minute=60.0 * (step + 1))
        exposures += len(post)
    cpu = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": cpu, "posts": len(posts), "exposures": exposures, "memory": memory}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ranker", default="engagement", choices=POST_RANKERS)
    parser.add_argument("--part", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print_rounds(options.part, options.rounds, options.ranker)
        return
    print(
        "| members | posts | exposures | CPU, s | us a member and round | ratio | us an exposure | peak, MB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    first = None
    for members in options.sizes:
        words = ["--part", str(members), "--rounds", str(options.rounds), "--ranker", options.ranker]
        done = subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE)
        found = json.loads(done.stdout)
        each = found["cpu"] / members / options.rounds * 1e6
        first = first or each
        print(
            f"| {members:,} | {found['posts']:,} | {found['exposures']:,} | {found['cpu']:.1f} | {each:.1f} "
            f"| {each / first:.2f} | {found['cpu'] / found['exposures'] * 1e6:.2f} | {found['memory']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
