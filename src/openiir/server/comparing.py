"""Comparisons of runs and sweeps as JSON for the web app."""

from pathlib import Path
from typing import Any

from openiir.runs.compare.records import ComparedMeasure, Comparison, Contrast, NumberInterval
from openiir.runs.compare.wording import explain_p


def comparison_json(found: Comparison, root: Path) -> dict[str, Any]:
    """Convert a comparison to JSON for the web app: a row per measure and arm, with its difference.

    A single arm has a line a seed. Where no seed is shared, differences are those of the arms' means, and
    `paired` false.
    """
    return {
        "arms": [
            {
                "id": arm.id,
                "name": arm.label,
                "runs": [
                    {"id": Path(run.folder).relative_to(root).as_posix(), "seed": run.seed}
                    for run in arm.runs
                ],
            }
            for arm in found.arms
        ],
        "baseline": found.baseline,
        "by_seed": len(found.arms) == 1,
        "paired": found.paired,
        "warnings": [*found.warnings, *found.left_out],
        "measures": [{"name": one.measure, "lines": _tell_lines(found, one)} for one in found.measures],
    }


def _tell_lines(found: Comparison, one: ComparedMeasure) -> list[dict[str, Any]]:
    if len(found.arms) == 1:
        return [_line(f"seed {point.seed}", point.value, reason=point.reason) for point in one.arms[0].points]
    means = {arm.arm: arm.mean for arm in one.arms}
    contrasts = {contrast.arm: contrast for contrast in one.contrasts}
    base = means[found.baseline]
    lines = []
    for id, mean in means.items():
        if id not in contrasts:
            lines.append(_line(id, mean.value, reason=mean.reason))
        else:
            lines.append(_tell_contrast(found, one, contrasts[id], mean, base))
    return lines


def _tell_contrast(
    found: Comparison, one: ComparedMeasure, contrast: Contrast, mean: NumberInterval, base: NumberInterval
) -> dict[str, Any]:
    difference = contrast.difference
    told = difference.value
    if told is None and mean.value is not None and base.value is not None:
        told = mean.value - base.value
    return _line(
        contrast.arm,
        mean.value,
        difference=told,
        low=difference.low,
        high=difference.high,
        p=contrast.adjusted.value,
        note=explain_p(found, one, contrast),
        reason=difference.reason if told is None else None,
    )


def _line(arm: str, value: float | None, **told: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("difference", "low", "high", "p", "reason")) | {"note": ""}
    return {**empty, "arm": arm, "value": value, **told}
