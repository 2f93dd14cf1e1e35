"""Measures against naive recomputation from single posts and judgements."""

import math

import numpy as np
import pytest
from small_evolution import run_small, run_summaries

from openiir.core.storage import Log
from openiir.plugin.definitions import define_measure
from openiir.scenarios.multi_generational import MultiGenerational
from openiir.scenarios.multi_generational.measures.definitions import DEFINITIONS
from openiir.scenarios.multi_generational.measures.metrics import evolution_measures, read_arm_summaries
from openiir.scenarios.multi_generational.run.actions import Born, Judged, Matched, Met, MetOthers, Posted

LAST = 3


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return run_small(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def summarised(tmp_path_factory):
    return run_summaries(tmp_path_factory.mktemp("summaries"))


@pytest.fixture(scope="module")
def found(finished):
    return evolution_measures(finished.log)


@pytest.fixture(scope="module")
def judged(finished):
    """Every judgement of the last generation: pair, producer, detector, whether the post is false, p."""
    posts = [one for _, one in Posted.read(finished.log) if one.generation == LAST]
    detectors = [one.p for _, one in Judged.read(finished.log) if one.generation == LAST]
    pairs = next(one.pairs for _, one in Met.read(finished.log) if one.generation == LAST)
    each = 2 * len(pairs)
    return [
        (pairs[place % each // 2], place // each, detector, bool(place % 2), p[place])
        for detector, p in enumerate(detectors)
        for place in range(each * len(posts))
    ]


def test_the_main_arm_is_first_and_each_control_has_its_last_generation(finished, found):
    arms = read_arm_summaries(finished.log)
    assert list(arms) == ["coevolution", "frozen_detectors", "frozen_producers", "neutral", "random_genomes"]
    assert [row["generation"] for row in arms["neutral"]] == [0, 1, 2, 3]
    rows = finished.log.table("generations")
    for row in rows[-4:]:
        assert found[f"landing.last.{row['arm']}"].value == row["landing"]
    assert found["landing.first"].value == rows[0]["landing"]


def test_landing_is_the_mean_survival_of_false_posts(finished, found):
    survival = [s for _, one in Posted.read(finished.log) if one.generation == LAST for s in one.survival]
    assert found["landing.last"].value == pytest.approx(sum(survival[1::2]) / len(survival[1::2]))
    assert found["landing_true.last"].value == pytest.approx(sum(survival[::2]) / len(survival[::2]))


def test_the_brier_score_is_balanced(found, judged):
    loss = [[(p - label) ** 2 for *_, label, p in judged if label == kind] for kind in (False, True)]
    assert found["brier.last"].value == pytest.approx(sum(sum(some) / len(some) for some in loss) / 2)


def test_discrimination_and_its_interval_count_judgements_by_pair(found, judged):
    p = {(pair, who, by, label): value for pair, who, by, label, value in judged}
    gaps = [p[pair, who, by, True] - p[pair, who, by, False] for pair, who, by, label in p if label]
    share = sum(gap > 0 for gap in gaps) / sum(gap != 0 for gap in gaps)
    assert found["discrimination.last"].value == pytest.approx(share)
    assert found["discrimination.last.low"].value <= share <= found["discrimination.last.high"].value


def test_mean_judgements_of_versions(found, judged):
    means = {}
    for pair, kind in {(pair, label) for pair, _, _, label, _ in judged}:
        some = [p for one, _, _, label, p in judged if (one, label) == (pair, kind)]
        means[pair, kind] = sum(some) / len(some)
    ahead = [means[pair, True] > means[pair, False] for pair in {pair for pair, _ in means}]
    assert found["train.discrimination"].value == pytest.approx(np.mean(ahead))
    right = sum(ahead)
    tail = sum(math.comb(4, n) for n in range(5) if abs(n - 2) >= abs(right - 2)) / 2**4
    assert found["mcnemar"].value == pytest.approx(min(tail, 1))
    wrong = [
        (sum(p > 0.5 for one, _, _, label, p in judged if (one, label) == key) > 10) != key[1]
        for key in means
    ]
    assert found["train.majority.brier"].value == pytest.approx(np.mean(wrong))


def test_the_length_detector_suspects_the_longer_version(finished, found):
    ends = [one.texts for _, one in Posted.read(finished.log) if one.generation == LAST]
    words = [math.fsum(len(texts[n].split()) for texts in ends) for n in range(len(ends[0]))]
    ahead = [(words[n + 1] > words[n]) + (words[n + 1] == words[n]) / 2 for n in range(0, len(words), 2)]
    assert found["train.length.discrimination"].value == pytest.approx(np.mean(ahead))


def test_compatibility_prefers_rankings_with_true_posts_first(finished, found):
    assert found["compatibility"].value == pytest.approx(
        found["compatibility.helpful"].value - found["compatibility.harmful"].value
    )
    assert 0 < found["compatibility.harmful"].value <= 1


def test_held_out_pairs_are_scored_by_their_mean_judgement(finished, found):
    met = next(one for _, one in MetOthers.read(finished.log))
    groups = {one.pair: one.group for _, one in Matched.read(finished.log)}
    assert {groups[pair] for pair in met.pairs} == {"held out"}
    p = met.p[-1]
    assert found["held_out.brier.last"].value == pytest.approx(
        sum((x - n % 2) ** 2 for n, x in enumerate(p)) / len(p)
    )
    ahead = [p[n + 1] > p[n] for n in range(0, len(p), 2)]
    assert found["held_out.discrimination.last"].value == pytest.approx(np.mean(ahead))
    wrong = [(share > 0.5) != bool(n % 2) for n, share in enumerate(met.most[-1])]
    assert found["held_out.majority.brier.last"].value == pytest.approx(np.mean(wrong))
    words = met.words[0]
    longer = [(words[n + 1] > words[n]) + (words[n + 1] == words[n]) / 2 for n in range(0, len(words), 2)]
    assert found["held_out.length.discrimination.first"].value == pytest.approx(np.mean(longer))


def test_progress_and_generality_are_those_of_the_table(finished, found):
    met = next(one for _, one in MetOthers.read(finished.log))
    table = met.landing
    assert met.generations == (0, 1, 2, 3) and found["progress.lag"].value == 1
    gains = [table[g][g - 1] - table[g - 1][g - 1] for g in (1, 2, 3)]
    assert found["progress.producer"].value == pytest.approx(sum(gains) / 3)
    losses = [table[g - 1][g - 1] - table[g - 1][g] for g in (1, 2, 3)]
    assert found["progress.detector"].value == pytest.approx(sum(losses) / 3)
    assert found["generality.producer.last"].value == pytest.approx(sum(table[-1]) / 4)


@pytest.mark.parametrize("side", ["producer", "detector"])
def test_founders_are_counted_by_walking_up(finished, found, side):
    parents = [one.parents for _, one in Born.read(finished.log) if one.side == side]
    line, branches = set(range(len(parents[-1]))), 0
    for cohort in reversed(parents[1:]):
        branches += len(line)
        line = {cohort[n] for n in line}
    assert found[f"founders.{side}"].value == len(line)
    assert found[f"phylogenetic_diversity.{side}"].value == branches
    assert found[f"mrca_depth.{side}"].defined == (len(line) == 1)


def test_summaries_alone_leave_measures_of_single_judgements_undefined(summarised):
    found = evolution_measures(summarised.log)
    assert (
        found["brier.last"].defined
        and found["founders.producer"].defined
        and found["disengagement.detector"].defined
    )
    for name in ("mcnemar", "compatibility", "progress.producer", "nash_support", "held_out.brier.last"):
        assert not found[name].defined and "config." in str(found[name].reason)


def test_every_measure_is_defined_in_words(found, summarised):
    for name in {*found, *evolution_measures(summarised.log)}:
        assert all(define_measure(DEFINITIONS, name)), name


def test_a_run_under_way_is_measured_up_to_then(finished):
    for step in range(3):
        found = MultiGenerational().metrics(Log(finished.run, until=step))
        assert ("landing.last" in found) == (step > 0)
