"""Mistakes are told in one message that names the key; nothing half-written is taken for a finished run."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.systems import own_code

Command = Callable[..., Any]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("users", 0, "users = 0"),
        ("topics", 0, "topics = 0"),
        ("topics", 17, "17"),
        ("weeks", 0, "weeks = 0"),
        ("epsilon", 1.2, "epsilon = 1.2"),
        ("epsilon", -0.1, "epsilon = -0.1"),
        ("candidates", 3, "candidates = 3 for slots = 5"),
        ("pool", 7, "pool = 7 for candidates = 12"),
        ("items", {"per_week": 2}, "items = 6"),
        ("beside", ["random", "random"], "beside"),
        ("promoted", 31, "config.promoted"),
        (
            "inject",
            [{"items": 3, "topic": 5, "valence": 1.0}],
            'inject is no key of [config] any more; write an [[event]] with kind = "inject" for each week',
        ),
        ("clicks", {"model": "ubm"}, "clicks.model = 'ubm'"),
        ("beliefs", {"rate": 2}, "beliefs.rate = 2"),
        ("policy", {"by": "fame"}, "policy.by = 'fame'"),
        ("policy", {"by": "cap", "most": 0}, "policy.most = 0"),
        ("ranker", "famous", "config.ranker = 'famous'"),
        ("ranker", "no_such_module_here:rank", "config.ranker = 'no_such_module_here:rank'"),
        ("ranker", "math:famous", "config.ranker = 'math:famous'"),
        ("ranker", "math:pi", "config.ranker = 'math:pi'"),
        ("beside", ["math:famous"], "config.beside = 'math:famous'"),
        ("evaluate", ["famous"], "config.evaluate = 'famous'"),
        ("evaluate", ["random", "random"], "evaluate names random, random: each once"),
    ],
)
def test_a_study_that_cannot_be_is_refused_before_it_starts(
    study: Callable[..., Path], openiir: Command, tmp_path: Path, key: str, value: Any, words: str
) -> None:
    ran = openiir("run", study({key: value}), "--trust", "--out", tmp_path / "run")
    assert ran.code == 2 and not (tmp_path / "run").exists()
    assert words in ran.err and "Traceback" not in ran.err, ran.err
    assert len([line for line in ran.err.splitlines() if line]) <= 3, ran.err


@pytest.mark.parametrize(("key", "value"), [("evaluate", ["random"]), ("queries", "ir_datasets:no-such")])
def test_what_a_run_logs_from_its_start_cannot_change_under_way(
    study: Callable[..., Path], openiir: Command, tmp_path: Path, key: str, value: Any
) -> None:
    ran = openiir(
        "run",
        study({"evaluate": ["history"]}, change=[{"step": 2, "set": {key: value}}]),
        "--out",
        tmp_path / "run",
    )
    assert ran.code == 2 and not (tmp_path / "run").exists()
    assert f"{key!r} is structural" in ran.err, ran.err


def test_a_catalogue_of_one_item_has_no_order_to_audit(feed: Callable[..., Any]) -> None:
    one = {"weeks": 1, "slots": 1, "candidates": 1, "repeats": True, "items": {"per_week": 1}}
    ran = feed(one)
    assert set(ran.rows("impressions")["item"]) == {0}
    assert "tied" in str(ran.measures["oracle_tau"].reason) and np.isnan(ran.value("oracle_tau"))


BROKEN = {
    "return np.full(view.shape, np.nan)": "nan",
    "return np.zeros((len(view.users), 2))": "shape",
    "return np.zeros((len(view.users), 3), dtype=int)": "twice",
    "return np.full((len(view.users), 1), 10**6)": "not offered",
    "return np.full(view.shape, 1e200)": "too large",
}
RAISING = {
    "return 1 / 0": "ZeroDivisionError",
    "return view.cosine(view.belief)": "belief",
    "view.taste[:] = 0; return np.zeros(view.shape)": "read-only",
}
BROKEN |= RAISING


@pytest.mark.parametrize("body", BROKEN)
@pytest.mark.parametrize("key", ["ranker", "evaluate"])
def test_a_ranker_that_cannot_rank_ends_the_run_with_its_name(
    study: Callable[..., Path],
    openiir: Command,
    own_ranker: Callable[[str], str],
    tmp_path: Path,
    body: str,
    key: str,
) -> None:
    name = own_ranker(body)
    config = {"beside": [], "users": 6, key: name if key == "ranker" else [name]}
    ran = openiir("run", study(config), "--trust", "--out", tmp_path / "run")
    raised = body in RAISING
    assert ran.code == (1 if raised else 2), ran.err
    assert ("rankers_of_mine.py, line 5; mend it there" in ran.err) == raised, ran.err
    assert name in ran.err and BROKEN[body] in ran.err and "Traceback" not in ran.err, ran.err
    shown = openiir("show", tmp_path / "run", "feeds")
    assert shown.code == 2, "a run that failed is not shown as if it were one"


def test_a_ranker_that_breaks_in_its_third_week_leaves_a_run_that_says_so_and_can_go_on(
    study: Callable[..., Path], openiir: Command, own_ranker: Callable[[str], str], tmp_path: Path
) -> None:
    own_ranker("assert view.week < 3, 'no more'; return view.cosine(view.taste)")
    file = study({"ranker": "rankers_of_mine:rank", "beside": []})
    ran = openiir("run", file, "--trust", "--out", tmp_path / "run")
    assert ran.code == 1 and "'rankers_of_mine:rank' raised AssertionError: no more at " in ran.err
    for words in (("measure", tmp_path / "run"), ("verify", tmp_path / "run"), ("compare", tmp_path / "run")):
        assert openiir(*words).code != 0, words
    own_ranker("return view.cosine(view.taste)")
    mended = openiir("resume", tmp_path / "run", "--trust")
    assert mended.code == 0, mended.err
    whole = openiir("run", file, "--trust", "--out", tmp_path / "whole")
    assert mended.content == whole.content


def test_a_slow_ranker_is_named_with_its_time(
    study: Callable[..., Path],
    openiir: Command,
    own_ranker: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = study({"ranker": own_ranker("return view.cosine(view.taste)"), "beside": []})
    quick = openiir("run", file, "--trust", "--out", tmp_path / "quick")
    assert "own ranker" not in quick.err
    monkeypatch.setattr(own_code, "SLOW", 0.0)
    slow = openiir("run", file, "--trust", "--out", tmp_path / "slow")
    assert slow.content == quick.content, "times are no part of a run"
    assert re.search(
        r"step 1: week 1 \[own ranker 'rankers_of_mine:rank': \d+ s of \d+ s so far\]", slow.err
    ), slow.err


def test_estimates_that_a_log_cannot_give_are_refused(
    study: Callable[..., Path], openiir: Command, tmp_path: Path
) -> None:
    wanted = {"evaluate": ["popularity"], "beside": []}
    cases = {
        "still": ({**wanted, "epsilon": 0.0}, "popularity", "config.epsilon"),
        "unkept": ({**wanted, "kept": 0.0}, "popularity", "config.kept"),
        "unnamed": (wanted, "history", "config.evaluate"),
    }
    for name, (config, ranker, key) in cases.items():
        assert openiir("run", study(config), "--out", tmp_path / name).code == 0
        ran = openiir("measure", tmp_path / name, "--set", f"ope.ranker={ranker}")
        assert ran.code == 2 and key in ran.err and "ope.ranker" in ran.err, (name, ran.err)
