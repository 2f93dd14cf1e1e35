"""The panel's measures: argument graph, turn-taking, convergence; functions of the log alone."""

from collections import Counter
from collections.abc import Mapping

from openiir.kit import measures
from openiir.plugin import Log, Measure
from openiir.plugin.arguments import graph_measures
from openiir.scenarios.panel.actions import Passed, Spoke


def panel_measures(log: Log) -> Mapping[str, Measure]:
    """All measures by name; undefined ones are NaN with a reason."""
    spoke = [s for _, s in Spoke.read(log)]
    restated = sum(1 for _ in log.events("restated"))
    found = dict(graph_measures(log.claims(), log.edges(), restated, _clusters(log)))
    found["utterances"] = Measure(float(len(spoke)))
    found |= _turns(log)
    found |= _stances(log)
    return found


def _clusters(log: Log) -> dict[str, str]:
    """Chunks by source: the share of sources that the debate drew on."""
    return {c.id: c.source for c in log.chunks()}


def _turns(log: Log) -> dict[str, Measure]:
    counts = Counter(event.actor for event, _ in Spoke.read(log))
    turns = [counts.get(p.id, 0) for p in log.personas]
    spent = [e.step for e, p in Passed.read(log) if "budget" in p.reason]
    return {
        "turn_gini": measures.gini.measure(turns),
        "first_exhaustion_step": Measure(float(min(spent))) if spent else Measure(float("nan"), "no budget ran out"),
    }


def _stances(log: Log) -> dict[str, Measure]:
    rows = log.table("stances")
    steps = sorted({row["step"] for row in rows})
    if not steps:
        return {}
    first = [r["stance"] for r in rows if r["step"] == steps[0]]
    last = [r["stance"] for r in rows if r["step"] == steps[-1]]
    return {
        "variance_ratio": measures.variance_ratio.measure(last, first),
        "pairwise_distance_first": measures.mean_pairwise_distance.measure(first),
        "pairwise_distance_last": measures.mean_pairwise_distance.measure(last),
        "bimodality_last": measures.bimodality.measure(last),
    }
