"""A study: all that may change a result, read from one TOML file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from openiir.core.asking import AnswererChoice, Form, Question
from openiir.core.errors import InputError, UnknownName
from openiir.core.files import read_toml
from openiir.core.llm import Sampling
from openiir.core.personas import PersonaLibrary, load_personas
from openiir.core.records import Persona, Record, RetrievalMode
from openiir.core.study_paths import study_path
from openiir.core.systems import SystemSpec
from openiir.core.toml import inline_files, validate_record
from openiir.core.world import WorldSpec, name_worlds
from openiir.plugin import Scenario
from openiir.runs.changes import Change, Terms, apply_assignment, drop_answer_changes, unfold_terms
from openiir.runs.memory import set_memory_policy
from openiir.runs.moments import (
    ScheduledEvent,
    check_events,
    count_steps,
    plan_steps,
    resolve_changes,
    resolve_events,
)
from openiir.runs.retrievers import check_runs
from openiir.runs.tools import check_tools, find_default_mode, set_retrieval_mode
from openiir.runs.trust import Permission, Trust, allow_imports, declared_systems, list_permissions
from openiir.runs.types import find_type, is_registered_type, load_registered_type

_LOCATIONS = {"personas", "sources", "urls"}


class ModelSpec(Sampling):
    """The `[model]` table of a study: model, sampling parameters, and how prompts show the reply's form."""

    name: str = Field(min_length=1)
    """The model's name at the endpoint, such as qwen3:8b."""
    form: Form = "example"
    """How prompts show the reply's form where the endpoint enforces none:
    by a filled-in example or a JSON schema."""

    def sampling(self) -> Sampling:
        return Sampling(**self.model_dump(exclude={"name", "form"}))


