import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings
from openiir.scenarios.recommender.model.graph import retrieval, similarity
from openiir.scenarios.recommender.model.graph.embeddings import embed
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.retrieval import Retriever
from openiir.scenarios.recommender.model.graph.similarity import Similarity

STEP = 2.0**-20


@pytest.fixture
def vectors(small):
    return np.random.default_rng(5).normal(size=(small.items, 3))


@pytest.fixture
def folds(small):
    """A training fold without some ratings, and the fold of these."""
    collection, ratings, people, _ = small.data(seed=4)
    out = np.random.default_rng(6).random(len(ratings)) < 0.25
    return collection, ratings.select(~out), ratings.select(out), people


def steps(value):
    return np.rint(np.asarray(value) / STEP)


class Naive:
    """Every item scored in turn, from dense matrices and a graph built anew for what an agent adds."""

    def __init__(self, folds, vectors, k=3, alpha=0.8, semantic=0.25):
        self.collection, self.train, _, self.people = folds
        self.k, self.alpha, self.semantic = k, alpha, semantic
        made = Similarity(KnowledgeGraph.build(self.collection, self.train, users=self.people))
        cosine = vectors @ vectors.T / np.outer(*(2 * [np.linalg.norm(vectors, axis=1)]))
        self.shared = steps(alpha * made.between(slice(None), slice(None)) + semantic * cosine)
        every = np.arange(len(cosine))
        counts = [p.between(every, every) for p in made.paths if p.path.round_trip and len(p.path.steps) == 2]
        self.short = [np.asarray(c if isinstance(c, np.ndarray) else c.toarray()).tolist() for c in counts]

    def liking(self, liked):
        """s_uy of somebody who likes these, in a loop over paths and items."""
        found = np.zeros(len(self.collection))
        for counts in self.short:
            trips = sum(counts[a][b] for a in liked for b in liked)
            for y in range(len(found)):
                below = trips + counts[y][y]
                found[y] += 2 * sum(counts[m][y] for m in liked) / below / len(self.short) if below else 0
        return found

    def similar(self, user, x, rated=()):
        """Triples of item, steps and rating; `rated` are pairs of the run."""
        run = dict(rated)
        own = dict(zip(*(a.tolist() for a in self.train.of(user)), strict=True)) | run
        lift = steps((1 - self.alpha) * self.liking([i for i, value in own.items() if value >= 4]))
        means, found = self.train.item_means, []
        for y in range(len(self.collection)):
            rating = own.get(y, means[y])
            if y == x or np.isnan(rating):
                continue
            found.append((y, self.shared[x, y] + lift[y], rating, y in own))
        return sorted(found, key=lambda one: (-one[1], one[0]))[: self.k]


def retriever_of(folds, vectors, **more):
    collection, train, _, people = folds
    return Retriever(KnowledgeGraph.build(collection, train, users=people), vectors, kept=99, **more)


def found_by(memory, items):
    return [[(s.item, s.score / STEP, s.rating, s.own) for s in row] for row in memory.similar(items)]


@pytest.mark.parametrize("held", [0, 4096])
@pytest.mark.parametrize("k", [1, 3, 20])
def test_an_agent_finds_what_a_loop_over_all_items_finds(small, folds, vectors, k, held, monkeypatch):
    for module in (similarity, retrieval):
        monkeypatch.setattr(module, "HELD", held)
    naive, made = Naive(folds, vectors, k), retriever_of(folds, vectors, k=k)
    every = range(small.items)
    for user, memory in enumerate(made.memories(range(small.users))):
        assert found_by(memory, every) == [naive.similar(user, x) for x in every]


@pytest.mark.parametrize("held", [0, 4096])
def test_what_an_agent_adds_counts_as_if_it_had_been_there(small, folds, vectors, held, monkeypatch):
    for module in (similarity, retrieval):
        monkeypatch.setattr(module, "HELD", held)
    naive, made = Naive(folds, vectors), retriever_of(folds, vectors)
    draw, every = np.random.default_rng(7), range(small.items)
    for user in range(small.users):
        memory, rated = made.memories([user])[0], []
        for _ in range(6):
            item, rating = int(draw.integers(small.items)), float(draw.integers(1, 6))
            memory.rate(item, rating)
            rated.append((item, rating))
            assert found_by(memory, every) == [naive.similar(user, x, rated) for x in every]


