"""An audit: every declared key of a type is moved over its range and must change what happens."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from openiir.core.errors import InputError, OpeniirError, UnknownName
from openiir.core.hashing import canonical, sha256
from openiir.core.records import Record
from openiir.core.storage import RunFile
from openiir.plugin import Scenario
from openiir.runs.assemble import study_folder
from openiir.runs.audit.trying import Departure, departure, measure_departure, record
from openiir.runs.audit.values import Trial, trials
from openiir.runs.begin import begin
from openiir.runs.changes import replaced
from openiir.runs.settings import Settings
from openiir.runs.study import Loaded, load_study
from openiir.runs.toml import fit
from openiir.runs.trust import importing, permissions_of
from openiir.runs.types import find_type

MEASURING = "measuring"
"""What the keys of a type's Measuring begin with in an audit."""
STUDY = "study"
"""What acts_with names another study by, in the folder of the reference study. Nobody it names is asked anything: a
question to a model that the run on record does not put is a difference as any other."""
Status = Literal["acts", "dead", "untried", "fails"]


@dataclass(frozen=True)
class Verdict:
    """What became of a key."""

    key: str
    status: Status
    tried: str
    """The last value tried, such as `mu = 0.0`; the first one that acts is the last."""
    step: int | None
    """The first step that differs, for a key that acts on the log."""
    words: str
    """What differs, or why the key could not be tried."""
    beside: Mapping[str, Any]
    """What was set beside it, as the type's `acts_with` says."""


@dataclass(frozen=True)
class _Task:
    """A key to be tried, as a worker process is told of it."""

    type: str
    key: str
    values: Sequence[Trial]
    folder: Path
    """The run on record."""
    measuring: Mapping[str, Any] | None
    """What holds of Measuring, for a key of it; None for a key of Config."""
    beside: Mapping[str, Any]


def audit(
    loaded: Loaded, workers: int = 1, told: Callable[[Verdict], None] = lambda verdict: None
) -> list[Verdict]:
    """Each declared key of the study's type (Config, then Measuring), with what moving it did.

    The study is run offline, with what the type's `audited` sets; a key ends at the first of its values that acts.
    `told` hears of each verdict as it is reached. With several workers the type has to be installed. Raises InputError
    for an `audited` or `acts_with` that does not fit.
    """
    quick = _configured(loaded.offline(), loaded.scenario.audited, "audited")
    found = []
    with TemporaryDirectory(prefix="openiir-audit-") as scratch:
        for verdict in _verdicts(quick, Path(scratch), workers):
            told(verdict)
            found.append(verdict)
    return found


def _verdicts(loaded: Loaded, scratch: Path, workers: int) -> Iterator[Verdict]:
    tasks = _tasks(loaded, scratch)
    if workers == 1:
        yield from (_verdict(loaded.scenario, task) for task in tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_found, tasks)


def _configured(loaded: Loaded, sets: Mapping[str, Any], where: str) -> Loaded:
    """The study, or the one that is named beside the reference study, with these keys of Config."""
    where = f"{where} of the type {loaded.scenario.name!r}"
    if STUDY in sets:
        folder = loaded.scenario.reference or loaded.folder
        loaded = load_study(str(folder / sets[STUDY]))
    own = {
        key.removeprefix("config."): v for key, v in sets.items() if key != STUDY and not _is_measuring(key)
    }
    config = replaced(loaded.config, own, where)
    with importing(permissions_of(loaded.scenario, [config], {}, loaded.folder)):
        loaded.scenario.check(config, loaded.personas)
    return replace(loaded, config=config)


def _tasks(loaded: Loaded, scratch: Path) -> Iterator[_Task]:
    """The keys in the order declared, each with a run on record that has beside it what it acts with."""
    scenario = loaded.scenario
    records = _Records(loaded, scratch)
    plain = _keys(loaded, {})
    for key in sorted(scenario.acts_with.keys() - plain.keys()):
        raise UnknownName(f"key that acts_with of the type {scenario.name!r} could mean", key, plain)
    for key in plain:
        beside = scenario.acts_with.get(key, {})
        values = _keys(loaded, beside).get(key, []) if beside else plain[key]
        measuring = _measuring(scenario, beside).model_dump(mode="json") if _is_measuring(key) else None
        yield _Task(scenario.name, key, values, records.beside(beside), measuring, beside)


