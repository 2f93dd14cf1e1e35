"""Time and memory of the MovieLens 1M knowledge graph with all scores, compared with dense path-count
matrices.

    OPENIIR_DATA=... python benchmarks/graph.py

Both sides start from the same training fold, attributes and embeddings, each in a process of its own, on one
thread, and end with the similarity of all items to each other (per path, weighted mean, semantic part) and of
all users to all items (float32). The dense side forms the ten matrices of counts as float32, the long paths
by their factors too, by the quicker of NumPy's and SciPy's products, and keeps them; the graph also keeps
each item's 200 nearest. Their sums must agree. Time is CPU time, memory the process's peak, both with imports
and without reading the data's text.

Goals: half the time, half the memory, and a page of four items in at most 60 microseconds.
"""

import numpy as np

from measuring import data_folder, in_new_process, peak_megabytes, read_clocks, run_command, since, spend
from openiir.kit.items import split
from openiir.kit.items.bias import BiasModel
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.scenarios.recommender.model.graph.embeddings import embed
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.retrieval import Retriever

BLOCK = 1024


def score_densely(edges, vectors):
    """Compute the scores by ten dense matrices and PathSim; return their sums."""
    vectors = vectors.astype(np.float32)
    f32 = {name: matrix.astype(np.float32) for name, matrix in edges.items()}
    rated = f32["rated"].T.tocsr()
    halves = {name: f32[name].T.tocsr() for name in ("rated", "liked", "disliked")}
    attributes = ("belongs-to", "released-in", "directed-by", "features")
    halves |= {name: f32[name] for name in attributes if name in f32}
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


def score_by_graph(collection, train, people, vectors):
    """Compute the same scores by the knowledge graph; return their sums."""
    made = KnowledgeGraph.build(collection, train, users=people)
    retriever = Retriever(made, vectors)
    users = np.empty((made.train.users, made.train.items), dtype=np.float32)
    for start in range(0, len(users), BLOCK):
        stop = min(start + BLOCK, len(users))
        users[start:stop] = retriever.similarity.user_item(range(start, stop))
    every = np.arange(made.train.items)
    items = sum(retriever.shared_scores(rows, every).sum(dtype=float) for rows in np.array_split(every, 8))
    return float(items) * 2.0**-20, float(users.sum(dtype=float))


def measure_side(score, *task):
    """Measure one side in this process: sums of the scores, seconds, and the peak of memory."""
    start = read_clocks()
    sums = score(*task)
    return {"sums": sums, **since(start)._asdict(), "peak": peak_megabytes()}


def compare(folder):
    data = movielens_1m(folder)  # with directors, actors and plots where their file is there
    collection, folds, people = data.collection, split(data.ratings, 42), data.demographics
    made = KnowledgeGraph.build(collection, folds.train, users=people)
    vectors = embed(collection)
    edges = {edge.name: matrix for edge, matrix in made.edges.items()}
    dense = in_new_process(measure_side, score_densely, edges, vectors)
    graph = in_new_process(measure_side, score_by_graph, collection, folds.train, dict(people), vectors)
    for name, side in (("dense", dense), ("graph", graph)):
        took = f"{side['cpu']:6.1f} s CPU {side['wall']:6.1f} s wall {side['peak']:6.0f} MB"
        print(f"{name:6} {took}  sums {side['sums']}")
    np.testing.assert_allclose(graph["sums"], dense["sums"], rtol=1e-4)
    ratios = (f"{name} {graph[name] / dense[name]:.2f}" for name in ("cpu", "wall", "peak"))
    print(f"graph to dense: {', '.join(ratios)} (goal .5)")
    return made, vectors, folds


def time_pages(made, vectors):
    """Measure the time of a page of four items, for agents with and without ratings of their own."""
    retriever = Retriever(made, vectors)
    agents = retriever.memories(range(500))
    draw = np.random.default_rng(0)
    shown = draw.integers(0, made.train.items, (500, 4))
    pairs = list(zip(agents, shown, strict=True))
    for label in ("no rating", "20 ratings"):
        for agent, page in pairs:
            agent.similar(page)
        best = min(spend(lambda: [a.similar(p) for a, p in pairs]).cpu for _ in range(7))
        print(f"page of 4 items, {label} of the run: {best / 500 * 1e6:.0f} microseconds (goal 60)")
        if label == "no rating":
            took = spend(lambda: [a.rate(i, 4.0) for a in agents for i in range(0, 2000, 100)]).cpu
            print(f"a new like: {took / 10_000 * 1e6:.0f} microseconds, the first of an agent included")
    return retriever


def predictions(retriever, folds):
    """Print the RMSE on the test fold of the mean over similar items, of ratings and of residuals."""
    bias, test = BiasModel.fit(folds.train), folds.test
    for k in (3, 10, 40):
        start, plain = read_clocks(), retriever.predict(test.user, test.item, k)
        took = since(start).cpu
        above = retriever.predict(test.user, test.item, k, lambda user: bias.block(np.array([user]))[0])
        rmse = [float(np.sqrt(np.nanmean((p - test.value) ** 2))) for p in (plain, above)]
        print(f"top {k:2}: RMSE {rmse[0]:.4f}, above user and item bias {rmse[1]:.4f} ({took:.1f} s CPU)")


def main() -> None:
    made, vectors, folds = compare(data_folder() / "ml-1m")
    predictions(time_pages(made, vectors), folds)


if __name__ == "__main__":
    run_command(main)
