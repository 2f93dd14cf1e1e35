"""Audit a type: move every declared key over its range, and report those that change nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from openiir.core.errors import InputError, OpeniirError, UnknownName
from openiir.core.hashing import canonical, sha256
from openiir.core.records import Record
from openiir.core.storage import RunFile
from openiir.plugin import Scenario
from openiir.runs.audit.trying import Departure, find_departure, find_measure_departure, record_run
from openiir.runs.audit.values import Trial, list_trials
from openiir.runs.build import study_folder
from openiir.runs.changes import replace_keys
from openiir.runs.memory import give_memory
from openiir.runs.prepare import prepare_run
from openiir.runs.processes import process_pool
from openiir.runs.settings import Settings
from openiir.runs.study import LoadedStudy, load_study
from openiir.runs.toml import fit
from openiir.runs.trust import allow_imports, permissions_of
from openiir.runs.types import find_type

MEMORY = "persona.memory"
"""What an audit calls the memory policy of everybody's persona, which a study may name."""
POLICIES = ("none", "window:1", "episodic+reflection")
MEASURING = "measuring"
"""What the keys of a type's Measuring begin with in an audit."""
STUDY = "study"
"""What acts_with names another study by, in the folder of the reference study. Nobody it names is asked anything: a
question to a model that the run on record does not put is a difference as any other."""
Status = Literal["acts", "dead", "untried", "fails"]


@dataclass(frozen=True)
class KeyVerdict:
    """The outcome for one key: whether moving it changes the run."""

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
    loaded: LoadedStudy, workers: int = 1, told: Callable[[KeyVerdict], None] = lambda verdict: None
) -> list[KeyVerdict]:
    """Each declared key of the study's type (Config, then Measuring, then everybody's memory), with what moving it did.

    The study is run offline, with what the type's `audited` sets; a key ends at the first of its values that acts.
    `told` hears of each verdict as it is reached. With several workers the type has to be installed. Raises InputError
    for an `audited` or `acts_with` that does not fit.
    """
    quick = _configure(loaded.offline(), loaded.scenario.audited, "audited")
    found = []
    with TemporaryDirectory(prefix="openiir-audit-") as scratch:
        for verdict in _judge_keys(quick, Path(scratch), workers):
            told(verdict)
            found.append(verdict)
    return found


def _judge_keys(loaded: LoadedStudy, scratch: Path, workers: int) -> Iterator[KeyVerdict]:
    tasks = _tasks(loaded, scratch)
    if workers == 1:
        yield from (_judge_key(loaded.scenario, task) for task in tasks)
        return
    with process_pool(workers) as pool:
        yield from pool.map(_judge_in_worker, tasks)


def _configure(loaded: LoadedStudy, sets: Mapping[str, Any], where: str) -> LoadedStudy:
    """The study, or the one that is named beside the reference study, with these keys of Config."""
    where = f"{where} of the type {loaded.scenario.name!r}"
    if STUDY in sets:
        folder = loaded.scenario.reference or loaded.folder
        loaded = load_study(str(folder / sets[STUDY]))
    own = {
        key.removeprefix("config."): v for key, v in sets.items() if key != STUDY and not _is_measuring(key)
    }
    config = replace_keys(loaded.config, own, where)
    with allow_imports(permissions_of(loaded.scenario, [config], {}, loaded.folder)):
        loaded.scenario.check(config, loaded.personas)
        personas = tuple(loaded.scenario.cast(config, loaded.personas, loaded.study.seed))
    return replace(loaded, config=config, personas=personas)


def _tasks(loaded: LoadedStudy, scratch: Path) -> Iterator[_Task]:
    """The keys in the order declared, each with a run on record that has beside it what it acts with."""
    scenario = loaded.scenario
    records = _Records(loaded, scratch)
    plain = _keys(loaded, {})
    for key in sorted(scenario.acts_with.keys() - plain.keys() - {MEMORY}):
        raise UnknownName(f"key that acts_with of the type {scenario.name!r} could mean", key, plain)
    for key in plain:
        beside = scenario.acts_with.get(key, {})
        values = _keys(loaded, beside).get(key, []) if beside else plain[key]
        measuring = _measuring(scenario, beside).model_dump(mode="json") if _is_measuring(key) else None
        yield _Task(scenario.name, key, values, records.beside(beside), measuring, beside)
    if scenario.remembers:
        beside = scenario.acts_with.get(MEMORY, {})
        yield _Task(
            scenario.name,
            MEMORY,
            [Trial(("memory",), each) for each in POLICIES],
            records.beside(beside),
            None,
            beside,
        )


