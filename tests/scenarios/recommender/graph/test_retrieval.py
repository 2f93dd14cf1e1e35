import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings
from openiir.plugin import InputError
from openiir.scenarios.recommender.graph import (
    KnowledgeGraph,
    Retriever,
    Similarity,
    embed,
    retrieval,
    similarity,
)

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
    """Every item scored in turn, from dense matrices and a graph that is built anew for what an agent adds."""

    def __init__(self, folds, vectors, k=3, own_only=False, alpha=0.8, semantic=0.25):
        self.collection, self.train, self.hidden, self.people = folds
        self.k, self.own_only, self.alpha, self.semantic = k, own_only, alpha, semantic
        made = Similarity(KnowledgeGraph.build(self.collection, self.train, users=self.people))
        cosine = vectors @ vectors.T / np.outer(*(2 * [np.linalg.norm(vectors, axis=1)]))
        self.shared = steps(alpha * made.items(0, len(cosine)) + semantic * cosine)
        every = np.arange(len(cosine))
        short = [p for p in made.paths if p.round_trip and len(p.path.edges) == 2]
        self.short = [p.between(every, every).tolist() for p in short]

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
        hidden = set(self.hidden.of(user)[0].tolist()) - set(run)
        lift = steps((1 - self.alpha) * self.liking([i for i, value in own.items() if value >= 4]))
        means, found = self.train.item_means, []
        for y in range(len(self.collection)):
            rating = own.get(y, means[y])
            if y == x or y in hidden or np.isnan(rating) or (self.own_only and y not in own):
                continue
            found.append((y, self.shared[x, y] + lift[y], rating, y in own))
        return sorted(found, key=lambda one: (-one[1], one[0]))[: self.k]


def retriever_of(folds, vectors, **more):
    collection, train, hidden, people = folds
    return Retriever(
        KnowledgeGraph.build(collection, train, users=people), vectors, hidden=[hidden], kept=99, **more
    )


def found_by(memory, items):
    return [[(s.item, s.score / STEP, s.rating, s.own) for s in row] for row in memory.similar(items)]


@pytest.mark.parametrize("held", [0, 4096])
@pytest.mark.parametrize("own_only", [False, True])
@pytest.mark.parametrize("k", [1, 3, 20])
def test_an_agent_finds_what_a_loop_over_all_items_finds(
    small, folds, vectors, k, own_only, held, monkeypatch
):
    for module in (similarity, retrieval):
        monkeypatch.setattr(module, "HELD", held)
    naive, made = Naive(folds, vectors, k, own_only), retriever_of(folds, vectors, k=k, own_only=own_only)
    every = range(small.items)
    for user, memory in enumerate(made.memories(range(small.users))):
        assert found_by(memory, every) == [naive.similar(user, x) for x in every]


@pytest.mark.parametrize("held", [0, 4096])
@pytest.mark.parametrize("own_only", [False, True])
def test_what_an_agent_adds_counts_as_if_it_had_been_there(
    small, folds, vectors, own_only, held, monkeypatch
):
    for module in (similarity, retrieval):
        monkeypatch.setattr(module, "HELD", held)
    naive, made = Naive(folds, vectors, own_only=own_only), retriever_of(folds, vectors, own_only=own_only)
    draw, every = np.random.default_rng(7), range(small.items)
    for user in range(small.users):
        memory, rated = made.memories([user])[0], []
        for _ in range(6):
            item, rating = int(draw.integers(small.items)), float(draw.integers(1, 6))
            memory.add("rated", item, rating)
            rated.append((item, rating))
            assert found_by(memory, every) == [naive.similar(user, x, rated) for x in every]


@pytest.mark.parametrize("own_only", [False, True])
def test_pairs_are_predicted_as_an_agent_would(small, folds, vectors, own_only):
    made = retriever_of(folds, vectors, k=4, own_only=own_only)
    user, item = (a.ravel() for a in np.meshgrid(range(small.users), range(small.items)))
    expected = np.random.default_rng(8).normal(3, 1, (small.users, small.items))
    predicted = made.predict(user, item, k=4, own_only=own_only)
    above = made.predict(user, item, 4, own_only, expected=lambda u: expected[u])
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
    memory, far = few.newcomer(), int(full.neighbours.items[0, 3])
    assert far not in [s.item for s in memory.similar([0])[0]]
    memory.add("rated", far, 1.0)
    assert (far, 1.0, True) in [(s.item, s.rating, s.own) for s in memory.similar([0])[0]]


