"""Set-up of a run: load the catalogue, generate needs, and build readers, simulators and systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from openiir.kit.items import DataSet, Split, load, split
from openiir.plugin import InputError, Stage, study_path
from openiir.scenarios.conversational.behaviour.needs import NeedSampler, UserNeed
from openiir.scenarios.conversational.behaviour.simulators import AgendaUser, PromptedUser, Simulator
from openiir.scenarios.conversational.behaviour.systems import reference_system
from openiir.scenarios.conversational.behaviour.systems.adapters import (
    DeclaredSystemAdapter,
    PromptedSystemAdapter,
    ReferenceSystemAdapter,
    SystemAdapter,
)
from openiir.scenarios.conversational.behaviour.systems.attribute import PromptedSystem
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import ReferenceSystem
from openiir.scenarios.conversational.config import (
    DECLARED,
    ConversationalConfig,
    DialogueSystemSpec,
    SimulatorSpec,
)
from openiir.scenarios.conversational.model.dialogue import (
    SYSTEM_INTENTS,
    TITLE,
    USER_INTENTS,
    Dialogue,
    Need,
)
from openiir.scenarios.conversational.model.formats import read_dialogue_file
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.model.generation.trained_templates import TrainedTemplates
from openiir.scenarios.conversational.model.reply_habits import ReplyHabits
from openiir.scenarios.conversational.model.taste import NEWCOMER, TasteModel
from openiir.scenarios.conversational.model.titles.facets import Facets
from openiir.scenarios.conversational.model.understanding.annotating import find_need
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.model.understanding.trained import TrainedReader
from openiir.scenarios.conversational.run.actions import StudyOpened


@dataclass(frozen=True, eq=False)
class DialogueSetup:
    """Objects shared by all dialogues of a step: data, needs, simulators and systems."""

    config: ConversationalConfig
    """The configuration in force."""
    data: DataSet
    split: Split
    known: SystemKnowledge
    reader: CatalogueReader
    wishes: tuple[UserNeed, ...]
    simulators: Mapping[str, Simulator]
    systems: Mapping[str, DialogueSystemSpec]
    references: Mapping[str, ReferenceSystem]
    """Reference systems by their name in the study."""
    people: tuple[Dialogue, ...]
    """Human dialogues to compare the simulated dialogues with."""
    told: tuple[Dialogue, ...]
    """Human dialogues to extract needs from."""

    def facts(self, id: str) -> tuple[tuple[str, str], ...]:
        """Return the (slot, value) pairs of an item in the catalogue; empty for an unknown item."""
        collection = self.data.collection
        if (item := collection.index.get(id)) is None:
            return ()
        return tuple((s, v) for s in self.known.facets.slots for v in collection.values(s, item))

    def has_consumed(self, number: int, id: str) -> bool:
        """Whether the user of a need had consumed an item before."""
        return self.data.collection.index.get(id) in self.wishes[number].taste.consumed

    def create_adapter(self, stage: Stage, name: str, wish: UserNeed) -> SystemAdapter:
        """Create the adapter to a system for one dialogue about a need."""
        spec = self.systems[name]
        if spec.by.startswith(DECLARED):
            return DeclaredSystemAdapter(spec.by)
        user = None if wish.taste.user == NEWCOMER else wish.taste.user
        system = self.references[name]
        talk = system.open(wish.need, user)
        if isinstance(system, PromptedSystem):
            return PromptedSystemAdapter(name, system, talk, self.reader)
        return ReferenceSystemAdapter(talk, stage.draw("conversational.system", agent=wish.number, step=0))


def build_setup(config: ConversationalConfig, folder: Path) -> DialogueSetup:
    """Build the setup of a study; needs of human dialogues are those that the catalogue reader finds.

    Raises InputError, with the remedy, for data, needs or systems that cannot be.
    """
    data = load(config.data, folder)
    folds = split(data.ratings, config.data_seed, 0.0, config.held_out)
    if not len(data.collection):
        raise InputError(f"{data.name} has no items; there is nothing to recommend")
    reader, facets = _read(data)
    told = _dialogues(config.needs.dialogues, folder)
    found = tuple(find_need(dialogue, reader) for dialogue in told)
    past = partial(_dialogues, folder=folder)
    known = SystemKnowledge(data.collection, facets, folds.train, reader.user_acts, past, reader.titles)
    return DialogueSetup(
        config=config,
        data=data,
        split=folds,
        known=known,
        reader=reader,
        wishes=_draw_needs(_needs_json(config), data, found),
        people=_dialogues(config.validity.dialogues, folder),
        told=told,
        **_parties(config, reader, known, folder),
    )


def adapt_setup(ground: DialogueSetup, config: ConversationalConfig, folder: Path) -> DialogueSetup:
    """Return the setup under a changed configuration, with the same data and needs."""
    if config == ground.config:
        return ground
    return replace(ground, config=config, **_parties(config, ground.reader, ground.known, folder))


def _parties(
    config: ConversationalConfig, reader: CatalogueReader, known: SystemKnowledge, folder: Path
) -> dict[str, Any]:
    """Build both sides of the dialogues, as fields of DialogueSetup."""
    return {
        "simulators": {
            spec.name: _simulator(spec, reader, known.facets, folder) for spec in config.simulators
        },
        "systems": {spec.name: spec for spec in config.systems},
        "references": build_systems(config, known),
    }


def replace_needs(
    ground: DialogueSetup, config: ConversationalConfig, needs: Sequence[Need]
) -> DialogueSetup:
    """Replace the needs extracted from human dialogues. Raises InputError as `build_setup` does."""
    return replace(ground, wishes=_draw_needs(_needs_json(config), ground.data, tuple(needs)))


def build_systems(config: ConversationalConfig, known: SystemKnowledge) -> dict[str, ReferenceSystem]:
    """Build the reference systems of a study. Raises InputError naming the system that cannot be built."""
    made = {}
    for n, spec in enumerate(config.systems):
        if spec.by.startswith(DECLARED):
            if spec.options:
                raise InputError(
                    f"config.systems[{n}] {spec.name!r}: a declared system takes no options; remove them"
                )
            continue
        try:
            made[spec.name] = reference_system(spec.by, spec.options, known)
        except InputError as error:
            raise InputError(f"config.systems[{n}] {spec.name!r}: {error}") from None
    return made


def log_setup(stage: Stage, ground: DialogueSetup) -> None:
    """Log the data and settings at the start of a run."""
    data = ground.data
    stage.act(
        None,
        StudyOpened(
            data=data.name,
            noun=data.collection.kind,
            digest=data.digest,
            licence=data.licence,
            items=len(data.collection),
            slots=ground.known.facets.slots,
            catalogue=data.collection.fingerprint,
            users=data.ratings.users,
            ratings=len(data.ratings),
            held_out=len(ground.split.test),
            skipped=data.skipped,
            notes=data.notes,
            duplicates=stage.config.data.rules.duplicates,
            strict=stage.config.data.rules.strict,
            turns=stage.config.turns,
            simulators=tuple(ground.simulators),
            systems=tuple(ground.systems),
            targets=tuple(sorted(len(wish.need.targets) for wish in ground.wishes)),
        ),
    )


def _simulator(spec: SimulatorSpec, reader: CatalogueReader, facets: Facets, folder: Path) -> Simulator:
    templates, where = Templates(facets.collection.kind), f"config.simulators {spec.name!r}"
    if spec.by in ("single", "dual"):
        if spec.dialogues:
            raise InputError(f"{where}: dialogues teach the agenda user alone; remove the key")
        return PromptedUser(spec.name, reader, templates, dual=spec.by == "dual")
    slots = (TITLE, *facets.slots)
    if not spec.dialogues:
        if spec.by == "trained":
            raise InputError(f'{where}: by = "trained" learns from dialogues; name a file of annotated ones')
        return AgendaUser(spec.name, reader, templates, slots, spec.acts)
    past = _dialogues(spec.dialogues, folder)
    try:
        learnt = TrainedTemplates(past, templates)
        understands = _trained_reader(past, reader) if spec.by == "trained" else reader
    except InputError as error:
        raise InputError(f"{where}: {spec.dialogues}: {error}") from None
    return AgendaUser(spec.name, understands, learnt, slots, spec.acts, ReplyHabits.count(past))


def _trained_reader(dialogues: Sequence[Dialogue], reader: CatalogueReader) -> TrainedReader:
    """Train a reader on dialogues in openiir's intents. Raises InputError for other intents or none."""
    intents = {act.intent for one in dialogues for said in one.utterances for act in said.acts}
    if unknown := sorted(intents - {*USER_INTENTS, *SYSTEM_INTENTS}):
        raise InputError(
            f"a simulator cannot be trained on the intent {unknown[0]!r}; give dialogues with our own "
            "intents, or in a scheme that is known"
        )
    return TrainedReader(dialogues, reader)


