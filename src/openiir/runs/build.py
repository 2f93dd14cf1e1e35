"""Build the objects that execute a run from its run file: worlds, answerers and agents."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openiir.core.agents import Agent, AnswerRouter, Knowledge, Parallelism
from openiir.core.asking import (
    Answerer,
    AnswererChoice,
    ExternalAnswerer,
    Ledger,
    ModelAnswerer,
    OfflineAnswerer,
    RecordedAnswerer,
    SystemAnswerer,
)
from openiir.core.errors import InputError, UnknownName
from openiir.core.llm import Provider, RecordedEmbedder, StoredEmbedder
from openiir.core.records import Record
from openiir.core.retrieval import LSA, Embedder
from openiir.core.storage import Log, RunFile
from openiir.core.systems import SystemSpec
from openiir.core.systems.own_code import TIMES
from openiir.core.toml import validate_record
from openiir.core.world import WebSearch, World, WorldSpec, web_search
from openiir.plugin import Scenario, Stage
from openiir.runs.changes import Change, Terms, find_terms, unfold_terms
from openiir.runs.checkpointing import Checkpointing
from openiir.runs.human import people_asker
from openiir.runs.meter import Spending
from openiir.runs.moments import read_events
from openiir.runs.retrievers import build_retrievers
from openiir.runs.run_io import check_replayable
from openiir.runs.session_limits import SessionLimits
from openiir.runs.settings import (
    Settings,
    SystemSettings,
    apply_settings,
    connect_endpoints,
    require_endpoints,
)
from openiir.runs.study import ModelSpec
from openiir.runs.systems import SystemDialogues, SystemSessions
from openiir.runs.tools import build_tools, find_default_mode
from openiir.runs.trust import Permission, allow_imports, declared_systems, list_permissions
from openiir.runs.types import find_type


@dataclass
class RunContext:
    """A run file with the objects (scenario type, stage, ledger and so on) that execute it."""

    run: RunFile
    scenario: Scenario
    stage: Stage
    ledger: Ledger
    changes: tuple[Change, ...]
    terms: Terms
    """What applies at the present step."""
    events: Mapping[int, Sequence[tuple[str, Record]]]
    """The study's events by step, each with its kind."""
    spending: Spending
    checkpointing: Checkpointing


@dataclass(frozen=True)
class RunSources:
    """Recorded replies that a run may use, and whether it may request new ones."""

    recorded: RunFile | None = None
    """The run whose replies are replayed; None for the run itself."""
    live: bool = True
    played: RunFile | None = None
    """The run whose answers the `recording` answerer repeats."""
    tell: Callable[[str], None] = lambda text: None
    """Callback for messages about endpoints that do not respond and are tried again."""


async def build_run_context(
    run: RunFile, settings: Settings, sources: RunSources, exits: AsyncExitStack
) -> RunContext:
    """Build the objects that execute a prepared run; `exits` closes their resources."""
    apply_settings(settings)
    document = run.study()
    scenario = find_type(document["type"])
    scenario.folder = study_folder(sources.recorded or run, scenario)
    permissions = document_permissions(document, scenario.folder, live=sources.live)
    settings.trust.check(permissions, str((sources.recorded or run).folder))
    exits.enter_context(allow_imports(permissions))
    terms, changes = read_terms(document, scenario)
    ledger = Ledger(run, sources.recorded, live=sources.live)
    spending = _spending(run, settings) if sources.live else Spending(limits=settings.limits)
    TIMES.set(spending.own)
    ledger.before_call, ledger.after_call = spending.before_call, spending.after_call
    choices = [later.answers for later in unfold_terms(scenario, terms, changes, str(run.folder))]
    answering = await _answering(document, choices, ledger, settings, sources, exits)
    worlds = await _worlds(run, document, settings, sources, exits)
    retrievers = build_retrievers(document, scenario.folder, exits)
    knowledge = Knowledge(worlds, ledger, _web(document, settings, sources), retrievers)
    knowledge.default_mode = find_default_mode(document)
    stage = Stage(answering, knowledge, Log(run, 0), terms.config)
    stage.spread = Parallelism(settings.workers, settings.block)
    stage.agents = [Agent.of(persona) for persona in run.personas()]
    events = read_events(document, scenario)
    policy = Checkpointing(settings.checkpoint_every)
    return RunContext(run, scenario, stage, ledger, changes, terms, events, spending, policy)


