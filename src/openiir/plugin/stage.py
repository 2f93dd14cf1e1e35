"""The stage: the interface by which a schedule asks, acts, draws and logs in a run."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents import (
    Agent,
    AnswerRouter,
    Crowd,
    Knowledge,
    Lane,
    Parallelism,
    map_in_processes,
    may_fork,
    run_unsuspended,
)
from openiir.core.asking import RestartLane
from openiir.core.claims import EXTRACTOR, ClaimSource, ExtractClaims, Origin, settle
from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Claim, Edge, Persona
from openiir.core.seeds import Draw
from openiir.core.storage import Log, StepRows

T = TypeVar("T")


class Stage(Lane):
    """Interface of a schedule to its run; also the run's main lane.

    `config` is the type's Config in force at this step. `agents` are those present: the cast in the study's order, then
    those who joined. `log` holds what earlier steps committed. `restored` holds the arrays of the last checkpoint in a
    resumed run, by name; it is None in a run executed from its first step.
    """

    def __init__(self, answering: AnswerRouter, knowledge: Knowledge, log: Log, config: Any) -> None:
        super().__init__("main", answering, knowledge)
        self.log = log
        self.config = config
        self.spread = Parallelism()
        self.restored: Mapping[str, NDArray[Any]] | None = None
        self.kept: dict[str, NDArray[Any]] | None = None
        self.changed: dict[str, Any] = {}
        self.lane_ended: Callable[[str, int, int], None] = lambda name, done, of: None
        """Callback for each lane's end: its name, number of the step's lanes that have ended, number of lanes."""
        self.agents: list[Agent] = []
        self.claims: list[Claim] = []
        self.edges: list[Edge] = []
        self._sources: list[ClaimSource] = []
        self._names: dict[str, str] = {}

    def begin(self, step: int) -> None:
        """Start a step and log the configuration changes that take effect with it."""
        super().begin(step)
        self.kept = None
        if self.changed:
            self.note("changed", None, self.changed)
            self.changed = {}

    def agent(self, name: str) -> Agent:
        """Return a present agent by id; raises UnknownName, or InputError for one that has left."""
        self._check_present(name)
        for agent in self.agents:
            if agent.id == name:
                return agent
        raise UnknownName("agent on this stage", name, (agent.id for agent in self.agents))

    def join(self, persona: Persona, key: str | int | None = None) -> Agent:
        """Add an agent during the run and log it; raises InputError for an id used before."""
        if persona.id in self.departed or any(a.id == persona.id for a in self.agents):
            raise InputError(
                f"an agent with the id {persona.id!r} is or was on the stage already; give each its own"
            )
        agent = Agent.of(persona, key)
        self.agents.append(agent)
        self.note("joined", agent.id, persona)
        return agent

    def leave(self, agent: Agent) -> None:
        """Remove an agent for the rest of the run and log it; it can no longer act or be asked."""
        gone = self.agent(agent.id)
        self.agents = [one for one in self.agents if one is not gone]
        self.departed[gone.id] = self.step
        self.note("left", gone.id, {})

    def draw(self, purpose: str, **parts: Any) -> Draw:
        """Create a random draw for anything but an agent's answer, keyed by purpose, parts and step."""
        return Draw(self.answering.seed, purpose, **{"step": self.step, **parts})

    def crowd(self, size: int) -> Crowd:
        """Create a population of `size` users, processed in blocks by the workers set in the settings."""
        return Crowd(size, self.spread)

    def keep(self, **arrays: NDArray[Any]) -> None:
        """Declare the type's whole state for a checkpoint, just before yielding a Step.

        Together with the study and the log, these arrays must suffice to continue after this step. If a checkpoint is
        due they are written, and a resumed run finds them as `restored`.
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
        """Run coroutines concurrently, each in its own lane; returns their results by name.

        Each coroutine reads shared state as it is now and must not change it. The lanes' logs join in the order given.
        With `pure`, the coroutines change nothing outside themselves and return values that can be pickled: if the
        behaviour model alone answers, they run in as many processes as the settings have workers.

        Coroutines that continue one activity over several steps pass the same `at`: their answers are drawn as in that
        step, so that the number of steps changes no draw.

        After a crash during a dialogue the declared system may have lost it. Then the lane restarts: its log is
        emptied, its replies of this step are set aside, and its coroutine is called again. So a coroutine with turns of
        a dialogue must create all its state itself, its agents (`Agent.of`, for their budgets) and memories included.
        """
        lanes = {name: Lane(name, self.answering, self.knowledge, apart=True, at=at) for name in lives}
        for lane in lanes.values():
            lane.departed = self.departed
            lane.begin(self.step)
        lived: dict[str, tuple[StepRows, T]] = {}
        if (
            pure
            and may_fork()
            and min(self.spread.workers, len(lives)) > 1
            and self.answering.offline_throughout
        ):
            lived = self._run_in_processes(lanes, lives)
            await asyncio.sleep(0)  # lets a stop that was requested meanwhile take effect
            for name, (rows, _) in lived.items():
                lanes[name].rows = rows
        left = {name: live for name, live in lives.items() if name not in lived}
        ended = count(len(lived) + 1)

        async def run(name: str, life: Callable[[Lane], Coroutine[Any, Any, T]]) -> T:
            result = await self._run_life(lanes[name], life)
            self.lane_ended(name, next(ended), len(lives))
            return result

        found = await asyncio.gather(*(run(*one) for one in left.items()), return_exceptions=True)
        results: dict[str, T | BaseException] = {name: result for name, (_, result) in lived.items()}
        results |= dict(zip(left, found, strict=True))
        for lane in lanes.values():
            lane.rows.chunks = await self.knowledge.take_in(lane.rows.chunks)
            self.rows.join(lane.rows)
        for name in lives:
            if isinstance(failure := results[name], BaseException):
                raise failure
        return {name: results[name] for name in lives}  # type: ignore[misc]

    def _run_in_processes(
        self, lanes: Mapping[str, Lane], lives: Mapping[str, Callable[[Lane], Coroutine[Any, Any, T]]]
    ) -> dict[str, tuple[StepRows, T]]:
        """Run lanes in processes; returns their logs and results, or {} if one of them waits or fails."""

        def run(name: str) -> tuple[StepRows, T]:
            result = run_unsuspended(lives[name](lanes[name]))
            return lanes[name].rows, result

        def tell(name: str, own: int) -> None:  # the other processes are about as far
            self.lane_ended(name, min(own * self.spread.workers, len(lives)), len(lives))

        try:
            return dict(map_in_processes(list(lives), run, self.spread.workers, tell))
        except Exception:  # raised anew by the coroutine itself, when it is run again here
            for lane in lanes.values():
                lane.begin(self.step)
            return {}

    async def _run_life(self, lane: Lane, life: Callable[[Lane], Coroutine[Any, Any, T]]) -> T:
        while True:
            self.answering.enter(lane.name)
            try:
                return await life(lane)
            except RestartLane:
                self.knowledge.ledger.abandon(lane.name, self.step)
                lane.begin(self.step)
            finally:
                await self.answering.leave(lane.name)

    async def extract(self, said: ClaimSource) -> list[Claim]:
        """Extract claims from an utterance or post; returns the new claims, which join the graph with their edges."""
        return (await self.extract_all([said]))[0]

    async def extract_all(self, batch: Sequence[ClaimSource]) -> list[list[Claim]]:
        """Extract claims from simultaneous utterances, none of which sees the others' claims."""
        for speaker in {one.speaker for one in batch} - self._names.keys():
            self._names[speaker] = next((a.persona.name for a in self.agents if a.id == speaker), speaker)
        questions = [ExtractClaims.about(one, self.claims, self._sources, self._names) for one in batch]
        self._sources += batch
        replies = await self.ask_all([("extractor", q) for q in questions])
        return [
            self._join_graph(said, question, reply) if reply is not None else []
            for said, question, reply in zip(batch, questions, replies, strict=True)
        ]

    def _join_graph(self, said: ClaimSource, question: ExtractClaims, reply: Any) -> list[Claim]:
        origin = Origin(
            step=self.step,
            speaker=said.speaker,
            utterance=said.number,
            extractor=self.answering.label("extractor", question.kind, EXTRACTOR),
            next_number=len(self.claims) + 1,
            cites=said.cites,
        )
        offline = self.answerer("extractor", question.kind) == "offline"
        claims, edges, restated = settle(
            question, question.by_rules() if offline else question.read(reply), origin
        )
        self.claims += claims
        self.edges += edges
        self.rows.claims += claims
        self.rows.edges += edges
        for claim in restated:
            self.note("restated", said.speaker, {"claim": claim, "utterance": said.number})
        return list(claims)
