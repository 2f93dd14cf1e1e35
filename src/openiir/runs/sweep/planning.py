"""Plan a sweep: every arm's study is loaded and checked before anything is written."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.core.files import read_toml
from openiir.core.hashing import canonical, fingerprint
from openiir.core.records import Chunk, Persona
from openiir.core.storage.receipts import study_folder_of
from openiir.core.sums import int_sum
from openiir.runs.prepare import SourceOptions, gather_declared
from openiir.runs.settings import Settings, require_endpoints
from openiir.runs.study import LoadedStudy, find_study_file, load_study, study_permissions
from openiir.runs.sweep.axes import Axis, format_assignment, read_axes
from openiir.runs.sweep.designs import DesignRequest, plan_design
from openiir.runs.sweep.evolving import GENERATIONS, POPULATION, check_evolution
from openiir.runs.sweep_record import EvolutionSweepPlan, SweepArm, SweepPlan, SweepRecord
from openiir.runs.trust import Permission, Untrusted

_SEEDS = 2**63
_NUMBERS = ("samples", "seeds", "generations")
_MOST = 1_000_000


@dataclass(frozen=True)
class SweepOrder:
    """A sweep as a command requests it; the study's `[sweep]` table fills in what is left out."""

    target: str
    sets: tuple[str, ...] = ()
    vary: tuple[str, ...] = ()
    design: str | None = None
    samples: int | None = None
    seeds: int | None = None
    generations: int | None = None
    fitness: str | None = None


@dataclass(frozen=True)
class PlannedSweep:
    """The plan of a sweep, and the sweep's record before any cell is run."""

    plan: SweepPlan
    sweep: SweepRecord
    name: str
    """Name of the study."""
    asking: int
    """Number of cells that ask a model."""


def plan_sweep(order: SweepOrder, settings: Settings, gathering: SourceOptions | None = None) -> PlannedSweep:
    """Plan a sweep without writing anything; InputError for an axis or value that does not fit."""
    path = find_study_file(order.target)
    table = _table(path)
    design = order.design or table.pop("design", "grid")
    samples, seeds, generations = (_number(name, getattr(order, name), table, path) for name in _NUMBERS)
    fitness = order.fitness or str(table.pop("fitness", ""))
    axes = read_axes(table, order.vary, f"{path} [sweep]")
    base = load_study(order.target, order.sets, settings.library, settings.trust)
    masters = _master_seeds(base.study.seed, 1 if seeds is None else seeds)
    own = _own_values(base, axes)
    axes = tuple(_as_real(axis, own.get(axis.key)) for axis in axes)
    evolution = None
    if design == "evolve":
        numbers = {"population": samples or POPULATION, "generations": generations or GENERATIONS}
        evolution = EvolutionSweepPlan(study=path.name, set=order.sets, fitness=fitness, **numbers)
        check_evolution(axes, evolution, len(masters))
    elif generations or fitness:
        raise InputError(f"generations and fitness are of the design evolve, not of {design}; leave them out")
    points = plan_design(design, DesignRequest(axes, samples, base.study.seed, own))
    if evolution:
        evolution = evolution.model_copy(update={"founders": len(points.arms)})
    loaded = [_load(order, arm, axes, settings) for arm in points.arms]
    collected = _SharedInputs(settings, gathering or SourceOptions())
    plan = SweepPlan(
        design=design,
        axes={axis.key: axis.declaration() for axis in axes},
        seeds=masters,
        assigned=points.arms,
        arms=tuple(map(collected.arm, loaded)),
        personas=collected.personas,
        worlds=collected.worlds,
        units=points.units,
        rows=points.rows,
        evolution=evolution,
        folder=str(loaded[0].folder.resolve()),
    )
    declaration: dict[str, Any] = {
        "target": order.target,
        "type": base.study.type,
        "name": base.study.name,
        "set": list(order.sets),
        "axes": plan.axes,
        "samples": samples,
        "plan": plan.sha256(),
    }
    if evolution:
        declaration |= {"generations": evolution.generations, "fitness": evolution.fitness}
    values = {axis.key: _axis_values(axis, points.arms) for axis in axes}
    sweep = SweepRecord(study=declaration, design=design, axes=values, seeds=masters, cells=plan.cells())
    asking = int_sum("model" in one.answered_by() for one in loaded) * len(masters)
    if evolution:  # at most: equal arms are run once
        asking *= evolution.generations
    return PlannedSweep(plan, sweep, base.study.name, asking)


