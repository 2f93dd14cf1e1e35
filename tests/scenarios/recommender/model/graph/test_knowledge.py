import os
from pathlib import Path

import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings, split
from openiir.kit.items.loaders.movielens import movielens_1m
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.similarity import PathCounts

VIEWED = "Movie-User-Movie viewed"


def test_the_graph_cannot_be_written_to(small):
    graph = small.graph()
    for matrix in graph.edges.values():
        for part in (matrix.data, matrix.indices, matrix.indptr):
            with pytest.raises(ValueError, match="read-only"):
                part[0] = 9


def test_only_training_pairs_are_in_the_graph(small):
    collection, train, people, _ = small.data()
    graph = KnowledgeGraph.build(collection, train, users=people)
    pairs = graph.user_items()
    assert sorted(map(tuple, pairs.tolist())) == sorted(
        zip(train.user.tolist(), train.item.tolist(), strict=True)
    )
    beside = KnowledgeGraph.build(
        collection, train, interactions={"viewed": (np.array([0, 0]), np.array([7, 7]))}
    )
    assert {tuple(p) for p in beside.user_items().tolist()} - {tuple(p) for p in pairs.tolist()} == {(0, 7)}


def test_what_is_not_there_is_left_out_and_named(small):
    collection, train, _, _ = small.data(without=("director", "actor"))
    graph = KnowledgeGraph.build(collection, train)
    assert graph.left_out["Movie-Director-Movie"] == "directed-by: nothing is known under 'director'"
    assert graph.left_out["Movie-Age-Movie"] == "has-age: nothing is known under 'age'"
    assert {p.name for p in graph.paths}.isdisjoint(graph.left_out)
    assert len(graph.paths) == 6


def test_the_same_pairs_under_another_name_count_once(small):
    collection, train, _, _ = small.data()
    back = slice(None, None, -1)
    graph = KnowledgeGraph.build(
        collection, train, interactions={"viewed": (train.user[back], train.item[back])}
    )
    assert "would count the same paths twice" in graph.left_out[VIEWED]
    assert VIEWED not in [p.name for p in graph.paths]


def test_a_graph_of_ratings_alone_or_of_attributes_alone_will_do(small):
    collection, train, _, _ = small.data()
    bare = Collection("movie", collection.ids, collection.titles)
    assert {p.name for p in KnowledgeGraph.build(bare, train).paths} == {
        "Movie-User-Movie rated",
        "Movie-User-Movie liked",
        "Movie-User-Movie disliked",
        "Movie-User-Rating-Movie",
    }
    nobody = train.select(np.array([], dtype=np.int64))
    assert {p.name for p in KnowledgeGraph.build(collection, nobody).paths} == {
        f"Movie-{what}-Movie" for what in ("Genre", "Director", "Actor", "ReleaseYear")
    }
    with pytest.raises(InputError, match="no meta-path"):
        KnowledgeGraph.build(bare, nobody)


def test_values_named_twice_and_users_of_a_tag(small):
    collection = Collection("book", ("a", "b"), ("A", "B"), {"tag": (("sea", "sea"), ())})
    train = Ratings(2, 2, np.array([0, 1]), np.array([0, 1]), np.array([5.0, 3.0]))
    graph = KnowledgeGraph.build(collection, train, users={"tag": (("sky",), ())})
    tagged = {
        edge.name: matrix.toarray().tolist() for edge, matrix in graph.edges.items() if edge.target == "Tag"
    }
    assert tagged == {"tagged-as": [[1.0, 0.0], [0.0, 0.0]], "tags": [[0.0, 1.0], [0.0, 0.0]]}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"users": {"age": ("1",)}}, "1 users have a value of 'age', the ratings are of 6"),
        (
            {"interactions": {"bought": (np.array([0]), np.array([0]))}},
            "'bought' is no interaction .*: viewed",
        ),
        ({"interactions": {"viewed": (np.array([0]), np.array([8]))}}, "not in the ratings' range"),
        ({"interactions": {"viewed": (np.array([-1]), np.array([0]))}}, "not in the ratings' range"),
    ],
)
def test_what_does_not_fit_is_refused(small, more, says):
    collection, train, _, _ = small.data()
    with pytest.raises(InputError, match=says):
        KnowledgeGraph.build(collection, train, **more)


def test_ratings_of_another_collection_are_refused(small):
    collection, train, _, _ = small.data()
    with pytest.raises(InputError, match="ratings are of 8 items, the collection has 1"):
        KnowledgeGraph.build(Collection("movie", ("a",), ("A",)), train)


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA names no folder with real data")
def test_nearly_all_paths_of_movielens_lead_through_rating_values():
    data = movielens_1m(Path(os.environ["OPENIIR_DATA"]) / "ml-1m")
    graph = KnowledgeGraph.build(data.collection, split(data.ratings, 42).train, users=data.demographics)
    totals = {}
    for path in graph.paths:
        made = PathCounts.of(graph, path)
        totals[path.name] = float(made.left.sum(axis=0, dtype=float) @ made.right.sum(axis=1, dtype=float))
    shares = {name: total / sum(totals.values()) for name, total in totals.items()}
    assert shares["Movie-User-Rating-Movie"] == pytest.approx(0.996, abs=5e-4)
    assert shares["Movie-Age-Movie"] + shares["Movie-Occupation-Movie"] == pytest.approx(0.004, abs=5e-4)
