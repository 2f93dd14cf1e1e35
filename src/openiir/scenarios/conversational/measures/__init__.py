"""Measures of a conversational study, computed from its log; failed dialogues are counted but not
averaged."""

from collections.abc import Mapping

import numpy as np

from openiir.plugin import Log, Measure
from openiir.scenarios.conversational.measures.averages import count_failed, group_rows, means
from openiir.scenarios.conversational.measures.dialogue_rows import (
    BOUNDED,
    SCORES,
    DialogueRow,
    RunSetting,
    rows,
    setting,
)
from openiir.scenarios.conversational.measures.judges import judge_measures
from openiir.scenarios.conversational.measures.language import wording_measures
from openiir.scenarios.conversational.measures.system_comparison import (
    COMPARED,
    compare_systems,
    simulator_agreement,
)
from openiir.scenarios.conversational.measures.validity import validity_measures

__all__ = ["conversational_measures"]

BY_GROUP = ("success", "accepted", "turns", "judge.satisfaction")


def conversational_measures(log: Log) -> Mapping[str, Measure]:
    """Compute all measures of a run: scores, system comparisons, wording, judge reliability and validity.

    Scores are named `SCORE[SYSTEM]`, `SCORE[SIMULATOR/SYSTEM]` and `SCORE[SYSTEM:GROUP]`, with
    `dialogues[...]` and `failed[...]` for each. `less.SCORE[SIMULATOR/ONE-OTHER]` is the difference of two
    systems on the same needs, `p.SCORE[...]` its corrected p, `tau.SCORE[SIMULATOR,SIMULATOR]` the agreement
    of two simulators on the order of systems.
    """
    how, all_rows = setting(log), rows(log)
    found = _scores(all_rows, how) | _comparisons(all_rows, how) | wording_measures(log, how)
    return found | judge_measures(log) | validity_measures(log)


def _scores(all_rows: list[DialogueRow], how: RunSetting) -> dict[str, Measure]:
    found: dict[str, Measure] = {}
    judged = any("judge.satisfaction" in row.values for row in all_rows)
    for key, own in group_rows(all_rows, how).items():
        found[f"dialogues[{key}]"] = Measure(float(len(own)))
        found[f"failed[{key}]"] = Measure(float(count_failed(own)))
        names = BY_GROUP if ":" in key else tuple(SCORES)
        names = tuple(name for name in names if judged or not name.startswith("judge."))
        for name, mean in means(own, names).items():
            found[f"{name}[{key}]"] = mean.measure
            if name in BOUNDED and not np.isnan(mean.low):
                found[f"{name}[{key}].low"] = Measure(mean.low)
                found[f"{name}[{key}].high"] = Measure(mean.high)
    return found


def _comparisons(all_rows: list[DialogueRow], how: RunSetting) -> dict[str, Measure]:
    found: dict[str, Measure] = {}
    for one in compare_systems(all_rows, how):
        key = f"{one.what}[{one.simulator}/{one.one}-{one.other}]"
        found[f"less.{key}"] = one.less.measure
        why = None if one.holm == one.holm else "fewer than 2 needs have both"
        found[f"p.{key}"] = Measure(one.holm, why)
    for name in COMPARED:
        for (first, second), tau in simulator_agreement(all_rows, how, name).items():
            if name != "success" and np.isnan(tau.value):
                continue
            key = f"tau.{name}[{first},{second}]"
            found[key] = Measure(tau.value, tau.reason if np.isnan(tau.value) else None)
            if tau.bounded:
                found |= {f"{key}.low": Measure(tau.low), f"{key}.high": Measure(tau.high)}
    return found