class Study(Record):
    """A study as declared in its TOML file."""

    type: str
    name: str
    """A plain file name, since the run's folder may be named after it."""
    seed: int = Field(0, ge=0, lt=2**63)
    answers: Annotated[
        AnswererChoice, BeforeValidator(lambda value: {"default": value} if isinstance(value, str) else value)
    ] = AnswererChoice()
    model: ModelSpec | None = None
    personas: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
    ] = ()
    """Persona files, relative to the study; `library:ID` takes one from the shared library."""
    cast: tuple[str, ...] = ()
    """Ids of the personas that take part, in this order; all personas by default."""
    world: dict[str, WorldSpec] = {}
    """Worlds by name; `[world]` is the world called main, `[world.NAME]` another."""
    system: dict[str, SystemSpec] = {}
    """Systems under test by name; `system:NAME` names one as an answerer."""
    memory: str = "full"
    """The memory policy of every persona that names none."""
    retrieval: RetrievalMode | None = None
    """The retrieval mode of every persona that names none; by default `own` where a world has a retriever."""
    web_search: bool = False
    """Whether personas may search the web (the service is a setting)."""
    config: dict[str, Any] = {}
    change: tuple[Change, ...] = ()
    event: tuple[ScheduledEvent, ...] = ()

    @field_validator("name")
    @classmethod
    def _plain(cls, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}", value):
            raise ValueError(
                "write up to 80 of a-z, A-Z, 0-9, blank, '.', '_' and '-', a letter or digit first"
            )
        return value

    @field_validator("seed", mode="before")
    @classmethod
    def _a_number(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("a whole number is needed here")
        return value

    @field_validator("world", mode="before")
    @classmethod
    def _one_world(cls, value: Any) -> Any:
        return name_worlds(value)

    @field_validator("change", "event", mode="before")
    @classmethod
    def _a_list(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, dict):
            name = info.field_name
            raise ValueError(f"there may be several {name}s, so write [[{name}]] with two brackets")
        return value


@dataclass(frozen=True)
class LoadedStudy:
    """A study with its type, configuration and personas loaded."""

    study: Study
    folder: Path
    """Folder to which the study's relative paths refer."""
    scenario: Scenario
    config: Any
    personas: tuple[Persona, ...]

    def document(self) -> dict[str, Any]:
        """Return the study as stored and hashed: with defaults filled in and without paths of this machine.

        Keys that are stored with the personas are left out too.
        """
        document = self.study.model_dump(mode="json", exclude={"personas", "cast", "memory"})
        document["config"] = self.config.model_dump(mode="json")
        for world in document["world"].values():
            for key in _LOCATIONS & world.keys():
                del world[key]
        for system in document["system"].values():
            if not system["variables"]:
                del system["variables"]
        for world in document["world"].values():
            if world["retriever"] is None:
                del world["retriever"]
        if not document["event"]:
            del document["event"]
        if document["retrieval"] is None:
            del document["retrieval"]
        return document

    def offline(self) -> "LoadedStudy":
        """Return the study with every question answered offline, and worlds searched by their own indexes."""
        # A declared system that a type asks in its own name is stood in for as well.
        stood_in = AnswererChoice(persona={f"system:{label}": "offline" for label in self.study.system})
        worlds = {name: w.model_copy(update={"retriever": None}) for name, w in self.study.world.items()}
        update = {
            "answers": stood_in,
            "change": drop_answer_changes(self.study.change),
            "world": worlds,
        }
        return replace(self, study=self.study.model_copy(update=update))

    def answered_by(self) -> list[str]:
        """List the answerers that the study names, in its changes too, sorted."""
        terms = unfold_terms(
            self.scenario, Terms(self.config, self.study.answers), self.study.change, self.study.name
        )
        return sorted({name for each in terms for name in each.answers.names()})


def load_study(
    target: str, sets: Sequence[str] = (), library: Path | None = None, trust: Trust | None = None
) -> LoadedStudy:
    """Load a study from a file, a folder, or a type's reference study, with `key=value` settings.

    Raises InputError naming file, key and remedy for every kind of mistake, and Untrusted for a study that
    lacks permissions, before anything that it names is imported.
    """
    path, study, scenario, config = _read(target, sets)
    permissions = _permissions(path, study, scenario, config)
    (trust or Trust()).check(permissions, target, sets)
    check_runs(study.world, path.parent, lambda world: f"{path} {world_table_name(world)}")
    with allow_imports(permissions):
        personas = _personas(study, path, library)
        _check_config(study, scenario, config, personas, str(path))
        personas = set_memory_policy(
            scenario, scenario.cast(config, personas, study.seed), study.memory, str(path)
        )
        personas = set_retrieval_mode(personas, find_default_mode(study.model_dump(mode="json")))
        check_terms(study, scenario, config, personas, str(path))
    return LoadedStudy(study, path.parent, scenario, config, personas)


def study_permissions(target: str, sets: Sequence[str] = ()) -> tuple[Permission, ...]:
    """Return the permissions that a study needs, without importing any of its code."""
    return _permissions(*_read(target, sets))


def _permissions(path: Path, study: Study, scenario: Scenario, config: Any) -> tuple[Permission, ...]:
    terms = unfold_terms(scenario, Terms(config, study.answers), study.change, str(path))
    events = [event.as_record(scenario, str(path)) for event in study.event]
    systems = declared_systems(study.system, study.world)
    return list_permissions(scenario, [*(each.config for each in terms), *events], systems, path.parent)


def _read(target: str, sets: Sequence[str] = ()) -> tuple[Path, Study, Scenario, Any]:
    """Read a study's file, values, type and configuration; nothing that it names is read or imported."""
    path = find_study_file(target)
    values = read_toml(path)
    for assignment in sets:
        apply_assignment(values, assignment)
    values.pop("sweep", None)  # what `openiir sweep` varies; a run of the study knows nothing of it
    values.setdefault("name", _name_of(path))
    _refuse_config_keys(values, str(path))
    study = validate_record(Study, values, str(path))
    try:
        scenario = find_type(study.type)
    except InputError as error:
        raise InputError(f"{path} type: {error}") from None
    scenario.folder = path.parent
    config = validate_record(scenario.Config, inline_files(study.config, path.parent), f"{path} [config]")
    terms = Terms(config, study.answers)
    changes = resolve_changes(scenario, terms, study.change, str(path))
    plan = plan_steps(scenario, terms, changes, str(path)) if study.event else 0
    events = resolve_events(scenario, study.event, plan, count_steps(plan), str(path))
    return path, study.model_copy(update={"change": changes, "event": events}), scenario, config


def check_terms(
    study: Study, scenario: Scenario, config: Any, personas: Sequence[Persona], where: str
) -> None:
    """Raise InputError if configuration, answerers or events are invalid at some step."""
    for terms in unfold_terms(scenario, Terms(config, study.answers), study.change, where):
        if terms.config != config:
            _check_config(study, scenario, terms.config, personas, f"{where} [[change]]")
        _check_answers(study, terms.answers, personas, where)
        check_tools(terms.tools, personas, study.world, f"{where} [[change]]")
    if study.event:
        check_events(scenario, config, study.event, personas, where)


def _check_config(
    study: Study, scenario: Scenario, config: Any, personas: Sequence[Persona], where: str
) -> None:
    for world, why in scenario.worlds_of(config).items():
        if world not in study.world:
            raise InputError(
                f"{where}: {why} needs the world {world}; add {world_table_name(world)} with its sources"
            )
    for system, why in scenario.systems_of(config).items():
        if system not in study.system:
            raise InputError(
                f"{where}: {why} needs the system {system}; add [system.{system}] with how it is reached"
            )
    try:
        scenario.check(config, personas)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def world_table_name(world: str) -> str:
    """Return the name of the table that declares a world in a study's file."""
    return "[world]" if world == "main" else f"[world.{world}]"


def find_study_file(target: str) -> Path:
    """Return the study file that a command names: a file, that of a folder, or of a type."""
    path = Path(target)
    if (path / "study.toml").is_file():
        return path / "study.toml"
    # A type's package often lies in a folder of the type's name, where `openiir new` put it.
    if path.is_dir() and not is_registered_type(target):
        raise InputError(f"{path} has no study.toml; name a study file, a folder with one, or a type")
    if not path.is_dir() and (path.exists() or path.suffix == ".toml" or "/" in target):
        return path
    reference = find_type(target).reference
    if reference is None:
        raise InputError(f"the type {target!r} comes without a reference study; name a study file")
    return reference / "study.toml"


def _refuse_config_keys(values: Mapping[str, Any], where: str) -> None:
    """Raise InputError for a key of the type's configuration that stands outside [config]."""
    listed = load_registered_type(str(values.get("type")))
    if listed and listed.scenario:
        own = listed.scenario.Config.model_fields.keys()
        for key in sorted((values.keys() - Study.model_fields.keys()) & own):
            raise InputError(f"{where}: a study has no key {key!r}, its [config] has; write config.{key}")


def _name_of(path: Path) -> str:
    """Return a study's name where it gives none: the name of its folder or of its file."""
    path = path.resolve()
    name = path.parent.name if path.name == "study.toml" else path.stem
    return re.sub(r"[^A-Za-z0-9 ._-]", "-", name).lstrip(" ._-")[:80] or "study"


def _personas(study: Study, path: Path, library: Path | None) -> tuple[Persona, ...]:
    found: list[Persona] = []
    for entry in study.personas:
        if entry.startswith("library:"):
            shelf = PersonaLibrary((library or Path("~/.local/share/openiir/personas")).expanduser())
            found.append(shelf.get(entry.removeprefix("library:")))
        else:
            found += load_personas(study_path(entry, path.parent, f"{path} personas"))
    by_id: dict[str, Persona] = {}
    for persona in found:
        if persona.id in by_id:
            raise InputError(f"{path}: two personas have the id {persona.id!r}; give each its own")
        by_id[persona.id] = persona
    for name in study.cast:
        if name not in by_id:
            raise InputError(f"{path} cast: {UnknownName('persona', name, by_id)}")
    if len(set(study.cast)) < len(study.cast):
        raise InputError(f"{path} cast: somebody is named twice; name each persona once")
    return tuple(by_id[name] for name in study.cast) if study.cast else tuple(found)


def _check_answers(study: Study, answers: AnswererChoice, personas: Sequence[Persona], where: str) -> None:
    known = {p.id for p in personas} | {"moderator", "extractor"}
    for name in answers.persona:
        if name not in known:
            raise InputError(
                f"{where} [answers.persona]: {UnknownName('persona of this study', name, known)}"
            )
    kinds = _all_kinds()
    tables = [answers.kind, *(chosen for chosen in answers.persona.values() if isinstance(chosen, dict))]
    for kind in sorted({kind for table in tables for kind in table}):
        if kind not in kinds:
            raise InputError(f"{where} [answers]: {UnknownName('kind of question', kind, kinds)}")
    for name in answers.names():
        if name == "model" and study.model is None:
            raise InputError(
                f'{where}: a model answers here, but no model is named; add [model] name = "..."'
            )
        if name.startswith("system:") and name.removeprefix("system:") not in study.system:
            raise InputError(
                f"{where} [answers]: {UnknownName('system', name.removeprefix('system:'), study.system)}; "
                "declare it under [system.NAME]"
            )


def _all_kinds() -> set[str]:
    """Collect the kinds of all question classes that are loaded."""
    found, classes = set(), [*Question.__subclasses__()]
    while classes:
        one = classes.pop()
        classes += one.__subclasses__()
        found |= {one.kind} if hasattr(one, "kind") else set()
    return found