def study_folder(run: RunFile, scenario: Scenario) -> Path:
    """Return the folder to which relative paths in a run's study refer."""
    return run.study_folder() or scenario.reference or run.folder


async def build_answerers(run: RunFile, settings: Settings, exits: AsyncExitStack) -> AnswerRouter:
    """Build the answerers of a finished run as they were at its end; the caller checks permissions."""
    document = run.study()
    scenario = find_type(document["type"])
    terms, changes = read_terms(document, scenario)
    last = find_terms(scenario, terms, changes, len(run.steps()), str(run.folder))
    return await _answering(document, [last.answers], Ledger(run), settings, RunSources(), exits)


def build_search(run: RunFile, ledger: Ledger, exits: AsyncExitStack) -> Knowledge:
    """Build the look-ups of a finished run's agents as they were at its end; worlds are added when needed."""
    document = run.study()
    scenario = find_type(document["type"])
    terms, changes = read_terms(document, scenario)
    last = find_terms(scenario, terms, changes, len(run.steps()), str(run.folder))
    retrievers = build_retrievers(document, study_folder(run, scenario), exits)
    knowledge = Knowledge({}, ledger, None, retrievers)
    knowledge.tools = build_tools(last.tools, knowledge.worlds)
    return knowledge


def run_permissions(run: RunFile) -> tuple[Permission, ...]:
    """Return the permissions that are needed to resume a run or to ask its agents."""
    study = run.study()
    return document_permissions(study, study_folder(run, find_type(study["type"])))


def document_permissions(
    document: Mapping[str, Any], folder: Path, *, live: bool = True
) -> tuple[Permission, ...]:
    """Return the permissions that a stored study needs; `folder` is the one that its file was read from."""
    scenario = find_type(document["type"])
    terms = unfold_terms(scenario, *read_terms(document, scenario), "the study on record")
    events = [event for step in read_events(document, scenario).values() for _, event in step]
    configs = [*(each.config for each in terms), *events]
    systems = declared_systems(
        {label: SystemSpec.model_validate(table) for label, table in document["system"].items()},
        {name: WorldSpec.model_validate(table) for name, table in document["world"].items()},
    )
    return list_permissions(scenario, configs, systems, folder, live=live)


def read_terms(document: Mapping[str, Any], scenario: Scenario) -> tuple[Terms, tuple[Change, ...]]:
    """Read a stored study's initial configuration and answerers, and their changes during the run."""
    config = validate_record(scenario.Config, document["config"], "the study on record [config]")
    changes = tuple(Change.model_validate(change) for change in document["change"])
    return Terms(config, AnswererChoice.model_validate(document["answers"])), changes


async def rebuild_world(run: RunFile, name: str) -> World:
    """Build a world (text collection) as of the end of a run, from stored data without any endpoint.

    Raises UnknownName, and InputError at look-ups by a vector that an endpoint would have to make.
    """
    table = run.study()["world"]
    if name not in table:
        raise UnknownName("world of this study", name, table)
    spec = WorldSpec.model_validate(table[name])
    embedder: Embedder = (
        LSA.from_bytes(run.fitted_parts()[f"lsa:{name}"])
        if spec.embeddings is None
        else StoredEmbedder(RecordedEmbedder(spec.embeddings), run)
    )
    return await World.build(name, run.chunks(name), embedder, spec.weight)


async def _answering(
    document: Mapping[str, Any],
    choices: Sequence[AnswererChoice],
    ledger: Ledger,
    settings: Settings,
    sources: RunSources,
    exits: AsyncExitStack,
) -> AnswerRouter:
    """Build every answerer that any of these choices names; the first choice is in force."""
    used = sorted({name for choice in choices for name in choice.names()})
    models: Provider = NoModel()
    if "model" in used and sources.live:
        models = await exits.enter_async_context(
            connect_endpoints(settings, require_endpoints(settings), sources.tell)
        )
    answerers = _answerers(document, used, ledger, settings, sources, models, exits)
    form = ModelSpec.model_validate(document["model"]).form if document["model"] else "example"
    return AnswerRouter(document["seed"], choices[0], answerers, form)


