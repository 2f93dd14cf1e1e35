"""Speed of the social medium: whole runs, search among posts, and likes beside OASIS.

    python benchmarks/medium.py runs [10000 100000 1000000] [--rounds 24]
    OPENIIR_DATA=... python benchmarks/medium.py search [--posts 100000]
    python benchmarks/medium.py likes [--oasis oasis/bin/python] [--users 30000]

`runs` are whole runs with log and checkpoints of members who are numbers alone: mean 20 followees, one post a
member in fifty hours, the ranker `engagement`. Each size has a process of its own; the reference is the
smallest: a ratio of 1 is a cost per member that does not grow.

`search`: CPU time to search posts and to add one more, by keyword and by the hybrid of keywords and vectors.
Posts are those of claims_growth.py; queries are the first three, six and twelve words of other posts. LSA
(100 dimensions) is fitted to the first 2,000 posts, whose time is not counted. The reference is bm25s, which
cannot grow: scores of all posts for a query, and building an index. Goals: a query in 5 ms, adding one post
in 1 ms.

`likes` recorded a second, beside OASIS (camel-oasis 0.2.5, Yang et al., 2024) without a model: its platform's
`like_post`, one call a user, on a database that has the users; no agents, feeds or models. It needs `python
-m venv oasis && oasis/bin/pip install --no-deps camel-oasis`. Ours, the same work: whether a user liked the
post before is looked up, the like is counted and logged, hashed, as a part of a table (one part a round in
which everybody likes one post). Beside it a whole run of the type, in which likes are what readers do with
pages that are ranked for them. OASIS logs into SQLite and we into columns by batch: that is what is compared.
"""

import asyncio
import json
import os
import subprocess
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import bm25s
import numpy as np

from claims_growth import long_series
from measuring import (
    Sizes,
    data_folder,
    in_new_process,
    peak_megabytes,
    print_table,
    read_clocks,
    run_command,
    run_study,
    since,
    spend,
)
from openiir.core.retrieval import LSA
from openiir.core.retrieval.tokens import tokens
from openiir.core.storage import Log, RunFile, TableRows, tables
from openiir.scenarios.social_media.model.posts.post_store import PostIndex, Posts
from openiir.scenarios.social_media.model.posts.sites import SeenPosts

FITTED, QUERIES, ADDED, WORDS = 2_000, 150, 500, (3, 6, 12)
CITED = 1_492
"""Likes a second of OASIS at 30,000 users, as cited."""


def run_medium(folder: Path, **config: object) -> list[dict[str, int]]:
    """Run the type; returns the table of its rounds."""
    base = {"statement": "The bridge should be closed", "topics": ["traffic", "noise"]}
    study = {"type": "social_media", "personas": [], "config": base | config}
    with RunFile.open(run_study(study, folder / "run")) as run:
        return list(Log(run).table("rounds"))


def measure_run(members: int, rounds: int) -> tuple[float, int, float, float]:
    """Run one size; CPU seconds, looks, peak of memory and size of the run folder in MB."""
    with TemporaryDirectory() as folder:
        start = read_clocks()
        found = run_medium(Path(folder), members=members, rounds=rounds)
        cpu = since(start).cpu
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    return cpu, sum(row["looks"] for row in found), peak_megabytes(), size / 2**20


def time_runs(sizes: Sizes = (10_000, 100_000), rounds: int = 24) -> None:
    first = 0.0
    for members in sizes:
        cpu, looks, peak, folder = in_new_process(measure_run, members, rounds)
        each = cpu / (members * rounds)
        first = first or each
        print(
            f"{members:>9,} members: {cpu:.1f} s CPU, {1 / each:,.0f} user-rounds a CPU second",
            f"({each / first:.2f} of the smallest a user-round), {looks:,} looks, {peak:,.0f} MB,",
            f"run folder {folder:.1f} MB",
            flush=True,
        )


def cpu_ms(work) -> float:
    return 1_000 * spend(work).cpu


def write_posts(posts: Posts, texts: list[str]) -> None:
    posts.add([0] * len(texts), step=0, minute=0.0, topics=1.0, texts=texts)


class Library:
    """bm25s with the same formula, over texts known beforehand."""

    def __init__(self, texts: list[str]) -> None:
        documents = [tokens(text) for text in texts]
        self.numbers = {token: n for n, token in enumerate(sorted({t for d in documents for t in d}))}
        self.index = bm25s.BM25(k1=1.2, b=0.75, method="lucene", dtype="float64", backend="numpy")
        self.index.index(
            ([[self.numbers[t] for t in d] for d in documents], self.numbers), show_progress=False
        )

    def score(self, query: str) -> None:
        if known := [token for token in tokens(query) if token in self.numbers]:
            self.index.get_scores(known)


