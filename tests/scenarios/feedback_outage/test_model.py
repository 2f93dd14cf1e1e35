"""Ranking, nDCG, reading and losses agree with plain loops, closed forms and cases made by hand."""

import math

import numpy as np
import pytest

from openiir.core.agents.crowd import Parallelism
from openiir.kit.clicks import ClickModel
from openiir.kit.signals import Channels, Outage
from openiir.plugin import Draw, Members, Population
from openiir.scenarios.feedback_outage.model.losses import (
    describe_outage,
    find_collapse,
    find_recovery,
    measure_losses,
)
from openiir.scenarios.feedback_outage.model.material import SearchMaterial, draw_material
from openiir.scenarios.feedback_outage.model.platform import (
    CHANNELS,
    CLICKS,
    READING,
    SPAM,
    USUAL_RATE,
    ClickPlatform,
    ResultPages,
    SearchRound,
    position_chances,
    rank_documents,
    taking_chances,
)
from openiir.scenarios.feedback_outage.model.world import GAINS, OutageWorld

DRAW = Draw(4, "outage")
RNG = np.random.default_rng(2)


def test_ranking_follows_the_formula():
    content, clicks, looks = RNG.normal(size=(3, 12)), RNG.random((3, 12)) * 4, RNG.random((3, 12)) * 20
    expected = []
    for q in range(3):
        scores = []
        for d in range(12):
            n = looks[q, d]
            rate = min(max((clicks[q, d] + 0.25 * 0.15) / (n + 0.25), 0.01), 0.99)
            evidence = math.log(rate / (1 - rate)) - math.log(0.15 / 0.85)
            scores.append(content[q, d] + 2.5 * evidence * n / (n + 5))
        expected.append(sorted(range(12), key=lambda d, s=tuple(scores): -s[d])[:10])
    assert rank_documents(content, clicks, looks).tolist() == expected


def test_without_looks_content_alone_ranks():
    content = RNG.normal(size=(4, 12))
    order = rank_documents(content, np.zeros((4, 12)), np.zeros((4, 12)))
    assert (order == np.argsort(-content, axis=1)[:, :10]).all()


def test_answers_are_taken_by_trust_and_by_worth():
    grades = np.arange(4)
    assert taking_chances(grades, 0.0, 2.0).tolist() == [0, 0, 0, 0]
    assert taking_chances(grades, 1.0, 2.0).tolist() == [1, 1, 1, 1]
    assert taking_chances(grades, 0.7, 0.0) == pytest.approx(np.full(4, 0.7), abs=1e-6)
    odds = [0.9 / 0.1 * math.exp(2 * (grade / 3 - 0.5)) for grade in range(4)]
    assert taking_chances(grades, 0.9, 2.0) == pytest.approx([o / (1 + o) for o in odds], abs=1e-6)


def test_scores_correlate_with_relevance_as_asked():
    material = draw_material(500, 40, DRAW)
    for content in (0.0, 0.5, 1.0):
        world = OutageWorld.build(material, content, DRAW)
        found = np.corrcoef(world.content.ravel(), world.relevance.ravel())[0, 1]
        assert found == pytest.approx(content, abs=0.02)
    assert world.spam.mean() == pytest.approx(SPAM, abs=0.01)
    assert world.demand[0] / world.demand[9] == pytest.approx(10)


def test_relevance_drifts_as_a_stationary_series():
    world = OutageWorld.build(draw_material(500, 40, DRAW), 0.5, DRAW)
    start = world.relevance
    for step in range(1, 11):
        world.drift(0.03, DRAW.at("drift", step=step), step)
    assert np.corrcoef(start.ravel(), world.relevance.ravel())[0, 1] == pytest.approx(0.97**10, abs=0.01)
    assert world.relevance.std() == pytest.approx(1, abs=0.02)
    changed = world.relevance.argmax(axis=1) != start.argmax(axis=1)
    assert (world.best_since[changed] > 0).all() and (world.best_since <= 10).all()


def test_without_drift_nothing_changes():
    world = OutageWorld.build(draw_material(10, 8, DRAW), 0.5, DRAW)
    start = world.relevance
    world.drift(0.0, DRAW, 1)
    assert (world.relevance == start).all() and not world.best_since.any()


def test_synthetic_queries_are_all_different():
    material = draw_material(500, 40, DRAW)
    assert len(set(material.queries)) == 500
    assert all(len(set(titles)) == 40 for titles in material.titles)
    assert material.show_page(3, [0], [3]) != material.show_page(3, [0], [0])


# What arrives, and how it is judged


@pytest.fixture
def searches():
    """Three searchers of two queries, on pages of two of three documents each."""
    pages = ResultPages(
        np.array([[2, 0], [1, 2]]), np.zeros((2, 2), np.int64), np.full((2, 2), 0.5), np.zeros(2)
    )
    clicks = np.array([[True, False], [True, True], [False, False]])
    held_back = np.array([[False, False], [False, False], [True, False]])
    return SearchRound(np.array([0, 1, 1]), pages, np.array([0.0, 0.5]), clicks, held_back)


def empty_platform(queries, documents):
    nobody = Population(Members(3, "searcher", {}), {}, Parallelism())
    return ClickPlatform("one", nobody, (queries, documents))


def receive(platform, searches, *outages):
    channels = Channels(CHANNELS, READING)
    for outage in outages:
        channels.apply(outage)
    return platform.receive(searches, np.zeros((2, 3), dtype=bool), channels, 10.0, DRAW)


