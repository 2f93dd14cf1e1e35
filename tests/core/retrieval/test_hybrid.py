import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.errors import EndpointError, InputError, UnknownName
from openiir.core.retrieval.hybrid import RERANKED, HybridIndex, best_positions, mix, smooth

TEXTS = {
    "b": "Wind turbines make power.",
    "a": "Wind turbines make power.",
    "c": "Solar panels make power from light.",
    "d": "Poems need no light.",
}


class Counted:
    """An embedder by letters that remembers what it was asked."""

    name = "letters"

    def __init__(self):
        self.asked = []

    async def embed(self, texts):
        self.asked.append(list(texts))
        return np.array(
            [[text.lower().count(letter) for letter in "abcdefgh"] for text in texts], dtype=np.float64
        )


def built(texts=TEXTS, embedder=None):
    return asyncio.run(HybridIndex.build(list(texts), list(texts.values()), embedder))


def found(index, query, *args, **kwargs):
    return asyncio.run(index.search(query, *args, **kwargs))


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_the_best_come_first_and_ties_go_by_id(mode):
    assert [hit.id for hit in found(built(), "wind turbines", 2, mode)] == ["a", "b"]


def test_what_scores_nothing_is_not_found():
    assert {hit.id for hit in found(built(), "light", 10, "keyword")} == {"c", "d"}
    assert found(built(), "tokamak") == found(built(), "") == found(built(), "light", 0) == []


def test_the_order_of_texts_does_not_matter():
    turned = dict(reversed(TEXTS.items()))
    assert found(built(turned), "power of light") == found(built(), "power of light")


def test_the_lexical_share_goes_with_every_mode():
    index = built()
    share = dict(zip(index.ids, index.bm25.relative_scores("light power"), strict=True))
    for mode in ("hybrid", "keyword", "vector"):
        hits = found(index, "light power", 10, mode)
        assert hits
        assert all(hit.lexical == share[hit.id] for hit in hits)


def test_any_embedder_serves_and_keyword_search_leaves_it_alone():
    embedder = Counted()
    index = built(embedder=embedder)
    found(index, "wind", 3, "keyword")
    assert embedder.asked == [list(TEXTS.values())]
    assert found(index, "dead bead", 1, "vector")[0].score == pytest.approx(1.0, abs=0.2)
    assert embedder.asked[1:] == [["dead bead"]]


scores = st.lists(st.floats(0, 50), min_size=3, max_size=3).map(np.array)
cosines = st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(np.array)


@settings(deadline=None)
@given(scores, cosines, st.floats(0, 1))
def test_a_mixture_is_between_its_parts(lexical, similarity, weight):
    mixed = mix(lexical, similarity, weight)
    ends = np.stack([mix(lexical, similarity, 1.0), mix(lexical, similarity, 0.0)])
    assert np.all(mixed >= ends.min(axis=0) - 2**-19)
    assert np.all(mixed <= ends.max(axis=0) + 2**-19)
    assert np.all((mixed >= 0) & (mixed <= 1))


def test_the_ends_of_the_weight_are_the_single_modes():
    index = built()
    for weight, mode in ((1.0, "keyword"), (0.0, "vector")):
        mixed = [hit.id for hit in found(index, "power from the wind", 10, "hybrid", weight)]
        assert mixed == [hit.id for hit in found(index, "power from the wind", 10, mode)]


def smoothed_plainly(scores, units, weight, neighbours):
    """Mix scores with those of the nearest, in loops."""
    found = []
    for i, own in enumerate(units):
        near = [(float(own @ other), j) for j, other in enumerate(units) if j != i]
        near = sorted(((cosine, j) for cosine, j in near if cosine > 0), key=lambda one: (-one[0], one[1]))
        near = near[:neighbours]
        total = sum(cosine for cosine, _ in near)
        mean = sum(cosine * scores[j] for cosine, j in near) / total if total else scores[i]
        found.append((1 - weight) * scores[i] + weight * mean)
    return found


@pytest.mark.parametrize("size", [0, 1, 4, 50])
def test_smoothing_agrees_with_loops(size):
    draw = np.random.default_rng(size)
    units = draw.normal(size=(size, 6))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    scores = draw.uniform(size=size)
    expected = smoothed_plainly(scores, units, 0.4, 5)
    assert smooth(scores, units) == pytest.approx(expected, abs=2**-16)
    assert smooth(scores, units, weight=0.0) == pytest.approx(scores, abs=2**-20)


