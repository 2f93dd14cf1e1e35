"""Measures of ranked retrieval against relevance judgements, by ir_measures.

ir_measures (MacAvaney, Macdonald & Ounis, "Streamlining Evaluation with ir-measures", ECIR 2022) names
measures as researchers write them (`nDCG@10`, `AP(rel=2)`) and hands each to the program that defines it,
such as trec_eval. Programs of that family order a topic's items by score alone and break ties by id in their
own way.
"""

import math
from collections.abc import Sequence
from typing import Any

from openiir.core.records.measure import undefined_measure
from openiir.kit.measures.trec import Judgement
from openiir.plugin import InputError, Measure, Ranking

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
"""Default measures, by their names in ir_measures."""


def evaluate(
    ranking: Ranking, qrels: Sequence[Judgement], measures: Sequence[str] = MEASURES
) -> dict[str, Measure]:
    """Evaluate a ranking by ir_measures: means over all judged topics, by the measure's name.

    A judged topic that the ranking lacks counts as 0, as trec_eval's -c has it; one that is not judged is
    left out. Undefined where no topic of the ranking is judged. Raises InputError for a measure that
    ir_measures does not know or cannot compute here, and where it is not installed.
    """
    irm = _ir_measures()
    asked = dict(_parse(irm, name) for name in measures)
    ranked = {row.topic for row in ranking.rows}
    if not ranked & {one.topic for one in qrels}:
        reason = "no topic of the ranking is judged by the qrels" if ranked else "the ranking holds no topic"
        return dict.fromkeys(asked, undefined_measure(reason))
    run = [irm.ScoredDoc(row.topic, row.item, row.score) for row in ranking.rows]
    judged = [irm.Qrel(one.topic, one.item, one.relevance, one.iteration) for one in qrels]
    return {name: _compute(irm, name, parsed, judged, run) for name, parsed in asked.items()}


def _compute(irm: Any, name: str, parsed: Any, judged: list[Any], run: list[Any]) -> Measure:
    try:
        value = float(irm.calc_aggregate([parsed], judged, run)[parsed])
    except ZeroDivisionError:
        value = math.nan
    except (RuntimeError, ValueError, AssertionError) as error:
        raise InputError(f"measures: ir_measures cannot compute {name} here ({error})") from None
    return (
        undefined_measure("ir_measures gives it no value for these judgements")
        if math.isnan(value)
        else Measure(value)
    )


def _ir_measures() -> Any:
    try:
        import ir_measures
    except ImportError:
        raise InputError(
            "retrieval measures need ir_measures, which is not installed; run: pip install 'openiir[ir]'"
        ) from None
    return ir_measures


def _parse(irm: Any, name: str) -> tuple[str, Any]:
    try:
        parsed = irm.parse_measure(name)
        return str(parsed), parsed
    except (ValueError, NameError, TypeError, AssertionError, KeyError) as error:
        raise InputError(
            f"measures: {name!r} is no measure of ir_measures ({error}); write them as nDCG@10, AP, RR or "
            "P(rel=2)@5"
        ) from None
