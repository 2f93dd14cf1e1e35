"""Killed at any moment, a run goes on to the very content it would have had."""

from collections.abc import Callable
from typing import Any

import pytest

from openiir.core.seeds import Draw

Sittings = Callable[..., list[dict[str, Any]]]


def moments_to_die(names: list[str], extra: int, seed: int) -> list[int]:
    """One moment of each name and some more, by chance; numbers count from 1."""
    draw = Draw(seed, "moments")
    order = [int(n) for n in draw.order([str(n) for n in range(len(names))])]
    chosen = {next(n for n in order if names[n] == name) for name in names}
    chosen |= set([n for n in order if n not in chosen][:extra])
    return sorted(n + 1 for n in chosen)


@pytest.mark.parametrize("answered", ["offline", "model"])
def test_a_kill_at_any_moment_changes_nothing(answered, evening, served, sittings, openiir, tmp_path):
    model = '[model]\nname = "standin"' if answered == "model" else ""
    study = evening(f'answers = "{answered}"', f"{model}\n[config]\nsteps = 3")
    settings = ["--settings", str(served(malformed=0.2)[1])]
    run = ["run", str(study), *settings, "--out"]
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")], "count": True})
    assert whole["code"] == 0, whole["err"]
    content = whole["out"].strip().splitlines()[-1]
    assert {"after part", "amid transaction", "after creation", "after renaming", "after seal"} <= set(
        whole["moments"]
    )

    moments = moments_to_die(whole["moments"], 6, seed=1)
    assert len(moments) >= 20
    killed = sittings(*({"argv": [*run, str(tmp_path / f"at-{n}")], "kill": n} for n in moments))
    for n, died in zip(moments, killed, strict=True):
        name = whole["moments"][n - 1]
        assert died["signal"] == 9, (n, name, died)
        out = tmp_path / f"at-{n}"
        resumed = openiir("resume", out, *settings)
        if resumed.code:
            assert not (out / "manifest.json").exists()
            assert "run the study again" in resumed.err or "does not exist" in resumed.err, (name, resumed)
            resumed = openiir(*run, out, *(["--again"] if n % 2 else []))
        assert resumed.out.strip().splitlines()[-1] == content, (n, name, resumed.err)
    assert openiir("replay", tmp_path / f"at-{moments[len(moments) // 2]}").out.strip().endswith(content)


def test_a_kill_from_outside_changes_nothing(evening, sittings, openiir, tmp_path):
    study = evening()
    run = ["run", str(study), "--out"]
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")]})
    content = whole["out"].strip().splitlines()[-1]
    fractions = [Draw(3, "when").uniform(item=n) for n in range(6)]
    waits = [whole["seconds"] * fraction for fraction in fractions]
    sittings(*({"argv": [*run, str(tmp_path / f"t{n}")], "after": wait} for n, wait in enumerate(waits)))
    for n in range(len(waits)):
        resumed = openiir("resume", tmp_path / f"t{n}")
        if resumed.code:
            resumed = openiir(*run, tmp_path / f"t{n}")
        assert resumed.out.strip().splitlines()[-1] == content, resumed.err


def test_killed_twice_and_thrice(evening, served, sittings, openiir, tmp_path):
    study = evening('answers = "model"', '[model]\nname = "standin"')
    settings = ["--settings", str(served()[1])]
    run, out = ["run", str(study), *settings, "--out"], str(tmp_path / "often")
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")], "count": True})
    again = {"argv": ["resume", out, *settings], "kill": 25}
    died = sittings({"argv": [*run, out], "kill": 90}, again, again, again)
    assert [job["signal"] for job in died] == [9, 9, 9, 9]
    resumed = openiir("resume", out, *settings)
    assert resumed.out.strip().splitlines()[-1] == whole["out"].strip().splitlines()[-1]


PANEL = """
[config]
topic = "Ropes should be checked every day"
[[config.shape.round]]
name = "talk"
goal = "Say what you think of it."
turns = 4
"""


@pytest.mark.parametrize("answered", ["offline", "model"])
def test_a_panel_killed_at_any_moment_goes_on(answered, evening, served, sittings, openiir, tmp_path):
    study = evening(
        f'answers = "{answered}"', PANEL + ('[model]\nname = "standin"' if answered == "model" else "")
    )
    study.write_text(study.read_text().replace('type = "parlour"', 'type = "panel"'))
    settings = ["--settings", str(served(malformed=0.2)[1])]
    run = ["run", str(study), *settings, "--out"]
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")], "count": True})
    assert whole["code"] == 0, whole["err"]
    content = whole["out"].strip().splitlines()[-1]
    begun = [n + 1 for n, name in enumerate(whole["moments"]) if name == "after declaration"][0]
    draw = Draw(5, "panel's moments")
    moments = sorted({begun + 1 + draw.below(len(whole["moments"]) - begun, item=n) for n in range(8)})
    assert len(moments) >= 6
    killed = sittings(*({"argv": [*run, str(tmp_path / f"at-{n}")], "kill": n} for n in moments))
    assert [died["signal"] for died in killed] == [9] * len(moments)
    for n in moments:
        resumed = openiir("resume", tmp_path / f"at-{n}", *settings)
        assert resumed.out.strip().splitlines()[-1] == content, (n, whole["moments"][n - 1], resumed.err)
