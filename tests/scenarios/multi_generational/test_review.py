"""Small runs under exchanged labels and changed settings."""

import json

import pytest
from small_evolution import run_small

from openiir.core.errors import InputError
from openiir.scenarios.multi_generational.run.actions import Met, Posted, Standing
from openiir.scenarios.multi_generational.run.setup import shipped_pairs

NEUTRAL = {
    "arm": "neutral",
    "controls": [],
    "matrix": {"generations": 0},
    "hazard": 0.1,
    "corpus": {"copies": 3},
}
"""Everybody has children at random, so that exchanged labels change no fitness that matters."""


def run_pairs(folder, exchanged):
    rows = []
    for number, pair in enumerate(shipped_pairs()):
        true, false = (pair.false, pair.true) if exchanged(number) else (pair.true, pair.false)
        rows.append({"id": pair.id, "topic": pair.topic, "true": true, "false": false})
    folder.mkdir()
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return run_small(folder, **NEUTRAL, set={"table": "pairs.jsonl", "matched": False}).log


@pytest.mark.parametrize(
    "exchanged", [lambda number: True, lambda number: number % 2], ids=["all", "every other"]
)
def test_what_stands_and_in_which_order_does_not_depend_on_labels(tmp_path, exchanged):
    plain, other = (
        run_pairs(tmp_path / "plain", lambda number: False),
        run_pairs(tmp_path / "other", exchanged),
    )
    assert [one.pairs for _, one in Met.read(plain)] == [one.pairs for _, one in Met.read(other)]
    assert [one for _, one in Standing.read(plain)] == [one for _, one in Standing.read(other)]
    texts = [[sorted(one.texts) for _, one in Posted.read(log)] for log in (plain, other)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("key", ["matrix.generations", "set.distance", "log"])
def test_fixed_settings_cannot_change(tmp_path, key):
    with pytest.raises(InputError, match=f"{key}.*cannot change"):
        run_small(tmp_path, {"step": 2, "set": {key: "summaries" if key == "log" else 1}})
