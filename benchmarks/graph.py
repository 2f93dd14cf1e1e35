"""Time and memory of the MovieLens 1M knowledge graph with all scores, compared with dense path-count
matrices.

    OPENIIR_DATA=... python benchmarks/graph.py [--large 100000]

Both sides start from the same training fold, attributes and embeddings, each in a process of its own, on one
thread, and end with the similarity of all items to each other (per path, weighted mean, semantic part) and of
all users to all items (float32). The dense side forms the ten matrices of counts as float32, the long paths
by their factors too, by the quicker of NumPy's and SciPy's products, and keeps them; the graph also keeps
each item's 200 nearest. Their sums must agree. Time is CPU time, memory the process's peak, both with imports
and without reading the data's text.

Goals: half the time, half the memory, and a page of four items in at most 60 microseconds.

`--large N` instead makes N items with sparse users, on the graph's side alone.
"""

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from openiir.kit.items import Collection, Ratings, split
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.scenarios.recommender.model.graph.embeddings import embed
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.retrieval import Retriever

TASKS = ("dense", "graph")
BLOCK = 1024


def movielens(folder):
    """Load the collection (with directors, actors and plots if available), the split, and user
    demographics."""
    data = movielens_1m(folder)
    attributes, plots, more = dict(data.collection.attributes), (), folder / "movies_extrainfos.dat"
    if more.exists():
        lines = (line.split("::") for line in more.read_text("latin-1").splitlines())
        rows = {row[0]: row for row in lines if len(row) > 9}
        for name, at in (("director", 6), ("actor", 8)):
            given = [rows[id][at].split(",") if id in rows else [] for id in data.collection.ids]
            attributes[name] = tuple(
                tuple(v.strip() for v in values if v.strip() not in ("", "N/A")) for values in given
            )
        plots = tuple(rows[id][9] if id in rows else "" for id in data.collection.ids)
    collection = Collection(
        "movie", data.collection.ids, data.collection.titles, attributes, descriptions=plots
    )
    return collection, split(data.ratings, 42), data.demographics


def edge_matrices(graph):
    """Return every edge type's CSR matrix by name, the input of both sides."""
    return {edge.name: matrix for edge, matrix in graph.edges.items()}


def score_densely(task):
    """Compute the scores by ten dense matrices and PathSim; return their sums."""
    edges, vectors = task["edges"], task["vectors"].astype(np.float32)
    f32 = {name: matrix.astype(np.float32) for name, matrix in edges.items()}
    rated = f32["rated"].T.tocsr()
    halves = {name: f32[name].T.tocsr() for name in ("rated", "liked", "disliked")}
    halves |= {
        name: f32[name] for name in ("belongs-to", "released-in", "directed-by", "features") if name in f32
    }
    alike = {name: (rated @ f32[name]).toarray() for name in ("has-occupation", "has-age")}
    counts = {name: (half @ half.T).toarray() for name, half in halves.items()}
    counts |= {name: half @ half.T for name, half in alike.items()}
    valued = (rated @ f32["gives-rating"]).toarray() @ f32["given-to"].toarray()
    counts["valued"] = (valued + valued.T) / 2
    items = np.zeros_like(valued)
    for matrix in counts.values():
        loops = matrix.diagonal()
        items += 2 * matrix / np.maximum(loops[:, None] + loops, 1)
    items *= 0.8 / len(counts)
    items += 0.25 * (vectors @ vectors.T)
    likes, users = f32["liked"], np.zeros(f32["liked"].shape, dtype=np.float32)
    liked = likes.toarray()
    for name in halves:
        ways = likes @ counts[name]
        trips = (ways * liked).sum(axis=1)
        users += 2 * ways / np.maximum(trips[:, None] + counts[name].diagonal(), 1)
    return float(items.sum(dtype=float)), float(users.sum(dtype=float) / len(halves))


def score_by_graph(task):
    """Compute the same scores by the knowledge graph; return their sums."""
    made = KnowledgeGraph.build(task["collection"], task["train"], users=task["people"])
    retriever = Retriever(made, task["vectors"])
    users = np.empty((made.train.users, made.train.items), dtype=np.float32)
    for start in range(0, len(users), BLOCK):
        stop = min(start + BLOCK, len(users))
        users[start:stop] = retriever.similarity.user_item(range(start, stop))
    every = np.arange(made.train.items)
    items = sum(retriever.shared_scores(rows, every).sum(dtype=float) for rows in np.array_split(every, 8))
    return float(items) * 2.0**-20, float(users.sum(dtype=float))


def run_side(task, path):
    """Run one side in its own process."""
    command = [sys.executable, __file__, "--task", task, str(path)]
    alone = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=alone).stdout
    )


