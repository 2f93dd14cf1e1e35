import asyncio
import copy
import math
import pickle
from collections import Counter

import numpy as np
import pytest
from pydantic import ValidationError

from openiir.core.agents import EmbeddingLookup, EpisodicMemory, Memory, MemoryPolicy, texts_in_order
from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.records import Persona
from openiir.core.retrieval import tokens

WORDS = (
    "crime drama watched rated hated liked space robots slow funny classic sequel war music animated".split()
)


def texts(n, seed=3):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(n)]


def filled(stored, policy="full", **more):
    memory = EpisodicMemory(policy, **more)
    for number, text in enumerate(stored):
        memory.store(text, number=number)
    return memory


def naive(stored, queries, k):
    """lnc.ltc cosine of every record with every query, written out."""
    documents = [Counter(tokens(text)) for text in stored]
    n = len(documents)
    best = [0.0] * n
    for query in queries:
        asked = Counter(tokens(query))
        weight = {
            t: (1 + math.log(f)) * math.log(1 + n / max(sum(t in d for d in documents), 1))
            for t, f in asked.items()
        }
        length = math.sqrt(sum(w * w for w in weight.values()))
        for i, document in enumerate(documents):
            one = {t: 1 + math.log(f) for t, f in document.items()}
            norm = math.sqrt(sum(w * w for w in one.values()))
            if norm and length:
                dot = sum(w * weight.get(t, 0.0) for t, w in one.items())
                best[i] = max(best[i], dot / norm / length)
    rounded = [round(score * 2**20) / 2**20 for score in best]
    order = sorted((i for i in range(n) if rounded[i] > 0), key=lambda i: (-rounded[i], i))[:k]
    return [(i, rounded[i]) for i in order]


@pytest.mark.parametrize(
    "queries", [["what have you watched"], ["a slow classic", "robots in space, robots", "of the"], ["zebra"]]
)
@pytest.mark.parametrize("n", [1, 7, 60])
def test_recall_is_the_naive_cosine(n, queries):
    stored = texts(n)
    found = filled(stored).recall(queries, 5)
    assert [(r.facts["number"], pytest.approx(r.score, abs=2**-20)) for r in found] == naive(
        stored, queries, 5
    )
    assert all(r.text == stored[r.facts["number"]] and r.id == f"m{r.facts['number'] + 1}" for r in found)


@pytest.mark.parametrize(
    "text",
    [
        "It's the cats’ re-run, 3.5 of 5 (1,200 votes)!",
        "映画が 好き naïve cafe\u0301",
        "a\tb\n\nc-d_e O’Neill's",
        "ﬁlm ① ½ 10 000",
    ],
)
def test_stems_of_any_text_are_those_of_its_tokens(text):
    memory = filled(["filler words only", text])
    (found,) = memory.recall(text, 1)
    assert found.id == "m2" and found.score == pytest.approx(
        naive(["filler words only", text], [text], 1)[0][1], abs=2**-20
    )


def test_a_window_brings_the_last_records_to_mind_whatever_is_asked():
    stored = texts(40)
    for policy in ("window:12", "recent:12"):
        memory = filled(stored, policy)
        assert len(memory) == 12 and [r.id for r in memory] == [f"m{i}" for i in range(29, 41)]
        for query in ("funny robots", "zebra", []):
            assert texts_in_order(memory.recall(query, 2)) == tuple(stored[28:])
    assert [r.id for r in memory.recall("zebra", skip=lambda r: r.facts["number"] % 4)] == [
        "m37",
        "m33",
        "m29",
    ]


def test_recency_and_importance_weigh_what_bears_on_the_question():
    memory = EpisodicMemory("episodic", half_life=2)
    for text, importance in (
        ("a slow film", 0.0),
        ("a slow film", 1.0),
        ("other words", 1.0),
        ("a slow film", 0.0),
    ):
        memory.store(text, importance)
    found = memory.recall("slow film")
    plain = filled(["a slow film"] * 2 + ["other words", "a slow film"]).recall("slow film")
    assert [r.id for r in found] == ["m2", "m4", "m1"], (
        "the important one, the latest one, never one that does not bear on it"
    )
    assert {r.id: r.score for r in found} == {
        r.id: pytest.approx(r.score * (1 + 2 / (2 + age) + important) / 3, abs=2**-19)
        for r, age, important in zip(plain, (3, 2, 0), (0, 1, 0), strict=True)
    }


def test_what_is_skipped_makes_room_for_the_next():
    memory = filled(["a good film"] * 4)
    assert [r.id for r in memory.recall("film", 2, skip=lambda r: r.facts["number"] in (0, 2))] == [
        "m2",
        "m4",
    ]


