"""The open_web type: what funds the web when agents skip advertisements, and do people retreat?"""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

from openiir.plugin import Arms, Control, InputError, Log, Measure, Scenario, Stage, Step, Surface, Twins
from openiir.scenarios.open_web.config import OpenWebConfig
from openiir.scenarios.open_web.measures import web_measures
from openiir.scenarios.open_web.model.articles import list_articles
from openiir.scenarios.open_web.model.outcomes import DEFINITIONS
from openiir.scenarios.open_web.model.publishers import Publishers
from openiir.scenarios.open_web.model.spaces import SpaceMap
from openiir.scenarios.open_web.run import AgentWeb
from openiir.scenarios.open_web.views import SURFACES

_LIKE_PEOPLE = {"shares": [0.8], "prices": ["as people"], "spaces.writing": 0.0}
_MOST = {"shares": [0.8], "prices": [0.01]}
_UNTOLD = {**_MOST, "retreat.detection": 0.3, "retreat.false_alarms": 0.3}
_UNPAID = {"shares": [1.0], "prices": [0.001]}


class OpenWeb(Scenario):
    """People and agents visit, read and write; publishers live on what is paid, and people may leave."""

    name = "open_web"
    Config = OpenWebConfig
    definitions = DEFINITIONS
    structural = frozenset(
        "people shares prices spaces.number spaces.writers trust.people trust.agents retreat.threshold "
        "retreat.firmness economy.publishers economy.niches economy.tail economy.costs".split()
    )
    worlds = frozenset({"main"})
    remembers = shares = True
    step_word = "week"
    closing = "summary"
    twins = Twins(("human", "80% as people"), _LIKE_PEOPLE, "arm")
    controls = (
        Control("agents nobody can tell", "80% at 1%/stayed", _UNTOLD, less="human/stayed"),
        Control("agents alone, unpaid", "human/survivors", _UNPAID, less="100% at 0.1%/survivors", least=0.5),
        Control("agents write most", "human/stayed", _MOST, less="80% at 1%/stayed", least=0.5),
    )
    audited = {"people": 120, "spaces.number": 4, "spaces.writers": 5, "rounds": 8, **_MOST, "shares": [0.4]}

    def actions(self) -> Sequence[Any]:
        return ()

    def check(self, config: Any, personas: Sequence[Any]) -> None:
        if (least := max(len(personas), config.spaces.number * config.spaces.writers)) > config.people:
            raise InputError(f"config.people = {config.people}; {least} are personas, or write; raise it")
        if len(config.list_arms()) <= len(config.shares) * len(config.prices):
            raise InputError("config.shares or config.prices has a value twice; name each once, as an arm")

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        config, draw = stage.config, stage.draw("open_web.start", step=0)
        rules, topics = (config.spaces, config.trust, config.retreat), list_articles(stage.world().chunks)
        map_ = SpaceMap.lay_out(config.people, *rules, topics, draw)
        users = stage.population(map_.size, "account")
        start = stage, users, map_, Publishers.draw_first(config.economy, draw)
        arms = Arms(stage, {name: AgentWeb(name, *start) for name in config.list_arms()})
        async for step in self.live_rounds(arms, partial(arms.live, AgentWeb.live)):
            yield step

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return web_measures(log)

    def surfaces(self) -> Sequence[Surface]:
        return SURFACES