def test_pairs_are_predicted_as_an_agent_would(small, folds, vectors):
    made = retriever_of(folds, vectors, k=4)
    user, item = (a.ravel() for a in np.meshgrid(range(small.users), range(small.items)))
    expected = np.random.default_rng(8).normal(3, 1, (small.users, small.items))
    predicted = made.predict(user, item, k=4)
    above = made.predict(user, item, 4, expected=lambda u: expected[u])
    memories = made.memories(range(small.users))
    for at, (u, x) in enumerate(zip(user.tolist(), item.tolist(), strict=True)):
        row = memories[u].similar([x])[0]
        row = [s for s in row if s.score > 0]
        weight = sum(s.score for s in row) if row else np.nan
        assert predicted[at] == pytest.approx(sum(s.score * s.rating for s in row) / weight, nan_ok=True)
        rest = sum(s.score * (s.rating - expected[u, s.item]) for s in row)
        assert above[at] == pytest.approx(expected[u, x] + rest / weight, nan_ok=True)


def test_only_the_nearest_are_kept_and_what_an_agent_rated_comes_beside_them(small, folds, vectors):
    collection, train, hidden, people = folds
    graph = KnowledgeGraph.build(collection, train, users=people)
    full, few = Retriever(graph, vectors, kept=99), Retriever(graph, vectors, kept=2)
    assert (few.neighbours.items == full.neighbours.items[:, :2]).all()
    memory = few.memories([0])[0]
    far = next(item for item in full.neighbours.items[0, 3:].tolist() if item not in memory.ratings)
    assert far not in [s.item for s in memory.similar([0])[0]]
    memory.rate(far, 1.0)
    assert (far, 1.0, True) in [(s.item, s.rating, s.own) for s in memory.similar([0])[0]]


def test_growth_is_private_and_the_shared_graph_stays(small, folds, vectors):
    made = retriever_of(folds, vectors)
    one, other = made.memories([0, 1])
    before = found_by(other, range(small.items)), made.similarity.between(slice(None), slice(None))
    for item in range(small.items):
        one.rate(item, 5.0)
    assert found_by(other, range(small.items)) == before[0]
    assert (made.similarity.between(slice(None), slice(None)) == before[1]).all()
    for array in (*made.neighbours, made._whole, *made.similarity.cached_counts.values()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_graph_without_short_paths_brings_no_user_nearer_to_an_item(folds):
    made = retriever_of(folds, None, weights={"Movie-Age-Movie": 1.0})
    memory = made.memories([0])[0]
    before = found_by(memory, [0])
    memory.rate(2, 5.0)
    assert found_by(memory, [0]) == before
    assert not made.similarity.user_item([0]).any()


def test_ties_go_to_the_item_that_comes_first():
    same = Collection("movie", tuple("abcd"), tuple("ABCD"), {"genre": (("x",),) * 4})
    train = Ratings(1, 4, np.zeros(3, dtype=np.int64), np.array([1, 2, 3]), np.array([3.0, 3.0, 3.0]))
    train = Ratings(2, 4, train.user, train.item, train.value)
    made = Retriever(KnowledgeGraph.build(same, train), None, weights={"Movie-Genre-Movie": 1.0}, kept=3)
    found = made.memories([1])[0].similar([0, 2])
    assert [[s.item for s in row] for row in found] == [[1, 2, 3], [1, 3]]


def test_default_embeddings_are_of_titles_genres_and_descriptions(small):
    texts = ("a storm at sea", "storm over a harbour", "tax law", "")
    collection = Collection("movie", tuple("abcd"), ("Gale", "Wind", "Levy", "the"), {}, descriptions=texts)
    made = embed(collection)
    assert (made == embed(collection)).all()
    near = made @ made.T
    assert near[0, 1] > near[0, 2] and near[:3, :3].diagonal() == pytest.approx(1, abs=1e-5)
    assert (made[3] == 0).all()
    assert not embed(Collection("movie", ("a",), ("the",))).any()
    assert embed(Collection("movie", ("a",), ("Sea",))).shape == (1, 1)