def test_signals_are_counted_where_they_belong(searches):
    platform = empty_platform(2, 3)
    signals = receive(platform, searches)
    assert platform.clicks.tolist() == [[0, 0, 1], [0, 1, 1]]
    assert platform.looks.tolist() == [[0.5, 0, 1], [0, 2, 1]], "the second place is looked at half as often"
    assert platform.asked.tolist() == [1, 2]
    assert (platform.visits == platform.clicks).all() and (platform.short <= platform.visits).all()
    assert signals["click"] == signals["dwell"] == (4, 3), "one click was held back"
    assert signals["query_log"] == (3, 3)


def test_counts_fade_between_rounds(searches):
    platform = empty_platform(2, 3)
    receive(platform, searches)
    receive(platform, searches)
    assert platform.asked == pytest.approx(np.array([1, 2]) * (1 + 0.5**0.1), abs=1e-5)


@pytest.mark.parametrize(
    ("channel", "lost"),
    [
        ("click", {"clicks", "visits", "short"}),
        ("dwell", {"visits", "short"}),
        ("query_log", {"looks", "asked"}),
        ("explicit", set()),
    ],
)
def test_a_channel_takes_what_is_counted_from_it(channel, lost, searches):
    whole, broken = empty_platform(2, 3), empty_platform(2, 3)
    receive(whole, searches)
    receive(broken, searches, Outage(channel=channel))
    for kind in ("clicks", "looks", "asked", "visits", "short"):
        assert getattr(broken, kind).any() == (kind not in lost and getattr(whole, kind).any()), kind


def test_evaluators_agree_with_plain_loops(searches):
    relevance = np.array([[0.1, -1.0, 2.0], [1.0, 0.9, -2.0]])
    material = SearchMaterial(("a", "b"), (), (), relevance, relevance)
    world = OutageWorld(material, relevance, relevance > 1.5, relevance, np.array([3, 1]))
    platform = empty_platform(2, 3)
    receive(platform, searches)
    judged = world.evaluate(platform, searches, 5)
    demand, chances, errors = [2 / 3, 1 / 3], [1.0, 0.5], []
    for q, order in enumerate(searches.pages.order.tolist()):
        rates = [(platform.clicks[q, d] + 5 * 0.15) / (platform.looks[q, d] + 5) for d in order]
        errors.append([rate - 0.5 * (1 - searches.taken[q]) for rate in rates])
    absolute = [sum(abs(e) * c for e, c in zip(row, chances, strict=True)) for row in errors]
    signed = [abs(sum(e * c for e, c in zip(row, chances, strict=True))) for row in errors]
    assert judged["calibration"] == pytest.approx(np.dot(demand, absolute) / 1.5)
    assert judged["price"] == pytest.approx(np.dot(demand, signed))
    assert judged["suggestions"] == 1
    assert judged["freshness"] == pytest.approx(demand[1] * (5 - 1)), "the best of the second query is second"
    grades = [[1, 0, 3], [2, 2, 0]]
    gains = [[GAINS[grade] for grade in row] for row in grades]
    quality = []
    for row, order in zip(gains, searches.pages.order.tolist(), strict=True):
        best = sorted(row, reverse=True)
        dcg, ideal = (values[0] + values[1] / math.log2(3) for values in ([row[d] for d in order], best))
        quality.append(dcg / ideal)
    assert judged["ndcg"] == pytest.approx(np.dot(demand, quality))


# Losses


def test_a_loss_is_what_is_worse():
    controls = np.array([0.5, 0.5, 0.0])
    better, worse = np.array([0.6, 0.5, 0.1]), np.array([0.4, 0.5, 0.1])
    for evaluator, expected in (("ndcg", [0.2, 0, math.nan]), ("price", [-0.2, 0, math.nan])):
        assert measure_losses(worse, controls, evaluator) == pytest.approx(expected, nan_ok=True)
    assert measure_losses(better, controls, "price")[0] == pytest.approx(0.2)


def test_a_better_value_is_no_collapse():
    assert math.isnan(find_collapse(np.full(5, -0.9)))
    assert find_collapse(np.array([0, 0.2, 0.2, 0, 0.2, 0.11, 0.5])) == 5


def test_an_outage_made_by_hand():
    losses = np.array([0, 0, 0.05, 0.2, 0.3, 0.3, 0.3, 0.2, 0.2, 0.05, 0.05, 0.05])
    found = {name: one.value for name, one in describe_outage(losses, 3, 8).items()}
    assert found == pytest.approx(
        {"collapse": 2, "area": losses.sum(), "recovery": 3, "hysteresis": 0.55 / 1.15}
    )


def test_what_did_not_collapse_cannot_recover():
    found = describe_outage(np.full(9, 0.05), 3, 6)
    assert found["area"].value == pytest.approx(0.35)
    assert all("not" in (found[name].reason or "") for name in ("collapse", "recovery", "hysteresis"))


def test_what_never_came_back_has_no_hysteresis():
    found = describe_outage(np.full(9, 0.5), 3, 10)
    assert found["collapse"].value == 1 and "never came back" in str(found["hysteresis"].reason)
    assert "not within the 0 rounds" in str(found["recovery"].reason)


def test_recovery_has_to_last():
    assert find_recovery(np.array([0.5, 0.1, 0.1, 0.2, 0.0, 0.1, -0.3])) == 5
    assert math.isnan(find_recovery(np.array([0.0, 0.0])))


def test_clicks_are_by_position():
    assert position_chances(3) == pytest.approx([1, 1 / 2, 1 / 3])
    assert isinstance(CLICKS, ClickModel) and CLICKS.model == "position"
    usual = CLICKS.attraction(RNG.normal(size=100_000), np.zeros(1)).mean()
    assert usual == pytest.approx(USUAL_RATE, abs=0.03), "the ranker expects the rate that there is"
