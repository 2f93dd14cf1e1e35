"""What the reference studies ask of a model: kept as data, since to rehearse all of them takes a minute.

`python benchmarks/reference_studies.py` makes the data anew.
"""

import json
from importlib.resources import files

from openiir.core.records import Record
from openiir.runs.tiers.tiers import Pace


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
