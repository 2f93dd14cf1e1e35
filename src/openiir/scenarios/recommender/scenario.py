"""The type: simulated users with personas, memory and moods judge recommenders (SimUSER)."""

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
from openiir.scenarios.recommender.casting import check_ids, chosen_users, own_of, unmatched
from openiir.scenarios.recommender.config import WARM_UP, RecommenderConfig, SystemSpec
from openiir.scenarios.recommender.founding import data_of
from openiir.scenarios.recommender.measuring import recommender_measures
from openiir.scenarios.recommender.opening import open_study
from openiir.scenarios.recommender.serving import DECLARED, barred, systems_under_test
from openiir.scenarios.recommender.surfaces import SURFACES
from openiir.scenarios.recommender.tasks import EXPERIMENTS


class Recommender(Scenario):
    """Visitors with a history, and the recommenders they try; what is held out they never see."""

    name = "recommender"
    Config = RecommenderConfig
    structural = frozenset(RecommenderConfig.model_fields)
    """All of it: visits begin in the second step, and a visit under two rules would be neither."""
    audited = AUDITED
    acts_with = ACTS_WITH
    reference = REFERENCE

    def actions(self) -> Sequence[type[Action]]:
        return ACTIONS

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        ground = await open_study(stage, self.folder)
        yield Step("who visits, and what they know")
        async for step in EXPERIMENTS[stage.config.experiment](stage, ground):
            yield step

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return recommender_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        own = own_of(personas)
        if len(own) > config.users:
            raise InputError(
                f"config.users = {config.users}, but the study has {len(own)} personas; let there be as many visitors"
            )
        data, folds = data_of(config, self.folder, len(own))
        never = barred(folds.train, data.collection, config.page.only)
        systems_under_test(config.systems, data.collection, data.users, never, 0, self.folder)
        if config.visitors.memory == "sim":
            first = [SystemSpec(name=WARM_UP, by=config.visitors.warm_up)]
            systems_under_test(
                first, data.collection, data.users, never, 0, self.folder, "config.visitors.warm_up"
            )

    def systems_of(self, config: Any) -> Mapping[str, str]:
        declared = [system for system in config.systems if system.by.startswith(DECLARED)]
        return {system.by.removeprefix(DECLARED): f"config.systems {system.name!r}" for system in declared}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        own = own_of(personas)
        data, folds = data_of(config, self.folder, len(own))
        users = chosen_users(config, data, folds, len(own))
        found = (*(unmatched(data, user, config.visitors.tokens) for user in users.tolist()), *own)
        check_ids(found)
        return found
