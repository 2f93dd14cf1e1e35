import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.retrieval.bm25 import BM25
from openiir.core.retrieval.tokens import tokens

TEXTS = [
    "Wind turbines turn wind into power.",
    "Solar panels turn light into power; solar power is quiet.",
    "Birds fly with the wind, and turbines kill birds.",
    "",
    "A grid needs storage when neither wind nor light is there.",
]


def naive(texts, query, k1=1.2, b=0.75):
    """The formula, term by term."""
    documents = [tokens(text) for text in texts]
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        total = 0.0
        for term in tokens(query):
            holders = sum(term in other for other in documents)
            f = document.count(term)
            idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
            total += idf * f / (f + k1 * (1 - b + b * len(document) / mean))
        scores.append(total)
    return scores


word = st.sampled_from(["wind", "power", "solar", "bird", "grid", "storage", "light", "the"])
text = st.lists(word, max_size=12).map(" ".join)


@settings(deadline=None)
@given(st.lists(text, min_size=1, max_size=8).filter(lambda ts: any(map(tokens, ts))), text)
def test_scores_are_those_of_the_formula(texts, query):
    assert BM25(texts).scores(query) == pytest.approx(naive(texts, query), abs=2**-20)


def test_other_parameters_reach_the_formula():
    scores = BM25(TEXTS, k1=0.9, b=0.4).scores("wind power")
    assert scores == pytest.approx(naive(TEXTS, "wind power", 0.9, 0.4), abs=2**-20)


def test_scores_lie_on_the_grid():
    scaled = BM25(TEXTS).scores("wind power and birds") * 2**20
    assert scaled.any()
    assert np.array_equal(scaled, np.round(scaled))


@settings(deadline=None)
@given(st.lists(text, max_size=8), text)
def test_a_share_of_the_ceiling_is_between_0_and_1_and_ranks_alike(texts, query):
    index = BM25(texts)
    share = index.relative_scores(query)
    assert np.all((share >= 0) & (share < 1))
    assert share * index.ceiling(query) == pytest.approx(index.scores(query), abs=1e-4)


def test_words_that_stand_nowhere_lower_the_share_and_leave_the_score():
    index = BM25(TEXTS)
    assert np.array_equal(index.scores("solar power"), index.scores("solar power tokamak"))
    assert index.relative_scores("solar power tokamak").max() < index.relative_scores("solar power").max()


@pytest.mark.parametrize("texts", [[], [""], ["the of", ""]])
def test_texts_without_words_score_nothing(texts):
    assert BM25(texts).scores("wind").tolist() == [0.0] * len(texts)
    assert BM25(texts).relative_scores("wind").tolist() == [0.0] * len(texts)


def test_a_query_without_words_scores_nothing():
    assert not BM25(TEXTS).scores("the and of").any()
    assert not BM25(TEXTS).relative_scores("").any()


def test_salient_words_are_the_rare_known_ones_in_their_own_spelling():
    index = BM25(TEXTS)
    assert index.salient("Storage helps wind; tokamaks do not, and the wind is windy.", 2) == (
        "storage",
        "wind",
    )
    assert index.salient("the tokamak") == ()


@settings(deadline=None)
@given(st.lists(text, max_size=8), st.lists(text, max_size=8), text)
def test_an_index_that_grew_scores_as_one_built_at_once(first, later, query):
    grown, whole = BM25(first), BM25([*first, *later])
    grown.scores(query)
    for one in later:
        grown.add([one])
    assert grown.size == whole.size
    assert np.array_equal(grown.scores(query), whole.scores(query))
    assert np.array_equal(grown.relative_scores(query), whole.relative_scores(query))
    assert grown.salient(query) == whole.salient(query)


def test_scores_are_those_of_a_library_over_a_thousand_texts():
    import bm25s

    rng = np.random.default_rng(5)
    vocabulary = np.array([f"{a}{b}{c}" for a in "bdfgk" for b in "aeou" for c in "lmnrt"])
    common = 1 / np.arange(1, len(vocabulary) + 1)
    texts = [
        " ".join(rng.choice(vocabulary, size, p=common / common.sum())) for size in rng.integers(1, 30, 1_000)
    ]
    documents = [tokens(one) for one in texts]
    numbers = {token: n for n, token in enumerate(sorted({t for d in documents for t in d}))}
    library = bm25s.BM25(k1=1.2, b=0.75, method="lucene", dtype="float64", backend="numpy")
    library.index(([[numbers[t] for t in d] for d in documents], numbers), show_progress=False)
    index = BM25(texts)
    for query in texts[:40]:
        asked = [token for token in tokens(query) if token in numbers]
        assert index.scores(query) == pytest.approx(library.get_scores(asked), abs=2**-20)


def test_matches_are_the_share_of_different_words_that_a_text_holds():
    texts = ["wind and wind", "solar power from wind", "nothing of it", ""]
    assert BM25(texts).matches("wind Wind solar tide").tolist() == pytest.approx(
        [1 / 3, 2 / 3, 0, 0], abs=1e-6
    )
    assert BM25(texts).matches("the of").tolist() == [0] * 4
