"""How people read pages: from the top, what looks useful, with an eye that gets better."""

import numpy as np
import pytest

from openiir.plugin import Draw
from openiir.scenarios.tiered_capability.model.reading import EMPTY, ReadingRule
from openiir.scenarios.tiered_capability.model.search import NOTHING, PLACES

READERS = np.arange(20_000)
DRAW = Draw(3, "tests.reading", agent=READERS)
SURE = ReadingRule(intercept=-10, slope=20, satisfaction=0.0, continuation=1.0)


def page(*looks: float) -> np.ndarray:
    """A page that looks alike to all readers, empty after these results."""
    row = [*looks, *[EMPTY] * (PLACES - len(looks))]
    return np.tile(row, (len(READERS), 1))


def test_what_looks_useful_is_opened():
    opened, web = SURE.read(page(1.0, 0.0, 2.0), DRAW)
    assert (opened[:, :3] == [True, False, True]).mean() > 0.999 and not opened[:, 3:].any() and not web.any()


def test_empty_places_are_never_opened_and_nothing_is_not_enough():
    eager = ReadingRule(intercept=20, slope=0, satisfaction=0.0, continuation=1.0)
    assert (eager.read(page(0.0, 0.0), DRAW).open.sum(axis=1) == 2).all()
    opened, web = eager.read(page(), DRAW)
    assert not opened.any() and web.all()


@pytest.mark.parametrize("satisfaction", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("continuation", [0.8, 1.0])
def test_shares_opened_are_those_of_the_dynamic_bayesian_network(satisfaction, continuation):
    rule = ReadingRule(satisfaction=satisfaction, continuation=continuation)
    looks = (0.9, 0.4, 0.7)
    opened = rule.read(page(*looks), DRAW).open
    reading = 1.0
    for place, look in enumerate(looks, 1):
        chance = 1 / (1 + np.exp(-(rule.intercept + rule.slope * look)))
        assert opened[:, place - 1].mean() == pytest.approx(reading * chance, abs=0.012)
        reading *= continuation * (1 - satisfaction * chance)


def test_a_web_search_follows_where_the_best_that_was_opened_is_not_enough():
    rule = ReadingRule(intercept=-10, slope=20, satisfaction=0.0, continuation=1.0, enough=0.75)
    for best, wanted in ((0.7, True), (0.8, False)):
        opened, web = rule.read(page(0.65, best), DRAW)
        read = opened[:, 1]
        assert read.mean() > 0.95 and (web[read] == wanted).all() and web[~read].all()


def test_eyes_differ_by_the_blur_and_learn():
    pages = np.full((len(READERS), PLACES), NOTHING)
    pages[:, :2] = [4, 9]
    gains, rule = np.full(pages.shape, 0.5), ReadingRule(blur=0.4, learning=0.5)
    looks = rule.see(gains, pages, np.zeros(len(READERS), dtype=int), DRAW)
    assert (looks[:, 2:] == EMPTY).all()
    assert looks[:, 0].mean() == pytest.approx(0.5, abs=0.01) and looks[:, 0].std() == pytest.approx(
        0.4, abs=0.01
    )
    assert abs(np.corrcoef(looks[:, 0], looks[:, 1])[0, 1]) < 0.03
    learnt = rule.see(gains, pages, np.full(len(READERS), 6), DRAW)
    assert learnt[:, 0].std() == pytest.approx(0.2, abs=0.01), "a precision of 1 + 0.5 x 6"
    assert np.allclose(learnt[:, 0] - 0.5, (looks[:, 0] - 0.5) / 2, atol=2e-6)


def test_a_document_looks_alike_wherever_it_stands():
    pages = np.full((len(READERS), PLACES), NOTHING)
    pages[:, :2] = [4, 9]
    turned = pages.copy()
    turned[:, :2] = [9, 4]
    gains, none = np.zeros(pages.shape), np.zeros(len(READERS), dtype=int)
    looks, other = (ReadingRule().see(gains, each, none, DRAW) for each in (pages, turned))
    assert (looks[:, 0] == other[:, 1]).all() and (looks[:, 1] == other[:, 0]).all()
