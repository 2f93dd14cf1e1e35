import json

import pytest

from openiir.core.errors import InputError
from openiir.runs.compare import compare


@pytest.fixture
def sweep(evenings, with_parlour, tmp_path):
    """A sweep over warmth with six seeds; further cells may be given."""

    def write(*more):
        cells = []
        for warmth, name in ((0.2, "cold"), (0.8, "warm")):
            for seed in range(1, 7):
                folder = tmp_path / "cells" / f"{name}-{seed}"
                folder.parent.mkdir(exist_ok=True)
                if not folder.exists():
                    folder.symlink_to(evenings / folder.name)
                arm = {"config.warmth": warmth, "config.steps": 1}
                cell = {"id": f"{len(cells):04}", "arm": arm, "seed": seed, "folder": f"cells/{folder.name}"}
                cells.append({**cell, "status": "done", "content": "", "reason": ""})
        document = {
            "format": 1,
            "study": {},
            "design": "grid",
            "axes": {"config.warmth": [0.2, 0.8], "config.steps": [1]},
        }
        (tmp_path / "sweep.json").write_text(json.dumps({**document, "seeds": [1], "cells": [*cells, *more]}))
        return tmp_path

    return write


def test_cells_with_one_setting_are_an_arm(sweep, arms):
    found = compare([sweep()])
    assert [arm.label for arm in found.arms] == ["warmth=0.2", "warmth=0.8"]
    assert found.keys == ("config.warmth", "config.steps") and not found.beyond
    by_runs = compare(arms)
    assert found.measures == by_runs.measures


def test_cells_that_are_not_done_are_left_out_and_said(sweep):
    more = {"id": "0099", "arm": {"config.warmth": 0.5}, "seed": 9, "folder": "cells/0099"}
    found = compare(
        [
            sweep(
                {**more, "status": "failed", "reason": "it broke"},
                {**more, "id": "0100", "status": "waiting"},
            )
        ]
    )
    assert len(found.arms) == 2
    assert [words.partition(": ")[2] for words in found.left_out] == [
        "cell 0099 (seed 9) is failed: it broke",
        "cell 0100 (seed 9) is waiting",
    ]


def test_a_sweep_and_runs_are_compared_together(sweep, another):
    hot = [another(f"hot-{seed}", f"seed={seed}", "config.warmth=1.0") for seed in (1, 2)]
    found = compare([sweep(), *hot])
    assert [arm.label for arm in found.arms] == ["warmth=0.2", "warmth=0.8", "warmth=1"]
    assert [c.seeds for c in found.measures[0].contrasts] == [6, 2]


def test_a_damaged_sweep_is_told(sweep, tmp_path):
    folder = sweep({"id": "0099", "arm": {}, "seed": 9, "folder": "cells/none", "status": "done"})
    with pytest.raises(InputError, match="its sweep calls it done"):
        compare([folder])
    (folder / "sweep.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        compare([folder])