class _Records:
    """Runs on record, one for each set of keys that others need beside them."""

    def __init__(self, loaded: Loaded, scratch: Path) -> None:
        self.loaded = loaded
        self.scratch = scratch
        self.known: dict[str, Path] = {}

    def beside(self, sets: Mapping[str, Any]) -> Path:
        name = canonical({key: value for key, value in sets.items() if not _is_measuring(key)})
        if name not in self.known:
            folder = self.scratch / f"record-{len(self.known)}"
            loaded = _configured(self.loaded, sets, "acts_with")
            with self._declared(loaded) as declared:
                record(declared, loaded.config.model_dump(mode="json"), folder)
            self.known[name] = folder
        return self.known[name]

    def _declared(self, loaded: Loaded) -> RunFile:
        """What a study starts from, its worlds read and fitted once."""
        folder = self.scratch / f"declared-{sha256(canonical(loaded.document() | {'config': {}}))[:16]}"
        return RunFile.open(folder) if folder.exists() else begin(loaded, folder, Settings())


def _is_measuring(key: str) -> bool:
    return key.split(".")[0] == MEASURING


def _keys(loaded: Loaded, beside: Mapping[str, Any]) -> dict[str, list[Trial]]:
    """Every declared key with its values to try, where these are set beside it."""
    config = _configured(loaded, beside, "acts_with").config
    found = trials(type(config), config.model_dump(mode="json"))
    measuring = _measuring(loaded.scenario, beside)
    further = trials(type(measuring), measuring.model_dump(mode="json"))
    return found | {f"{MEASURING}.{key}": values for key, values in further.items()}


def _measuring(scenario: Scenario, beside: Mapping[str, Any]) -> Record:
    own = {key.removeprefix(f"{MEASURING}."): value for key, value in beside.items() if _is_measuring(key)}
    where = f"Measuring of the type {scenario.name!r}"
    return replaced(fit(scenario.Measuring, {}, where), own, where)


def _found(task: _Task) -> Verdict:
    """The work of a worker process."""
    return _verdict(find_type(task.type), task)


def _verdict(scenario: Scenario, task: _Task) -> Verdict:
    refused, ran = "the study has no place for it; name in acts_with what gives it one", ""
    with RunFile.open(task.folder) as recorded:
        trier = _Trier(scenario, task, recorded)
        for value in task.values:
            try:
                departed = trier.departure(value)
            except OpeniirError as error:
                refused = f"{value}: {error}"
                continue
            except Exception as error:  # whatever a type raises is a finding
                return Verdict(
                    task.key, "fails", str(value), None, f"{type(error).__name__}: {error}", task.beside
                )
            if departed is not None:
                return Verdict(task.key, "acts", str(value), departed.step, departed.words, task.beside)
            ran = str(value)
    if ran:
        words = f"none of {len(task.values)} values changes anything"
        return Verdict(task.key, "dead", ran, None, words, task.beside)
    return Verdict(task.key, "untried", "", None, refused, task.beside)


class _Trier:
    """Tries values of one key against a run on record."""

    def __init__(self, scenario: Scenario, task: _Task, recorded: RunFile) -> None:
        self.scenario = scenario
        self.measuring = task.measuring
        self.recorded = recorded
        self.scenario.folder = study_folder(recorded, scenario)
        self.config = recorded.study()["config"]

    def departure(self, trial: Trial) -> Departure | None:
        """Where it first tells; None where it does not. Raises InputError for a value that cannot be."""
        where = f"the type {self.scenario.name!r}"
        if self.measuring is not None:
            held = fit(self.scenario.Measuring, dict(self.measuring), where)
            other = fit(self.scenario.Measuring, trial.applied(self.measuring), where)
            return measure_departure(self.scenario, self.recorded, held, other)
        config = fit(self.scenario.Config, trial.applied(self.config), where)
        with importing(permissions_of(self.scenario, [config], {}, self.scenario.folder)):
            self.scenario.check(config, self.recorded.personas())
        values = config.model_dump(mode="json")
        if values == self.config:
            raise InputError("it is read as the value that holds")
        personas = self.recorded.personas()
        cast = self.scenario.cast(config, personas, self.recorded.study()["seed"])
        if tuple(cast) != personas:
            return Departure(None, f"{len(cast)} personas take part, not {len(personas)}")
        return departure(self.recorded, values)
