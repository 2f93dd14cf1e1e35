"""Measures of a run, from the log alone: what an outage did to everything that is made of signals."""

from openiir.plugin import Log, Measure, ratio
from openiir.scenarios.feedback_outage.model.losses import OutageRecord, late_mean
from openiir.scenarios.feedback_outage.model.platform import CLICK, READERS


def outage_measures(log: Log) -> dict[str, Measure]:
    """Compute all measures of a run; none before its first round has ended."""
    record, signals, found = OutageRecord.read(log), log.columns("signals"), dict[str, Measure]()
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