def test_reranking_orders_the_first_texts_anew_and_keeps_the_others_behind():
    texts = {f"t{n:03d}": "wind " + " ".join(f"w{(n * k) % 17}" for k in range(1, 6)) for n in range(80)}
    index = built(texts)
    first, second = (asyncio.run(index.scores("wind w3 w5", mode)) for mode in ("hybrid", "rerank"))
    best = best_positions(first, RERANKED, index.ids)
    rest = sorted({*range(80)} - {*best})
    assert (second[rest] == first[rest]).all() and (second[best] != first[best]).any()
    assert second[best].min() >= first[rest].max()
    reordered, plain = (
        [hit.id for hit in found(index, "wind w3 w5", 80, mode)] for mode in ("rerank", "hybrid")
    )
    assert reordered != plain and reordered[RERANKED:] == plain[RERANKED:]


def test_a_text_is_lifted_by_texts_like_it():
    """Equal scores, but only the first two are alike and like a good one."""
    units = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    lifted = smooth(np.array([0.2, 0.8, 0.2]), units)
    assert lifted[0] > lifted[2] == pytest.approx(0.2, abs=2**-19) and lifted[1] < 0.8


def test_mistakes_are_named():
    with pytest.raises(UnknownName, match="did you mean 'keyword'"):
        found(built(), "wind", 1, "keywords")
    with pytest.raises(ValueError, match="between 0 and 1"):
        found(built(), "wind", 1, "hybrid", 1.5)
    with pytest.raises(ValueError, match="each id once"):
        asyncio.run(HybridIndex.build(["a", "a"], ["x", "y"], Counted()))
    with pytest.raises(InputError, match="no embedder for the mode 'hybrid'; give it one, or use 'keyword'"):
        asyncio.run(grow_and_search(None, list(TEXTS), "hybrid"))


@pytest.mark.parametrize("vectors", [np.zeros((3, 2)), np.zeros(4), np.full((4, 2), np.nan)])
def test_unusable_vectors_are_refused(vectors):
    class Broken:
        name = "broken"

        async def embed(self, texts):
            return vectors

    with pytest.raises(EndpointError, match="broken gave no usable vectors"):
        built(embedder=Broken())


def test_an_empty_index_finds_nothing():
    assert found(built({}), "wind") == []


async def grow_and_search(embedder, queries, *args):
    """Add the texts one by one and in one batch; the results of both."""
    grown, whole = HybridIndex(embedder), HybridIndex(embedder)
    for id, text in TEXTS.items():
        await grown.add([id], [text])
        await grown.add([], [])
    await whole.add(list(TEXTS), list(TEXTS.values()))
    return [[await index.search(query, 3, *args) for query in queries] for index in (grown, whole)]


@pytest.mark.parametrize("mode", ["hybrid", "rerank", "keyword", "vector"])
def test_an_index_that_grew_finds_what_one_built_at_once_does(mode):
    grown, whole = asyncio.run(grow_and_search(Counted(), list(TEXTS.values()), mode))
    assert grown == whole and all(grown)


def test_keyword_search_needs_no_embedder():
    grown, whole = asyncio.run(grow_and_search(None, ["light power"], "keyword"))
    assert grown == whole and [hit.id for hit in whole[0]] == ["c", "d", "a"]
    assert whole[0][0].cosine is None


def test_an_id_that_is_there_already_is_refused_and_nothing_is_added():
    async def add_twice():
        index = await HybridIndex.build(list(TEXTS), list(TEXTS.values()))
        for ids, texts in ((["e", "a"], ["x", "y"]), (["e"], ["x", "y"])):
            with pytest.raises(ValueError, match="each id once"):
                await index.add(ids, texts)
        return index

    index = asyncio.run(add_twice())
    assert index.ids == list(TEXTS) and index.bm25.size == 4


def test_vectors_of_another_length_are_refused():
    class Growing:
        name = "growing"
        width = 0

        async def embed(self, texts):
            self.width += 1
            return np.ones((len(texts), self.width))

    with pytest.raises(EndpointError, match="vectors of 2 numbers came for an index of 1"):
        asyncio.run(grow_and_search(Growing(), []))


def test_ids_may_be_numbers():
    async def search():
        index = await HybridIndex.build([10, 9, 2], ["wind power", "wind power", "light"])
        return [hit.id for hit in await index.search("wind", 5, "keyword")]

    assert asyncio.run(search()) == [9, 10]


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 0.75, 2.0]), max_size=12), st.integers(-1, 14))
def test_the_best_positions_are_those_of_sorting_all(values, k):
    ids = [chr(ord("z") - at) for at in range(len(values))]
    for above in (-np.inf, 0.0):
        plain = sorted(
            (-value, id, at) for at, (value, id) in enumerate(zip(values, ids, strict=True)) if value > above
        )
        found = best_positions(np.array(values), k, ids, above)
        assert found == [at for _, _, at in plain[: max(0, k)]]
    assert best_positions(np.array(values), 14) == sorted(
        range(len(values)), key=lambda at: (-values[at], at)
    )
