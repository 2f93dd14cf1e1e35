"""The type of study: its configuration, its actions and its four methods."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from new_type.metrics import SURFACES, review_measures
from new_type.questions import RatePassage
from openiir.plugin import (
    Action,
    Agent,
    ConfigTable,
    InputError,
    Interview,
    Log,
    Measure,
    Scenario,
    Stage,
    Stance,
    Step,
    Surface,
    stance_word,
)
from openiir.plugin.arguments import stance


class NewTypeConfig(ConfigTable):
    """The `[config]` table of a study."""

    statement: str = Field(min_length=8, max_length=400)
    """The statement that the passages are to support."""
    passages: int = Field(4, ge=1, le=50)
    """Number of passages under review; those that most reviewers find are chosen."""
    bias: float = Field(2.5, ge=0, le=10)
    """Points that full agreement with one's own view adds to a passage, offline."""


class PassageRated(Action):
    """A reviewer rated a passage."""

    kind: ClassVar[str] = "new-type.rated"
    passage: str
    score: int


class NewTypeStudy(Scenario):
    """Reviewers look passages up and rate how well each supports a statement."""

    name = "new-type"
    Config = NewTypeConfig
    structural = frozenset({"statement", "passages"})

    def actions(self) -> Sequence[type[Action]]:
        return (PassageRated,)

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        passages = await choose_passages(stage)
        yield Step("passages chosen")
        for number, passage in enumerate(passages, 1):
            await rate_passage(stage, passage)
            yield Step(f"passage {number} rated")

    def planned_steps(self, config: Any) -> Sequence[str]:
        return ["passages chosen", *(f"passage {n} rated" for n in range(1, config.passages + 1))]

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return review_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES


async def choose_passages(stage: Stage) -> list[str]:
    """Choose the passages that most reviewers find, ties by id; InputError if they find too few."""
    found: Counter[str] = Counter()
    for agent in stage.agents:
        found.update([hit.chunk.id for hit in await stage.lookup(agent, stage.config.statement, 8)])
    if len(found) < stage.config.passages:
        raise InputError(f"config.passages is above {len(found)}, the number that reviewers find")
    return sorted(found, key=lambda passage: (-found[passage], passage))[: stage.config.passages]


async def rate_passage(stage: Stage, passage: str) -> None:
    """Ask every reviewer to rate a passage, without knowing of the others; log it as action and as row."""
    text, config = stage.world().chunk(passage).text, stage.config
    batch = [
        (agent, RatePassage(config.statement, passage, text, compute_view(agent, config), config.bias))
        for agent in stage.agents
    ]
    for (agent, _), reply in zip(batch, await stage.ask_all(batch), strict=True):
        if reply is not None:
            stage.act(agent, PassageRated(passage=passage, score=reply.score))
            stage.row("ratings", step=stage.step, reviewer=agent.id, passage=passage, score=reply.score)


def compute_view(agent: Agent, config: NewTypeConfig) -> Stance:
    """Return the persona's stance in words; where it has none, the stance that its bio expresses."""
    own = agent.persona.stance
    return stance_word(stance(agent.persona.bio, config.statement) if own is None else own)
