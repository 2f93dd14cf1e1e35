"""Likes recorded a second, beside OASIS (camel-oasis 0.2.5, Yang et al., 2024) without a model.

    python -m venv oasis && oasis/bin/pip install --no-deps camel-oasis
    python benchmarks/medium_likes.py [oasis/bin/python] [--users 30000]

OASIS: its platform's `like_post`, one call a user, on a database that has the users; no agents, feeds or
models. Ours, the same work: whether a user liked the post before is looked up, the like is counted and
logged, hashed, as a part of a table (one part a round in which everybody likes one post). Beside it a whole
run of the type, in which likes are what readers do with pages that are ranked for them, and all else happens
that happens in a run. OASIS logs into SQLite and we into columns by batch: that is what is compared.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from openiir.core.storage import TableRows, tables
from openiir.scenarios.social_media.model.posts.post_store import Posts
from openiir.scenarios.social_media.model.posts.sites import SeenPosts
from openiir.testing import run_offline

CITED = 1_492
"""Likes a second of OASIS at 30,000 users, as cited."""
ROUNDS = 20


def record_likes(users: int, folder: Path) -> int:
    """Record one like of each user in each round, on one of 1,000 posts; returns the number of likes."""
    (folder / "tables").mkdir()
    posts, liked, rows = Posts(1), SeenPosts(), np.arange(users)
    posts.add(np.arange(1_000) % users, step=0, minute=0.0, topics=np.ones((1_000, 1)))
    for step in range(1, ROUNDS + 1):
        post = (rows * 7 + step) % 1_000
        new = ~liked.contains(rows, post)
        liked.add(rows[new], post[new])
        posts.count_reactions("likes", post[new])
        logged = TableRows("likes")
        logged.add_columns({"step": np.full(int(new.sum()), step), "user": rows[new], "post": post[new]})
        tables.write_part(folder, step, logged)
    return int(posts["likes"].sum())


def run_medium(users: int, folder: Path) -> int:
    """Run the type for a day, with readers who like half of what they look at; returns the number of
    likes."""
    config = {
        "statement": "The bridge should be closed",
        "topics": ["traffic"],
        "members": users,
        "activity": {"posts": 0.05},
        "reactions": {"like": 0.4},
    }
    done = run_offline({"type": "social_media", "personas": [], "config": config}, folder / "run")
    likes = sum(row["likes"] for row in done.log.table("rounds"))
    done.run.close()
    return likes


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("oasis", nargs="?", help="interpreter of an environment with camel-oasis")
    parser.add_argument("--users", type=int, default=30_000)
    options = parser.parse_args()
    users = options.users
    reference = float(CITED)
    print("| | likes | a second | a CPU second | times OASIS |\n|---|---|---|---|---|")
    if options.oasis:
        side = [options.oasis, str(Path(__file__).with_name("medium_likes_side.py")), str(users), str(users)]
        lines = subprocess.run(side, check=True, capture_output=True, text=True).stdout.splitlines()
        found = json.loads(lines[-1])
        reference = users / found["cpu"]
        print(f"| OASIS, measured | {users:,} | {users / found['wall']:,.0f} | {reference:,.0f} | 1 |")
    else:
        print(f"| OASIS, as cited | | {CITED:,} | | 1 |")
    for name, work in (("the same work", record_likes), ("a whole run of the type", run_medium)):
        with tempfile.TemporaryDirectory() as folder:
            wall, cpu = time.perf_counter(), time.process_time()
            likes = work(users, Path(folder))
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(
            f"| {name} | {likes:,} | {likes / wall:,.0f} | {likes / cpu:,.0f} | "
            f"{likes / cpu / reference:,.0f} |"
        )


if __name__ == "__main__":
    main()
