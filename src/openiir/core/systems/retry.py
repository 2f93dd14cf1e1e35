"""Retries of requests to a system that could not be reached, or for which repeating is safe."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from openiir.core.systems.declaration import SystemSpec
from openiir.core.systems.faults import ConnectionDropped, ConnectionFailed, SystemFault

T = TypeVar("T")

TryListener = Callable[[int, str, float], None]
"""Callback for each failed try: its number from 1, what happened, seconds until the next (0 after the last)."""

_LONGEST = 30.0


async def call_with_retry(
    spec: SystemSpec, once: Callable[[], Awaitable[T]], on_try: TryListener | None
) -> T:
    """Call `once` until it succeeds or the declared tries run out; then raises the last SystemFault."""
    again = (ConnectionFailed, ConnectionDropped) if spec.repeatable else (ConnectionFailed,)
    number = 1
    while True:
        try:
            return await once()
        except SystemFault as fault:
            last = number >= spec.tries or not isinstance(fault, again)
            wait = 0.0 if last else min(_LONGEST, spec.backoff * 2.0 ** (number - 1))
            if on_try is not None and isinstance(fault, ConnectionFailed | ConnectionDropped):
                on_try(number, fault.saw, wait)
            if last:
                raise
        await asyncio.sleep(wait)
        number += 1
