"""CPU time to search 100,000 posts and to add one more, by keyword and by the hybrid of keywords and vectors.

    OPENIIR_DATA=... python benchmarks/post_search.py [--posts 100000]

Posts are those of claims_growth.py: sentences of seven collections. Queries are the first three, six and
twelve words of other posts. LSA (100 dimensions) is fitted to the first 2,000 posts, whose time is not
counted. The reference is bm25s, which cannot grow, over the same posts: scores of all for a query, and
building an index.

Goals: a query in 5 ms, adding one post in 1 ms.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

import bm25s

from claims_growth import long_series
from openiir.core.retrieval import LSA
from openiir.core.retrieval.tokens import tokens
from openiir.scenarios.social_media.model.posts.post_store import PostIndex, Posts

FITTED, QUERIES, ADDED, WORDS = 2_000, 150, 500, (3, 6, 12)


def cpu_ms(work: Callable[[], object]) -> float:
    """Do something; return its CPU time in ms."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1_000


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--posts", type=int, default=100_000)
    number = parser.parse_args().posts
    series = long_series(Path(os.environ["OPENIIR_DATA"]), number + QUERIES + ADDED)
    texts, asked, later = series[:number], series[number : number + QUERIES], series[number + QUERIES :]
    loop = asyncio.new_event_loop()
    library: list[Library] = []
    reference = cpu_ms(lambda: library.append(Library(texts)))
    print(f"{number:,} posts; load {os.getloadavg()[0]:.1f}\n")
    print(
        "| mode | built, s | words of the query | a query, ms: median, 95 % | adding one, ms | bm25s: built, "
        "s; query, ms |"
    )
    print("|---|---|---|---|---|---|")
    for mode in ("keyword", "hybrid"):
        posts, index = Posts(topics=1), PostIndex(None if mode == "keyword" else LSA.fit(texts[:FITTED]))
        write_posts(posts, texts)
        built = cpu_ms(lambda index=index, posts=posts: loop.run_until_complete(index.follow(posts)))
        rows = []
        for words in WORDS:
            queries = [" ".join(text.split()[:words]) for text in asked]
            times = [
                cpu_ms(lambda q=q, m=mode, i=index: loop.run_until_complete(i.search(q, 10, m)))
                for q in queries
            ]
            plain = median(cpu_ms(lambda q=q: library[0].score(q)) for q in queries)
            rows.append((words, median(times), quantiles(times, n=20)[-1], plain))
        adding = []
        for text in later:
            write_posts(posts, [text])
            adding.append(cpu_ms(lambda i=index, p=posts: loop.run_until_complete(i.follow(p))))
        for words, middle, high, plain in rows:
            print(
                f"| {mode} | {built / 1_000:.1f} | {words} | {middle:.2f}, {high:.2f} | {median(adding):.2f} "
                f"| {reference / 1_000:.1f}; {plain:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