def sweep_permissions(order: SweepOrder) -> tuple[Permission, ...]:
    """List the permissions that a study needs, as it is and with each value of its axes; imports nothing."""
    path = find_study_file(order.target)
    axes = read_axes(
        {key: value for key, value in _table(path).items() if key not in ("design", "fitness", *_NUMBERS)},
        order.vary,
        f"{path} [sweep]",
    )
    found = [*study_permissions(order.target, order.sets)]
    for key, value in ((axis.key, value) for axis in axes for value in axis.values):
        with suppress(InputError):  # it may need another axis's value; its arm is checked when it is loaded
            found += study_permissions(order.target, (*order.sets, format_assignment(key, value)))
    return tuple(dict.fromkeys(found))


def extend_plan(
    plan: SweepPlan, arms: Sequence[Mapping[str, Any]], folder: Path, settings: Settings
) -> SweepPlan:
    """Add arms to the plan of an evolution, by its study's file.

    Raises InputError where the file is not what the sweep began with, and for an arm that the study refuses.
    """
    assert plan.evolution is not None
    file = study_folder_of(folder) / plan.evolution.study
    order = SweepOrder(str(file), plan.evolution.set)
    first = _load(order, plan.assigned[0], (), settings)
    if canonical(first.document()) != canonical(plan.arms[0].document):
        raise InputError(
            f"{file} has changed since the sweep at {folder} began; restore it, or name another --out"
        )
    loaded = [_load(order, arm, read_axes(plan.axes, (), str(file)), settings) for arm in arms]
    documents = [
        SweepArm(document=one.document(), personas=fingerprint(one.personas), worlds=plan.arms[0].worlds)
        for one in loaded
    ]
    personas = {fingerprint(one.personas): one.personas for one in loaded}
    return plan.model_copy(
        update={
            "assigned": (*plan.assigned, *map(dict, arms)),
            "arms": (*plan.arms, *documents),
            "personas": plan.personas | personas,
        }
    )


def extend_record(sweep: SweepRecord, plan: SweepPlan) -> SweepRecord:
    """Add the cells of a plan that a sweep's record does not have yet."""
    axes = read_axes(plan.axes, (), "the plan")
    values = {axis.key: _axis_values(axis, plan.assigned) for axis in axes}
    cells = (*sweep.cells, *plan.cells()[len(sweep.cells) :])
    return sweep.model_copy(update={"axes": values, "cells": cells})


class _SharedInputs:
    """Personas and worlds of all arms by hash, each stored once."""

    def __init__(self, settings: Settings, gathering: SourceOptions) -> None:
        self.settings = settings
        self.gathering = gathering
        self.personas: dict[str, tuple[Persona, ...]] = {}
        self.worlds: dict[str, tuple[Chunk, ...]] = {}
        self._gathered: dict[str, str] = {}

    def arm(self, loaded: LoadedStudy) -> SweepArm:
        personas = fingerprint(loaded.personas)
        self.personas[personas] = loaded.personas
        worlds = {name: self._world(name, loaded) for name in sorted(loaded.study.world)}
        return SweepArm(document=loaded.document(), personas=personas, worlds=worlds)

    def _world(self, name: str, loaded: LoadedStudy) -> str:
        spec = loaded.study.world[name]
        asked = fingerprint([name, spec])
        if asked not in self._gathered:
            chunks = gather_declared(name, loaded, self.settings, self.gathering)
            self._gathered[asked] = fingerprint(chunks)
            self.worlds[self._gathered[asked]] = chunks
        return self._gathered[asked]


def _table(path: Path) -> dict[str, Any]:
    table = read_toml(path).get("sweep", {})
    if not isinstance(table, dict):
        raise InputError(
            f'{path}: sweep = {table!r}: a table is needed here: [sweep] with "config.key" = [...] lines'
        )
    return dict(table)


