"""The feedback_outage type: clicks go missing on a search platform, by a fault or by people who only read."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from openiir.kit.signals import Channels, Outage, Restoration
from openiir.plugin import (
    Action,
    Control,
    InputError,
    Log,
    Measure,
    Members,
    Persona,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
    Twins,
)
from openiir.scenarios.feedback_outage.config import SEARCHER, FeedbackOutageConfig
from openiir.scenarios.feedback_outage.measures import outage_measures
from openiir.scenarios.feedback_outage.model.losses import DEFINITIONS
from openiir.scenarios.feedback_outage.model.material import build_material
from openiir.scenarios.feedback_outage.model.platform import CHANNELS, CONTROL, FAULT, READING
from openiir.scenarios.feedback_outage.run import OutageRun, SearchAction
from openiir.scenarios.feedback_outage.views import SURFACES

UNREAD, SILENT, JUDGED = ({"study": f"audit/{name}.toml"} for name in ("unread", "silent", "judged"))


class FeedbackOutage(Scenario):
    """A search platform that learns from clicks, and what is made of them, while clicks go missing."""

    name = "feedback_outage"
    Config = FeedbackOutageConfig
    structural = frozenset("searchers queries qrels documents content".split())
    events = {"outage": Outage, "restore": Restoration}
    remembers = shares = True
    definitions = DEFINITIONS
    step_word = "round"
    closing = "collapse"
    twins = Twins((CONTROL, FAULT), {"trust": 0.0}, "arm")
    controls = (
        Control("a channel lost that no evaluator reads", "fault/ndcg", UNREAD, less="control/ndcg"),
        Control("clicks and content lost, beside a random order", "fault/lead", SILENT, within=0.03),
        Control("clicks kept and lost, without content", "control/lead", SILENT, "fault/lead", least=0.2),
    )
    audited = {"searchers": 60, "queries": 20, "documents": 12}
    acts_with = {"qrels": JUDGED}

    def actions(self) -> Sequence[type[Action]]:
        return (SearchAction,)

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        people = stage.population(stage.config.searchers, SEARCHER)
        run = OutageRun(stage, people, await build_material(stage, self.folder))
        async for step in self.live_rounds(run.arms, run.live):
            yield step

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return outage_measures(log)

    def surfaces(self) -> Sequence[Surface]:
        return SURFACES

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        return {} if isinstance(config.queries, int) else {"main": "config.queries"}

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        Members(config.searchers, SEARCHER, dict(enumerate(personas)))
        if isinstance(config.queries, int) == bool(config.qrels):
            raise InputError(
                "queries of a collection need its relevance judgements in config.qrels, and synthetic ones "
                f"have none: queries = {config.queries!r:.60}, qrels = {config.qrels!r}"
            )

    def check_events(
        self, config: Any, events: Sequence[tuple[int, Record]], personas: Sequence[Persona]
    ) -> None:
        Channels(CHANNELS, READING).apply(*(event for _, event in events))