async def _outside_embedder(
    name: str, store: RunFile, settings: Settings, sources: RunSources, exits: AsyncExitStack
) -> Embedder:
    """Build an embedder that stores its vectors in the run; in a replay it only reads stored vectors."""
    if not sources.live:
        return StoredEmbedder(RecordedEmbedder(name), store)
    endpoints = settings.embeddings or require_endpoints(settings)
    connection = await exits.enter_async_context(connect_endpoints(settings, endpoints, sources.tell))
    return StoredEmbedder(connection.embedder(name), store)


async def _worlds(
    run: RunFile, document: Mapping[str, Any], settings: Settings, sources: RunSources, exits: AsyncExitStack
) -> dict[str, World]:
    worlds = {}
    fitted = run.fitted_parts()
    for name, table in document["world"].items():
        spec = WorldSpec.model_validate(table)
        chunks = run.chunks(name, until=0)
        if spec.embeddings is not None:
            store = sources.recorded or run
            embedder = await _outside_embedder(spec.embeddings, store, settings, sources, exits)
        else:
            embedder = LSA.from_bytes(fitted[f"lsa:{name}"])
        worlds[name] = await World.build(name, chunks, embedder, spec.weight)
    return worlds


def _spending(run: RunFile, settings: Settings) -> Spending:
    used = run.usage(abandoned=True)
    tokens = used["prompt_tokens"], used["reply_tokens"]
    return Spending(settings.limits, settings.prices, used["calls"], *tokens, *run.special_tokens())


def _answerers(
    document: Mapping[str, Any],
    used: Sequence[str],
    ledger: Ledger,
    settings: Settings,
    sources: RunSources,
    models: Provider,
    exits: AsyncExitStack,
) -> dict[str, Answerer]:
    answerers: dict[str, Answerer] = {"offline": OfflineAnswerer()}
    slots = SessionLimits(
        {label: settings.systems.get(label, SystemSettings()).width for label in document["system"]}
    )
    # A type may ask any declared system in its own name; one that is never asked is never connected to.
    for name in sorted({*used, *(f"system:{label}" for label in document["system"])}):
        if name == "model":
            model = ModelSpec.model_validate(document["model"])
            answerers[name] = ModelAnswerer(ledger, models, model.name, model.sampling())
        elif name == "human":
            people = people_asker(settings.human, ledger.run.folder / "inbox")
            answerers[name] = ExternalAnswerer(ledger, "human", people, "human")
        elif name.startswith("system:"):
            label = name.removeprefix("system:")
            spec = SystemSpec.model_validate(document["system"][label])
            talks, dialogues = SystemSessions(spec, label), SystemDialogues(spec, label, ledger.run, slots)
            exits.push_async_callback(talks.aclose)
            exits.push_async_callback(dialogues.aclose)
            answerers[name] = SystemAnswerer(ledger, talks.give, dialogues, label)
        elif name == "recording":
            if sources.live and sources.played is None:
                raise InputError('answers = "recording" plays an earlier run; name it with --recording RUN')
            if sources.played is not None:
                check_replayable(sources.played)
            answerers[name] = RecordedAnswerer(ledger, sources.played or ledger.source)
    return answerers


def _web(document: Mapping[str, Any], settings: Settings, sources: RunSources) -> WebSearch | None:
    if not document["web_search"]:
        return None
    if settings.search is None:
        if not sources.live:
            return _NoWeb()
        raise InputError(
            "this study searches the web, but the settings name no service; write into openiir.toml:\n"
            '  [search]\n  url = "http://localhost:8080"    # a SearXNG instance'
        )
    return web_search(settings.search.service, settings.search.url, settings.search.key_env)


class NoModel:
    """Placeholder for the model endpoint in a replay; every call raises an error."""

    async def complete(self, request: Any) -> Any:
        raise InputError("a replay asks no model anew, but this call is not on record")


class _NoWeb:
    """Placeholder for the web search in a replay; every search raises an error."""

    async def search(self, query: str, n: int) -> Any:
        raise InputError(f"a replay searches nothing anew, but {query!r} is not on record")
