"""Limit the number of open sessions with each system under test, without deadlocks."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping


class SessionLimits:
    """Limits on the open sessions with each system, first come, first served.

    A lane that holds a session never waits for another one: two lanes that each hold what the other wants
    would wait for ever. So for lanes that talk to several systems, the limit holds for the first session of
    each.
    """

    def __init__(self, widths: Mapping[str, int]) -> None:
        self._widths = widths
        """Largest number of open sessions, by system."""
        self._open: Counter[str] = Counter()
        self._held: Counter[str] = Counter()
        self._waiting: defaultdict[str, dict[asyncio.Future[None], str]] = defaultdict(dict)
        self._wanted: Counter[str] = Counter()

    async def take(self, system: str, lane: str) -> None:
        """Wait until a lane (a concurrent part of a step) may open a session with a system."""
        if self._held[lane] or self._open[system] < self._widths[system]:
            self._grant(system, lane)
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting[system][turn] = lane
        self._wanted[lane] += 1
        try:
            await turn
        except asyncio.CancelledError:
            if self._waiting[system].pop(turn, None) is None:  # it was granted just before
                self.give(system, lane)
            else:
                self._wanted[lane] -= 1
            raise

    def give(self, system: str, lane: str) -> None:
        """Release a lane's session with a system to the lane that has waited longest."""
        self._open[system] -= 1
        self._held[lane] -= 1
        queue = self._waiting[system]
        while queue and self._open[system] < self._widths[system]:
            self._call(system, next(iter(queue)))

    def _grant(self, system: str, lane: str) -> None:
        self._open[system] += 1
        self._held[lane] += 1
        if self._wanted[lane]:
            for other, queue in self._waiting.items():
                for turn in [turn for turn, waiting in queue.items() if waiting == lane]:
                    self._call(other, turn)

    def _call(self, system: str, turn: "asyncio.Future[None]") -> None:
        lane = self._waiting[system].pop(turn)
        self._wanted[lane] -= 1
        turn.set_result(None)
        self._grant(system, lane)
