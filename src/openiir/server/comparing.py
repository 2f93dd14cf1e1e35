"""Comparisons of runs as JSON for the web app."""

from typing import Any

from openiir.runs.compare.records import ComparedMeasure, Comparison, NumberInterval


def tell_comparison(found: Comparison) -> dict[str, Any]:
    """Convert a comparison for the web app: values by arm, and the first other arm against the baseline.

    A single arm is shown by seed. Where no seed is shared, the difference is that of the arms' means, and `paired` false.
    """
    seeds = [str(seed) for seed in found.arms[0].seeds] if len(found.arms) == 1 else []
    columns = [{"id": seed, "name": f"seed {seed}"} for seed in seeds]
    return {
        "arms": [{"id": arm.id, "name": arm.label, "seeds": list(arm.seeds)} for arm in found.arms],
        "columns": columns or [{"id": arm.id, "name": arm.label} for arm in found.arms],
        "paired": found.paired,
        "measures": [_tell_measure(one, by_seed=bool(seeds)) for one in found.measures],
    }


def _tell_measure(one: ComparedMeasure, by_seed: bool) -> dict[str, Any]:
    values = (
        [point.value for point in one.arms[0].points] if by_seed else [arm.mean.value for arm in one.arms]
    )
    contrast = next(iter(one.contrasts), None)
    difference = contrast.difference if contrast else NumberInterval()
    told = difference.value
    if told is None and len(values) > 1 and values[0] is not None and values[1] is not None:
        told = values[1] - values[0]
    return {
        "name": one.measure,
        "values": values,
        "difference": told,
        "low": difference.low,
        "high": difference.high,
        "p": contrast.adjusted.value if contrast else None,
        "reason": difference.reason if told is None else None,
    }
