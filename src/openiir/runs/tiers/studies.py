"""What the reference studies ask of a model: kept as data, since to rehearse all of them takes a minute.

`python benchmarks/reference_studies.py` makes the data anew.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from openiir.core.records import Record
from openiir.runs.forecast import forecast_run
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.tiers.tiers import Pace

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


class ReferenceStudy(Record):
    """What a reference study asks of a model, by a rehearsal with offline answers."""

    type: str
    sets: tuple[str, ...]
    calls: int
    prompt_tokens: int
    reply_tokens: int
    cacheable: float
    """Share of the prompt tokens that begin as any earlier prompt did."""
    at_once: float
    """Mean number of calls under way at a time."""

    def seconds(self, pace: Pace) -> float:
        """Seconds at an endpoint's pace, if it caches no beginnings of prompts."""
        return pace.seconds(self.prompt_tokens, self.reply_tokens, self.at_once)


def reference_studies() -> tuple[ReferenceStudy, ...]:
    """Read what all reference studies ask of a model."""
    text = files(__package__).joinpath("studies.json").read_text("utf-8")
    return tuple(ReferenceStudy.model_validate(one) for one in json.loads(text))


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
