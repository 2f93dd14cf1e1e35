"""A run that is killed in the middle of a generation goes on to the content it would have had."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

SMALL = {
    "generations": 3,
    "producers": 3,
    "detectors": 3,
    "pairs": 2,
    "controls": '["neutral"]',
    "matrix.generations": 2,
    "matrix.pairs": 2,
}


def test_a_killed_run_ends_as_if_it_had_not_been(
    sittings: Callable[..., list[dict[str, Any]]], openiir: Callable[..., Any], tmp_path: Path
) -> None:
    sets = [word for key, value in SMALL.items() for word in ("--set", f"config.{key}={value}")]
    run = ["run", "multi_generational", *sets, "--out"]
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")], "count": True})
    assert whole["code"] == 0, whole["err"]
    content = whole["out"].strip().splitlines()[-1]
    steps = [n + 1 for n, name in enumerate(whole["moments"]) if name == "before step"]
    assert len(steps) == SMALL["generations"] + 1, "generations, and the one in which they meet each other"
    for n in (steps[1], steps[2] + 1, steps[3]):
        out = tmp_path / f"at-{n}"
        (died,) = sittings({"argv": [*run, str(out)], "kill": n})
        assert died["signal"] == 9, died
        resumed = openiir("resume", out)
        assert resumed.out.strip().splitlines()[-1] == content, (n, resumed.err)
