"""The type's own pairs: numbers, form, matching, evidence in the world, and no telling surface cue."""

from collections import Counter

import pytest

from lab.pair_baselines import score_baseline
from openiir.kit.lexical import BM25, nearest_texts
from openiir.scenarios.multi_generational.model.credibility.pairs import match_pairs
from openiir.scenarios.multi_generational.run.setup import INVENTED, REFERENCE, shipped_pairs

PAGES = {path.stem: path.read_text("utf-8") for path in sorted((REFERENCE / "sources").glob("*.md"))}


@pytest.fixture(scope="module")
def matched():
    return match_pairs(shipped_pairs())


def test_five_pairs_of_each_topic_remain_and_the_rest_is_counted(matched):
    topics = Counter(pair.topic for pair in matched.pairs)
    assert len(topics) == 20 and set(topics.values()) == {5} and topics.keys() == PAGES.keys()
    assert len([pair for pair in matched.pairs if pair.topic in INVENTED]) == 20
    assert len(matched.dropped) == 2


def test_texts_are_short_and_the_versions_of_one_length(matched):
    for pair in matched.pairs:
        lengths = [len(text.split()) for text in (pair.true, pair.false)]
        assert min(lengths) >= 10 and max(lengths) <= 40 and max(lengths) <= 1.21 * min(lengths), pair.id
        assert all(1 <= text.count(".") <= 3 and text.endswith(".") for text in (pair.true, pair.false))
    words = [sum(len(getattr(pair, side).split()) for pair in matched.pairs) for side in ("true", "false")]
    assert abs(words[0] - words[1]) < 0.01 * words[0]


def test_two_raters_gave_each_text_1_to_7(matched):
    for pair in matched.pairs + matched.dropped:
        assert len(pair.true_ratings) == len(pair.false_ratings) == 2
        assert {*pair.true_ratings, *pair.false_ratings} <= set(range(1, 8))
        assert pair.evidence in (0.6, 0.8, 1.0)


@pytest.mark.parametrize("topic", PAGES)
def test_a_page_is_250_to_450_words(topic):
    assert 250 <= len(PAGES[topic].split()) <= 450 and PAGES[topic].startswith("# ")


def test_either_version_finds_the_page_of_its_topic(matched):
    index, topics = BM25(PAGES.values()), list(PAGES)
    for pair in matched.pairs:
        for text in (pair.true, pair.false):
            assert topics[nearest_texts(index, text, 1)[0]] == pair.topic, text


@pytest.mark.parametrize("cue", ["words", "length"])
def test_no_surface_cue_tells_the_versions_apart(matched, cue):
    found = score_baseline(matched.pairs, cue)
    for estimate in found:
        assert estimate.low <= 0.5 <= estimate.high and abs(estimate.value - 0.5) < 0.1
