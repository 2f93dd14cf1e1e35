"""Audit a type of study: vary every declared configuration key and report the keys that change nothing."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from openiir.core.asking import PlacedQuestion
from openiir.core.errors import InputError, OpeniirError, ReplayDifference, UnknownName
from openiir.core.hashing import canonical, sha256
from openiir.core.records import Measure, Persona, Record
from openiir.core.storage import Log, RunFile, receipts
from openiir.core.toml import validate_record
from openiir.plugin import Scenario
from openiir.runs.audit.values import Trial, list_trials
from openiir.runs.build import RunSources, build_run_context, run_permissions, study_folder
from openiir.runs.changes import replace_keys
from openiir.runs.edge import run_coroutine
from openiir.runs.engine import Watcher, run_steps
from openiir.runs.memory import set_memory_policy
from openiir.runs.prepare import prepare_run
from openiir.runs.processes import process_pool
from openiir.runs.replay import copy_run_inputs
from openiir.runs.settings import Settings
from openiir.runs.study import LoadedStudy, load_study
from openiir.runs.trust import Trust, allow_imports, list_permissions
from openiir.runs.types import find_type

MEMORY = "persona.memory"
"""Name under which an audit varies the memory policy of all personas."""
POLICIES = ("none", "window:1", "episodic+reflection")
MEASURING = "measuring"
"""Prefix of the keys of a type's `Measuring` settings in an audit."""
STUDY = "study"
"""Key of `acts_with` that names another study, by its path in the folder of the reference study.

The answerers of that study are not called: a question to a model that the recorded run does not ask counts as
a difference.
"""
Status = Literal["acts", "dead", "untried", "fails"]


@dataclass(frozen=True)
class KeyVerdict:
    """Verdict on one configuration key: whether changing its value changes the run."""

    key: str
    status: Status
    tried: str
    """The last value tried, such as `mu = 0.0`; trying stops at the first value that changes the run."""
    step: int | None
    """The first step whose log differs; None where no step differs."""
    words: str
    """Description of the difference, or of why the key could not be tried."""
    beside: Mapping[str, Any]
    """Other keys that were set together with this one, as the type's `acts_with` declares."""


@dataclass(frozen=True)
class RunDifference:
    """The first difference of a trial run from the reference run."""

    step: int | None
    """The first step that differs; None for a measure or for the choice of personas."""
    words: str


@dataclass(frozen=True)
class _Task:
    """One configuration key to audit, with the data that a worker process needs for it."""

    type: str
    key: str
    values: Sequence[Trial]
    folder: Path
    """Folder of the recorded run to compare with."""
    measuring: Mapping[str, Any] | None
    """Present `Measuring` settings, for a key of theirs; None for a key of Config."""
    beside: Mapping[str, Any]


def audit_keys(
    loaded: LoadedStudy, workers: int = 1, tell: Callable[[KeyVerdict], None] = lambda verdict: None
) -> list[KeyVerdict]:
    """Tell for each configuration key of a type whether changing its value changes the run.

    Keys of Config come first, then those of Measuring, then memory. The study is run offline, with the keys
    that the type's `audited` sets; trying a key ends at the first value that changes the run. `tell` gets
    each verdict as it is reached. With several workers the type has to be installed. Raises InputError for an
    `audited` or `acts_with` that does not fit.
    """
    quick = configure_study(loaded.offline(), loaded.scenario.audited, "audited")
    found = []
    with TemporaryDirectory(prefix="openiir-audit-") as scratch, ExitStack() as exits:
        tasks = _list_tasks(quick, Path(scratch))
        verdicts: Iterator[KeyVerdict]
        if workers == 1:
            verdicts = map(_judge_key, tasks)
        else:
            verdicts = exits.enter_context(process_pool(workers)).map(_judge_key, tasks)
        for verdict in verdicts:
            tell(verdict)
            found.append(verdict)
    return found


def configure_study(loaded: LoadedStudy, sets: Mapping[str, Any], where: str) -> LoadedStudy:
    """Return the study, or the other study that `sets` names, with these configuration keys replaced."""
    where = f"{where} of the type {loaded.scenario.name!r}"
    if STUDY in sets:
        folder = loaded.scenario.reference or loaded.folder
        loaded = load_study(str(folder / sets[STUDY]))
    own = {
        key.removeprefix("config."): v for key, v in sets.items() if key != STUDY and not _is_measuring(key)
    }
    config = replace_keys(loaded.config, own, where)
    with allow_imports(list_permissions(loaded.scenario, [config], {}, loaded.folder)):
        loaded.scenario.check(config, loaded.personas)
        personas = tuple(loaded.scenario.cast(config, loaded.personas, loaded.study.seed))
    return replace(loaded, config=config, personas=personas)


