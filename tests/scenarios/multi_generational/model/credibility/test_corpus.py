"""Look-ups against naive loops: word scores, what is read, what posts change, and how evidence is weighed."""

from dataclasses import replace

import numpy as np
import pytest

from openiir.core.retrieval import BM25
from openiir.plugin import Draw, quantise
from openiir.scenarios.multi_generational.model.credibility.corpus import (
    CANDIDATES,
    SILENT,
    CorpusDocument,
    Lookup,
    SharedCorpus,
    split_sentences,
)

WORDS = "lamp harbour salt ferry kiln winter rope tide barn crane lock mill oat plough quay reed".split()
DRAW = Draw(3, "test_corpus")


def make_text(name: str, sentences: int = 2, words: int = 7) -> str:
    units = DRAW.uniform(agent=name, item=np.arange(sentences * words)).reshape(sentences, words)
    picks = (units * len(WORDS)).astype(int)
    return " ".join(" ".join(WORDS[n] for n in row).capitalize() + "." for row in picks)


PAGES = [CorpusDocument(f"page {n}", make_text(f"page {n}", 1 + n % 3)) for n in range(30)]
TEXTS = [make_text(f"text {n}", 1 + n % 4) for n in range(12)]


@pytest.fixture(scope="module")
def corpus() -> SharedCorpus:
    return SharedCorpus(PAGES)


def scores_by_document(look: Lookup, row: int) -> dict[int, tuple[float, float]]:
    found = look.documents[row].tolist()
    return {
        number: (look.lexical[row, n], look.similarity[row, n])
        for n, number in enumerate(found)
        if number >= 0
    }


def test_word_scores_are_those_of_bm25_over_the_pages(corpus: SharedCorpus) -> None:
    bm25 = BM25(one.text for one in PAGES)
    look = corpus.look_up(TEXTS, now=1)
    for row, text in enumerate(TEXTS):
        naive = sum(bm25.scores(one) for one in split_sentences(text))
        for number, (lexical, _) in scores_by_document(look, row).items():
            assert lexical == pytest.approx(naive[number] / naive.max(), abs=1e-5)
    texts = [one.text for one in PAGES]
    assert np.allclose(corpus.match_words(texts, TEXTS), [bm25.scores(one) for one in TEXTS], atol=1e-5)


def test_candidates_are_the_best_by_equal_shares(corpus: SharedCorpus) -> None:
    look = corpus.look_up(TEXTS, now=1)
    assert look.documents.shape == (len(TEXTS), CANDIDATES)
    both = look.lexical + look.similarity
    assert (np.diff(both, axis=1) <= 1e-6).all() and (look.documents[:, 0] >= 0).all()
    assert all(len(set(row)) == CANDIDATES for row in look.documents.tolist() if -1 not in row)


@pytest.mark.parametrize(
    ("mix", "recency", "depth"), [(0.0, 0.0, 1), (1.0, 0.0, 4), (0.37, 0.8, 10), (0.5, 1.0, 7)]
)
def test_an_agent_reads_the_best_by_its_own_mixture(
    corpus: SharedCorpus, mix: float, recency: float, depth: int
) -> None:
    posts = [CorpusDocument("a post by A", TEXTS[0], 2), CorpusDocument("a post by B", TEXTS[1], 0)]
    look = with_posts(corpus, posts, TEXTS, now=3)
    read = look.read(mix, recency, depth)
    for row in range(len(TEXTS)):
        own = quantise(mix * look.lexical + (1 - mix) * look.similarity + recency * look.fresh)[row]
        found = [n for n in range(CANDIDATES) if look.documents[row, n] >= 0]
        naive = sorted(found, key=lambda n: (-own[n], n))[:depth]
        assert np.flatnonzero(read[row]).tolist() == sorted(naive)


def with_posts(corpus: SharedCorpus, posts: list[CorpusDocument], texts: list[str], now: int) -> Lookup:
    corpus.replace_posts(posts)
    look = corpus.look_up(texts, now)
    corpus.replace_posts([])
    return look


