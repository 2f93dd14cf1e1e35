"""Rehearse the reference studies as answered by a model, for the data that `openiir doctor --tier` shows."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.runs.forecast import forecast_run
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.tiers import ReferenceStudy

ASKED: Mapping[str, Sequence[str]] = {
    "asymmetric_memory": (),
    "conversational": (),
    "coordination_emergent": (),
    "curated_feed": ("config.promoted=20",),
    "feedback_outage": (),
    "multi_generational": (
        "config.controls=[]",
        "config.generations=3",
        "config.producers=4",
        "config.detectors=4",
        "config.pairs=4",
        "config.matrix.generations=0",
    ),
    "open_web": (),
    "panel": (),
    "recommender": (),
    "social_media": (),
    "tiered_capability": (),
    "twin_ecosystem": (),
}
"""Keys of each reference study beside `answers = "model"`: where nobody could be asked without them, and the
sample of generations that the type's README has for a model, since all of them ask more than a million times.
"""


def rehearse_reference(name: str, folder: Path) -> ReferenceStudy:
    """Rehearse a reference study, answered by a model; makes the run that it rehearses in `folder`."""
    sets = ASKED[name]
    study = load_study(name, ["answers=model", "model.name=any", *sets])
    with prepare_run(study, folder, Settings()) as run:
        (forecast,) = asyncio.run(forecast_run(run, Settings()))
    values: dict[str, Any] = {
        "calls": forecast.calls.total(),
        "prompt_tokens": forecast.prompt_tokens,
        "reply_tokens": forecast.reply_tokens,
        "cacheable": round(forecast.earlier.total() / forecast.prompt_tokens, 3),
        "at_once": round(forecast.at_once, 2),
    }
    return ReferenceStudy(type=name, sets=tuple(sets), **values)
