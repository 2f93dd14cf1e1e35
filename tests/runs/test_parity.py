import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.records import Event, Measure
from openiir.core.seeds import Draw
from openiir.runs.parity import DRAWS, NO_PAIR, NOTHING_CHOSEN, ONE_ASKER, ONE_VALUE, measure_shadow_agreement

SCALES = {"side": "choice", "next": "id", "level": "number"}


class HandMade:
    """A log of shadow events alone."""

    def __init__(self, *entries: tuple[str, Any, Any]) -> None:
        self.entries = entries

    def events(self, kind: str) -> Any:
        for n, (question, acted, shadow) in enumerate(self.entries if kind == "shadow" else (), start=1):
            payload = {"question": question, "compared": SCALES, "reply": acted, "shadow_reply": shadow}
            yield Event(seq=n, step=1, lane="main", kind="shadow", actor="ada", payload=payload)


def reply(side: Any, level: Any = 0, next: str = "") -> dict[str, Any]:
    return {"side": side, "level": level, "next": next, "why": "words are not compared"}


def rows_of(*entries: tuple[str, Any, Any]) -> dict[str, Any]:
    return measure_shadow_agreement(HandMade(*entries))  # type: ignore[arg-type]


def kappa(counts: Counter[tuple[str, str]]) -> Measure:
    """Of one asker's pairs of labels."""
    return rows_of(*[("q", reply(a), reply(s)) for a, s in counts.elements()])["parity.q.side.kappa"]


def test_without_a_shadow_there_is_no_row():
    assert rows_of() == {}


def test_a_table_worked_by_hand():
    """Cohen's own form: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no give observed 0.7, expected 0.5, kappa
    0.4."""
    table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    rows = rows_of(*[("q", reply(a), reply(s)) for (a, s), n in table.items() for _ in range(n)])
    values = {name.removeprefix("parity.q."): m.value for name, m in rows.items()}
    assert values["pairs"] == 50 and values["usable"] == 1
    assert values["side.agreement"] == pytest.approx(0.7) and values["side.kappa"] == pytest.approx(0.4)
    assert values["side.acted.yes"] == pytest.approx(0.5) and values["side.shadow.yes"] == pytest.approx(0.6)
    assert values["side.difference.yes"] == pytest.approx(0.1) == -values["side.difference.no"]
    assert not any("why" in name for name in rows)


def test_numbers_are_compared_by_their_distance():
    rows = rows_of(
        ("q", reply("a", 1), reply("a", 4)),
        ("q", reply("a", 5), reply("a", 3)),
        ("q", reply("a", None), reply("a", 3)),
    )
    assert rows["parity.q.level.difference"].value == pytest.approx(0.5)
    assert rows["parity.q.level.absolute_difference"].value == pytest.approx(2.5)
    assert rows["parity.q.side.agreement"].value == 1.0


def test_lists_of_a_fixed_length_are_compared_entry_by_entry(monkeypatch):
    """The table of the test above, in lists of ten: as sets, all of them would agree."""
    monkeypatch.setitem(SCALES, "side", "list")
    table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    acted, shadow = zip(*Counter(table).elements(), strict=True)
    tens = [("q", reply(acted[n::5]), reply(shadow[n::5])) for n in range(5)]
    rows = rows_of(*tens)
    assert rows["parity.q.side.agreement"].value == pytest.approx(0.7)
    assert rows["parity.q.side.kappa"].value == pytest.approx(0.4)
    assert rows["parity.q.side.shadow.yes"].value == pytest.approx(0.6)


def test_ids_have_agreement_but_no_shares():
    rows = rows_of(
        ("q", reply("a", next="c1"), reply("a", next="c1")),
        ("q", reply("a", next="c2"), reply("a", next="c3")),
    )
    assert rows["parity.q.next.agreement"].value == 0.5
    assert not [name for name in rows if name.startswith("parity.q.next.acted")]