def test_of_equals_the_first_is_read() -> None:
    twice = SharedCorpus([CorpusDocument(str(n), PAGES[n // 2].text) for n in range(12)])
    look = twice.look_up([PAGES[2].text], now=0)
    assert look.documents[0, look.read(0.5, 0.0, 1)[0]].tolist() == [4]


def test_posts_come_and_go_and_leave_the_scores_of_pages_alone(corpus: SharedCorpus) -> None:
    before = corpus.look_up(TEXTS, now=1)
    same = f"{TEXTS[3]} So it is."
    during = with_posts(corpus, [CorpusDocument("a post by A", same, 1)], TEXTS, now=2)
    after = corpus.look_up(TEXTS, now=3)
    assert len(PAGES) in during.documents[3] and len(PAGES) not in after.documents
    assert np.array_equal(before.documents, after.documents) and np.array_equal(before.lexical, after.lexical)
    naive = BM25(one.text for one in PAGES)
    for row, text in enumerate(TEXTS):
        scores = {n: one for n, one in scores_by_document(during, row).items() if n < len(PAGES)}
        pages = sum(naive.scores(one) for one in split_sentences(text))
        unit = pages[max(scores)] / scores[max(scores)][0] if scores[max(scores)][0] else 0.0
        assert all(one[0] * unit == pytest.approx(pages[n], abs=1e-4) for n, one in scores.items()), (
            "pages keep their ratios"
        )


def test_a_post_is_no_evidence_for_its_own_words(corpus: SharedCorpus) -> None:
    posts = [CorpusDocument(f"a post by {n}", TEXTS[n % 3], 1) for n in range(4)]
    a, *_, again = places = range(len(PAGES), len(PAGES) + 4)
    asked = [TEXTS[0], f"{TEXTS[0]} Tell others!", TEXTS[1]]
    look = with_posts(corpus, posts, asked, 2)
    assert not {a, again} & set(look.documents[0].tolist()), "nor does a copy find the other"
    assert {a, again} <= set(look.documents[1, :3].tolist()), "who adds a word finds both"
    assert places[1] not in look.documents[2]


def test_freshness_halves_as_a_post_ages(corpus: SharedCorpus) -> None:
    posts = [CorpusDocument("a post by A", TEXTS[5], born) for born in (4, 3, 1)]
    look = with_posts(corpus, posts, [f"{TEXTS[5]} So it is."], now=5)
    fresh = dict(zip(look.documents[0].tolist(), look.fresh[0].tolist(), strict=True))
    assert [fresh[len(PAGES) + n] for n in range(3)] == [1.0, 0.5, 0.25]
    assert all(fresh[n] == 0 for n in fresh if n < len(PAGES))


def weigh_naively(look: Lookup, read: np.ndarray, rule: str, posts: float) -> list[float]:
    weighed = []
    for row in range(len(look.documents)):
        stands = []
        for sentence in np.flatnonzero(look.text == row):
            found = [
                look.support[n, sentence] * (1.0 if look.documents[row, n] < look.pages else posts)
                for n in range(look.documents.shape[1])
                if read[row, n]
            ]
            stands.append(max([*found, 0.0]) + min([*found, 0.0]))
        checked = [one for one in stands if abs(one) >= SILENT]
        how = {"lead": lambda some: some[0], "mean": np.mean, "weakest": min}[rule]
        weighed.append(float(how(checked)) if checked else float("nan"))
    return weighed


@pytest.mark.parametrize("rule", ["lead", "mean", "weakest"])
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_evidence_is_weighed_as_by_a_naive_loop(corpus: SharedCorpus, rule: str, weight: float) -> None:
    posts = [CorpusDocument(f"a post by {n}", TEXTS[n + 1], 1) for n in range(4)]
    texts = [*TEXTS, "Zebu xylem quokka."]
    look = with_posts(corpus, posts, texts, now=2)
    noise = DRAW.uniform(item=np.arange(look.support.size)).reshape(look.support.shape)
    look = replace(look, support=np.where(noise < 0.3, 0.0, 2 * noise - 1) * 0.5)
    read = look.read(0.5, 0.5, 6)
    naive = weigh_naively(look, read, rule, weight)
    assert np.allclose(look.weigh_evidence(read, rule, weight), naive, equal_nan=True)
    assert np.isfinite(naive[:-1]).any()


def test_posts_that_do_not_count_say_nothing(corpus: SharedCorpus) -> None:
    post = CorpusDocument("a post by A", TEXTS[7], 1)
    look = with_posts(corpus, [post], [f"{TEXTS[7]} So it is."], now=2)
    only = look.documents == len(PAGES)
    assert (
        only.any()
        and np.isnan(look.weigh_evidence(only, "mean", 0.0)[0])
        and look.weigh_evidence(only, "mean", 1.0)[0] > 0.5
    )


def test_mean_support_is_the_mean_over_sentences(corpus: SharedCorpus) -> None:
    look = corpus.look_up(TEXTS, now=1)
    naive = [look.support[:, look.text == row].mean(axis=1) for row in range(len(TEXTS))]
    assert np.allclose(look.mean_support(), naive)


@pytest.mark.parametrize("text", ["", "   ", "Zebu xylem quokka.", "!?"])
def test_a_text_of_which_nothing_is_known_finds_nothing(corpus: SharedCorpus, text: str) -> None:
    look = corpus.look_up([TEXTS[0], text, TEXTS[1]], now=1)
    assert (look.documents[1] == -1).all() and not look.read(0.5, 1.0, 10)[1].any()
    weighed = look.weigh_evidence(look.read(0.5, 0.0, 10), "mean")
    assert np.isnan(weighed[1])
    beside = corpus.look_up([TEXTS[0], TEXTS[1]], now=1)
    assert np.array_equal(beside.documents, look.documents[[0, 2]]), "neighbours are not moved"
