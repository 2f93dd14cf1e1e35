import asyncio

import numpy as np
import pytest

from openiir.core.errors import EndpointError
from openiir.core.llm import RecordedEmbedder, StoredEmbedder, connect
from openiir.core.llm.embeddings import vector_key
from openiir.testing.standin import Faults

TEXTS = [f"text number {i} about the sea" for i in range(23)]


class Shelf(dict):
    """A store in memory."""

    def get_many(self, hashes):
        return {each: self[each] for each in hashes if each in self}

    def put_many(self, vectors):
        for each, vector in vectors.items():
            self.setdefault(each, vector)


class Counting:
    """An embedder of its own, which counts what it is asked."""

    name = "counting"

    def __init__(self):
        self.asked = []

    async def embed(self, texts):
        self.asked += texts
        return np.array([[len(text) / 3, hash_free(text), 1e-9] for text in texts])


def hash_free(text):
    return sum(map(ord, text)) / 7


def embed(endpoint, texts, model="e"):
    async def run():
        async with connect(endpoint) as models:
            return await models.embedder(model).embed(texts)

    return asyncio.run(run())


@pytest.mark.parametrize("batch", [1, 7, 23, 64])
def test_the_batch_size_changes_no_vector_and_no_order(standin, quick, batch):
    whole = embed(quick(standin().url, batch=64), TEXTS)
    server = standin()
    parts = embed(quick(server.url, batch=batch), TEXTS)
    assert whole.dtype == np.float64 and whole.shape == (23, 32)
    assert np.array_equal(whole, parts)
    assert server.counts.requests == -(-23 // batch)


def test_rows_are_put_in_the_order_of_their_index(scripted, quick):
    data = [{"index": 1, "embedding": [1.0, 0.0]}, {"index": 0, "embedding": [0.0, 1.0]}]
    url, _ = scripted(lambda path, body: (200, {}, {"data": data}))
    vectors = embed(quick(url), ["first", "second"])
    assert vectors.tolist() == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("indices", [(None, 7), ("b", "a")])
def test_rows_whose_index_is_no_number_stay_in_the_order_they_came(scripted, quick, indices):
    data = [{"index": index, "embedding": [float(i)]} for i, index in enumerate(indices)]
    url, _ = scripted(lambda path, body: (200, {}, {"data": data}))
    assert embed(quick(url), ["first", "second"]).tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize(
    "data",
    [
        [],
        None,
        [{"index": 0}],
        [{"index": 0, "embedding": []}],
        [{"index": 0, "embedding": [1, None]}],
        [{"index": 0, "embedding": "AAAA"}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}],
        [None],
        [{"index": 0, "embedding": [float("nan")]}],
    ],
)
def test_what_is_no_vector_is_not_taken_for_one(scripted, quick, data):
    url, _ = scripted(lambda path, body: (200, {}, {"data": data}))
    with pytest.raises(EndpointError, match="body of the wrong shape"):
        embed(quick(url, tries=1), ["text"])


def test_vectors_of_differing_lengths_are_refused(scripted, quick):
    def answer(path, body):
        return 200, {}, {"data": [{"index": 0, "embedding": [1.0] * len(body["input"][0])}]}

    url, _ = scripted(answer)
    with pytest.raises(EndpointError, match="differ in length"):
        embed(quick(url, batch=1), ["a", "bb"])


def test_blank_texts_are_sent_as_a_space(scripted, quick):
    def answer(path, body):
        return 200, {}, {"data": [{"index": i, "embedding": [float(i)]} for i in range(len(body["input"]))]}

    url, seen = scripted(answer)
    embed(quick(url), ["", "\n", "word"])
    assert seen[0]["input"] == [" ", " ", "word"] and seen[0]["encoding_format"] == "float"


def test_no_texts_need_no_endpoint(quick):
    vectors = embed(quick("http://127.0.0.1:9/v1"), [])
    assert vectors.shape == (0, 0)


def test_faulty_tries_change_no_vector(standin, quick):
    clean = embed(quick(standin().url, batch=2), TEXTS)
    faulty = standin(faults=Faults(share=0.5, retry_after=0.0))
    assert np.array_equal(embed(quick(faulty.url, batch=2), TEXTS), clean)
    assert faulty.counts.faults.total() > 0


def test_what_is_returned_is_what_is_stored_to_the_bit():
    shelf, inner = Shelf(), Counting()
    first = asyncio.run(StoredEmbedder(inner, shelf).embed(TEXTS))
    exact = np.array([[len(text) / 3, hash_free(text), 1e-9] for text in TEXTS])
    assert first.dtype == np.float64
    assert np.array_equal(first, exact.astype(np.float32).astype(np.float64))
    assert not np.array_equal(first, exact)
    again = asyncio.run(StoredEmbedder(inner, shelf).embed(TEXTS))
    replayed = asyncio.run(StoredEmbedder(RecordedEmbedder("counting"), shelf).embed(TEXTS))
    assert np.array_equal(first, again) and np.array_equal(first, replayed)
    assert inner.asked == TEXTS


def test_only_what_is_missing_is_asked_for_and_equal_texts_once():
    shelf, inner = Shelf(), Counting()
    stored = StoredEmbedder(inner, shelf)
    asyncio.run(stored.embed(["a", "b"]))
    vectors = asyncio.run(stored.embed(["c", "b", "c", "a"]))
    assert inner.asked == ["a", "b", "c"]
    assert np.array_equal(vectors[0], vectors[2]) and vectors.shape == (4, 3)


def test_the_bytes_are_little_endian_float32():
    shelf = Shelf()
    asyncio.run(StoredEmbedder(Counting(), shelf).embed(["abc"]))
    [(key, raw)] = shelf.items()
    assert key == vector_key("counting", "abc") and len(raw) == 12
    assert raw[:4] == b"\x00\x00\x80\x3f"


def test_a_vector_that_came_first_is_kept_where_an_endpoint_wavers():
    shelf = Shelf()
    first = asyncio.run(StoredEmbedder(Counting(), shelf).embed(["a"]))

    class Wavering(Shelf):
        """A store that another task filled between the look and the put."""

        def __init__(self):
            super().__init__(shelf)
            self.looked = False

        def get_many(self, hashes):
            if not self.looked:
                self.looked = True
                return {}
            return super().get_many(hashes)

    class Other(Counting):
        async def embed(self, texts):
            return await super().embed(texts) + 1.0

    assert np.array_equal(asyncio.run(StoredEmbedder(Other(), Wavering()).embed(["a"])), first)


def test_models_do_not_share_vectors():
    assert vector_key("one", "text") != vector_key("two", "text") != vector_key("two", "text ")


def test_a_replay_that_lacks_a_vector_says_which():
    with pytest.raises(EndpointError, match="'counting'.*'never seen'"):
        asyncio.run(StoredEmbedder(RecordedEmbedder("counting"), Shelf()).embed(["never seen"]))
    assert asyncio.run(RecordedEmbedder("counting").embed([])).shape == (0, 0)
