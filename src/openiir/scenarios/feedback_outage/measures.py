"""Measures of a run, from the log alone: what an outage did to everything that is made of signals."""

import numpy as np

from openiir.kit.text_tables import read_definitions
from openiir.plugin import Log, Measure, ratio
from openiir.scenarios.feedback_outage.model.losses import EFFECTS, OutageRecord, late_mean
from openiir.scenarios.feedback_outage.model.platform import CLICK, READERS
from openiir.scenarios.feedback_outage.run import ARMS

_OF_ARMS = read_definitions("""
ndcg | nDCG | nDCG@10 in the last 3 rounds of the outage, weighted by how often queries are asked | 0 to 1
lead | lead over a random order | mean over queries of nDCG@10 less that of a random order, in these rounds |
    -1 to 1
lost | clicks lost | share of the clicks that did not reach the platform during the outage | 0 to 1
""")
DEFINITIONS = {**{f"{name}.*": found for name, found in EFFECTS.items()}, **_OF_ARMS}


def read_record(log: Log) -> OutageRecord:
    """Read the values of all evaluators, and when an outage began and ended."""
    columns, events = log.columns("evaluators"), list(log.events("event"))
    arm = columns.pop("arm") if columns else np.zeros(0, dtype=object)
    values = {name: {what: column[arm == name] for what, column in columns.items()} for name in ARMS}
    end = int((arm == ARMS[0]).sum()) + 1
    began = min((one.step for one in events if one.payload["kind"] == "outage"), default=end)
    back = (one.step for one in events if one.payload["kind"] == "restore" and one.step > began)
    return OutageRecord(values, began, min(back, default=end))


def outage_measures(log: Log) -> dict[str, Measure]:
    """Compute all measures of a run; none before its first round has ended."""
    record, signals, found = read_record(log), log.columns("signals"), dict[str, Measure]()
    if not signals:
        return found
    for (what, arm), losses in record.losses(*READERS).items():
        found |= {f"{arm}/{name}.{what}": measure for name, measure in record.describe(losses).items()}
    during = (signals["step"] >= record.began) & (signals["step"] < record.restored)
    for arm, values in record.values.items():
        own = during & (signals["arm"] == arm) & (signals["channel"] == CLICK)
        given, arrived = (int(signals[name][own].sum()) for name in ("given", "arrived"))
        found[f"{arm}/lost"] = ratio(given - arrived, given, "there was no outage, or nothing to click")
        late = {what: values[what][: record.restored - 1] for what in ("ndcg", "lead")}
        found |= {f"{arm}/{what}": Measure(late_mean(column)) for what, column in late.items()}
    return found
