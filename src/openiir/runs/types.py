"""Find the installed types of study, built-in and plugged in, by entry point."""

import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points

from openiir.core.errors import InputError, UnknownName
from openiir.plugin import Scenario

GROUP = "openiir.types"
AT_HAND: dict[str, type[Scenario]] = {}
"""Classes that are found by name without being installed, such as one under test."""


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
    listed = load_registered_type(name)
    if listed is None:
        raise UnknownName("type", name, (entry.name for entry in _entries()))
    if listed.scenario is None:
        raise InputError(f"the type {name!r} of {listed.origin} cannot be loaded: {listed.broken}")
    return listed.scenario()


def load_registered_type(name: str) -> ListedType | None:
    """Load the type that is registered under this name; None where there is none."""
    return next((_load(entry) for entry in _entries() if entry.name == name), None)


def is_registered_type(name: str) -> bool:
    """Whether a type is registered under this name; loads none."""
    return any(entry.name == name for entry in _entries())


def find_package(name: str) -> str:
    """Return the top package of a type without loading it; empty for an unknown one."""
    if name in AT_HAND:
        return AT_HAND[name].__module__.partition(".")[0]
    return next((entry.module.partition(".")[0] for entry in _entries() if entry.name == name), "")


def find_origin(name: str) -> str:
    """Name the distribution that a type comes from, with its version; empty where it is not installed."""
    return next((_origin(entry) for entry in _entries() if entry.name == name and entry.dist), "")


def _entries() -> list[EntryPoint]:
    return _find_entries(tuple(sys.path))


@lru_cache
def _find_entries(path: tuple[str, ...]) -> list[EntryPoint]:
    """Find entry points once for a path of modules, since that takes longer than a view."""
    return list(entry_points(group=GROUP))


@cache
def _origin(entry: EntryPoint) -> str:
    """Name the distribution of an entry point, whose metadata take longer to read than a card."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"


def _load(entry: EntryPoint) -> ListedType:
    origin = _origin(entry)
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
