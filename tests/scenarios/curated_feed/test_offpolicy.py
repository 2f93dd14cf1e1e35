"""Off-policy estimates of whole runs, beside the truth that the simulation knows."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from openiir.plugin import Measure
from openiir.runs.post_run import measure

EXPLORED: dict[str, Any] = {
    "users": 100,
    "weeks": 3,
    "sessions": 3,
    "slots": 4,
    "candidates": 8,
    "epsilon": 0.5,
    "items": {"per_week": 30},
    "ranker": "popularity",
    "beside": ["history"],
    "evaluate": ["history", "random"],
    "audit_users": 1,
}
SEEDS = range(1, 7)


def estimates(feed: Callable[..., Any], name: str, **config: Any) -> list[Mapping[str, Measure]]:
    """What is estimated of a ranker, seed by seed."""
    found = []
    for seed in SEEDS:
        run = feed({**EXPLORED, **config}, seed=seed)
        rows = measure(run.folder, {"ope": {"ranker": name, "resamples": 200}})
        found.append(
            {key.removeprefix(f"ope.{name}."): m for key, m in rows.items() if key.startswith("ope.")}
        )
    return found


def covering(found: list[Mapping[str, Measure]], estimator: str) -> int:
    return sum(m[f"{estimator}.low"].value <= m["truth"].value <= m[f"{estimator}.high"].value for m in found)


def test_intervals_hold_the_truth_under_position_clicks(feed: Callable[..., Any]) -> None:
    """One interval of 95 % in six may miss."""
    found = estimates(feed, "history", evaluate=["history"], beside=[])
    for estimator in ("iips", "snips", "dr"):
        assert covering(found, estimator) >= 5, estimator
        errors = np.array([m[estimator].value - m["truth"].value for m in found])
        assert abs(errors.mean()) < 3 * errors.std(ddof=1) / np.sqrt(len(errors))
    biased = np.array([m["item_only.biased"].value - m["truth"].value for m in found])
    assert abs(biased.mean()) > 3 * biased.std(ddof=1) / np.sqrt(len(biased)), "what forgets positions is off"


def test_what_a_ranker_earned_is_told_where_it_was_deployed(feed: Callable[..., Any]) -> None:
    run = feed(EXPLORED)
    rows = measure(run.folder, {"ope": {"ranker": "random", "resamples": 100}})
    assert np.isnan(rows["ope.random.deployed"].value) and "config.beside" in str(
        rows["ope.random.deployed"].reason
    )
    assert rows["ope.random.iips"].value > 0
    rows = measure(run.folder, {"ope": {"ranker": "history", "resamples": 100}})
    deployed = run.rows("weeks", "history")
    assert rows["ope.history.deployed"].value == deployed["clicks"].sum() / deployed["slates"].sum()
    assert rows["ope.history.deployed"].value != rows["ope.history.truth"].value, (
        "where it is deployed, beliefs move"
    )


def test_the_ranker_under_study_was_deployed_itself(feed: Callable[..., Any]) -> None:
    run = feed({**EXPLORED, "evaluate": ["popularity"], "beside": []})
    own = run.rows("weeks")
    rows = measure(run.folder, {"ope": {"ranker": "popularity", "resamples": 100}})
    assert rows["ope.popularity.deployed"].value == own["clicks"].sum() / own["slates"].sum()


def test_a_callable_is_evaluated_as_the_ranker_it_calls(
    feed: Callable[..., Any], own_ranker: Callable[[str], str]
) -> None:
    name = own_ranker("from openiir.kit.rankers import RANKERS; return RANKERS['history'](view)")
    run = feed({**EXPLORED, "evaluate": ["history", name], "beside": []})
    rows = run.rows("impressions")
    assert np.array_equal(rows["would_history"], rows["would_rankers_of_mine_rank"])
    mine, theirs = (measure(run.folder, {"ope": {"ranker": n, "resamples": 100}}) for n in (name, "history"))
    for row in ("iips", "snips", "dr", "truth"):
        assert mine[f"ope.{name}.{row}"] == theirs[f"ope.history.{row}"]


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_the_truth_is_what_clicks_come_to(feed: Callable[..., Any], epsilon: float) -> None:
    """Where beliefs stand still within a session, clicks are drawn with the oracle table's probabilities."""
    still = {**EXPLORED, "epsilon": epsilon, "beliefs": {"rate": 0.0}, "evaluate": [], "beside": []}
    for model in ("position", "dbn"):
        run = feed({**still, "users": 400, "clicks": {"model": model}})
        chance, click = run.rows("oracle")["p_click"], run.rows("impressions")["click"]
        error = np.sqrt((chance * (1 - chance)).sum())
        assert abs(click.sum() - chance.sum()) < 3.5 * error * (1.5 if model == "dbn" else 1.0)
