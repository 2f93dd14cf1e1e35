"""Another try where no answer came: nothing was heard, or the system may hear it twice. Any answer was an answer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from openiir.core.systems.declaration import SystemSpec
from openiir.core.systems.faults import Dropped, SystemFault, Unreached

T = TypeVar("T")

Notice = Callable[[int, str, float], None]
"""Told of each failed try: its number from 1, what happened, the seconds until the next (0 after the last)."""

_LONGEST = 30.0


async def tried(spec: SystemSpec, once: Callable[[], Awaitable[T]], notice: Notice | None) -> T:
    """The first success of `once` within the declared tries; the last failure otherwise."""
    again = (Unreached, Dropped) if spec.repeatable else (Unreached,)
    number = 1
    while True:
        try:
            return await once()
        except SystemFault as fault:
            last = number >= spec.tries or not isinstance(fault, again)
            wait = 0.0 if last else min(_LONGEST, spec.backoff * 2.0 ** (number - 1))
            if notice is not None and isinstance(fault, Unreached | Dropped):
                notice(number, fault.saw, wait)
            if last:
                raise
        await asyncio.sleep(wait)
        number += 1
