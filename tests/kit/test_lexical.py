"""The nearest texts, against sorting all of them."""

import random

from openiir.kit.lexical import BM25, nearest_texts


def test_the_best_texts_first_and_of_equal_ones_the_first() -> None:
    for seed in range(30):
        rng = random.Random(seed)
        words = [f"word{n}" for n in range(8)]
        index = BM25([" ".join(rng.choices(words, k=rng.randint(1, 3))) for _ in range(40)])
        query = " ".join(rng.sample([*words, "stranger"], 3))
        scores = index.scores(query).tolist()
        plain = sorted((n for n in range(40) if scores[n] > 0), key=lambda n: (-scores[n], n))
        for n in (1, 3, 10, 100):
            assert nearest_texts(index, query, n).tolist() == plain[:n]


def test_nothing_is_near_to_words_that_no_text_has() -> None:
    index = BM25(["salt road", "two lanterns"])
    assert nearest_texts(index, "paper", 3).tolist() == nearest_texts(index, "", 3).tolist() == []