def _list_tasks(loaded: LoadedStudy, scratch: Path) -> Iterator[_Task]:
    """Yield an audit task for each declared key, with the folder of a recorded run to compare with."""
    scenario = loaded.scenario
    records = RecordedRuns(loaded, scratch)
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
        values = [Trial(("memory",), each) for each in POLICIES]
        yield _Task(scenario.name, MEMORY, values, records.beside(beside), None, beside)


class RecordedRuns:
    """Recorded runs to compare with, made once for each set of keys that the type names."""

    def __init__(self, loaded: LoadedStudy, scratch: Path, where: str = "acts_with") -> None:
        self.loaded = loaded
        self.scratch = scratch
        self.where = where
        self.known: dict[str, Path] = {}

    def beside(self, sets: Mapping[str, Any]) -> Path:
        name = canonical({key: value for key, value in sets.items() if not _is_measuring(key)})
        if name not in self.known:
            folder = self.scratch / f"record-{len(self.known)}"
            loaded = configure_study(self.loaded, sets, self.where)
            with self._declare(loaded) as declared:
                _, asked = _run_copy(declared, folder, loaded.config.model_dump(mode="json"))
                _prompts_beside(folder).write_text(json.dumps(list(map(_describe_prompt, asked))), "utf-8")
                receipts.write_receipt(folder, declared.study_folder())
            self.known[name] = folder
        return self.known[name]

    def _declare(self, loaded: LoadedStudy) -> RunFile:
        """Prepare a run of the study without executing it; worlds are read and fitted once for each cast."""
        cast = [persona.model_dump(mode="json") for persona in loaded.personas]
        name = sha256(canonical([loaded.document() | {"config": {}}, cast]))[:16]
        folder = self.scratch / f"declared-{name}"
        return RunFile.open(folder) if folder.exists() else prepare_run(loaded, folder, Settings())


def _is_measuring(key: str) -> bool:
    return key.split(".")[0] == MEASURING


def _keys(loaded: LoadedStudy, beside: Mapping[str, Any]) -> dict[str, list[Trial]]:
    """Return the values to try for every declared key, while other keys are set as `acts_with` says."""
    config = configure_study(loaded, beside, "acts_with").config
    found = list_trials(type(config), config.model_dump(mode="json"))
    measuring = _measuring(loaded.scenario, beside)
    further = list_trials(type(measuring), measuring.model_dump(mode="json"))
    return found | {f"{MEASURING}.{key}": values for key, values in further.items()}


def _measuring(scenario: Scenario, beside: Mapping[str, Any]) -> Record:
    own = {key.removeprefix(f"{MEASURING}."): value for key, value in beside.items() if _is_measuring(key)}
    where = f"Measuring of the type {scenario.name!r}"
    return replace_keys(validate_record(scenario.Measuring, {}, where), own, where)


def _judge_key(task: _Task) -> KeyVerdict:
    """Audit one key, in this process or a worker, where the type is looked up by its name."""
    refused, ran = "the study has no place for it; name in acts_with what gives it one", ""
    scenario, judge = find_type(task.type), partial(KeyVerdict, task.key, beside=task.beside)
    with RunFile.open(task.folder) as recorded:
        scenario.folder = study_folder(recorded, scenario)
        for value in task.values:
            try:
                departed = _try_value(scenario, task, recorded, value)
            except OpeniirError as error:
                refused = f"{value}: {error}"
                continue
            except Exception as error:  # whatever a type raises is a finding
                return judge("fails", str(value), None, f"{type(error).__name__}: {error}")
            if departed is not None:
                return judge("acts", str(value), departed.step, departed.words)
            ran = str(value)
    if ran:
        return judge("dead", ran, None, f"none of {len(task.values)} values changes anything")
    return judge("untried", "", None, refused)