def _needs_json(config: ConversationalConfig) -> str:
    """Return the keys that decide which needs are drawn, as JSON."""
    return config.model_dump_json(include={"dialogues", "data_seed", "held_out", "needs"})


@lru_cache(maxsize=1)
def _draw_needs(config: str, data: DataSet, people: tuple[Need, ...]) -> tuple[UserNeed, ...]:
    """Generate the needs of a study by `_needs_json`; cached, since both check and run need them."""
    spec = ConversationalConfig.model_validate_json(config)
    folds = split(data.ratings, spec.data_seed, 0.0, spec.held_out)
    facets = _read(data)[1]
    tastes = TasteModel(data.collection, folds.train, folds.test, spec.needs.stars)
    unnameable = frozenset(range(len(data.collection))) - set(
        SystemKnowledge(data.collection, facets).order.tolist()
    )
    return tuple(NeedSampler(spec, facets, tastes, people, unnameable).all())


@lru_cache(maxsize=2)
def _read(data: DataSet) -> tuple[CatalogueReader, Facets]:
    """Build a catalogue's reader and facets; cached, since both check and run need them."""
    return CatalogueReader(data.collection), Facets(data.collection)


def _dialogues(file: str, folder: Path) -> tuple[Dialogue, ...]:
    return read_dialogue_file(study_path(file, folder, "a file of dialogues")) if file else ()