def test_a_held_out_item_is_found_only_once_the_agent_rated_it_itself(small, folds, vectors):
    made, hidden = retriever_of(folds, vectors, k=small.items), folds[2]
    user, item = int(hidden.user[0]), int(hidden.item[0])
    other = next(x for x in range(small.items) if x != item)
    memory = made.memories([user])[0]
    assert item not in [s.item for s in memory.similar([other])[0]]
    memory.add("liked", item)
    assert item not in [s.item for s in memory.similar([other])[0]]
    memory.add("rated", item, 2.0)
    assert (item, 2.0, True) in [(s.item, s.rating, s.own) for s in memory.similar([other])[0]]


def test_growth_is_private_and_the_shared_graph_stays(small, folds, vectors):
    made = retriever_of(folds, vectors)
    one, other = made.memories([0, 1])
    before = found_by(other, range(small.items)), made.similarity.items(0, small.items)
    for item in range(small.items):
        one.add("rated", item, 5.0)
    assert found_by(other, range(small.items)) == before[0]
    assert (made.similarity.items(0, small.items) == before[1]).all()
    for array in (*made.neighbours, made._whole, *made.similarity.held_counts.values()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_what_was_added_is_kept_as_edges(small, folds, vectors):
    memory = retriever_of(folds, vectors).newcomer()
    memory.add("rated", 3, 5.0)
    memory.add("viewed", 2)
    assert memory.added == {("rated", 3): 5.0, ("liked", 3): 5.0, ("viewed", 2): None}
    memory.add("rated", 3, 1.0)
    assert memory.added == {("rated", 3): 1.0, ("viewed", 2): None, ("disliked", 3): 1.0}


def test_a_newcomer_joins_with_nothing_and_is_as_somebody_without_a_rating(small, folds, vectors):
    made = retriever_of(folds, vectors)
    newcomer = made.newcomer()
    assert newcomer.ratings == {}
    row = newcomer.similar([0])[0]
    assert [s.score for s in row] == [steps * STEP for steps in made.neighbours.steps[0, :3].tolist()]
    near = row[0].item
    newcomer.add("rated", near, 5.0)
    assert newcomer.predict([0], 3, own_only=True).tolist() == [5.0]


@pytest.mark.parametrize(
    ("edge", "says"),
    [
        (("adored", 0), "no edge 'adored'"),
        (("rated", 99, 4.0), "to item 99"),
        (("rated", 0), "'rated' needs a rating"),
        (("viewed", 0, 3.0), "'viewed' has no rating"),
        (("rated", 0, 6.0), "rated 6, but the scale is 1 to 5"),
    ],
)
def test_an_edge_that_cannot_be_is_refused(folds, vectors, edge, says):
    memory = retriever_of(folds, vectors).newcomer()
    with pytest.raises(InputError, match=says):
        memory.add(*edge)
    assert memory.added == {}


@pytest.mark.parametrize(
    ("more", "says"), [({"alpha": 1.2}, "alpha = 1.2"), ({"k": 0}, "k = 0"), ({"semantic": -1.0}, "-1")]
)
def test_weights_out_of_range_are_refused(folds, vectors, more, says):
    with pytest.raises(InputError, match=says):
        retriever_of(folds, vectors, **more)
    with pytest.raises(InputError, match="2 embeddings for 8 items"):
        retriever_of(folds, vectors[:2])


def test_a_graph_without_short_paths_brings_no_user_nearer_to_an_item(folds):
    made = retriever_of(folds, None, weights={"Movie-Age-Movie": 1.0})
    memory = made.memories([0])[0]
    before = found_by(memory, [0])
    memory.add("liked", 2)
    assert found_by(memory, [0]) == before
    assert not made.similarity.user_item([0]).any()


def test_hidden_ratings_are_of_the_same_users_and_items(folds, vectors):
    collection, train, _, _ = folds
    other = Ratings(1, 8, np.array([0]), np.array([0]), np.array([1.0]))
    with pytest.raises(InputError, match="folds of one split"):
        Retriever(KnowledgeGraph.build(collection, train), vectors, hidden=[other])


def test_ties_go_to_the_item_that_comes_first():
    same = Collection("movie", tuple("abcd"), tuple("ABCD"), {"genre": (("x",),) * 4})
    train = Ratings(1, 4, np.zeros(3, dtype=np.int64), np.array([1, 2, 3]), np.array([3.0, 3.0, 3.0]))
    found = (
        Retriever(KnowledgeGraph.build(same, train), None, weights={"Movie-Genre-Movie": 1.0}, kept=3)
        .newcomer()
        .similar([0, 2])
    )
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
