"""Recommender study type: simulated users with personas, memory and moods visit recommenders (SimUSER)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from openiir.plugin import (
    Action,
    Control,
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
from openiir.scenarios.recommender.behaviour.systems import DECLARED, barred_items, systems_under_test
from openiir.scenarios.recommender.config import WARM_UP, RecommenderConfig, RecommenderSystemSpec
from openiir.scenarios.recommender.measures import recommender_measures
from openiir.scenarios.recommender.measures.definitions import DEFINITIONS
from openiir.scenarios.recommender.run.actions import ACTIONS
from openiir.scenarios.recommender.run.data import load_data
from openiir.scenarios.recommender.run.experiments import EXPERIMENTS
from openiir.scenarios.recommender.run.setup import (
    apply_config_changes,
    list_run_personas,
    set_up,
    study_personas,
)
from openiir.scenarios.recommender.views import SURFACES
from openiir.scenarios.recommender.views.timeline import add_matched_traits

_AUDITED: Mapping[str, Any] = {
    "data.synthetic": {"users": 40, "items": 60},
    "users": 4,
    "systems": [{"name": "popularity", "by": "popularity"}],
    "page.most": 2,
}
_RATINGS = {"study": "audit/ratings/study.toml"}
_ITEMS = {"study": "audit/items/study.toml"}
_BOOKS = {"study": "audit/books/study.toml"}
_ITEM_TABLE = (
    "file separator encoding names key attributes lists title summary description caption image".split()
)
_DISCRIMINATION = {
    "experiment": "discrimination",
    "discrimination.items": 4,
    "discrimination.least": 2,
    "discrimination.negatives": [1, 2],
}
_BATTERY = {"battery.pages": [1], "battery.items": 5}
_ACTS_WITH: Mapping[str, Mapping[str, Any]] = {
    **{f"data.{key}": _RATINGS for key in ("name", "ratings", "kind", "minimum_ratings")},
    **{
        f"data.ratings.{key}": _RATINGS
        for key in "file separator encoding names user item rating time scale".split()
    },
    **{f"data.rules.{key}": _RATINGS for key in ("duplicates", "strict")},
    "data.items": {**_ITEMS, "data.enrichment": []},
    "data.enrichment": _ITEMS,
    **{f"data.items.{key}": {**_ITEMS, "data.enrichment": []} for key in _ITEM_TABLE},
    **{f"data.enrichment[].{key}": _ITEMS for key in _ITEM_TABLE},
    "data.path": _BOOKS,
    "published_split": _BOOKS,
    "systems": {"systems": [{"name": name, "by": name} for name in ("popularity", "random")]},
    "systems[].options": {"systems": [{"name": "als", "by": "als", "options": {"factors": 4}}]},
    **{f"visitors.{key}": {"visitors.memory": "sim"} for key in ("warm_up", "warm_up_pages")},
    "visitors.travel": {"visitors.leaving": "patch", "page.most": 8},
    "page.clicks": {"users": 12, "page.items": 8, "page.most": 6},
    "page.returns": {"page.items": 1, "page.most": 12, "page.exits": False},
    "page.only": {"page.only": ["drama"]},
    "battery.items": _BATTERY,
    **{f"discrimination.{key}": _DISCRIMINATION for key in ("negatives", "items", "kinds")},
    "discrimination.least": {**_DISCRIMINATION, "users": 12},
    **{f"rating.{key}": {"experiment": "rating", "rating.items": 2} for key in ("items", "unknown")},
    "thumbnails.items": {"experiment": "thumbnails", "thumbnails.items": 2},
    "coherence.requests": {"experiment": "coherence", "coherence.requests": 1},
}


_SMALL: Mapping[str, Any] = {"users": 60}
_ALS = {"name": "als", "by": "als", "options": {"factors": 8}}
_SET_UP = "who visits, and what they know"
_STRUCTURAL = (
    "experiment",
    "data",
    "data_seed",
    "published_split",
    "held_out",
    "users",
    "systems[].name",
    *(
        f"visitors.{key}"
        for key in ("graph", "similar", "taste", "memory", "warm_up", "warm_up_pages", "tokens")
    ),
    "discrimination.kinds",
    "discrimination.least",
)
"""Keys that define who visits what, the arrays of their tastes, and what memories and budgets begin with."""


class RecommenderScenario(Scenario):
    """Simulated users with rating histories visit recommenders; held-out ratings stay hidden from both."""

    name = "recommender"
    definitions = DEFINITIONS
    Config = RecommenderConfig
    structural = frozenset(_STRUCTURAL)
    controls = (
        Control(
            "one recommender under two names",
            "one/P_view",
            {**_SMALL, "systems": [{"name": name, "by": "popularity"} for name in ("one", "two")]},
            less="two/P_view",
        ),
        Control(
            "visitors who find pages by what they like, and at random",
            "als/P_view",
            {**_SMALL, "systems": [_ALS, {"name": "random", "by": "random"}]},
            less="random/P_view",
            least=0.03,
        ),
    )
    audited = _AUDITED
    acts_with = _ACTS_WITH
    remembers = reflects = True

    def actions(self) -> Sequence[type[Action]]:
        return ACTIONS

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        study = await set_up(stage, self.folder)
        yield Step(_SET_UP)
        await apply_config_changes(stage, study)
        async for step in EXPERIMENTS[stage.config.experiment].schedule(stage, study):
            yield step
            await apply_config_changes(stage, study)

    def planned_steps(self, config: Any) -> Sequence[str]:
        return [_SET_UP, *EXPERIMENTS[config.experiment].labels(config)]

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return recommender_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def describe(self, log: Log, persona: Persona) -> Persona:
        return add_matched_traits(log, persona)

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        own = study_personas(personas)
        if len(own) > config.users:
            raise InputError(
                f"config.users = {config.users}, but the study has {len(own)} personas; let there be as "
                "many visitors"
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
        return list_run_personas(config, personas, self.folder)
