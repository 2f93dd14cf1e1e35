"""Cues rise with their markers, and with nothing else."""

import numpy as np
import pytest

from openiir.scenarios.multi_generational.model.credibility.text_cues import CUES, measure_cues

PLAIN = "The river runs past the mill."
MARKED = {
    "citation": "According to the page on mills, it runs.",
    "hedging": "Perhaps it runs, as it seems.",
    "numbers": "It runs 14 miles.",
    "anecdote": "It happened to a friend of mine.",
    "authority": "Experts have said it.",
    "urgency": "Hurry, do not wait!",
}


@pytest.mark.parametrize("cue", CUES)
def test_a_cue_rises_with_its_markers(cue: str) -> None:
    texts = [" ".join([PLAIN, *[MARKED[cue]] * times]) for times in range(5)]
    levels = measure_cues(texts)[:, CUES.index(cue)]
    assert levels[0] == 0 and (np.diff(levels) > 0).all() and levels[-1] < 1
    assert (np.diff(np.diff(levels)) < 0).all(), "the first makes the largest difference"


@pytest.mark.parametrize("cue", CUES)
def test_it_is_the_cue_that_rises_most(cue: str) -> None:
    assert CUES[int(measure_cues([MARKED[cue]])[0].argmax())] == cue


def test_plain_and_empty_texts_have_none() -> None:
    assert not measure_cues([PLAIN, "", "   "]).any() and measure_cues([]).shape == (0, len(CUES))


def test_a_text_is_measured_alone_and_whatever_its_case() -> None:
    texts = list(MARKED.values())
    assert np.array_equal(measure_cues(texts), np.concatenate([measure_cues([one]) for one in texts]))
    lower = measure_cues([one.lower() for one in texts])
    assert np.array_equal(lower, measure_cues(texts))


def test_words_that_only_contain_a_marker_do_not_count() -> None:
    assert not measure_cues(["The mayor of Knowle sailed the Sourceford canal."]).any()


def test_names_and_months_are_no_cues():
    texts = [
        "COVID-19 may reduce smell.",
        "It rained in May 1991.",
        "A salt mine took a share of it.",
        "It began on 5 May.",
    ]
    counted = measure_cues(texts)
    hedging, numbers, anecdote, urgency = (
        CUES.index(one) for one in ("hedging", "numbers", "anecdote", "urgency")
    )
    assert counted[0, hedging] > 0 and not counted[1, hedging] and not counted[3, hedging]
    assert not counted[0, numbers] and counted[1, numbers] > 0
    assert not counted[2, anecdote] and not counted[:, urgency].any()