def compare(folder):
    collection, folds, people = movielens(folder)
    made = KnowledgeGraph.build(collection, folds.train, users=people)
    vectors = embed(collection)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "task.pickle"
        task = {"collection": collection, "train": folds.train, "people": dict(people), "vectors": vectors}
        path.write_bytes(pickle.dumps(task | {"edges": edge_matrices(made)}))
        found = {name: run_side(name, path) for name in TASKS}
    for name, side in found.items():
        print(
            f"{name:6} {side['cpu']:6.1f} s CPU {side['wall']:6.1f} s wall {side['peak']:6.0f} MB  sums "
            f"{side['sums']}"
        )
    np.testing.assert_allclose(found["graph"]["sums"], found["dense"]["sums"], rtol=1e-4)
    ratios = {name: found["graph"][name] / found["dense"][name] for name in ("cpu", "wall", "peak")}
    print(
        "graph to dense: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()) + " (goal .5)"
    )
    return made, vectors, folds


def time_pages(made, vectors):
    """Measure the time of a page of four items, for agents with and without ratings of their own."""
    retriever = Retriever(made, vectors)
    agents = retriever.memories(range(500))
    draw = np.random.default_rng(0)
    shown = draw.integers(0, made.train.items, (500, 4))
    for label in ("no rating", "20 ratings"):
        for agent, page in zip(agents, shown, strict=True):
            agent.similar(page)
        best = min(
            _timed(lambda: [a.similar(p) for a, p in zip(agents, shown, strict=True)]) for _ in range(7)
        )
        print(f"page of 4 items, {label} of the run: {best / 500 * 1e6:.0f} microseconds (goal 60)")
        if label == "no rating":
            took = _timed(lambda: [a.rate(i, 4.0) for a in agents for i in range(0, 2000, 100)])
            print(f"a new like: {took / 10_000 * 1e6:.0f} microseconds, the first of an agent included")
    return retriever


def predictions(retriever, folds):
    """Print the RMSE on the test fold of the mean over similar items, for ratings and for residuals from
    bias."""
    expected = biases(folds.train)
    test = folds.test
    for k in (3, 10, 40):
        took, plain = time.process_time(), retriever.predict(test.user, test.item, k)
        took = time.process_time() - took
        above = retriever.predict(test.user, test.item, k, expected)
        rmse = [float(np.sqrt(np.nanmean((p - test.value) ** 2))) for p in (plain, above)]
        print(f"top {k:2}: RMSE {rmse[0]:.4f}, above user and item bias {rmse[1]:.4f} ({took:.1f} s CPU)")


def biases(train):
    """Fit user and item biases by alternating means, shrunk by 6 and 2 ratings; return them as a function."""
    user, item = np.zeros(train.users), np.zeros(train.items)
    for _ in range(10):
        item = np.bincount(train.item, train.value - train.mean - user[train.user], train.items) / (
            train.counts + 2
        )
        sums = np.bincount(train.user, train.value - train.mean - item[train.item], train.users)
        user = sums / (np.bincount(train.user, minlength=train.users) + 6)
    return lambda u: train.mean + user[u] + item


def measure_large(items, users=20_000, each=50):
    """Measure a large catalogue with sparse users: neighbours, and one page."""
    draw = np.random.default_rng(0)
    item = np.minimum((items * draw.random((users, each)) ** 3).astype(np.int64), items - 1)
    pairs = np.unique(np.repeat(np.arange(users), each) * items + item.ravel())
    value = draw.integers(1, 6, len(pairs)).astype(float)
    train = Ratings(users, items, pairs // items, pairs % items, value)
    named = {"genre": 20, "tag": 5_000}
    attributes = {
        n: tuple((str(a), str(b)) for a, b in draw.integers(0, k, (items, 2))) for n, k in named.items()
    }
    ids = tuple(map(str, range(items)))
    made = KnowledgeGraph.build(Collection("item", ids, ids, attributes), train)
    start = time.process_time()
    retriever = Retriever(made, draw.normal(size=(items, 32)))
    took = time.process_time() - start
    agents = retriever.memories(range(100))
    one = min(_timed(lambda: agents[0].similar([1, 2, 3, 4])) for _ in range(5))
    agents[0].rate(9, 5.0)
    grown = min(_timed(lambda: agents[0].similar([1, 2, 3, 4])) for _ in range(5))
    print(f"{items} items, {len(train)} ratings, paths: {', '.join(p.name for p in made.paths)}")
    print(
        f"200 nearest of each: {took:.0f} s CPU, peak {_peak():.0f} MB; a page {one * 1e6:.0f}, with own "
        f"{grown * 1e6:.0f} us"
    )


def _timed(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", type=int, metavar="N")
    parser.add_argument("--task", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        task = pickle.loads(Path(options.task[1]).read_bytes())
        if options.task[0] == "graph":
            del task["edges"]
        wall, cpu = time.perf_counter(), time.process_time()
        sums = {"dense": score_densely, "graph": score_by_graph}[options.task[0]](task)
        took = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        print(json.dumps({"sums": sums, "peak": _peak(), **took}))
    elif options.large:
        measure_large(options.large)
    else:
        made, vectors, folds = compare(Path(os.environ["OPENIIR_DATA"]) / "ml-1m")
        predictions(time_pages(made, vectors), folds)


if __name__ == "__main__":
    main()
