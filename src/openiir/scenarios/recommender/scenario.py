"""Recommender study type: simulated users with personas, memory and moods visit recommenders (SimUSER)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from openiir.plugin import (
    Action,
    InputError,
    Interview,
    Log,
    Measure,
    Persona,
    Scenario,
    Stage,
    Step,
    Surface,
)
from openiir.scenarios.recommender.actions import ACTIONS
from openiir.scenarios.recommender.auditing import ACTS_WITH, AUDITED, REFERENCE
from openiir.scenarios.recommender.config import WARM_UP, RecommenderConfig, RecommenderSystemSpec
from openiir.scenarios.recommender.data import load_data
from openiir.scenarios.recommender.definitions import DEFINITIONS
from openiir.scenarios.recommender.measuring import recommender_measures
from openiir.scenarios.recommender.setup import cast_of, set_up, study_personas
from openiir.scenarios.recommender.surfaces import SURFACES
from openiir.scenarios.recommender.surfaces.timeline import described_persona
from openiir.scenarios.recommender.systems import DECLARED, barred_items, systems_under_test
from openiir.scenarios.recommender.tasks import EXPERIMENTS, most_steps


class RecommenderScenario(Scenario):
    """Simulated users with a history visit recommenders; held-out ratings are never shown to them."""

    name = "recommender"
    definitions = DEFINITIONS
    Config = RecommenderConfig
    structural = frozenset(RecommenderConfig.model_fields)
    """Keys that cannot change during a run: all, since visits take place within one step."""
    audited = AUDITED
    acts_with = ACTS_WITH
    remembers = reflects = True
    reference = REFERENCE

    def actions(self) -> Sequence[type[Action]]:
        return ACTIONS

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        study = await set_up(stage, self.folder)
        yield Step("who visits, and what they know")
        async for step in EXPERIMENTS[stage.config.experiment](stage, study):
            yield step

    def planned_steps(self, config: Any) -> int:
        return 1 + most_steps(config)

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return recommender_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def describe(self, log: Log, persona: Persona) -> Persona:
        return described_persona(log, persona)

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        own = study_personas(personas)
        if len(own) > config.users:
            raise InputError(
                f"config.users = {config.users}, but the study has {len(own)} personas; let there be as many visitors"
            )
        data, folds = load_data(config, self.folder, len(own))
        never = barred_items(folds.train, data.collection, config.page.only)
        systems_under_test(config.systems, data.collection, data.users, never, 0, self.folder)
        if config.visitors.memory == "sim":
            first = [RecommenderSystemSpec(name=WARM_UP, by=config.visitors.warm_up)]
            systems_under_test(
                first, data.collection, data.users, never, 0, self.folder, "config.visitors.warm_up"
            )

    def systems_of(self, config: Any) -> Mapping[str, str]:
        declared = [system for system in config.systems if system.by.startswith(DECLARED)]
        return {system.by.removeprefix(DECLARED): f"config.systems {system.name!r}" for system in declared}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        return cast_of(config, personas, self.folder)