def _number(name: str, given: int | None, table: dict[str, Any], path: Path) -> int | None:
    declared = table.pop(name, None)
    if declared is not None and (isinstance(declared, bool) or not isinstance(declared, int) or declared < 1):
        raise InputError(f"{path} [sweep] {name} = {declared!r}: a whole number of at least 1 is needed here")
    number = declared if given is None else given
    if number is not None and number > _MOST:
        raise InputError(f"{name} = {number}: at most {_MOST:,} are planned in one sweep; ask for fewer")
    return number


def _master_seeds(first: int, count: int) -> tuple[int, ...]:
    if count < 1:
        raise InputError(f"--seeds {count}: at least 1 is needed")
    if first + count > _SEEDS:
        raise InputError(
            f"seeds are below 2^63, and {count} of them from {first} on are not; choose a smaller seed"
        )
    return tuple(range(first, first + count))


def _own_values(base: LoadedStudy, axes: Sequence[Axis]) -> dict[str, Any]:
    """Return the study's own value of each axis; axes without one are left out."""
    known = base.study.model_dump(mode="json", exclude_none=True)
    known["config"] = base.config.model_dump(mode="json", exclude_none=True)
    found = {axis.key: _value_at(known, axis.key) for axis in axes}
    return {key: value for key, value in found.items() if value is not None}


def _as_real(axis: Axis, own: Any) -> Axis:
    """Convert a range written as 0..1 to real numbers where the study's own value is real."""
    if axis.is_range and isinstance(own, float):
        return replace(axis, low=float(axis.low), high=float(axis.high))
    return axis


def _value_at(values: Mapping[str, Any], key: str) -> Any:
    here: Any = values
    for part in key.split("."):
        here = here.get(part) if isinstance(here, dict) else None
    if key == "answers" and isinstance(here, dict):
        return here["default"]
    return here[0] if key == "personas" and isinstance(here, list) and len(here) == 1 else here


def _load(order: SweepOrder, arm: Mapping[str, Any], axes: Sequence[Axis], settings: Settings) -> LoadedStudy:
    try:
        loaded = load_study(order.target, (*order.sets, *_assignments(arm)), settings.library, settings.trust)
        _refuse_what_cannot_sweep(loaded, settings)
    except Untrusted:
        raise
    except InputError as error:
        raise InputError(f"{_find_refused_axis(order, arm, axes, settings)}: {error}") from None
    return loaded


def _assignments(arm: Mapping[str, Any]) -> list[str]:
    return [format_assignment(key, value) for key, value in arm.items()]


def _find_refused_axis(
    order: SweepOrder, arm: Mapping[str, Any], axes: Sequence[Axis], settings: Settings
) -> str:
    """Name the first axis whose value alone is refused, or else the whole arm."""
    for axis in axes:
        words = format_assignment(axis.key, arm[axis.key]) if axis.key in arm else ""
        try:
            sets = (*order.sets, *filter(None, [words]))
            _refuse_what_cannot_sweep(
                load_study(order.target, sets, settings.library, settings.trust), settings
            )
        except InputError:
            return f"the axis {words}"
    return f"the arm {', '.join(_assignments(arm))}"


def _refuse_what_cannot_sweep(loaded: LoadedStudy, settings: Settings) -> None:
    used = loaded.answered_by()
    if "recording" in used:
        raise InputError("a sweep plays no recording; choose another answerer, or run the studies one by one")
    if "human" in used and settings.human == "terminal":
        raise InputError(
            'people cannot be asked at the terminal by many runs; write human = "file" into the settings'
        )
    if "model" in used:
        require_endpoints(settings)


def _axis_values(axis: Axis, arms: Sequence[Mapping[str, Any]]) -> list[Any]:
    """List the values of an axis that occur in the arms: in the order listed, or by size for a range."""
    taken = [arm[axis.key] for arm in arms if arm.get(axis.key) is not None]
    if axis.is_range:
        return sorted(set(taken))
    return [*{canonical(value): value for value in taken if value not in axis.values}.values(), *axis.values]