def test_nothing_is_kept_under_none_and_ids_go_on():
    memory = EpisodicMemory("none")
    assert [memory.store("liked it"), memory.store("hated it")] == ["m1", "m2"]
    assert not len(memory) and list(memory) == [] and memory.recall("liked") == ()


def test_equal_records_come_oldest_first_and_k_is_for_all_queries():
    memory = filled(["a good film"] * 4 + ["a bad book"] * 4)
    assert [r.id for r in memory.recall(["film", "book"], 5)] == ["m1", "m2", "m3", "m4", "m5"]
    assert [r.id for r in memory.recall("book", 2)] == ["m5", "m6"]


def test_several_queries_give_the_union_with_the_best_score():
    stored, queries = texts(30), ["slow drama", "funny music", "war"]
    memory = filled(stored)
    best = {}
    for query in queries:
        for one in memory.recall(query, 30):
            best[one.id] = max(best.get(one.id, 0), one.score)
    assert {r.id: r.score for r in memory.recall(queries, 30)} == best


def test_the_same_record_scores_the_same_whatever_was_stored_before_elsewhere():
    stored = texts(25)
    filled(texts(50, seed=8)).recall("other words come first in this process")
    first, second = filled(stored), filled(stored)
    assert first.recall("war music") == second.recall("war music")


def test_without_queries_or_records_nothing_is_recalled():
    assert EpisodicMemory().recall("anything") == () and filled(texts(3)).recall([]) == ()
    assert filled(["", "the of"]).recall(["", "the of"]) == ()
    with pytest.raises(InputError, match="k = 0"):
        filled(texts(3)).recall("war", 0)


def test_facts_are_frozen_plain_data():
    tags = ["a", {"b": 1.5}]
    memory = EpisodicMemory()
    memory.store("seen", item=np.int64(7), share=np.float64(0.5), tags=tags, none=None)
    tags.append("later")
    (record,) = memory
    assert record.facts["item"] == 7 and type(record.facts["item"]) is int and record.score == 0
    assert record.facts["tags"][0] == "a" and len(record.facts["tags"]) == 2
    for change in (lambda f: f.update(item=8), lambda f: f.pop("item"), lambda f: f["tags"][1].clear()):
        with pytest.raises(TypeError, match="read only"):
            change(record.facts)
    with pytest.raises(TypeError, match="read only"):
        record.facts["item"] = 8
    with pytest.raises(TypeError, match="read only"):
        record.facts |= {"item": 8}
    assert canonical(record.facts) == '{"item":7,"none":null,"share":0.5,"tags":["a",{"b":1.5}]}'


def test_a_memory_can_be_copied_for_a_twin():
    memory = filled(texts(12))
    for twin in (memory.fork(), copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))):
        assert list(twin) == list(memory) and twin.recall("war music") == memory.recall("war music")
        twin.store("something else")
        assert [r.id for r in memory] == [f"m{i}" for i in range(1, 13)] and list(twin)[-1].id == "m13"
        assert twin.recall("something else", 1)[0].id == "m13" and memory.recall("something else") == ()


def test_a_fork_with_vectors_of_ones_own_grows_apart_too():
    memory = filled(["a", "bb"], vectors=counted)
    twin = memory.fork()
    twin.store("aaaa")
    memory.store("b")
    assert [r.text for r in twin] == ["a", "bb", "aaaa"] and twin.recall("aaaa", 1)[0].text == "aaaa"
    assert [r.text for r in memory] == ["a", "bb", "b"] and memory.recall("b", 1)[0].text == "b"


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, object(), {1: "x"}, b"x", [math.nan]])
def test_facts_that_json_cannot_say_are_refused(value):
    with pytest.raises(InputError, match="the fact item"):
        EpisodicMemory().store("seen", item=value)


@pytest.mark.parametrize(
    "policy", ["full", "none", "window:1", "recent:250", "decayed:30", "episodic", "episodic+reflection"]
)
def test_personas_name_the_policies_that_there_are(policy):
    assert MemoryPolicy.parse(Persona(id="x", name="X", bio="X.", memory=policy).memory).reflects == {
        "full": None,
        "episodic+reflection": True,
    }.get(policy, False)


@pytest.mark.parametrize(
    "policy",
    [
        "",
        "Full",
        "window",
        "window:",
        "decayed",
        "decayed:0",
        "window:0",
        "recent:-3",
        "window:05",
        "window:1.5",
        "window:5\n",
        "last:5",
    ],
)
def test_other_policies_are_refused_with_the_list(policy):
    with pytest.raises(InputError, match="write none, window:N"):
        EpisodicMemory(policy)
    with pytest.raises(ValidationError):
        Persona(id="x", name="X", bio="X.", memory=policy)