def test_kinds_stay_apart_and_failures_are_counted_but_not_compared():
    rows = rows_of(("b", reply("x"), None), ("b", reply("x"), reply("x")), ("a", None, reply("y")))
    assert rows["parity.b.pairs"].value == 2 and rows["parity.b.usable"].value == 0.5
    assert rows["parity.b.side.agreement"].value == 1.0
    assert rows["parity.a.side.agreement"].reason == NO_PAIR and not rows["parity.a.side.kappa"].defined
    assert rows["parity.a.level.absolute_difference"].reason == NO_PAIR
    assert list(rows) == sorted(rows, key=lambda name: name.split(".")[1])


def test_truth_values_and_null_are_values():
    rows = rows_of(("q", reply(True), reply(False)), ("q", reply(None), reply(None)))
    assert rows["parity.q.side.acted.true"].value == 0.5 and rows["parity.q.side.shadow.null"].value == 0.5


def test_one_value_alone_has_no_kappa():
    found = kappa(Counter({("a", "a"): 9}))
    assert math.isnan(found.value) and "one and the same value" in str(found.reason)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40))
def test_kappa_equals_that_of_a_matrix_of_shares(pairs):
    matrix = np.zeros((3, 3))
    for a, s in pairs:
        matrix["abc".index(a), "abc".index(s)] += 1 / len(pairs)
    expected = float(matrix.sum(1) @ matrix.sum(0))
    found = kappa(Counter(pairs))
    if expected > 1 - 1e-12:
        assert not found.defined
    else:
        assert found.value == pytest.approx((np.trace(matrix) - expected) / (1 - expected))
        assert found.value == pytest.approx(kappa(Counter((s, a) for a, s in pairs)).value)
        assert -1.0 - 1e-12 <= found.value <= 1.0 + 1e-12


def test_measure_shows_parity_only_of_a_run_that_had_a_shadow(evening, sit, served, tmp_path):
    from openiir.runs.post_run import measure
    from openiir.runs.settings import load_settings

    shadowed = tmp_path / "shadowed"
    _, file = served()
    study = evening(tables='[answers]\nshadow = "model"\n[model]\nname = "standin"')
    sit(study, shadowed, load_settings(file))
    sit(evening(folder="other"), tmp_path / "none")
    with_shadow, without = measure(shadowed, {}), measure(tmp_path / "none", {})
    assert not [name for name in without if name.startswith("parity.")]
    assert [name for name in with_shadow if name.startswith("parity.") and name.endswith(".pairs")]
    assert {n: m for n, m in with_shadow.items() if not n.startswith("parity.")}.keys() == without.keys()


OPTIONS = [1, 2, 3, 4]
Answer = tuple[str, set[int], set[int]]
answers = st.tuples(st.sampled_from(["ada", "ben", "cleo"]), *2 * [st.sets(st.sampled_from(OPTIONS))])


class Clicks:
    """A log of shadow events that compare sets: who was asked, what was acted on, what the shadow chose."""

    def __init__(self, given: list[Answer], options: list[int] = OPTIONS) -> None:
        self.given, self.options = given, options

    def events(self, kind: str) -> Any:
        for n, (who, acted, shadow) in enumerate(self.given, start=1):
            payload = {"question": "q", "compared": {"clicked": "set"}, "options": {"clicked": self.options}}
            payload |= {
                "reply": {"clicked": sorted(acted)},
                "shadow_reply": {"clicked": sorted(shadow, reverse=True)},
            }
            yield Event(seq=n, step=1, lane="main", kind="shadow", actor=who, payload=payload)


def compared(given: list[Answer]) -> dict[str, Any]:
    return {
        name.removeprefix("parity.q.clicked."): m
        for name, m in measure_shadow_agreement(Clicks(given)).items()
    }  # type: ignore[arg-type]


def naive_kappa(cells: list[tuple[bool, bool]]) -> float:
    """Observed and expected agreement, cell by cell, as it is written in every textbook."""
    n = len(cells)
    observed = sum(a == s for a, s in cells) / n
    acted, shadow = sum(a for a, _ in cells) / n, sum(s for _, s in cells) / n
    expected = acted * shadow + (1 - acted) * (1 - shadow)
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