def _try_value(scenario: Scenario, task: _Task, recorded: RunFile, trial: Trial) -> RunDifference | None:
    """Find the first difference that a value makes to the record; raises InputError for a bad value."""
    where, study, personas = f"the type {scenario.name!r}", recorded.study(), recorded.personas()
    if task.measuring is not None:
        kept = validate_record(scenario.Measuring, dict(task.measuring), where)
        other = validate_record(scenario.Measuring, trial.apply_to(task.measuring), where)
        return _find_measure_departure(scenario, recorded, kept, other)
    if task.key == MEMORY:
        given = set_memory_policy(scenario, personas, trial.value, where)
        return _find_departure(recorded, study["config"], given)
    config = validate_record(scenario.Config, trial.apply_to(study["config"]), where)
    with allow_imports(list_permissions(scenario, [config], {}, scenario.folder)):
        scenario.check(config, personas)
    values = config.model_dump(mode="json")
    if values == study["config"]:
        raise InputError("it is read as the value that holds")
    cast = tuple(scenario.cast(config, personas, study["seed"]))
    if len(cast) != len(personas):
        return RunDifference(None, f"{len(cast)} personas take part, not {len(personas)}")
    return (
        RunDifference(None, "other personas take part")
        if cast != personas
        else _find_departure(recorded, values)
    )


def _find_departure(
    recorded: RunFile, config: Mapping[str, Any], personas: Sequence[Persona] | None = None
) -> RunDifference | None:
    """Find where a run with other configuration or personas first differs from the record; else None.

    It ends there. What happened is compared, not the study; the configuration holds from the start, so that
    structural keys can be tried too. Where the same happens offline, the prompts are compared: what a model
    answers would change.
    """
    with TemporaryDirectory(prefix="openiir-audit-") as scratch:
        found, asked = _run_copy(recorded, Path(scratch) / "run", config, personas, compare=True)
    if found:
        return found
    was = json.loads(_prompts_beside(recorded.folder).read_text("utf-8"))
    now = map(_describe_prompt, asked)
    other = next((new for old, new in zip(was, now, strict=False) if old != new), None)
    return RunDifference(other[0], f"the prompt of {other[1]} is another") if other else None


def _prompts_beside(folder: Path) -> Path:
    """Return the file with the prompts of a recorded run."""
    return folder.with_suffix(".prompts")


def _describe_prompt(asked: PlacedQuestion) -> list[Any]:
    """Return the step, the kind of question and the prompt's hash."""
    words = canonical([message.text for message in asked.messages()])
    return [asked.place.step, asked.place.kind, sha256(words)]


def _run_copy(
    recorded: RunFile,
    folder: Path,
    config: Mapping[str, Any],
    personas: Sequence[Persona] | None = None,
    *,
    compare: bool = False,
) -> tuple[RunDifference | None, list[PlacedQuestion]]:
    """Run a recorded run's study again in a scratch folder, under a configuration and perhaps other personas.

    Returns the questions asked, and with `compare` the first difference from the record, at which it ends.
    """
    questions: list[PlacedQuestion] = []

    async def execute() -> RunDifference | None:
        async with AsyncExitStack() as exits:
            # What it names, the study had leave for or the type itself sets.
            granted = Settings(trust=Trust().with_leave(run_permissions(run)))
            sources = RunSources(recorded if compare else None, live=False)
            machine = await build_run_context(run, granted, sources, exits)
            machine.stage.answering.watch = lambda batch, answers: questions.extend(batch)
            try:
                await run_steps(machine, recorded if compare else run, Watcher())
            except ReplayDifference as difference:
                return RunDifference(machine.stage.step, str(difference).removeprefix("first difference: "))
        return None

    with copy_run_inputs(recorded, folder, config, personas) as run:
        found = run_coroutine(execute())
        if not compare:
            run.sync_to_disk()
    return found, questions


def _find_measure_departure(
    scenario: Scenario, recorded: RunFile, kept: Any, measuring: Any
) -> RunDifference | None:
    """Find the first measure that differs under other settings of Measuring; None where none does."""
    was = scenario.metrics(Log(recorded, measuring=kept))
    now = scenario.metrics(Log(recorded, measuring=measuring))
    for name in sorted(was.keys() | now.keys()):
        old, new = (_format_measure(found.get(name)) for found in (was, now))
        if old != new:
            return RunDifference(None, f"the measure {name} is {new}, was {old}")
    return None


def _format_measure(measure: Measure | None) -> str:
    if measure is None:
        return "left out"
    return repr(measure.value) if measure.defined else f"undefined ({measure.reason})"
