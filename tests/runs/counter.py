"""A small type for the tests of systems that are asked in their own name:
visitors get pages from two of them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.plugin import (
    Action,
    Agent,
    Count,
    Draw,
    Interview,
    Lane,
    Log,
    Measure,
    Question,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
)


class CounterConfig(Record):
    systems: tuple[str, ...] = ("left", "right")
    pages: int = Field(default=2, ge=1, le=10)
    shown: int = Field(default=3, ge=1, le=10)


class Recommended(Record):
    items: tuple[Annotated[str, Field(max_length=64)], ...] = Field(max_length=10)


@dataclass(frozen=True)
class Page(Question[Recommended]):
    """Which items come next? (offline: the first ones)"""

    user: str
    n: Count
    seen: tuple[str, ...]
    kind: ClassVar[str] = "counter.page"

    def prompt(self) -> str:
        return f"Recommend {self.n} items to {self.user}, who has seen {', '.join(self.seen) or 'nothing'}."

    def request(self) -> Mapping[str, Any]:
        return {"user": self.user, "n": self.n, "seen": self.seen}

    def offline(self, draw: Draw) -> Recommended:
        return Recommended(items=tuple(str(n) for n in range(self.n)))


class Counter(Scenario):
    """Every visitor is shown pages by every system, one after the other."""

    name: ClassVar[str] = "counter"
    Config: ClassVar[type[Record]] = CounterConfig

    def actions(self) -> Sequence[type[Action]]:
        return []

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        while stage.step <= stage.config.pages:
            lives = {
                f"{agent.id}@{name}": self._visit(stage, agent, name)
                for agent in stage.agents
                for name in stage.config.systems
            }
            await stage.lanes(lives)
            yield Step(f"page {stage.step}")

    def _visit(self, stage: Stage, agent: Agent, name: str) -> Any:
        async def live(lane: Lane) -> None:
            page = Page(agent.id, stage.config.shown, tuple(f"old-{n}" for n in range(stage.step - 1)))
            got = await lane.ask(f"system:{name}", page)
            lane.row(
                "pages",
                agent=agent.id,
                system=name,
                step=stage.step,
                items=",".join(got.items if got else ()),
            )

        return live

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {"pages": Measure(value=float(len(log.table("pages"))))}

    def surfaces(self) -> Sequence[Surface | Interview]:
        return []
