"""Run the first steps of a study, or some lanes of a step, and keep what was asked for a forecast."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from openiir.core.asking import Answer, PlacedQuestion
from openiir.core.errors import RunStopped
from openiir.core.hashing import sha256
from openiir.core.sums import int_sum
from openiir.plugin import Stage
from openiir.runs.engine import ForwardingWatcher, Watcher
from openiir.runs.forecast.expected import Forecast
from openiir.runs.forecast.rehearsal import Asked, Rehearsed

MUCH = 1 / 3
"""Share of a run's calls from which on a step is too much for a pilot, if it has lanes to choose among."""


@dataclass(frozen=True)
class Extent:
    """How far a pilot goes: to the end of a step, or through some lanes of it."""

    step: int
    lanes: int | None = None
    of: int = 0

    def count(self, rehearsed: Sequence[Rehearsed]) -> float:
        """Count a rehearsal's questions that lie in the pilot; each lane counts as the mean of its step."""
        before = int_sum(one.step < self.step for one in rehearsed)
        there = int_sum(one.step == self.step for one in rehearsed)
        return before + there * (self.lanes / self.of if self.lanes is not None else 1.0)

    def __str__(self) -> str:
        return (
            f"steps 1 to {self.step}"
            if self.lanes is None
            else f"{self.lanes} of {self.of} lanes of step {self.step}"
        )


def plan_pilot(rehearsed: Sequence[Rehearsed], size: int) -> Extent:
    """Return the extent of a pilot of `size` steps in which the model is asked.

    If one of these steps makes much of the run and has more than `size` lanes, the pilot ends with `size`
    lanes of that step.
    """
    calls = Counter(one.step for one in rehearsed)
    steps = sorted(calls)[:size]
    for step in steps:
        lanes = {one.lane for one in rehearsed if one.step == step and one.lane != "main"}
        if len(lanes) > size and calls[step] >= MUCH * len(rehearsed):
            return Extent(step, size, len(lanes))
    return Extent(steps[-1])


class Pilot(ForwardingWatcher):
    """Watcher that keeps a run's questions with their answers, and stops it where the pilot ends."""

    def __init__(self, inner: Watcher, extent: Extent) -> None:
        super().__init__(inner)
        self.extent = extent
        self.asked: list[Asked] = []
        self.seconds = 0.0
        self._began = 0.0

    def attach(self, stage: Stage) -> None:
        """Watch a stage's questions, and choose its lanes where the pilot ends within a step."""
        super().attach(stage)
        stage.answering.watch = self._watch
        stage.choose_lanes = lambda names: self._choose(stage.step, names)
        self._began = time.monotonic()

    def _watch(self, batch: Sequence[PlacedQuestion], answers: Sequence[Answer]) -> None:
        self.asked += zip(batch, answers, strict=True)
        self.seconds = time.monotonic() - self._began

    def _choose(self, step: int, names: Sequence[str]) -> Sequence[str]:
        """Choose lanes by the hash of their names, which come in the order of the study's arms."""
        most = self.extent.lanes
        if most is None or step != self.extent.step or len(names) <= most:
            return names
        return sorted(names, key=sha256)[:most]

    def step(self, number: int, label: str) -> None:
        super().step(number, label)
        if number == self.extent.step:
            raise RunStopped(f"the pilot ends here: {self.extent}")

    def scale_seconds(self, forecast: Forecast, width: int) -> tuple[float, float] | None:
        """Scale the pilot's seconds to a whole run, by calls, prompt tokens or reply tokens: least and most.

        A pilot of fewer lanes than the endpoint takes calls at once may be slower than the run by as much.
        """
        took = [answer for _, answer in self.asked if answer.answerer == "model"]
        pairs = (
            (forecast.calls.total(), int_sum(answer.attempts for answer in took)),
            (forecast.prompt_tokens, int_sum(answer.prompt_tokens for answer in took)),
            (forecast.reply_tokens, int_sum(answer.reply_tokens for answer in took)),
        )
        factors = [whole / part for whole, part in pairs if part]
        if not factors:
            return None
        lanes, at_once = self.extent.lanes, min(self.extent.of, width)
        spare = at_once / lanes if lanes and lanes < at_once else 1.0
        return self.seconds * min(factors) / spare, self.seconds * max(factors)
