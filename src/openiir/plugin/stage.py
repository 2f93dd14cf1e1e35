"""What a schedule acts through: whatever does not go through the stage did not happen."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents import (
    FORKS,
    Agent,
    Answering,
    Crowd,
    Knowledge,
    Lane,
    Spread,
    finished,
    in_processes,
)
from openiir.core.asking import StartAnew
from openiir.core.claims import EXTRACTOR, ExtractClaims, Origin, settle
from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Citation, Claim, Edge, Persona
from openiir.core.seeds import Draw
from openiir.core.storage import Log, StepRows

T = TypeVar("T")


@dataclass(frozen=True)
class Said:
    """An utterance or post, as the claim extractor reads it."""

    text: str
    """The words that claims are looked for in; spans refer to it."""
    speaker: str
    number: int
    """The utterance's number in the run."""
    topic: str
    reply_to: str | None = None
    """The claim it answers."""
    cites: tuple[Citation, ...] = ()


class Stage(Lane):
    """The main lane of a run, with everything a type may use.

    `config` is the type's Config as it stands at this step; `agents` is who is there, the cast in the study's order
    and then those who joined; `log` is what earlier steps committed. `restored` holds the arrays kept at the step after which a resumed run goes on; it is
    None where a run is executed from its first step.
    """

    def __init__(self, answering: Answering, knowledge: Knowledge, log: Log, config: Any) -> None:
        super().__init__("main", answering, knowledge)
        self.log = log
        self.config = config
        self.spread = Spread()
        self.restored: Mapping[str, NDArray[Any]] | None = None
        self.kept: dict[str, NDArray[Any]] | None = None
        self.changed: dict[str, Any] = {}
        self.agents: list[Agent] = []
        self.claims: list[Claim] = []
        self.edges: list[Edge] = []

    def begin(self, step: int) -> None:
        """Start a step, noting the changes that take effect with it."""
        super().begin(step)
        self.kept = None
        if self.changed:
            self.note("changed", None, self.changed)
            self.changed = {}

    def agent(self, name: str) -> Agent:
        """The agent on the stage with this id; raises UnknownName, and InputError for one that left."""
        self._check_present(name)
        for agent in self.agents:
            if agent.id == name:
                return agent
        raise UnknownName("agent on this stage", name, (agent.id for agent in self.agents))

    def join(self, persona: Persona, key: str | int | None = None) -> Agent:
        """Add an agent during the run; logged. An id that an agent had before, present or not, is refused."""
        if persona.id in self.departed or any(a.id == persona.id for a in self.agents):
            raise InputError(
                f"an agent with the id {persona.id!r} is or was on the stage already; give each its own"
            )
        agent = Agent.of(persona, key)
        self.agents.append(agent)
        self.note("joined", agent.id, persona)
        return agent

    def leave(self, agent: Agent) -> None:
        """Take an agent off the stage for the rest of the run; logged. From then on it cannot act or be asked."""
        gone = self.agent(agent.id)
        self.agents = [one for one in self.agents if one is not gone]
        self.departed[gone.id] = self.step
        self.note("left", gone.id, {})

    def draw(self, purpose: str, **parts: Any) -> Draw:
        """Draws of the platform's own (not an agent's answer), named by purpose and parts; the step is added."""
        return Draw(self.answering.seed, purpose, **{"step": self.step, **parts})

    def crowd(self, size: int) -> Crowd:
        """A population of `size` users, to be worked on in blocks on the settings' workers."""
        return Crowd(size, self.spread)

    def keep(self, **arrays: NDArray[Any]) -> None:
        """Declare, just before a Step is yielded, that these arrays are all the type's state.

        With what the study and the log hold, they must be all it takes to go on after this step. Where a checkpoint
        is due they are written, and a resumed run finds them as `restored`. Arrays of bool, numbers or text.
        """
        kept = {name: np.asarray(array) for name, array in arrays.items()}
        for name, array in kept.items():
            if array.dtype.kind not in "biufU":
                raise InputError(
                    f"stage.keep({name}=...) is given values of type {array.dtype}; keep arrays of bool, numbers or text"
                )
        self.kept = kept

    async def lanes(
        self,
        lives: Mapping[str, Callable[[Lane], Coroutine[Any, Any, T]]],
        *,
        pure: bool = False,
        at: int | None = None,
    ) -> dict[str, T]:
        """Let each life run in a lane of its own, all at the same time; their logs join in the order given.

        A life sees shared state as it stands now and must not change it; what it returns comes back by name. Those
        that are `pure` change nothing at all outside themselves, and what they return can be pickled: where nobody but
        the behaviour model answers, they are spread over as many processes as the settings have workers.

        Lives that are spread over several steps only so that a run is saved in between give the same `at`: their answers
        draw as in that step, so that how they are spread changes nothing.

        Where a run that was killed amid a dialogue is resumed, the system it was held with may have forgotten it. Then
        the lane is lived again from its beginning: its log is emptied, what it had been answered in this step is set
        aside, and its life is called once more. So a life in which turns of a dialogue are said makes all its state
        inside itself, its agents (`Agent.of`, for their budgets) and memories included.
        """
        lanes = {name: Lane(name, self.answering, self.knowledge, apart=True, at=at) for name in lives}
        for lane in lanes.values():
            lane.departed = self.departed
            lane.begin(self.step)
        lived: dict[str, tuple[StepRows, T]] = {}
        if pure and FORKS and min(self.spread.workers, len(lives)) > 1 and self.answering.offline_throughout:
            lived = self._lived_apart(lanes, lives)
            await asyncio.sleep(0)  # where a stop that was asked for meanwhile takes effect
            for name, (rows, _) in lived.items():
                lanes[name].rows = rows
        left = {name: live for name, live in lives.items() if name not in lived}
        found = await asyncio.gather(
            *(self._lived(lanes[name], live) for name, live in left.items()), return_exceptions=True
        )
        results: dict[str, T | BaseException] = {name: result for name, (_, result) in lived.items()}
        results |= dict(zip(left, found, strict=True))
        for lane in lanes.values():
            lane.rows.chunks = await self.knowledge.take_in(lane.rows.chunks)
            self.rows.join(lane.rows)
        for name in lives:
            if isinstance(failure := results[name], BaseException):
                raise failure
        return {name: results[name] for name in lives}  # type: ignore[misc]

    def _lived_apart(
        self, lanes: Mapping[str, Lane], lives: Mapping[str, Callable[[Lane], Coroutine[Any, Any, T]]]
    ) -> dict[str, tuple[StepRows, T]]:
        """The logs and results of lives that need nobody outside; of those that do, or fail, nothing."""

        def lived(name: str) -> tuple[StepRows, T]:
            result = finished(lives[name](lanes[name]))
            return lanes[name].rows, result

        try:
            return dict(in_processes(list(lives), lived, self.spread.workers))
        except Exception:  # told by the life itself, when it is lived again here
            for lane in lanes.values():
                lane.begin(self.step)
            return {}

    async def _lived(self, lane: Lane, life: Callable[[Lane], Coroutine[Any, Any, T]]) -> T:
        while True:
            self.answering.enter(lane.name)
            try:
                return await life(lane)
            except StartAnew:
                self.knowledge.ledger.abandon(lane.name, self.step)
                lane.begin(self.step)
            finally:
                await self.answering.leave(lane.name)

    async def extract(self, said: Said) -> list[Claim]:
        """Have the extractor read what was said; new claims and their edges to earlier ones join the graph."""
        return (await self.extract_all([said]))[0]

    async def extract_all(self, batch: Sequence[Said]) -> list[list[Claim]]:
        """As `extract`, for things said at the same time: none of them sees the claims of the others."""
        questions = [ExtractClaims.about(s.topic, s.text, self.claims, s.reply_to or "") for s in batch]
        replies = await self.ask_all([("extractor", q) for q in questions])
        return [
            self._join_graph(said, question, reply) if reply is not None else []
            for said, question, reply in zip(batch, questions, replies, strict=True)
        ]

    def _join_graph(self, said: Said, question: ExtractClaims, reply: Any) -> list[Claim]:
        origin = Origin(
            step=self.step,
            speaker=said.speaker,
            utterance=said.number,
            extractor=self.answering.label("extractor", question.kind, EXTRACTOR),
            next_number=len(self.claims) + 1,
            cites=said.cites,
        )
        claims, edges, restated = settle(question, reply, origin)
        self.claims += claims
        self.edges += edges
        self.rows.claims += claims
        self.rows.edges += edges
        for claim in restated:
            self.note("restated", said.speaker, {"claim": claim, "utterance": said.number})
        return list(claims)
