"""The claims chosen for an utterance: the exhaustive search's while there are few, later a bounded number."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openiir.core.claims import ClaimIndex, claim_index
from openiir.core.claims.claim_index import COMPARED, MOST_TOLD, PER_SENTENCE
from openiir.core.claims.similarity import cosine, tf_idf
from openiir.core.claims.text import content_stems
from openiir.core.retrieval.sentences import sentences

NAMES = {"ada": "Ada Ng", "bo": "Bo Li", "cy": "Cy Ito"}
words = st.sampled_from("trams buses bikes wait cost Ito Bo safe slow 19 the because not . .".split())
speech = st.lists(words, max_size=30).map(" ".join)
debates = st.lists(st.tuples(speech, st.sampled_from(sorted(NAMES))), min_size=1, max_size=80)
anybody = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def index_of(claims, *, at_once=1):
    """Build an index of claims, a number of them at a time."""
    index = ClaimIndex()
    for end in range(at_once, len(claims) + at_once, at_once):
        index.add_new(claims[:end], NAMES)
    return index


def choose_exhaustively(utterance, claims, speakers, answered, last):
    """Choose claims by comparing the utterance with every claim; returns ids."""
    if len(claims) <= COMPARED:
        return [c.id for c in claims], [c.id for c in claims]
    *vectors, whole = tf_idf([*(c.text for c in claims), utterance])
    said = set(re.findall(r"\w+", utterance))
    always = {
        n
        for n, c in enumerate(claims)
        if c.speaker in speakers
        or (c.speaker, c.utterance) in last
        or said & set(re.findall(r"\b[A-Z]\w+", NAMES[c.speaker]))
    }
    order = sorted(
        range(len(claims)), key=lambda n: (claims[n].id != answered, -cosine(vectors[n], whole), -n)
    )
    near = set()
    for start, end in sentences(utterance):
        part = {term: whole[term] for term in content_stems(utterance[start:end])}
        best = sorted((-cosine(vector, part), -n) for n, vector in enumerate(vectors))[:PER_SENTENCE]
        near |= {-n for like, n in best if like}
    compared = order[:COMPARED]
    others = [n for n in order if n not in compared]
    wanted = [n for n in others if n in always] + [n for n in others if n in near - always]
    return [[claims[n].id for n in sorted(some)] for some in (compared, [*compared, *wanted][:MOST_TOLD])]


@anybody
@given(debates, speech, st.integers(0, 79), st.integers(1, 3))
def test_the_exhaustive_search_while_there_are_few(claim, debate, said, answered, utterance):
    claims = [
        claim(f"k{n:03d}", text=text or "Nothing", speaker=speaker).model_copy(update={"utterance": n % 4})
        for n, (text, speaker) in enumerate(debate)
    ]
    target = f"k{answered:03d}" if answered < len(claims) else None
    last = {("ada", utterance), ("bo", 1)}
    chosen = index_of(claims, at_once=7).choose(said, {"cy"}, target, last)
    assert [[c.id for c in some] for some in chosen] == list(
        map(list, choose_exhaustively(said, claims, {"cy"}, target, last))
    )


def test_claims_are_chosen_by_each_sentence_and_for_their_speaker(claim):
    many = [claim(f"k{n:03d}", text=f"Claim about subject{n} alone.", speaker="dee") for n in range(40)]
    many[3] = many[3].model_copy(update={"speaker": "bo"})
    long = "On subject7, subject7 and subject7 there is subject7 to say. " * 5 + "What of subject1?"
    compared, shown = index_of(many).choose(long, {"bo"}, "k002")
    ids = [c.id for c in compared]
    assert len(ids) == COMPARED and {"k002", "k007"} <= set(ids)
    told = [c.id for c in shown]
    assert told == sorted(told) and {*ids, "k001", "k003"} <= set(told)


def crowd_of(claim, number):
    """Make claims by many speakers that share common words; each hundredth has a rare one."""
    return [
        claim(
            f"k{n:05d}",
            text=f"Trams are {'safe' if n % 2 else 'slow'} on line{n % 40} "
            f"{'near harbour' if n % 100 == 7 else ''}.",
            speaker=f"s{n % 300}",
        )
        for n in range(number)
    ]


@pytest.fixture
def scored(monkeypatch):
    """Numbers of claims whose similarity was computed, call by call."""
    numbers, compute = [], ClaimIndex._likeness

    def count(index, places, counts, parts):
        numbers.append(len(set(places.tolist())))
        return compute(index, places, counts, parts)

    monkeypatch.setattr(ClaimIndex, "_likeness", count)
    return numbers


def test_no_more_claims_are_looked_at_after_many_posts(claim, scored):
    claims = crowd_of(claim, 3_000)
    for number in (1_000, 3_000):
        index = index_of(claims[:number], at_once=100)
        index.choose(
            "Trams are slow and safe on line3 near the harbour.", {"s7"}, "k00001", {("s299", 2_999)}
        )
        assert max(map(len, index._latest.values())) < 2 * claim_index.CANDIDATES
    assert len(scored) == 2 and all(200 < number <= claim_index.CANDIDATES for number in scored)


def test_rare_words_are_looked_up_before_common_ones_and_an_old_claim_that_is_answered(claim):
    claims = crowd_of(claim, 3_000)
    said = "Trams are slow near the harbour, the trams on line3 are."
    chosen = index_of(claims).choose(said, (), "k00001", {("s299", 2_999)})
    ids = {c.id for c in chosen.compared}
    harbour = [c.id for c in claims if "harbour" in c.text]
    assert "k00001" in ids and len(ids - {*harbour, "k00001"}) == 0
    assert "k02999" in {c.id for c in chosen.shown}


def test_an_index_built_again_makes_the_same_choices(claim):
    claims = crowd_of(claim, 1_500)
    grown, again = index_of(claims, at_once=1), index_of(claims, at_once=len(claims))
    for n in range(0, 1_500, 50):
        said = f"But {claims[n].text} And what of line{n % 40}?"
        assert grown.choose(said, {f"s{n}"}, f"k{n:05d}") == again.choose(said, {f"s{n}"}, f"k{n:05d}")


@pytest.mark.parametrize("said", ["", "?", "Words that nobody has used."])
@pytest.mark.parametrize("number", [40, 400])
def test_an_utterance_that_shares_no_word_is_compared_with_the_latest_claims(claim, said, number):
    claims = crowd_of(claim, number)
    chosen = index_of(claims).choose(said)
    assert chosen.compared == tuple(claims[-COMPARED:])
    assert [shown.id for shown in chosen.shown] == [claim.id for claim in chosen.compared]
