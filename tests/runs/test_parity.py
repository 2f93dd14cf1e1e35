import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.records import Event
from openiir.runs.parity import NO_PAIR, kappa, parity

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
    return parity(HandMade(*entries))  # type: ignore[arg-type]


def test_without_a_shadow_there_is_no_row() -> None:
    assert rows_of() == {}


def test_a_table_worked_by_hand() -> None:
    """Cohen's own form: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no give observed 0.7, expected 0.5, kappa 0.4."""
    table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    rows = rows_of(*[("q", reply(a), reply(s)) for (a, s), n in table.items() for _ in range(n)])
    values = {name.removeprefix("parity.q."): m.value for name, m in rows.items()}
    assert values["pairs"] == 50 and values["usable"] == 1
    assert values["side.agreement"] == pytest.approx(0.7) and values["side.kappa"] == pytest.approx(0.4)
    assert values["side.acted.yes"] == pytest.approx(0.5) and values["side.shadow.yes"] == pytest.approx(0.6)
    assert values["side.difference.yes"] == pytest.approx(0.1) == -values["side.difference.no"]
    assert not any("why" in name for name in rows)


def test_numbers_are_compared_by_their_distance() -> None:
    rows = rows_of(("q", reply("a", 1), reply("a", 4)), ("q", reply("a", 5), reply("a", 3)), ("q", reply("a", None), reply("a", 3)))
    assert rows["parity.q.level.difference"].value == pytest.approx(0.5)
    assert rows["parity.q.level.absolute_difference"].value == pytest.approx(2.5)
    assert rows["parity.q.side.agreement"].value == 1.0


def test_ids_have_agreement_but_no_shares() -> None:
    rows = rows_of(("q", reply("a", next="c1"), reply("a", next="c1")), ("q", reply("a", next="c2"), reply("a", next="c3")))
    assert rows["parity.q.next.agreement"].value == 0.5
    assert not [name for name in rows if name.startswith("parity.q.next.acted")]


def test_kinds_stay_apart_and_failures_are_counted_but_not_compared() -> None:
    rows = rows_of(("b", reply("x"), None), ("b", reply("x"), reply("x")), ("a", None, reply("y")))
    assert rows["parity.b.pairs"].value == 2 and rows["parity.b.usable"].value == 0.5
    assert rows["parity.b.side.agreement"].value == 1.0
    assert rows["parity.a.side.agreement"].reason == NO_PAIR and not rows["parity.a.side.kappa"].defined
    assert rows["parity.a.level.absolute_difference"].reason == NO_PAIR
    assert list(rows) == sorted(rows, key=lambda name: name.split(".")[1])


def test_truth_values_and_null_are_values() -> None:
    rows = rows_of(("q", reply(True), reply(False)), ("q", reply(None), reply(None)))
    assert rows["parity.q.side.acted.true"].value == 0.5 and rows["parity.q.side.shadow.null"].value == 0.5


def test_one_value_alone_has_no_kappa() -> None:
    found = kappa(Counter({("a", "a"): 9}))
    assert math.isnan(found.value) and "one and the same value" in str(found.reason)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40))
def test_kappa_equals_that_of_a_matrix_of_shares(pairs: list[tuple[str, str]]) -> None:
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


def test_measure_shows_parity_only_of_a_run_that_had_a_shadow(
    evening: Callable[..., Path], sit: Callable[..., str], served: Any, tmp_path: Path
) -> None:
    from openiir.runs.after import measure
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
