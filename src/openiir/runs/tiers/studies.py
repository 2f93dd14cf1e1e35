"""What the reference studies ask of a model: kept beside them, since to rehearse all of them takes a minute.

`python benchmarks/reference_studies.py` makes the files anew.
"""

from openiir.core.files import read_json
from openiir.core.records import Record
from openiir.runs.tiers.tiers import Pace
from openiir.runs.types import list_types

REHEARSAL = "rehearsal.json"
"""Name of the file in the folder of a reference study."""


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
    """Read what the reference studies of installed types ask of a model, where they say so."""
    found = []
    for listed in list_types():
        folder = listed.scenario().reference if listed.scenario else None
        if folder is not None and (file := folder / REHEARSAL).is_file():
            found.append(ReferenceStudy.model_validate({"type": listed.name, **read_json(file)}))
    return tuple(found)