def counted(asked):
    return np.array([[text.count("a") - 1, text.count("b"), 1] for text in asked], dtype=np.float32)


def test_vectors_of_ones_own():
    stored = ["a", "bb", "aab", "aaaa", "b"]
    memory = filled(stored, vectors=counted)
    rows, query = counted(stored).astype(float), counted(["ab", "aaa"]).astype(float)
    cosines = (rows / np.linalg.norm(rows, axis=1)[:, None]) @ (
        query / np.linalg.norm(query, axis=1)[:, None]
    ).T
    best = cosines.max(axis=1)
    found = memory.recall(["ab", "aaa"], 3)
    assert [r.facts["number"] for r in found] == np.argsort(-best, kind="stable")[:3].tolist()
    assert [r.score for r in found] == pytest.approx(np.sort(best)[::-1][:3], abs=2**-20)
    assert [r.text for r in filled(stored, "window:2", vectors=counted).recall("ab")] == ["b", "aaaa"]


def test_vectors_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="one row a text"):
        EpisodicMemory(vectors=lambda asked: [1.0, 2.0]).store("x")
    with pytest.raises(InputError, match="NaN"):
        EpisodicMemory(vectors=lambda asked: [[math.nan]]).store("x")
    widths = iter((2, 3))
    memory = EpisodicMemory(vectors=lambda asked: np.ones((1, next(widths))))
    memory.store("x")
    with pytest.raises(InputError, match="all as long"):
        memory.store("y")


class Endpoint:
    name = "counting"

    def __init__(self):
        self.batches = []

    async def embed(self, asked):
        self.batches.append(list(asked))
        return counted(asked).astype(float)


def test_an_endpoint_is_asked_once_a_text():
    endpoint = Endpoint()
    embedded = EmbeddingLookup(endpoint)
    asyncio.run(embedded.learn(["ab", "ba", "ab"]))
    asyncio.run(embedded.learn(["ba", "aa"]))
    asyncio.run(embedded.learn(["aa"]))
    assert endpoint.batches == [["ab", "ba"], ["aa"]]
    memory = filled(["ab", "aa"], vectors=embedded)
    assert memory.recall("aa", 1)[0].text == "aa"
    with pytest.raises(InputError, match="learn"):
        memory.recall("never seen")


def test_it_keeps_the_protocol():
    memory: Memory = EpisodicMemory()
    assert memory.store("x") == "m1" and len(list(memory)) == len(memory) == 1


def recalled(memory, query="old tram"):
    return [one.facts["number"] for one in memory.recall(query, 9)]


class TestFading:
    """Base-level activation (Anderson & Schooler 1991): ln of the sum of t^-0.5 over a record's uses."""

    def test_a_record_that_is_never_recalled_is_forgotten_after_so_many_others(self):
        memory = filled(["old tram"], "decayed:3")
        for number in (1, 2, 3):
            memory.store("something else", number=number)
        assert recalled(memory.fork()) == [0]
        memory.store("something else", number=4)
        assert recalled(memory) == [] and len(memory) == 5

    def test_recalling_refreshes(self):
        memory = filled(["old tram"], "decayed:3")
        for number in (1, 2, 3):
            memory.store("something else", number=number)
        assert recalled(memory) == [0]
        for number in range(4, 12):
            memory.store("something else", number=number)
        # Uses 11 and 8 records ago: 11^-0.5 + 8^-0.5 = .655, above 3^-0.5 = .577.
        assert recalled(memory) == [0]

    def test_it_is_the_sum_over_all_uses(self):
        memory, uses = filled(["old tram"], "decayed:5"), [1]
        for stored in range(2, 60):
            memory.store("something else", number=stored)
            active = math.log(sum((max(stored - use, 1)) ** -0.5 for use in uses)) >= math.log(5**-0.5) - 1e-9
            if stored % 5 == 0:
                assert recalled(memory) == ([0] if active else [])
                uses += [stored] if active else []
        assert len(uses) > 3

    def test_forks_and_dumps_keep_the_uses(self):
        memory = filled(["old tram", "other", "other"], "decayed:3")
        recalled(memory)
        twin, again = memory.fork(), EpisodicMemory("decayed:3")
        asyncio.run(again.restore(memory.dump()))
        for number in range(3, 9):
            for one in (memory, twin, again):
                one.store("other", number=number)
        assert recalled(memory) == recalled(twin) == recalled(again)
        assert memory.dump() == twin.dump() == again.dump()