class _Records:
    """Runs on record, one for each set of keys that others need beside them."""

    def __init__(self, loaded: LoadedStudy, scratch: Path) -> None:
        self.loaded = loaded
        self.scratch = scratch
        self.known: dict[str, Path] = {}

    def beside(self, sets: Mapping[str, Any]) -> Path:
        name = canonical({key: value for key, value in sets.items() if not _is_measuring(key)})
        if name not in self.known:
            folder = self.scratch / f"record-{len(self.known)}"
            loaded = _configure(self.loaded, sets, "acts_with")
            with self._declared(loaded) as declared:
                record_run(declared, loaded.config.model_dump(mode="json"), folder)
            self.known[name] = folder
        return self.known[name]

    def _declared(self, loaded: LoadedStudy) -> RunFile:
        """What a study starts from, its worlds read and fitted once for the same cast."""
        cast = [persona.model_dump(mode="json") for persona in loaded.personas]
        folder = (
            self.scratch / f"declared-{sha256(canonical([loaded.document() | {'config': {}}, cast]))[:16]}"
        )
        return RunFile.open(folder) if folder.exists() else prepare_run(loaded, folder, Settings())


def _is_measuring(key: str) -> bool:
    return key.split(".")[0] == MEASURING


def _keys(loaded: LoadedStudy, beside: Mapping[str, Any]) -> dict[str, list[Trial]]:
    """Every declared key with its values to try, where these are set beside it."""
    config = _configure(loaded, beside, "acts_with").config
    found = list_trials(type(config), config.model_dump(mode="json"))
    measuring = _measuring(loaded.scenario, beside)
    further = list_trials(type(measuring), measuring.model_dump(mode="json"))
    return found | {f"{MEASURING}.{key}": values for key, values in further.items()}


def _measuring(scenario: Scenario, beside: Mapping[str, Any]) -> Record:
    own = {key.removeprefix(f"{MEASURING}."): value for key, value in beside.items() if _is_measuring(key)}
    where = f"Measuring of the type {scenario.name!r}"
    return replace_keys(fit(scenario.Measuring, {}, where), own, where)


def _judge_in_worker(task: _Task) -> KeyVerdict:
    """The work of a worker process."""
    return _judge_key(find_type(task.type), task)


def _judge_key(scenario: Scenario, task: _Task) -> KeyVerdict:
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
                return KeyVerdict(
                    task.key, "fails", str(value), None, f"{type(error).__name__}: {error}", task.beside
                )
            if departed is not None:
                return KeyVerdict(task.key, "acts", str(value), departed.step, departed.words, task.beside)
            ran = str(value)
    if ran:
        words = f"none of {len(task.values)} values changes anything"
        return KeyVerdict(task.key, "dead", ran, None, words, task.beside)
    return KeyVerdict(task.key, "untried", "", None, refused, task.beside)


class _Trier:
    """Tries values of one key against a run on record."""

    def __init__(self, scenario: Scenario, task: _Task, recorded: RunFile) -> None:
        self.scenario = scenario
        self.of_memory = task.key == MEMORY
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
            return find_measure_departure(self.scenario, self.recorded, held, other)
        if self.of_memory:
            return find_departure(
                self.recorded,
                self.config,
                give_memory(self.scenario, self.recorded.personas(), trial.value, where),
            )
        config = fit(self.scenario.Config, trial.applied(self.config), where)
        with allow_imports(permissions_of(self.scenario, [config], {}, self.scenario.folder)):
            self.scenario.check(config, self.recorded.personas())
        values = config.model_dump(mode="json")
        if values == self.config:
            raise InputError("it is read as the value that holds")
        personas = self.recorded.personas()
        cast = self.scenario.cast(config, personas, self.recorded.study()["seed"])
        if tuple(cast) != personas:
            others = (
                f"{len(cast)} personas take part, not {len(personas)}"
                if len(cast) != len(personas)
                else "other personas take part"
            )
            return Departure(None, others)
        return find_departure(self.recorded, values)
