import math
from collections import Counter

import numpy as np
import pytest

from openiir.scenarios.conversational.measures.language import distinct_n, self_bleu, vocabulary_overlap
from openiir.scenarios.conversational.model.dialogue import spoken_words


def bleu(text, others, n=4):
    """BLEU of one text against references, as the papers write it, one reference at a time."""
    logs = []
    for order in range(1, min(n, len(text)) + 1):
        grams = Counter(tuple(text[i : i + order]) for i in range(len(text) - order + 1))
        matched = 0
        for gram, count in grams.items():
            best = max(
                sum(tuple(o[i : i + order]) == gram for i in range(len(o) - order + 1)) for o in others
            )
            matched += min(count, best)
        logs.append(math.log((matched if matched else 0.5) / sum(grams.values())))
    closest = sorted((abs(len(o) - len(text)), len(o)) for o in others)[0][1]
    brevity = 1.0 if len(text) >= closest else math.exp(1 - closest / len(text))
    return brevity * math.exp(sum(logs) / len(logs))


def test_self_bleu_is_each_text_against_the_others():
    rng = np.random.default_rng(1)
    for _ in range(15):
        texts = [["abcde"[i] for i in rng.integers(0, 5, rng.integers(1, 9))] for _ in range(7)]
        expected = np.mean([bleu(t, texts[:n] + texts[n + 1 :]) for n, t in enumerate(texts)])
        assert self_bleu(texts) == pytest.approx(expected)


def test_self_bleu_knows_its_ends():
    assert self_bleu([["a", "b", "c", "d"]] * 3) == pytest.approx(1)
    assert self_bleu([["a"] * 4, ["b"] * 4]) < 0.3
    assert math.isnan(self_bleu([["a"], []]))


def test_distinct_n_counts_within_a_budget():
    texts = [["a", "b", "a", "b"], ["a", "b"]]
    assert distinct_n(texts, 1) == 2 / 6 and distinct_n(texts, 2) == 2 / 4
    assert distinct_n(texts, 2, budget=3) == 1 and distinct_n(texts, 1, budget=4) == 0.5
    short = distinct_n.measure(texts, 1, budget=7)
    assert math.isnan(short.value) and "6 tokens" in short.reason
    assert math.isnan(distinct_n([["a"]], 2))


def test_vocabulary():
    assert vocabulary_overlap([spoken_words("I want a Drama")], [spoken_words("a drama, please")]) == 2 / 5
    assert math.isnan(vocabulary_overlap([[]], [["a"]]))
