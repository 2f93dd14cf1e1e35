import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.model.graph import similarity
from openiir.scenarios.recommender.model.graph.schema import schema_of
from openiir.scenarios.recommender.model.graph.similarity import PathCounts, Similarity

KINDS = ("movie", "game", "book")


def plain(counts):
    return np.asarray(counts if isinstance(counts, np.ndarray) else counts.toarray())


def counted_by_walking(small, web, schema, path):
    """(items, items): instances of a path between items; of a path that is no round trip, the mean of both
    ways."""
    ways = [small.count(web, (schema.item, x), small.names(path)) for x in range(small.items)]
    found = np.array([[way[schema.item, y] for y in range(small.items)] for way in ways], dtype=float)
    return found if path.round_trip else (found + found.T) / 2


@pytest.mark.parametrize("thin", [0, 128])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_walking_every_path(small, kind, thin, monkeypatch):
    monkeypatch.setattr(similarity, "THIN", thin)
    web, graph, every = small.walked(kind, *small.data(kind)), small.graph(kind), slice(None)
    assert len(graph.paths) == {"movie": 11, "game": 13, "book": 16}[kind]
    for path in graph.paths:
        made, true = PathCounts.of(graph, path), counted_by_walking(small, web, graph.schema, path)
        assert (plain(made.between(every, every)) == true).all(), path.name
        assert (plain(made.between(slice(2, 5), every)) == true[2:5]).all()
        assert (made.loops == true.diagonal()).all()
        rows, columns = np.array([1, 6]), np.array([0, 6, 7])
        assert (plain(made.between(rows, columns)) == true[np.ix_(rows, columns)]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_items_are_as_similar_as_their_paths_say(small, kind):
    web, graph = small.walked(kind, *small.data(kind, seed=1)), small.graph(kind, seed=1)
    counts = [counted_by_walking(small, web, graph.schema, path) for path in graph.paths]
    weights = dict.fromkeys((p.name for p in graph.paths), 1.0) | {
        graph.paths[0].name: 3.0,
        graph.paths[-1].name: 0.0,
    }
    made = Similarity(graph, weights)
    shares = np.array(list(weights.values())) / sum(weights.values())
    true = np.zeros((small.items, small.items))
    used = [(c, w) for c, w in zip(counts, shares, strict=True) if w]
    for x in range(small.items):
        for y in range(small.items):
            true[x, y] = sum(w * small.pathsim(c[x, y], c[x, x], c[y, y]) for c, w in used)
    assert made.between(slice(None), slice(None)) == pytest.approx(true, abs=1e-12)
    assert made.between(slice(3, 6), slice(None)) == pytest.approx(true[3:6], abs=1e-12)
    assert made.between(np.array([2, 4]), np.array([0])) == pytest.approx(true[[2, 4]][:, [0]], abs=1e-12)


def affinity_by_walking(small, web, graph, user, weights):
    """(items,): s_uy from walks of user-liked-item-X, its round trips, and those of X from each item."""
    item, found = graph.schema.item, np.zeros(small.items)
    short = [p for p in graph.paths if p.round_trip and len(p.steps) == 2 and weights[p.name]]
    for path in short:
        there, back = small.names(path)
        ways = small.count(web, ("User", user), ("liked", there, back))
        trips = small.count(web, ("User", user), ("liked", there, back, "liked-by"))["User", user]
        share = weights[path.name] / sum(weights[p.name] for p in short)
        for y in range(small.items):
            loops = small.count(web, (item, y), (there, back))[item, y]
            found[y] += share * small.pathsim(ways[item, y], trips, loops)
    return found


@pytest.mark.parametrize("held", [0, 4096])
@pytest.mark.parametrize("kind", KINDS)
def test_users_are_as_similar_to_items_as_their_likes_say(small, kind, held, monkeypatch):
    monkeypatch.setattr(similarity, "HELD", held)
    monkeypatch.setattr(similarity, "_CELLS", 24)
    web, graph = small.walked(kind, *small.data(kind, seed=2)), small.graph(kind, seed=2)
    weights = dict.fromkeys((p.name for p in graph.paths), 1.0) | {graph.paths[1].name: 2.5}
    made = Similarity(graph, weights)
    true = np.array([affinity_by_walking(small, web, graph, user, weights) for user in range(small.users)])
    assert true.any()
    assert made.user_item(range(small.users)) == pytest.approx(true, abs=1e-12)
    assert made.user_item([4, 1]) == pytest.approx(true[[4, 1]], abs=1e-12)
    for user in range(small.users):
        liked = graph.likes[[user]].indices
        assert made.similarity_from_counts(*made.liked_counts(liked)) == pytest.approx(true[user], abs=1e-12)


def test_neither_blocks_nor_holding_change_a_number(small, monkeypatch):
    graph = small.graph(seed=3)
    whole = Similarity(graph).between(slice(None), slice(None))
    for cells, held in ((8, 4096), (24, 0), (2**20, 0)):
        monkeypatch.setattr(similarity, "_CELLS", cells)
        monkeypatch.setattr(similarity, "HELD", held)
        made = Similarity(graph)
        parts = [made.between(block, slice(None)) for block in made.blocks()]
        assert len(parts) == (1 if cells > 100 else -(-small.items // (cells // small.items)))
        assert (np.concatenate(parts) == whole).all()


def test_only_the_path_of_values_is_no_round_trip():
    for kind in (*KINDS, "item"):
        schema = schema_of(kind)
        others = [p.name for p in schema.paths if not p.round_trip]
        assert others == [next(p.name for p in schema.paths if "Rating" in p.name or "Sentiment" in p.name)]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"Movie-Star-Movie": 1.0}, "the schema has no such path"),
        ({"Movie-User-Movie viewed": 1.0}, "viewed: .*given beside"),
        ({"Movie-Genre-Movie": -1.0}, "weighs -1"),
        ({"Movie-Genre-Movie": 0.0}, "all meta-paths weigh 0"),
    ],
)
def test_weights_are_of_paths_that_are_there(small, weights, says):
    collection, train, people, _ = small.data()
    graph = type(small.graph()).build(collection, train, users=people)
    with pytest.raises(InputError, match=says):
        Similarity(graph, weights)
