import json
import math
import shutil
import sqlite3
import stat

import numpy as np
import pytest
from scipy import stats

from openiir.core.errors import DamagedRun, InputError
from openiir.core.hashing import sha256
from openiir.runs.compare import Comparison, ComparisonOptions, compare
from openiir.runs.post_run import measure


def the(found, name):
    return next(one for one in found.measures if one.measure == name)


@pytest.fixture
def found(arms):
    return compare(arms, ComparisonOptions(measures=("warmth.*",), smallest={"warmth.mean": 0.5}))


def test_runs_that_differ_but_for_seed_and_name_are_arms(found):
    assert [arm.label for arm in found.arms] == ["warmth=0.2", "warmth=0.8"]
    assert [arm.seeds for arm in found.arms] == [tuple(range(1, 7))] * 2
    assert found.differs == {"config.warmth": {"A": 0.2, "B": 0.8}}
    assert found.baseline == "A" and found.paired and not found.beyond and not found.left_out


def test_what_is_found_is_what_the_measures_of_the_runs_give(longer, tmp_path):
    values = []
    for folder in longer:
        copy = shutil.copytree(folder, tmp_path / folder.name)
        values.append(measure(copy, {})["warmth.mean"].value)
    cold, long = np.array(values[:6]), np.array(values[6:])
    one = the(compare(longer, ComparisonOptions(smallest={"warmth.mean": 9.0})), "warmth.mean")
    assert [p.value for p in one.arms[0].points] == pytest.approx(list(cold))
    (c,) = one.contrasts
    reference = stats.ttest_rel(long, cold)
    assert c.difference.value == pytest.approx((long - cold).mean())
    assert (c.difference.low, c.difference.high) == pytest.approx(tuple(reference.confidence_interval()))
    flips = stats.permutation_test((long - cold,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert c.p.value == pytest.approx(flips.pvalue) and c.exact
    assert c.correlation.value == pytest.approx(stats.pearsonr(cold, long).statistic)
    assert (c.higher, c.lower) == ((long > cold).sum(), (long < cold).sum())
    assert c.equivalence.verdict == "equivalent" and c.seeds_needed_80.value >= 6


def test_intervals_stay_within_the_bounds_that_the_type_declares(longer, parlour, monkeypatch):
    few = [*longer[:3], *longer[6:9]]
    free = the(compare(few), "warmth.mean")
    values = [p.value for arm in free.arms for p in arm.points]
    low, high = min(values) - 0.01, max(values) + 0.01
    assert any(arm.mean.low < low or arm.mean.high > high for arm in free.arms)
    monkeypatch.setattr(parlour.Parlour, "definitions", {"warmth.*": ("warmth", "ratings", (low, high))})
    options = ComparisonOptions(smallest={"warmth.mean": 0.5})
    bounded = the(compare(few, options), "warmth.mean")
    for arm in bounded.arms:
        assert low < arm.mean.low < arm.mean.value < arm.mean.high < high
    (c,) = bounded.contrasts
    assert c.difference.method == arm.mean.method == "t on the logit scale"
    assert low - high < c.difference.low < c.difference.high < high - low
    monkeypatch.setattr(parlour.Parlour, "definitions", {"warmth.*": ("warmth", "ratings", (low, math.inf))})
    cut = the(compare(few, options), "warmth.mean")
    assert min(arm.mean.low for arm in cut.arms) >= low
    assert cut.contrasts[0].difference == free.contrasts[0].difference


def test_a_difference_without_spread_is_tested_but_not_bounded(found):
    (c,) = the(found, "warmth.mean").contrasts
    assert c.difference.value == pytest.approx(3.0) and c.difference.low is None
    assert c.p.value == 2 / 2**6 and c.seeds == c.higher == 6
    assert c.d_z.value is None and "no spread" in c.d_z.reason
    assert c.ratio.value > 1 and c.equivalence.verdict == "undefined"


def test_undefined_measures_keep_their_reason(found):
    one = the(found, "warmth.none")
    assert one.contrasts[0].difference.reason == one.arms[0].mean.reason == "it is not measured"
    assert one.contrasts[0].p.value is None and one.contrasts[0].undefined == 6


def test_families(arms):
    named = compare(arms, ComparisonOptions(measures=("warmth.mean",)))
    assert [(f.name, f.correction, f.tests) for f in named.families] == [
        ("confirmatory", "Holm", 1),
        ("exploratory", "Benjamini-Hochberg", 0),
    ]
    assert named.measures[0].measure == "warmth.mean"
    assert [one.family for one in compare(arms).measures] == ["exploratory"] * 2


def test_json_comes_back_as_it_was(found):
    text = found.model_dump_json(indent=1)
    assert Comparison.model_validate_json(text) == found
    assert json.loads(text)["format"] == 1 and "NaN" not in text


def test_the_baseline_can_be_named(arms):
    turned = compare(arms, ComparisonOptions(baseline="0.8"))
    assert turned.baseline == "B"
    assert the(turned, "warmth.mean").contrasts[0].lower == 6
    assert compare(arms, ComparisonOptions(baseline="B")) == turned
    with pytest.raises(InputError, match="fits several arms: A .*B"):
        compare(arms, ComparisonOptions(baseline="warmth"))
    with pytest.raises(InputError, match="no arm is called 'hot'"):
        compare(arms, ComparisonOptions(baseline="hot"))


def test_more_than_the_named_key_is_said_first(arms, another):
    others = [
        another(f"long-{seed}", f"seed={seed}", "config.warmth=0.8", "config.steps=2") for seed in (1, 2)
    ]
    found = compare([*arms[:2], *others], ComparisonOptions(keys=("warmth",)))
    assert found.beyond == ("config.steps",)
    assert found.warnings[0] == "the arms differ in more than warmth: also in config.steps"
    assert [arm.label for arm in found.arms] == ["warmth=0.2", "warmth=0.8"]
    both = compare([*arms[:2], *others], ComparisonOptions(keys=("config.steps", "config.warmth")))
    assert not both.beyond and both.arms[0].label == "steps=1, warmth=0.2"
    with pytest.raises(InputError, match="did you mean 'config.warmth'"):
        compare(arms, ComparisonOptions(keys=("config.warmt",)))
    with pytest.raises(InputError, match="the same in all arms; what differs is config.warmth"):
        compare(arms, ComparisonOptions(keys=("config.steps",)))


def test_seeds_without_a_partner_are_left_out_and_said(arms):
    found = compare([*arms[:4], *arms[7:]])
    assert found.left_out == (
        "warmth=0.2: seeds 1 are not shared with any other arm",
        "warmth=0.8: seeds 5, 6 are not shared with the baseline",
    )
    one = the(found, "warmth.mean")
    assert one.contrasts[0].seeds == 3
    assert [[p.seed for p in values.points] for values in one.arms] == [[2, 3, 4]] * 2
    assert any("cannot go below p = 0.25" in words and "6 seeds" in words for words in found.warnings)


def test_arms_that_share_no_seed_are_not_tested(arms):
    with pytest.raises(InputError, match=r"shares no seed with the baseline .* same seeds \(--set seed=N\)"):
        compare([*arms[:3], *arms[9:]])
    alone = compare([arms[0], arms[7]])
    assert (
        not alone.paired
        and "side by side, without a test" in alone.warnings[0]
        and "seeds differ" in alone.warnings[0]
    )
    one = the(alone, "warmth.mean")
    assert all(values.mean.value is not None for values in one.arms)
    assert one.contrasts[0].p.value is None and one.contrasts[0].p.reason == "no seed is shared"


def test_one_run_of_each_shows_the_difference_untested(arms):
    found = compare([arms[0], arms[6]])
    (c,) = the(found, "warmth.mean").contrasts
    assert c.difference.value > 0 and c.difference.low is None and "at least 2" in c.p.reason
    assert not found.paired and "seeds differ" not in found.warnings[0]


def test_runs_with_the_same_seed_are_samples_of_it(arms, another):
    twice = another("twice", "seed=1", "config.warmth=0.8", "name=again")
    found = compare([*arms, twice])
    one = the(found, "warmth.mean")
    assert one.arms[1].points[0].runs == 2 and len(one.arms[1].points) == 6
    assert one.arms[1].mean.method == one.contrasts[0].difference.method == "hierarchical bootstrap"
    assert one.contrasts[0].seeds == 6


def test_a_folder_named_twice_counts_once(arms):
    found = compare([*arms, arms[0]])
    assert len(found.arms[0].runs) == 6 and "named twice" in found.left_out[0]


def test_one_arm_is_shown_over_its_seeds_and_one_run_is_refused(arms):
    found = compare(arms[:6])
    assert len(found.arms) == 1 and not any(one.contrasts for one in found.measures)
    assert "one arm" in found.warnings[0] and len(found.measures[0].arms[0].points) == 6
    with pytest.raises(InputError, match="1 finished run"):
        compare(arms[:1])


def test_other_people_are_another_arm(arms, evenings, another):
    people = (evenings / "people.toml").read_text().replace("ben fishes", "ben farms")
    (evenings / "others.toml").write_text(people)
    other = another("others", "seed=1", "config.warmth=0.2", 'personas="others.toml"')
    found = compare([arms[0], other])
    assert list(found.differs) == ["personas"]


def test_a_change_on_the_way_is_told_from_none(arms, another):
    changed = another(
        "changed",
        "seed=1",
        "config.warmth=0.2",
        "config.steps=1",
        'change=[{step=1, set={"config.warmth"=0.9}}]',
    )
    found = compare([arms[0], changed])
    assert [arm.label for arm in found.arms] == ["unchanged", "warmth=0.9, step=1"]
    assert "change.0.step" in found.differs


def test_what_is_no_finished_run_is_refused(arms, tmp_path, evenings):
    with pytest.raises(InputError, match="does not exist"):
        compare([tmp_path / "none"])
    with pytest.raises(InputError, match=r"neither a run nor a sweep.*name .*/\*"):
        compare([evenings])
    half = shutil.copytree(arms[0], tmp_path / "half")
    with sqlite3.connect(half / "run.db") as db:
        db.execute("update state set value = 'running' where key = 'status'")
    db.close()
    with pytest.raises(InputError, match="has not ended .running"):
        compare([half, arms[6]])
    torn = shutil.copytree(arms[0], tmp_path / "torn")
    with sqlite3.connect(torn / "run.db") as db:
        db.execute("update study set document = '{\"type\": 3}'")
    db.close()
    with pytest.raises(DamagedRun):
        compare([torn, arms[6]])


def test_damage_inside_a_run_is_told_with_its_folder(arms, tmp_path):
    torn = shutil.copytree(arms[0], tmp_path / "torn")
    for part in (torn / "tables").iterdir():
        part.write_bytes(b"nothing")
    with pytest.raises(InputError, match="torn"):
        compare([torn, arms[6]])


def test_wrong_wishes(arms):
    for wanted, said in (
        (ComparisonOptions(measures=("warmth.maen",)), "--measure warmth.maen: .*did you mean 'warmth.mean'"),
        (ComparisonOptions(smallest={"cold": 1.0}), "--smallest cold: no measure"),
        (ComparisonOptions(smallest={"warmth.mean": 0.0}), "above 0"),
        (ComparisonOptions(measuring={"points": 3}), "measure --set: there is no key 'points'"),
    ):
        with pytest.raises(InputError, match=said):
            compare(arms, wanted)


def test_nothing_is_written_and_read_only_folders_do(arms, fingerprints, evenings):
    before = fingerprints(evenings)
    for folder in arms[:2]:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        compare(arms)
    finally:
        for folder in arms[:2]:
            folder.chmod(stat.S_IRWXU)
    assert fingerprints(evenings) == before


def test_different_versions_are_said(arms, tmp_path):
    old = shutil.copytree(arms[6], tmp_path / "old")
    manifest = json.loads((old / "manifest.json").read_text())
    manifest["versions"]["openiir"] = "0.0.1"
    text = json.dumps(manifest)
    (old / "manifest.json").write_text(text)
    with sqlite3.connect(old / "run.db") as db:
        db.execute("update state set value = ? where key = 'manifest'", (sha256(text),))
    db.close()
    found = compare([arms[0], old])
    assert any("different versions of openiir: 0.0.1" in words for words in found.warnings)