def cells_of(given: list[Answer]) -> list[tuple[bool, bool]]:
    return [(option in acted, option in shadow) for _, acted, shadow in given for option in OPTIONS]


@settings(deadline=None, max_examples=25)
@given(st.lists(answers, min_size=1, max_size=12))
def test_sets_are_compared_option_by_option(given):
    rows, cells = compared(given), cells_of(given)
    assert rows["agreement"].value == pytest.approx(np.mean([a == s for a, s in cells]))
    assert rows["chosen.acted"].value == pytest.approx(np.mean([a for a, _ in cells]))
    assert rows["chosen.difference"].value == pytest.approx(
        np.mean([s for _, s in cells]) - np.mean([a for a, _ in cells])
    )
    assert rows["kappa"].value == pytest.approx(naive_kappa(cells), nan_ok=True)
    some = [len(a & s) / len(a | s) for _, a, s in given if a | s]
    assert rows["jaccard"].value == pytest.approx(np.mean(some)) if some else not rows["jaccard"].defined
    for option in OPTIONS:
        assert rows[f"acted.{option}"].value == pytest.approx(np.mean([option in a for _, a, _ in given]))
        assert rows[f"shadow.{option}"].value == pytest.approx(np.mean([option in s for _, _, s in given]))


def test_an_interval_is_that_of_resampled_askers():
    """Resampled by hand under the same draws: whole askers, with all their answers."""
    given: list[Answer] = [
        (
            who,
            {option for option in OPTIONS if (n + option) % 3 == 0},
            {option for option in OPTIONS if (n * option) % (5 - step) < 2},
        )
        for step, who in enumerate(("ada", "ben", "cleo", "dov"))
        for n in range(step + 2)
    ]
    askers = [[one for one in given if one[0] == who] for who in ("ada", "ben", "cleo", "dov")]
    draw = Draw(0, "statistics.units")
    values = []
    for resample in range(DRAWS):
        picked = [askers[draw.below(4, item=place, step=resample)] for place in range(4)]
        values.append(naive_kappa(cells_of([one for each in picked for one in each])))
    rows = compared(given)
    low, high = np.quantile(values, [0.025, 0.975])
    assert low < high
    assert rows["kappa.low"].value == pytest.approx(low) and rows["kappa.high"].value == pytest.approx(high)


def test_one_asker_gives_no_interval():
    rows = compared([("ada", {1}, {2}), ("ada", {1}, set())])
    assert rows["agreement"].defined and rows["agreement.low"].reason == ONE_ASKER
    assert not rows["difference.1.high"].defined


def test_askers_who_are_alike_leave_no_doubt():
    rows = compared([(who, {1, 2}, {2}) for who in ("ada", "ben", "cleo")])
    assert rows["agreement.low"].value == rows["agreement"].value == rows["agreement.high"].value == 0.75
    assert rows["difference.1.low"].value == rows["difference.1.high"].value == -1.0


def test_sets_that_are_always_empty_say_so():
    rows = compared([("ada", set(), set()), ("ben", set(), set())])
    assert rows["agreement"].value == 1.0 and rows["kappa"].reason == ONE_VALUE
    assert rows["jaccard"].reason == NOTHING_CHOSEN


def test_an_option_counts_where_it_was_offered():
    class Two(Clicks):
        def events(self, kind):
            yield from Clicks([("ada", {1}, {1})], [1]).events(kind)
            yield from Clicks([("ben", {1}, {3})]).events(kind)

    rows = measure_shadow_agreement(Two([]))  # type: ignore[arg-type]
    assert rows["parity.q.clicked.shadow.3"].value == 1.0 and rows["parity.q.clicked.acted.1"].value == 1.0
    assert rows["parity.q.clicked.agreement"].value == pytest.approx(3 / 5)
