"""Calls of a study's own code (rankers, recommenders, callables), with error locations and timing."""

import inspect
import os
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from openiir.core.errors import OwnCodeFailed

SLOW = 5.0
"""Seconds after which progress messages name a study's slow code."""
_PLATFORM = f"{Path(__file__).parents[2]}{os.sep}"
_INSTALLED = tuple(
    f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


@dataclass
class _Clock:
    inside: int = 0
    since: float = 0.0
    spent: float = 0.0

    def seconds(self, now: float) -> float:
        return self.spent + (now - self.since if self.inside else 0.0)


class OwnCodeTimes:
    """Running times of each piece of a study's own code; overlapping threads count once.

    Its string names the slowest, for a progress line; it is empty where none has taken `SLOW` seconds.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now, self._lock, self._begun = now, Lock(), now()
        self._clocks: dict[str, _Clock] = {}

    @contextmanager
    def timing(self, what: str) -> Iterator[None]:
        """Add the time spent in a `with` block to the running time of `what`."""
        with self._lock:
            clock = self._clocks.setdefault(what, _Clock())
            clock.since = clock.since if clock.inside else self._now()
            clock.inside += 1
        try:
            yield
        finally:
            with self._lock:
                clock.inside -= 1
                clock.spent += 0.0 if clock.inside else self._now() - clock.since

    def __str__(self) -> str:
        with self._lock:
            now = self._now()
            seconds, what = max(
                ((c.seconds(now), name) for name, c in self._clocks.items()), default=(0.0, "")
            )
        return f"own {what}: {seconds:.0f} s of {now - self._begun:.0f} s so far" if seconds >= SLOW else ""


TIMES: ContextVar[OwnCodeTimes] = ContextVar("own_times")
"""Running times of the study's own code in the current run."""


@contextmanager
def time_own_code(what: str) -> Iterator[None]:
    """Add the time spent in a `with` block to the current run's own-code times, if there is a run."""
    times = TIMES.get(None)
    with times.timing(what) if times is not None else nullcontext():
        yield


def call_own(what: str, function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """Call a study's own function; an exception becomes OwnCodeFailed with file and line."""
    try:
        with time_own_code(what):
            return function(*values, **options)
    except (Exception, SystemExit) as error:
        file, line = place_raised(error, function)
        path, here = Path(file), Path.cwd()
        shown = path.relative_to(here) if path.is_relative_to(here) else path
        where = f" at {shown}, line {line}" if line else ""
        raise OwnCodeFailed(
            f"the study's own {what} raised {type(error).__name__}: {error}{where}; mend it there, then "
            "resume or repeat the run"
        ) from error


def place_raised(error: BaseException, function: Callable[..., Any]) -> tuple[str, int]:
    """Find file and line of the innermost frame outside the platform and installed libraries.

    Where there is none: of the first frame that is not the platform's, else of the function; line 0 if it has
    none.
    """
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((_PLATFORM, "<"))
    ]
    own = [f for f in frames if not f.filename.startswith(_INSTALLED)][-1:] or frames[:1]
    if own:
        return own[0].filename, own[0].lineno or 0
    shown = function if inspect.isroutine(function) or inspect.isclass(function) else type(function)
    try:
        return inspect.getsourcefile(shown) or "", inspect.getsourcelines(shown)[1]
    except (TypeError, OSError):
        return "", 0
