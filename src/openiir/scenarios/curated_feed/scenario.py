"""The curated_feed type: users scroll feeds week by week, under the study's ranker and its controls."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.rankers import RETRIEVAL, check_name
from openiir.plugin import (
    Action,
    Arms,
    Control,
    Draw,
    InputError,
    Interview,
    Log,
    Measure,
    Persona,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
    Twins,
)
from openiir.scenarios.curated_feed.behaviour.members import FeedCast
from openiir.scenarios.curated_feed.behaviour.personas import USER, check_cast, complete_cast
from openiir.scenarios.curated_feed.config import MAIN, NO_FEED, CuratedFeedConfig, Injection
from openiir.scenarios.curated_feed.measures.metrics import DEFINITIONS, FeedMeasuring, feed_measures
from openiir.scenarios.curated_feed.run.setup import (
    build_platform,
    check_catalogue_lasts,
    read_catalogue,
    search_world,
)
from openiir.scenarios.curated_feed.run.tables import write_arrivals, write_topics, write_users
from openiir.scenarios.curated_feed.run.week import run_week
from openiir.scenarios.curated_feed.views import SURFACES

REFERENCE = Path(__file__).parent / "reference"
AUDITED: Mapping[str, Any] = {
    "users": 16,
    "weeks": 2,
    "sessions": 1,
    "items.per_week": 40,
    "slots": 5,
    "candidates": 10,
    "audit_items": 10,
    "audit_users": 6,
    "beside": ["random"],
    "evaluate": ["history", "popularity"],
}
_SMALL: Mapping[str, Any] = {"users": 60, "weeks": 4, "evaluate": []}
_WORLD = {"study": "audit/study.toml"}
_NAMED = {
    **_WORLD,
    "promoted": 2,
    "topics": [
        {"name": "trams", "keywords": ["street"]},
        {"name": "libraries", "keywords": ["school", "children"]},
    ],
}
_EVALUATED = {
    "epsilon": 1.0,
    "candidates": 5,
    "measuring.ope.ranker": "history",
    "measuring.ope.least_ess": 1.0,
    "measuring.ope.largest_share": 1.0,
}
_JUDGED = {"measuring.qrels": str(REFERENCE / "audit" / "qrels.txt")}
ACTS_WITH: Mapping[str, Mapping[str, Any]] = {
    "persona.memory": {"promoted": 2},
    **{f"topics[].{key}": _NAMED for key in ("name", "keywords", "proposition", "at_issue")},
    **{f"items.{key}": _WORLD for key in ("source", "unit", "proposition")},
    "pool": {"pool": 25},
    "policy.by": {"policy.most": 1},
    "policy.weight": {"policy.by": "mmr"},
    **{f"policy.{key}": {"policy.by": "quota", "policy.share": 0.6} for key in ("group", "share")},
    "policy.most": {"policy.by": "cap"},
    "policy.factor": {"study": "audit/pushed.toml", "policy.by": "down_rank"},
    **{f"clicks.{key}": {"clicks.model": "dbn"} for key in ("satisfaction", "continuation")},
    "beliefs.bound": {"beliefs.rule": "bounded"},
    **{f"beliefs.{key}": {"beliefs.rule": "repulsion"} for key in ("repel_beyond", "repulsion")},
    **{
        f"measuring.ope.{key}": _EVALUATED
        for key in ("ranker", "clip", "least_ess", "largest_share", "resamples")
    },
    **{f"measuring.{key}": _JUDGED for key in ("qrels", "retrieval")},
}


class CuratedFeed(Scenario):
    """Users scroll a ranked feed, week by week, and their numeric beliefs move with what they read."""

    name = "curated_feed"
    definitions = DEFINITIONS
    Config = CuratedFeedConfig
    structural = frozenset(
        "users topics queries spread weeks slots items beside kept promoted evaluate".split()
    )
    events = {"inject": Injection}
    Measuring = FeedMeasuring
    remembers = shares = True
    controls = (
        Control(
            "a ranker that knows beliefs, beside a random feed",
            "click_rate",
            {**_SMALL, "ranker": "similarity", "beside": ["random"]},
            less="random/click_rate",
            least=0.03,
        ),
    )
    twins = Twins((MAIN, "history"), {"ranker": "history", "beside": ["history"]}, "feed")
    audited = AUDITED
    acts_with = ACTS_WITH

    def actions(self) -> Sequence[type[Action]]:
        return ()

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        platform = build_platform(stage)
        users = stage.population(stage.config.users, USER)
        if stage.restored is None:
            write_topics(stage, platform)
            write_users(stage, platform)
        else:
            week, platform.sessions = stage.restored["clock"].tolist()
            platform.take_over(week, read_catalogue(stage.log, platform.coming))
        names = (MAIN, *stage.config.beside)
        arms = Arms(stage, {name: FeedCast(stage, platform, users, name) for name in names})
        await stage.restore_memories(arms.memories())
        for week in range(platform.week + 1, stage.config.weeks + 1):
            platform.config = stage.config
            await search_world(stage, platform)
            since = len(platform.shelf.catalogue)
            platform.open_week(week, [event for event in stage.events if isinstance(event, Injection)])
            write_arrivals(stage, platform, since)
            policy, main = stage.config.policy, arms[MAIN].population
            main.ranker, main.policy = stage.config.ranker, policy.build(policy.group - 1)
            await arms.live(partial(run_week, stage, platform, users))
            platform.sessions += stage.config.sessions
            clock = np.array([platform.week, platform.sessions])
            stage.keep(arms.memories(), clock=clock, **arms.state())
            yield Step(f"week {week}")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return feed_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        beside = [name for name in config.beside if name != NO_FEED]
        for key, names in (("ranker", [config.ranker]), ("beside", beside), ("evaluate", config.evaluate)):
            for name in names:
                check_name(name, f"config.{key}")
        topics, items = config.declared_topics, config.items
        if items.source == "synthetic":
            check_catalogue_lasts(config, items.per_week * config.weeks, items.per_week)
        if RETRIEVAL in config.rankers and items.source != "world":
            raise InputError(
                f"the ranker {RETRIEVAL!r} searches documents, but config.items.source = {items.source!r}; "
                'set config.items.source = "world", and name documents in [world]'
            )
        for topic in topics or ():
            if items.source == "world" and not topic.stems():
                raise InputError(f"config.topics: {topic.name!r} has no word to find it by; give it keywords")
        check_cast(config, personas)

    def planned_steps(self, config: Any) -> Sequence[str]:
        return [f"week {week}" for week in range(1, config.weeks + 1)]

    def check_events(
        self, config: Any, events: Sequence[tuple[int, Record]], personas: Sequence[Persona]
    ) -> None:
        for step, event in events:
            if isinstance(event, Injection) and event.topic > config.k:
                raise InputError(
                    f"inject in week {step}: topic = {event.topic} of {config.k} topics; they are numbered "
                    "from 1"
                )

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        return {"main": 'config.items.source = "world"'} if config.items.source == "world" else {}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        return complete_cast(config, personas, Draw(seed, "curated_feed", step=0))
