"""Measures of taste discrimination: accuracy of the agents' answers and of three baselines."""

from collections.abc import Mapping

import numpy as np

from openiir.plugin import Log, Measure
from openiir.scenarios.recommender.config import AGENT, BASELINES
from openiir.scenarios.recommender.measures.consistency import check_discrimination, refuse
from openiir.scenarios.recommender.measures.discrimination import Discrimination, discrimination
from openiir.scenarios.recommender.run.actions import ThresholdFitted

Columns = Mapping[str, np.ndarray]
OFFLINE = "offline"
"""Name of the offline behaviour model among answerers in the log."""


def recognition_measures(log: Log) -> dict[str, Measure]:
    """Compute `taste.KIND.1:M.SCORER.NAME` for agents and baselines, averaged over visitors."""
    found: dict[str, Measure] = {}
    for (kind, ratio), columns in answers_by_task(log).items():
        for scorer, judged in judgements(log, kind, ratio, columns).items():
            name = f"taste.{kind}.1:{ratio}.{scorer}"
            found |= {f"{name}.{key}": mean.measure for key, mean in judged.means().items()}
            pooled = judged.pooled
            if all(pooled[key].defined for key in ("accuracy", "precision", "recall")):
                a, p, r, share = (pooled[key].value for key in ("accuracy", "precision", "recall", "share"))
                refuse(check_discrimination(a, p, r, share, pooled=True), name)
    return found


def answers_by_task(log: Log) -> dict[tuple[str, int], dict[str, np.ndarray]]:
    """Group the table of answers by negative-sampling method and ratio of negatives to positives."""
    table = log.columns("recognised")
    if not table:
        return {}
    tasks = set(zip(table["kind"].tolist(), table["ratio"].tolist(), strict=True))
    found = {}
    for kind, ratio in sorted(tasks, key=lambda task: (task[0] != "uniform", task[1])):
        mask = (table["kind"] == kind) & (table["ratio"] == ratio)
        found[kind, ratio] = {name: column[mask] for name, column in table.items()}
    return found


def judgements(log: Log, kind: str, ratio: int, columns: Columns) -> dict[str, Discrimination]:
    """Compute the judgements of each scorer: visitors by their answers, baselines by their threshold.

    Thresholds are fitted on other users at 1:1. Visitors whom the behaviour model answers for are `agent`,
    ranked by their interest; others are `agent (model)` and the like, ranked by how sure they said they were.
    `agent, told the ratio` and its like answer with a threshold for this ratio, fitted for F1; nobody was
    asked so, hence there is none of others.
    """
    sure = read_thresholds(log, kind, ratio)
    visitor, met, answerer = columns["visitor"], columns["met"], columns["answerer"].astype(str)
    every = np.ones(len(met), dtype=bool)
    found = {}
    for who in sorted(set(answerer.tolist()), key=lambda name: (name != OFFLINE, name)):
        rows = answerer == who
        score = columns[AGENT] if who == OFFLINE else columns["sureness"]
        name = AGENT if who == OFFLINE else f"{AGENT} ({who})"
        found[name] = discrimination(visitor[rows], met[rows], columns["said"][rows], score[rows])
    for name in BASELINES:
        found[name] = discrimination(visitor, met, columns[name] >= sure[name][0], columns[name])
    for name in (AGENT, *BASELINES):
        rows = answerer == OFFLINE if name == AGENT else every
        if rows.any():
            score = columns[name][rows]
            found[f"{name}, told the ratio"] = discrimination(
                visitor[rows], met[rows], score >= sure[name][1], score
            )
    return found


def read_thresholds(log: Log, kind: str, ratio: int) -> dict[str, tuple[float, float]]:
    """Read each scorer's fitted decision thresholds: for one negative per positive, and this ratio."""
    task = ("uniform" if kind == "uniform" else "popular", ratio)
    fitted = (one for _, one in ThresholdFitted.read(log) if (one.against, one.ratio) == task)
    return {one.scorer: (one.blind, one.aware) for one in fitted}
