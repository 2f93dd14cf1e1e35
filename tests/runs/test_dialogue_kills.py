"""Killed amid its dialogues with a system that remembers, a run goes on to the very content it would have
had."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.seeds import Draw
from openiir.core.storage import RunFile

Sittings = Callable[..., list[dict[str, Any]]]
Command = Callable[..., Any]


OF_INTEREST = ("call", "opening", "amid", "step")


def moments_to_die(names: list[str], of_each: bool, extra: int) -> list[int]:
    """On request one before and after each thing that dialogues write, and some by chance;
    numbers count from 1."""
    begun = names.index("after declaration") + 1
    draw = Draw(2, "moments")
    order = [begun + int(n) for n in draw.order([str(n) for n in range(len(names) - begun)])]
    told = dict.fromkeys(name for name in names[begun:] if any(word in name for word in OF_INTEREST))
    chosen = {next(n for n in order if names[n] == name) for name in told if of_each}
    chosen |= set([n for n in order if n not in chosen][:extra])
    return sorted(n + 1 for n in chosen)


@pytest.mark.parametrize("answered", ["offline", "model"])
def test_a_kill_amid_dialogues_changes_nothing(answered, talks, bot, served, sittings, openiir, tmp_path):
    model = f'[answers]\ndefault = "{answered}"\n' + (
        '[model]\nname = "standin"\n' if answered == "model" else ""
    )
    bot.misbehave = lambda user, number: "500" if (user, number) == ("cleo", 3) else ""
    study = talks(model + "[config]\nsteps = 2\nturns = 5", bot=bot.url)
    settings = ["--settings", str(served("[systems.bot]\nwidth = 3\n")[1])]
    run = ["run", str(study), "--trust", *settings, "--out"]
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")], "count": True})
    assert whole["code"] == 0, whole["err"]
    content = whole["out"].strip().splitlines()[-1]
    moments = moments_to_die(whole["moments"], answered == "offline", 4)
    killed = sittings(*({"argv": [*run, str(tmp_path / f"at-{n}")], "kill": n} for n in moments))
    begun_anew = 0
    for n, died in zip(moments, killed, strict=True):
        assert died["signal"] == 9, (n, whole["moments"][n - 1], died)
        out = tmp_path / f"at-{n}"
        resumed = openiir("resume", out, "--trust", *settings)
        assert resumed.out.strip().splitlines()[-1] == content, (n, whole["moments"][n - 1], resumed.err)
        with RunFile.open(out) as file:
            begun_anew += file.db.execute("select count(*) from abandoned").fetchone()[0] > 0
    assert begun_anew >= 2
    bot.stop()
    assert openiir("replay", tmp_path / f"at-{moments[len(moments) // 2]}").out.strip().endswith(content)


def test_killed_again_while_it_starts_anew(talks, bot, sittings, openiir, tmp_path):
    run, out = ["run", str(talks(bot=bot.url)), "--trust", "--out"], str(tmp_path / "often")
    (whole,) = sittings({"argv": [*run, str(tmp_path / "whole")]})
    died = sittings(
        {"argv": [*run, out], "kill": 60},
        *({"argv": ["resume", out, "--trust"], "kill": n} for n in (8, 45, 45)),
    )
    assert died[0]["signal"] == 9 and all(job["signal"] in (9, None) for job in died), (
        "a resumed run may end before its kill"
    )
    with RunFile.open(Path(out)) as file:
        assert file.db.execute("select max(life) from abandoned").fetchone()[0] >= 1
    assert openiir("resume", out).content == whole["out"].strip().splitlines()[-1].removeprefix("content: ")
