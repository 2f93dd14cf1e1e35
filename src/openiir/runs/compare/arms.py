"""Group runs into arms (runs with equal settings), find the keys in which the arms differ, and label them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from string import ascii_uppercase
from typing import Any

from openiir.core.errors import InputError, UnknownName
from openiir.core.hashing import fingerprint
from openiir.runs.compare.inputs import FinishedRun, RunsToCompare

LONGEST = 60
ABSENT, UNCHANGED = "(absent)", "unchanged"


@dataclass(frozen=True)
class Grouping:
    """Runs grouped into arms (same study up to seed and name), with the keys in which arms differ."""

    groups: tuple[tuple[FinishedRun, ...], ...]
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    keys: tuple[str, ...]
    """Keys named by `--key`, or varied by the sweeps; empty where every difference counts as intended."""
    differs: dict[str, tuple[Any, ...]]
    """The arms' values by key, in the order of the arms."""
    beyond: tuple[str, ...]

    def find(self, name: str) -> int:
        """Return the position of the arm with this id, label, or part of a label; raises InputError."""
        exact = [n for n, pair in enumerate(zip(self.ids, self.labels, strict=True)) if name in pair]
        near = exact or [n for n, label in enumerate(self.labels) if name in label]
        if len(near) == 1:
            return near[0]
        if near:
            which = ", ".join(f"{self.ids[n]} ({self.labels[n]})" for n in near)
            raise InputError(f"--baseline {name!r} fits several arms: {which}; name one by its letter")
        raise UnknownName("arm", name, self.labels)


def group_runs(gathered: RunsToCompare, keys: Sequence[str]) -> Grouping:
    """Group runs into arms: runs whose studies differ only in seed and name.

    A single arm is compared with nothing and shows its values over seeds. Raises InputError for fewer than
    two runs.
    """
    by_setting: dict[str, list[FinishedRun]] = {}
    for run in gathered.runs:
        by_setting.setdefault(fingerprint(run.setting), []).append(run)
    groups = tuple(tuple(runs) for runs in by_setting.values())
    if len(gathered.runs) < 2:
        raise InputError(
            f"there is nothing to compare ({len(gathered.runs) or 'no'} finished run); add runs with another "
            "setting or seed, such as `openiir run STUDY --set KEY=VALUE`, or compare a sweep"
        )
    differs = _differing([runs[0].setting for runs in groups])
    named = tuple(keys) or (() if gathered.plain else tuple(gathered.axes))
    _check(keys, groups, differs)
    beyond = tuple(key for key in differs if named and not any(covers_key(name, key) for name in named))
    ids = tuple(letter for _, letter in zip(groups, arm_ids(), strict=False))
    return Grouping(groups, ids, _labels(groups, ids, differs, named), named, differs, beyond)


def _differing(settings: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    keys = dict.fromkeys(key for setting in settings for key in setting)
    rows = {key: tuple(setting.get(key, ABSENT) for setting in settings) for key in keys}
    return {key: row for key, row in rows.items() if len({fingerprint(value) for value in row}) > 1}


def _check(keys: Sequence[str], groups: Sequence[Sequence[FinishedRun]], differs: Mapping[str, Any]) -> None:
    known = {key for runs in groups for key in runs[0].setting}
    for name in keys:
        if not any(covers_key(name, key) for key in known):
            raise UnknownName("key of these studies", name, known)
        if not any(covers_key(name, key) for key in differs):
            raise InputError(
                f"--key {name}: it is the same in all arms; what differs is {', '.join(differs)}"
            )


def covers_key(name: str, key: str) -> bool:
    """Whether a key named by the user is this key or a table that contains it; `config.` may be omitted."""
    return any(key == full or key.startswith(f"{full}.") for full in (name, f"config.{name}"))


def arm_ids() -> Iterator[str]:
    """Yield ids for arms: A, B, ... Z, AA, AB, ..."""
    for length in count(1):
        yield from ("".join(word) for word in product(ascii_uppercase, repeat=length))


def _labels(
    groups: Sequence[Sequence[FinishedRun]],
    ids: Sequence[str],
    differs: Mapping[str, Sequence[Any]],
    named: Sequence[str],
) -> tuple[str, ...]:
    """Label arms, short and distinct: by axes, named keys, all differing keys, or names."""
    shown = [key for key in differs if not named or any(covers_key(name, key) for name in named)]
    axes = [runs[0].axes for runs in groups]
    moved = _differing(axes) if all(axes) else {}
    tries = [
        [_format_setting({key: row[n] for key, row in moved.items()}) for n in range(len(groups))],
        [_format_setting({key: differs[key][n] for key in shown}) for n in range(len(groups))],
        [_format_setting({key: differs[key][n] for key in differs}) for n in range(len(groups))],
        [" / ".join(dict.fromkeys(run.name for run in runs)) for runs in groups],
    ]
    for labels in tries:
        if len(set(labels)) == len(labels) and all(0 < len(label) <= LONGEST for label in labels):
            return tuple(labels)
    return tuple(f"arm {letter}" for letter in ids)


def _format_setting(setting: Mapping[str, Any]) -> str:
    given = {key: value for key, value in setting.items() if value != ABSENT}
    if setting and not given:
        return UNCHANGED
    last = Counter(key.rpartition(".")[2] for key in given)
    parts = []
    for key, value in given.items():
        short = key.rpartition(".")[2]
        name = short if last[short] == 1 else key.removeprefix("config.")
        parts.append(f"{name}={value_text(value)}")
    return ", ".join(parts)


def value_text(value: Any) -> str:
    """Format the value of a setting as short text; a table with a `name` is shown by that name."""
    if value is None:
        return "none"
    if isinstance(value, Mapping) and "name" in value:
        return str(value["name"])
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
