"""What a run starts from: the catalogue, its readers and words, needs and users, simulators and systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from openiir.kit.dialogue import TITLE, Dialogue, Need
from openiir.kit.dialogue.formats import dialogues_in
from openiir.kit.items import DataSet, Facets, Split, load, split
from openiir.plugin import InputError, Stage, study_path
from openiir.scenarios.conversational.actions import Opened
from openiir.scenarios.conversational.config import DECLARED, ConversationalConfig, SimulatorSpec, SystemSpec
from openiir.scenarios.conversational.generation import Templates, TrainedTemplates
from openiir.scenarios.conversational.habits import Habits
from openiir.scenarios.conversational.needs import Wish, Wishes
from openiir.scenarios.conversational.partners import (
    DeclaredPartner,
    Partner,
    PromptedPartner,
    ReferencePartner,
)
from openiir.scenarios.conversational.simulators import AgendaUser, PromptedUser, Simulator
from openiir.scenarios.conversational.systems import Prompted, System, reference_system
from openiir.scenarios.conversational.systems.known import Known
from openiir.scenarios.conversational.taste import NEWCOMER, Tastes
from openiir.scenarios.conversational.understanding import CatalogueReader
from openiir.scenarios.conversational.understanding.annotating import need_of


@dataclass(frozen=True, eq=False)
class Ground:
    """What all dialogues of a run stand on."""

    data: DataSet
    split: Split
    known: Known
    reader: CatalogueReader
    wishes: tuple[Wish, ...]
    simulators: Mapping[str, Simulator]
    systems: Mapping[str, SystemSpec]
    made: Mapping[str, System]
    """Reference systems, by the name they have in the study."""
    people: tuple[Dialogue, ...]
    """What simulated dialogues are compared with."""
    told: tuple[Dialogue, ...]
    """Dialogues of people whose needs are taken up."""

    def facts(self, id: str) -> tuple[tuple[str, str], ...]:
        """What the catalogue says of an item, (slot, value) pairs; nothing of an item that it does not have."""
        collection = self.data.collection
        item = collection.index.get(id)
        return (
            ()
            if item is None
            else tuple((s, v) for s in self.known.facets.slots for v in collection.values(s, item))
        )

    def had(self, number: int, id: str) -> bool:
        """Whether the user of a need has had an item before."""
        return self.data.collection.index.get(id) in self.wishes[number].taste.consumed

    def partner(self, stage: Stage, name: str, wish: Wish) -> Partner:
        """The other side of a dialogue about a wish, fresh."""
        spec = self.systems[name]
        if spec.by.startswith(DECLARED):
            return DeclaredPartner(spec.by)
        user = None if wish.taste.user == NEWCOMER else wish.taste.user
        system = self.made[name]
        talk = system.open(wish.need, user)
        if isinstance(system, Prompted):
            return PromptedPartner(name, system, talk, self.reader)
        return ReferencePartner(talk, stage.draw("conversational.system", agent=wish.number, step=0))


def ground_of(config: ConversationalConfig, folder: Path) -> Ground:
    """Everything made ready, with the needs that the reader finds in people's dialogues.

    Raises InputError, with the remedy, for data, needs or systems that cannot be.
    """
    data = load(config.data, folder)
    folds = split(data.ratings, config.data_seed, 0.0, config.held_out)
    collection = data.collection
    if not len(collection):
        raise InputError(f"{data.name} has no items; there is nothing to recommend")
    reader, facets = _read(data)
    told = _dialogues(config.needs.dialogues, folder) if config.needs.dialogues else ()
    people = _dialogues(config.validity.dialogues, folder) if config.validity.dialogues else ()
    found = tuple(need_of(dialogue, reader) for dialogue in told)
    known = Known(
        collection,
        facets,
        folds.train,
        reader.user_acts,
        lambda file: _dialogues(file, folder),
        reader.titles,
    )
    return Ground(
        data=data,
        split=folds,
        known=known,
        reader=reader,
        wishes=_wishes(config, data, folds, known, found),
        simulators={
            spec.name: _simulator(spec, reader, facets, collection.kind, folder) for spec in config.simulators
        },
        systems={spec.name: spec for spec in config.systems},
        made=made_systems(config, known),
        people=people,
        told=told,
    )


def with_needs(ground: Ground, config: ConversationalConfig, needs: Sequence[Need]) -> Ground:
    """The same with these needs found in people's dialogues. Raises InputError as `ground_of` does."""
    return replace(ground, wishes=_wishes(config, ground.data, ground.split, ground.known, tuple(needs)))


def made_systems(config: ConversationalConfig, known: Known) -> dict[str, System]:
    """The reference systems of a study. Raises InputError naming the one that cannot be made."""
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


def note_opening(stage: Stage, ground: Ground) -> None:
    """What the run stands on, as an entry of the log."""
    data = ground.data
    stage.act(
        None,
        Opened(
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


def _simulator(
    spec: SimulatorSpec, reader: CatalogueReader, facets: Facets, kind: str, folder: Path
) -> Simulator:
    templates = Templates(kind)
    if spec.by != "agenda":
        if spec.dialogues:
            raise InputError(
                f"config.simulators {spec.name!r}: dialogues teach the agenda user alone; remove the key"
            )
        return PromptedUser(spec.name, reader, templates, dual=spec.by == "dual")
    slots = (TITLE, *facets.slots)
    if not spec.dialogues:
        return AgendaUser(spec.name, reader, templates, slots, spec.acts)
    past = _dialogues(spec.dialogues, folder)
    try:
        learnt = TrainedTemplates(past, templates)
    except InputError as error:
        raise InputError(f"config.simulators {spec.name!r}: {spec.dialogues}: {error}") from None
    return AgendaUser(spec.name, reader, learnt, slots, spec.acts, Habits.of(past))


def _wishes(
    config: ConversationalConfig, data: DataSet, folds: Split, known: Known, told: tuple[Need, ...]
) -> tuple[Wish, ...]:
    """The needs of a study, which its check and its run draw but once."""
    key = (config.model_dump_json(), data, told)
    if _drawn.get("key") != key:
        tastes = Tastes(data.collection, folds.train, folds.test, config.needs.stars)
        barred = frozenset(range(len(data.collection))) - set(known.order.tolist())
        wishes = Wishes(config, known.facets, tastes, told, barred)
        _drawn.update(key=key, wishes=tuple(wishes.all()))
    return tuple(_drawn["wishes"])


_drawn: dict[str, Any] = {}
"""The needs last drawn, with what they were drawn for."""


@lru_cache(maxsize=2)
def _read(data: DataSet) -> tuple[CatalogueReader, Facets]:
    """A catalogue's reader and facets, which a study's check and its run make but once."""
    return CatalogueReader(data.collection), Facets(data.collection)


def _dialogues(file: str, folder: Path) -> tuple[Dialogue, ...]:
    return dialogues_in(study_path(file, folder, "a file of dialogues"))