def search_rows(mode, texts, asked, later, library):
    """Yield a row for each length of queries: time to build, to search, to add a post, and bm25s's."""
    loop = asyncio.new_event_loop()
    posts, index = Posts(topics=1), PostIndex(None if mode == "keyword" else LSA.fit(texts[:FITTED]))
    write_posts(posts, texts)
    built = cpu_ms(lambda: loop.run_until_complete(index.follow(posts)))
    rows, adding = [], []
    for words in WORDS:
        queries = [" ".join(text.split()[:words]) for text in asked]
        times = [cpu_ms(lambda q=q: loop.run_until_complete(index.search(q, 10, mode))) for q in queries]
        plain = median(cpu_ms(lambda q=q: library.score(q)) for q in queries)
        rows.append((words, f"{median(times):.2f}, {quantiles(times, n=20)[-1]:.2f}", f"{plain:.2f}"))
    for text in later:
        write_posts(posts, [text])
        adding.append(cpu_ms(lambda: loop.run_until_complete(index.follow(posts))))
    for words, found, plain in rows:
        yield mode, f"{built / 1_000:.1f}", words, found, f"{median(adding):.2f}", plain


def time_search(posts: int = 100_000) -> None:
    series = long_series(data_folder(), posts + QUERIES + ADDED)
    parts = series[:posts], series[posts : posts + QUERIES], series[posts + QUERIES :]
    library: list[Library] = []
    built = spend(lambda: library.append(Library(parts[0]))).cpu
    print(f"{posts:,} posts; load {os.getloadavg()[0]:.1f}; bm25s built in {built:.1f} s")
    head = "mode | built, s | words | a query, ms: median, 95 % | adding one, ms | bm25s, a query, ms"
    rows = (row for mode in ("keyword", "hybrid") for row in search_rows(mode, *parts, library[0]))
    print_table(head, rows)


def record_likes(users: int, folder: Path) -> int:
    """Record one like of each user in each round, on one of 1,000 posts; returns the number of likes."""
    (folder / "tables").mkdir()
    posts, liked, rows = Posts(1), SeenPosts(), np.arange(users)
    posts.add(np.arange(1_000) % users, step=0, minute=0.0, topics=np.ones((1_000, 1)))
    for step in range(1, 21):
        post = (rows * 7 + step) % 1_000
        new = ~liked.contains(rows, post)
        liked.add(rows[new], post[new])
        posts.count_reactions("likes", post[new])
        logged = TableRows("likes")
        logged.add_columns({"step": np.full(int(new.sum()), step), "user": rows[new], "post": post[new]})
        tables.write_part(folder, step, logged)
    return int(posts["likes"].sum())


def count_likes(users: int, folder: Path) -> int:
    """Run the type for a day, with readers who like half of what they look at; count the likes."""
    habits = {"topics": ["traffic"], "activity": {"posts": 0.05}, "reactions": {"like": 0.4}}
    return sum(row["likes"] for row in run_medium(folder, members=users, **habits))


def time_likes(oasis: str = "", users: int = 30_000) -> None:
    rows, reference = [("OASIS, as cited", "", f"{CITED:,}", "", 1)], float(CITED)
    if oasis:
        side = [oasis, str(Path(__file__).with_name("medium_likes_side.py")), str(users), str(users)]
        printed = subprocess.run(side, check=True, capture_output=True, text=True).stdout
        took = json.loads(printed.splitlines()[-1])
        reference = users / took["cpu"]
        rows = [("OASIS, measured", f"{users:,}", f"{users / took['wall']:,.0f}", f"{reference:,.0f}", 1)]
    for name, work in (("the same work", record_likes), ("a whole run of the type", count_likes)):
        with TemporaryDirectory() as folder:
            start = read_clocks()
            likes = work(users, Path(folder))
            wall, cpu = since(start)
        rates = f"{likes:,}", f"{likes / wall:,.0f}", f"{likes / cpu:,.0f}"
        rows.append((name, *rates, f"{likes / cpu / reference:,.0f}"))
    print_table("| likes | a second | a CPU second | times OASIS", rows)


if __name__ == "__main__":
    run_command(runs=time_runs, search=time_search, likes=time_likes)
