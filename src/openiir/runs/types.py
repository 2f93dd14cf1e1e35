"""Find the installed types of study, built-in and plugged in, by entry point."""

import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from openiir.core.errors import InputError, UnknownName
from openiir.plugin import Scenario

GROUP = "openiir.types"
AT_HAND: dict[str, type[Scenario]] = {}
"""Classes that are found by name without being installed, such as one under test."""

_LOADED: dict[tuple[str, tuple[str, ...]], "ListedType"] = {}
"""Types that were loaded, by name and the path that they were looked for in: looking for one takes longer than a view."""


@dataclass(frozen=True)
class ListedType:
    """A type of study by name: its class, or why it cannot be loaded."""

    name: str
    origin: str
    """The distribution that provides it, with its version."""
    scenario: type[Scenario] | None
    broken: str | None = None


def list_types() -> list[ListedType]:
    """List all installed types of study by name; a broken plug-in is listed with its error."""
    return [_load(entry) for entry in sorted(_entries(), key=lambda e: e.name)]


def find_type(name: str) -> Scenario:
    """Return the type of study with this name; raises InputError for an unknown or a broken one."""
    if name in AT_HAND:
        return AT_HAND[name]()
    listed = find_registered(name)
    if listed is None:
        raise UnknownName("type", name, (entry.name for entry in _entries()))
    if listed.scenario is None:
        raise InputError(f"the type {name!r} of {listed.origin} cannot be loaded: {listed.broken}")
    return listed.scenario()


def find_registered(name: str) -> ListedType | None:
    """Load the type that is registered under this name; None where there is none."""
    key = name, tuple(sys.path)
    found = _LOADED.get(key)
    if found is None or not _is_current(found.scenario):
        found = next((_load(entry) for entry in _entries() if entry.name == name), None)
        if found is None or found.scenario is None:
            return found
        _LOADED[key] = found
    return found


def _is_current(scenario: type[Scenario] | None) -> bool:
    """Whether a class is still that of its module, which may have been imported anew."""
    return scenario is not None and scenario is getattr(
        sys.modules.get(scenario.__module__), scenario.__qualname__, None
    )


def is_registered(name: str) -> bool:
    """Whether a type is registered under this name; loads none."""
    return any(entry.name == name for entry in _entries())


def find_package(name: str) -> str:
    """Return the top package of a type without loading it; empty for an unknown one."""
    if name in AT_HAND:
        return AT_HAND[name].__module__.partition(".")[0]
    return _find_package(name, tuple(sys.path))


@lru_cache
def _find_package(name: str, path: tuple[str, ...]) -> str:
    return next((entry.module.partition(".")[0] for entry in _entries() if entry.name == name), "")


def _entries() -> list[EntryPoint]:
    return list(entry_points(group=GROUP))


def _load(entry: EntryPoint) -> ListedType:
    origin = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"
    try:
        found = entry.load()
    except Exception as error:  # a plug-in may fail in any way; the others must stay usable
        return ListedType(entry.name, origin, None, f"{type(error).__name__}: {error}")
    if not (isinstance(found, type) and issubclass(found, Scenario)):
        return ListedType(
            entry.name, origin, None, f"{entry.value} is no subclass of openiir.plugin.Scenario"
        )
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        return ListedType(entry.name, origin, None, f"{entry.value} lacks {', '.join(missing)}")
    return ListedType(entry.name, origin, found)
