"""The model beside plain loops: judgements, scores, pages, what rankers learn, what providers write."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from openiir.kit.measures.trec import Judgement
from openiir.kit.reranking import Diversity, DownRank, ExposureCap, Identity, ProvenanceBoost
from openiir.plugin import Draw, InputError, Members, Population
from openiir.scenarios.twin_ecosystem.model.documents import judge_works, plan_versions, write_version
from openiir.scenarios.twin_ecosystem.model.reading import SearchReading
from openiir.scenarios.twin_ecosystem.model.worlds import STEADY, SearchWorld, score_documents

WORKS = ("a/1", "a/2", "b/1", "c/1")
QUERIES = {"p": "first thing", "q": "second thing", "r": "unserved"}
JUDGED = [
    Judgement("p", "a/1", 4),
    Judgement("p", "b/1", -2),
    Judgement("q", "b/1", 2),
    Judgement("r", "c/1", -1),
    Judgement("p", "gone", 3),
    Judgement("other", "a/1", 9),
]
BOOST = ProvenanceBoost(factor=9.0)
DRAW = Draw(5, "test", step=1)


@pytest.fixture
def judged():
    return judge_works(WORKS, QUERIES, JUDGED, {}, ["b"])


@pytest.fixture
def world(judged):
    return SearchWorld("free", judged, Population(Members(0, "searcher", {}), {}))


def test_judgements_are_shares_of_the_best_and_unserved_needs_are_left_out(judged):
    assert judged.needs == ("p", "q") and judged.queries == ("first thing", "second thing")
    assert judged.grades.tolist() == [[1, 0, -0.5, 0], [0, 0, 0.5, 0]]
    assert judged.providers == ("a", "b", "c") and judged.provider.tolist() == [0, 0, 1, 2]
    assert judged.trusted.tolist() == [False, True, False]
    assert judged.held_harmful().tolist() == [[False, False, True, False], [False] * 4]
    assert judged.held_harmful("a").tolist() == [[True, True, False, False]] * 2


def test_documents_without_a_folder_need_a_pattern():
    with pytest.raises(InputError, match="'12' has no provider"):
        judge_works(["12"], QUERIES, [Judgement("p", "12", 1)], {}, [])
    found = judge_works(["12"], QUERIES, [Judgement("p", "12", 1)], {"x": ["9*"], "y": ["1*"]}, [])
    assert found.providers == ("x", "y") and found.provider.tolist() == [1]


def test_harmful_works_look_as_useful_as_they_claim(judged):
    rows = np.arange(4_000)
    need, work = np.zeros(len(rows), dtype=np.int64), np.tile([2, 0, 1, 2], (len(rows), 1))
    looks = judged.looks(rows, need, work, 0.3, DRAW)
    np.testing.assert_allclose(looks.mean(axis=0), [0.5, 1, 0, 0.5], atol=0.03)
    np.testing.assert_allclose(looks.std(axis=0), 0.3, atol=0.02)
    assert (looks[:, 0] == looks[:, 3]).all(), "versions of a work look alike to a searcher"
    assert (judged.looks(rows[5:9], need[5:9], work[5:9, :2], 0.3, DRAW) == looks[5:9, :2]).all()
    assert judged.looks(rows, need, work, 0.0, DRAW).tolist() == [[0.5, 1, 0, 0.5]] * len(rows)


def test_scores_are_content_and_the_rate_of_use_less_the_usual_rate():
    content = np.array([[2.0, 1.0, 0.0], [0.0, 4.0, 1.0]])
    clicks, looks = np.array([[8, 0, 0], [1, 2, 0]]), np.array([[10, 20, 0], [5, 5, 0]])
    usual = 11 / 40
    found = score_documents(content, clicks, looks, 0.5)
    for q in range(2):
        for d in range(3):
            rate = (clicks[q, d] + STEADY * usual) / (looks[q, d] + STEADY)
            assert found[q, d] == pytest.approx(
                content[q, d] / content[q].max() + 0.5 * (rate - usual), abs=2**-20
            )
    nothing = np.zeros((2, 3), dtype=np.int64)
    np.testing.assert_allclose(
        score_documents(content, nothing, nothing, 0.5), content / [[2], [4]], atol=2**-20
    )
    assert found[0, 2] == 0.0, "of a document that nobody saw nothing is known"


@pytest.mark.parametrize(
    "policy", [Identity(), ExposureCap(most=1), DownRank(factor=0.0), ProvenanceBoost(factor=9.0)]
)
def test_pages_are_those_of_a_loop(world, policy):
    world.work = np.array([0, 1, 2, 3, 0])
    scores = np.array([[0.9, 0.8, 0.7, 0.1, 0.85], [0.2, 0.3, 1.0, 0.1, 0.0]])
    pages = world.lay_out(None, scores, 3, policy, world.judged.held_harmful())
    for need, row in enumerate(scores):
        relevance = (row - row.min()) / (row.max() - row.min())
        worth, page, group = relevance.copy(), [], world.judged.provider[world.work]
        for document in range(5):
            work = world.work[document]
            if policy.by == "down_rank" and world.judged.grades[need, work] < 0:
                worth[document] -= 9
            if policy.by == "provenance" and group[document] == 1:
                worth[document] *= 9
        while len(page) < 3:
            capped = {world.judged.provider[world.work[one]] for one in page} if policy.by == "cap" else ()
            left = [d for d in range(5) if d not in page]
            page.append(
                max(left, key=lambda d: worth[d] - 9 * (world.judged.provider[world.work[d]] in capped))
            )
        assert pages.documents[need].tolist() == page
        np.testing.assert_allclose(pages.relevance[need], relevance[page], atol=2**-20)
        best = sorted(range(5), key=lambda d: -row[d])[:3]
        np.testing.assert_allclose(pages.plain[need], relevance[best], atol=2**-20)
        assert pages.moved[need].tolist() == [one != other for one, other in zip(page, best, strict=True)]


class Store:
    """A lane whose world has these documents, each known by a vector."""

    step = 4

    def __init__(self, vectors):
        self.vectors = dict(zip(WORKS, vectors, strict=True))
        self.chunks = [SimpleNamespace(source=name, id=name) for name in WORKS]

    def world(self, name):
        return self

    def vector(self, chunk):
        return self.vectors[chunk]


def test_diversity_passes_over_what_says_the_same(world):
    store = Store(np.eye(3)[[0, 0, 1, 2]])
    scores, harmful = np.array([[1.0, 0.95, 0.9, 0.0]] * 2), world.judged.held_harmful()
    for policy, page in ((Identity(), [0, 1]), (Diversity(weight=0.5), [0, 2])):
        assert world.lay_out(store, scores, 2, policy, harmful).documents.tolist() == [page] * 2


def test_a_ranker_learns_from_what_was_used_and_what_was_passed_over(world):
    need, uses = np.array([0, 0, 1, 0]), np.array([2, 0, 1, 3])
    documents = np.array([[0, 1, 2], [0, 1, 2], [3, 2, 1], [0, 1, 2]])
    world.learn(need, documents, uses)
    clicks, looks = np.zeros((2, 4), int), np.zeros((2, 4), int)
    for q, page, place in zip(need, documents, uses, strict=True):
        for at, document in enumerate(page, 1):
            looks[q, document] += place == 0 or at <= place
            clicks[q, document] += at == place
    assert (world.clicks == clicks).all() and (world.looks == looks).all()
    assert clicks.sum() == 3 and looks.sum() == 2 + 3 + 1 + 3


def test_searchers_read_as_the_cascade_says():
    reading, n = SearchReading(leave=0.2, intercept=-1.0, slope=2.0), 40_000
    looks = np.tile([0.5, 1.0, 0.0], (n, 1))
    uses = reading.choose(looks, DRAW.at(agent=np.arange(n)))
    chance = [1 / (1 + math.exp(1 - 2 * look)) for look in (0.5, 1.0, 0.0)]
    left, expected = 1.0, []
    for p in chance:
        expected.append(left * p)
        left *= (1 - p) * (1 - 0.2)
    np.testing.assert_allclose(np.bincount(uses, minlength=4)[1:] / n, expected, atol=0.01)
    assert (reading.choose(looks[:7], DRAW.at(agent=np.arange(7))) == uses[:7]).all()


def test_who_is_shown_more_writes_more_and_of_what_was_shown(judged):
    exposure = np.array([[3.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    plans = [one for seed in range(3_000) for one in plan_versions(exposure, judged, 0.3, Draw(seed, "plan"))]
    counts = np.zeros((2, 4))
    for one in plans:
        assert judged.provider[one.work] == one.provider
        counts[one.need, one.work] += 1
    assert (counts[exposure == 0] == 0).all()
    writes = [(counts[:, judged.provider == p]).sum() / 3_000 for p in range(3)]
    np.testing.assert_allclose(writes, [0.3 * 3 * 0.8, 0.3 * 3 * 0.2, 0], atol=0.03)
    np.testing.assert_allclose(counts[:, 0] / counts[:, 0].sum(), [0.75, 0.25], atol=0.04)
    assert plan_versions(exposure, judged, 0.0, DRAW) == []


def test_a_version_has_the_words_of_the_query_and_sentences_of_its_passage():
    passage = ["It rains.", "The river rises.", "Sheep drown.", "Nobody is surprised."]
    texts = {write_version("what rises in rain", " ".join(passage), DRAW.at(agent=n)) for n in range(20)}
    assert len(texts) > 3
    for text in texts:
        title, _, body = text.partition("\n\n")
        assert title == "What rises in rain"
        assert body == " ".join(sentence for sentence in passage if sentence in body) != ""


def test_the_table_of_pages_says_who_used_what(world):
    store, scores = Store(np.eye(4)), np.array([[0.9, 0.8, 0.7, 0.1], [0.2, 0.3, 1.0, 0.1]])
    pages = world.lay_out(store, scores, 2, Identity(), world.judged.held_harmful())
    columns = world.columns(store, pages, np.array([0, 0, 1, 0]), np.array([1, 2, 0, 1]))
    assert columns["document"] == ["a/1", "a/2", "b/1", "a/2"] and columns["place"].tolist() == [1, 2, 1, 2]
    assert columns["used"].tolist() == [2, 1, 0, 0] and columns["searchers"].tolist() == [3, 3, 1, 1]
    assert columns["step"].tolist() == [4] * 4
