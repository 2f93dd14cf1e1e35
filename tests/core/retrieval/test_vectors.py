import asyncio
import os
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from openiir.core.errors import InputError
from openiir.core.hashing import sha256
from openiir.core.retrieval.tokens import tokens
from openiir.core.retrieval.vectors import LSA, row_cosines
from openiir.core.seeds import Draw

TOPICS = {
    "wind": "turbine blade wind rotor gust offshore farm breeze tower nacelle".split(),  # noqa: SIM905
    "sun": "solar panel light silicon roof photon inverter cell daylight summer".split(),  # noqa: SIM905
    "bird": "bird wing nest migration raptor feather eagle collision habitat flock".split(),  # noqa: SIM905
}


def corpus(size=40):
    """Texts that each speak of one topic, with words drawn by name."""
    draw = Draw(1, "corpus")
    names = sorted(TOPICS)
    return [
        " ".join(TOPICS[names[n % 3]][draw.below(10, agent=n, item=i)] for i in range(12)) + f" n{n}"
        for n in range(size)
    ]


TEXTS = corpus()


def gram(matrix):
    return matrix @ matrix.T


def test_the_space_is_that_of_scikit_learn():
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    weigh = TfidfVectorizer(analyzer=tokens, sublinear_tf=True)
    reduce = TruncatedSVD(5, algorithm="arpack", random_state=0)
    theirs = reduce.fit_transform(weigh.fit_transform(TEXTS))
    ours = LSA.fit(TEXTS, 5)
    assert gram(ours.project(TEXTS)) == pytest.approx(gram(theirs), abs=1e-4)
    query = ["an eagle near a rotor"]
    assert ours.project(query) @ ours.project(TEXTS).T == pytest.approx(
        reduce.transform(weigh.transform(query)) @ theirs.T, abs=1e-4
    )


def test_with_all_dimensions_cosines_are_those_of_the_weighted_words():
    from sklearn.feature_extraction.text import TfidfVectorizer

    theirs = TfidfVectorizer(analyzer=tokens, sublinear_tf=True).fit_transform(TEXTS).toarray()
    assert gram(LSA.fit(TEXTS, 500).project(TEXTS)) == pytest.approx(gram(theirs), abs=1e-4)


def test_words_that_never_meet_come_near_through_others():
    texts = ["car engine", "automobile engine", "car wheel", "automobile wheel", "poem verse", "poem rhyme"]
    car, automobile, poem = LSA.fit(texts, 2).project(["car", "automobile", "poem"])
    assert row_cosines(np.stack([automobile, poem]), car) == pytest.approx([1.0, 0.0], abs=0.01)


def test_a_fit_does_not_depend_on_threads():
    with threadpool_limits(1):
        one = LSA.fit(TEXTS, 8).to_bytes()
    with threadpool_limits(4):
        assert LSA.fit(TEXTS, 8).to_bytes() == one


def test_a_fit_does_not_depend_on_the_hash_seed(tmp_path):
    script = tmp_path / "fit.py"
    script.write_text(
        "from openiir.core.retrieval import BM25, LSA\nfrom openiir.core.hashing import sha256\n"
        f"texts = {TEXTS!r}\n"
        "print(sha256(LSA.fit(texts, 8).to_bytes() + BM25(texts).scores('wind bird solar').tobytes()))\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_saved_parts_give_the_same_vectors():
    lsa = LSA.fit(TEXTS, 6)
    again = LSA.from_bytes(lsa.to_bytes())
    assert again.name == lsa.name == "lsa-6"
    assert np.array_equal(again.project(TEXTS), lsa.project(TEXTS))
    assert sha256(again.to_bytes()) == sha256(lsa.to_bytes())


@pytest.mark.parametrize(
    "spoil", [lambda d: b"", lambda d: d[:-3], lambda d: d + b"x", lambda d: b"{}\n" + d]
)
def test_damaged_parts_are_refused(spoil):
    with pytest.raises(InputError, match="fit them anew"):
        LSA.from_bytes(spoil(LSA.fit(TEXTS, 6).to_bytes()))


@pytest.mark.parametrize("texts", [[], [""], ["one"], ["one", "one"], ["the", "of"]])
def test_small_worlds_have_finite_vectors(texts):
    vectors = asyncio.run(LSA.fit(texts).embed([*texts, "two"]))
    assert len(vectors) == len(texts) + 1
    assert np.isfinite(vectors).all()
    assert not vectors[-1].any()


def test_cosine_by_hand():
    rows = np.array([[3.0, 0.0], [-1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    assert row_cosines(rows, np.array([2.0, 0.0])) == pytest.approx([1, -1, 0.5**0.5, 0], abs=2**-20)
    assert not row_cosines(rows, np.zeros(2)).any()
