"""The stage: the interface by which a schedule asks, acts, draws and logs in a run."""

import asyncio
from collections import deque
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
    Memory,
    Parallelism,
    Population,
    map_in_processes,
    may_fork,
    run_unsuspended,
)
from openiir.core.asking import RestartLane
from openiir.core.claims import EXTRACTOR, HEARD, ClaimIndex, ClaimSource, ExtractClaims, settle
from openiir.core.clock import CLOCK
from openiir.core.errors import InputError, RunStopped, UnknownName
from openiir.core.grid import round_floats
from openiir.core.records import Claim, Edge, Persona, Record
from openiir.core.seeds import Draw
from openiir.core.storage import Log, Members, StepRows
from openiir.plugin.checkpoint import STAGE, AgentState, StageState, check_arrays, restore_agents
from openiir.plugin.member_events import DepartureEvent, PromotionEvent

T = TypeVar("T")


class Stage(Lane):
    """Interface of a scenario's schedule to its run, to ask agents and log what happens.

    `config` is the type's Config in force at this step. `agents` are those present: the cast in the study's
    order, then those who joined. `log` holds what earlier steps committed. `restored` holds the arrays of the
    last checkpoint in a resumed run, by name; it is None in a run executed from its first step. `clock` is
    the simulated time at the start of this step, in minutes since the start of the run; it is 0 until a step
    ends with a time.
    """

    def __init__(self, answering: AnswerRouter, knowledge: Knowledge, log: Log, config: Any) -> None:
        super().__init__("main", answering, knowledge)
        self.log = log
        self.config = config
        self.clock = 0
        self.spread = Parallelism()
        self.restored: Mapping[str, NDArray[Any]] | None = None
        self.kept: dict[str, NDArray[Any]] | None = None
        self._memories: Mapping[str, Memory] = {}
        self._dumped: Mapping[str, Any] = {}
        self.changed: dict[str, Any] = {}
        self.events: tuple[Record, ...] = ()
        """The study's events at this step, in its order, as records of the type's declared classes."""
        self.lane_ended: Callable[[str, int, int], None] = lambda name, done, of: None
        """Callback for each lane's end: its name, and how many of how many lanes have ended."""
        self.choose_lanes: Callable[[Sequence[str]], Sequence[str]] = lambda names: names
        """Chooses the lanes that run; where some are left out, the run stops when the others have ended."""
        self.agents: list[Agent] = []
        self._population: Population | None = None
        self.claims: list[Claim] = []
        self.edges: list[Edge] = []
        self._claim_index = ClaimIndex()
        self._sources: deque[ClaimSource] = deque(maxlen=HEARD)
        self._names: dict[str, str] = {}

    def begin(self, step: int, events: Sequence[tuple[str, Record]] = ()) -> None:
        """Start a step; log the configuration changes that take effect with it, and its events by kind."""
        super().begin(step)
        self.kept = None
        if self.changed:
            self.note("changed", None, self.changed)
            self.changed = {}
        self.events = tuple(event for _, event in events)
        for kind, event in events:
            self.note("event", None, {"kind": kind, **event.model_dump(mode="json")})

    def set_clock(self, minute: int | None) -> None:
        """Log the simulated time, in minutes since the start, at the end of a step; None logs nothing."""
        if minute is None:
            return
        if isinstance(minute, bool) or not isinstance(minute, int | np.integer):
            raise InputError(f"at = {minute!r}; give whole minutes since the start of the run")
        if minute < self.clock:
            raise InputError(
                f"at = {minute}, before the time at its start, {self.clock}; simulated time cannot go back"
            )
        self.clock = int(minute)
        self.note(CLOCK, None, {"minute": self.clock})

    def agent(self, name: str) -> Agent:
        """Return a present agent by id; raises UnknownName, or InputError for one that has left."""
        self._check_present(name)
        found = next((agent for agent in self.agents if agent.id == name), None)
        if found is None:
            raise UnknownName("agent on this stage", name, (agent.id for agent in self.agents))
        return found

    def join(self, persona: Persona, key: str | int | None = None) -> Agent:
        """Add an agent during the run and log it; raises InputError for an id used before."""
        if persona.id in self.departed or any(a.id == persona.id for a in self.agents):
            raise InputError(
                f"an agent with the id {persona.id!r} is or was on the stage already; give each its own"
            )
        if "retrieval" not in persona.model_fields_set:
            persona = persona.model_copy(update={"retrieval": self.knowledge.default_mode})
        persona = Persona.model_validate(round_floats(persona))
        agent = Agent.of(persona, key)
        self.agents.append(agent)
        self.note("joined", agent.id, persona)
        return agent

    def leave(self, member: Agent | str) -> None:
        """Remove an agent, or the member with this id, for the rest of the run, and log it."""
        id = member.id if isinstance(member, Agent) else member
        if self._population is None:
            self.agent(id)
        else:
            self._check_present(id)
            self._population.present[self._population.row(id)] = False
        self.agents = [agent for agent in self.agents if agent.id != id]
        self.departed[id] = self.step
        self.note("left", id, {})

    def population(self, size: int, word: str = "member") -> Population:
        """Create the run's population of `size` members, the first of them the agents, and log it.

        A member without persona is called by `word` and its row, such as `reader-000017`. Call it once, at
        the start of the schedule. Raises InputError for fewer members than agents, and for an id that two
        would have.
        """
        if self._population is not None:
            raise InputError("the run has a population already; make one, with all members in it")
        if self.restored is None:
            cast = dict(enumerate(agent.persona for agent in self.agents))
            members = Members(size, word, cast)
            self.note("population", None, {"size": size, "word": word})
        else:
            members = self.log.members
        agents = {members.row(agent.id): agent for agent in self.agents}
        self._population = Population(members, agents, self.spread, self.restored)
        return self._population

    def promote(self, member: str | int, persona: Persona) -> Agent:
        """Turn a member of the crowd into an agent with a persona and a budget; id, row and history stay.

        The persona gets the member's id; its draws stay those of its row, under which tables have what it did
        so far. Raises InputError for a member that has a persona or has left.
        """
        if self._population is None:
            raise InputError("there is no population to promote from; make one with stage.population")
        row = self._population.row(member)
        if row in self._population.agents:
            raise InputError(f"{self._population.id(row)!r} has a persona already")
        persona = persona.model_copy(update={"id": self._population.id(row)})
        agent = self.join(persona, key=row)
        self._population.add(row, persona)
        self._population.agents[row] = agent
        self.note("promoted", agent.id, {"row": row})
        return agent

    def apply(self, event: PromotionEvent | DepartureEvent) -> Agent | None:
        """Carry out an event: promote a member, returning the new agent, or remove a member."""
        if isinstance(event, DepartureEvent):
            self.leave(event.member)
            return None
        return self.promote(event.member, Persona(id=event.member, name=event.name, bio=event.bio))

    def draw(self, purpose: str, **parts: Any) -> Draw:
        """Create a random draw for anything but an agent's answer, keyed by purpose, parts and step."""
        return Draw(self.answering.seed, purpose, **{"step": self.step, **parts})

    def crowd(self, size: int) -> Crowd:
        """Create a population of `size` users, processed in blocks by the workers set in the settings."""
        return Crowd(size, self.spread)

    def keep(self, memories: Mapping[str, Memory] | None = None, /, **arrays: NDArray[Any]) -> None:
        """Declare the scenario's complete state, for a checkpoint, just before yielding a Step.

        With the study, the log and the stage's own state, these must suffice to continue. A resumed run finds
        the arrays as `restored`; `restore_memories` fills memories of the same names.
        """
        columns = {} if self._population is None else self._population.state()
        kept = {name: np.asarray(array) for name, array in arrays.items()} | columns
        check_arrays(kept)
        self.kept, self._memories = kept, memories or {}

    async def restore_memories(self, memories: Mapping[str, Memory]) -> None:
        """Fill empty memories from the checkpoint that the run continues from; without one, leave them empty.

        Raises InputError for a memory that was not given to `keep` under this name.
        """
        if self.restored is None:
            return
        for name, memory in memories.items():
            if name not in self._dumped:
                raise InputError(
                    f"the checkpoint has no memory called {name!r}; give it to stage.keep to be restored"
                )
            await memory.restore(self._dumped[name])

    def collect_checkpoint(self) -> dict[str, NDArray[Any]]:
        """Collect what a checkpoint holds: the arrays that the type keeps, and the stage's own state."""
        agents = tuple(map(AgentState.of, self.agents))
        memories = {name: memory.dump() for name, memory in self._memories.items()}
        state = StageState(agents=agents, sources=tuple(self._sources), names=self._names, memories=memories)
        return {**(self.kept or {}), STAGE: state.as_array()}

    async def restore(self, step: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the state after a step from a checkpoint, and from the log up to that step."""
        self.log.until = step
        self.restored = {name: array for name, array in arrays.items() if name != STAGE}
        self.clock = self.log.time_of(step) or 0
        if STAGE not in arrays:  # of an earlier release, which wrote one only where nobody had been asked
            return
        state = StageState.from_array(arrays[STAGE])
        self.agents = restore_agents(state.agents, self.log)
        self.departed |= {event.actor or "": event.step for event in self.log.events("left")}
        self.claims, self.edges = self.log.claims(), self.log.edges()
        self._names, self._dumped = state.names, state.memories
        self._sources.extend(state.sources)
        await self.knowledge.add_chunks(self.log.found_chunks())

    async def lanes(
        self,
        lives: Mapping[str, Callable[[Lane], Coroutine[Any, Any, T]]],
        *,
        pure: bool = False,
        at: int | None = None,
    ) -> dict[str, T]:
        """Run coroutines concurrently, each with a log buffer (`Lane`) of its own; returns results by name.

        Each coroutine reads shared state as it is now and must not change it. The lanes' logs join in the
        order given. With `pure`, the coroutines change nothing outside themselves and return values that can
        be pickled: if the behaviour model alone answers, they run in as many processes as the settings have
        workers. Coroutines that go on over several steps pass the same `at`: their answers are drawn as in
        that step.

        After a crash during a dialogue the declared system may have lost it. Then the lane restarts: its log
        is emptied, its replies of this step are set aside, and its coroutine is called again. So a coroutine
        with turns of a dialogue must create all its state itself, its agents (`Agent.of`, for their budgets)
        and memories included.
        """
        chosen = {name: lives[name] for name in self.choose_lanes(list(lives))}
        if len(chosen) < len(lives):
            await self.lanes(chosen, at=at)
            raise RunStopped(f"{len(chosen)} of {len(lives)} lanes of step {self.step} have ended")
        lanes = {name: Lane(name, self.answering, self.knowledge, apart=True, at=at) for name in lives}
        for lane in lanes.values():
            lane.departed = self.departed
            lane.begin(self.step)
        lived: dict[str, tuple[StepRows, T]] = {}
        several = min(self.spread.workers, len(lives)) > 1
        offline = self.answering.is_all_offline and not self.knowledge.retrievers
        if pure and several and may_fork() and offline:
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
            lane.rows.chunks = await self.knowledge.add_chunks(lane.rows.chunks)
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
            self.answering.enter_lane(lane.name)
            try:
                return await life(lane)
            except RestartLane:
                self.knowledge.ledger.run.abandon(lane.name, self.step)
                lane.begin(self.step)
            finally:
                await self.answering.leave(lane.name)

    async def extract(self, said: ClaimSource) -> list[Claim]:
        """Extract an utterance's claims, which join the graph with their edges; returns the new ones."""
        return (await self.extract_all([said]))[0]

    async def extract_all(self, batch: Sequence[ClaimSource]) -> list[list[Claim]]:
        """Extract claims from simultaneous utterances; none of them sees the others' claims."""
        for speaker in {one.speaker for one in batch} - self._names.keys():
            self._names[speaker] = self._name(speaker)
        known = (self.claims, self._sources, self._names, self._claim_index)
        questions = [ExtractClaims.about(one, *known) for one in batch]
        self._sources.extend(batch)
        replies = await self.ask_all([("extractor", q) for q in questions])
        return [
            self._join_graph(said, question, reply) if reply is not None else []
            for said, question, reply in zip(batch, questions, replies, strict=True)
        ]

    def _name(self, speaker: str) -> str:
        if self._population is not None and speaker in self._population:
            return self._population.name(self._population.row(speaker))
        return next((agent.persona.name for agent in self.agents if agent.id == speaker), speaker)

    def _join_graph(self, said: ClaimSource, question: ExtractClaims, reply: Any) -> list[Claim]:
        offline = self.answerer("extractor", question.kind) == "offline"
        found = question.by_rules() if offline else question.read(reply)
        extractor = self.answering.label("extractor", question.kind, EXTRACTOR)
        claims, edges, restated = settle(found, said, self.step, extractor, len(self.claims) + 1)
        self.claims += claims
        self.edges += edges
        self.rows.claims += claims
        self.rows.edges += edges
        for claim in restated:
            self.note("restated", said.speaker, {"claim": claim, "utterance": said.number})
        return list(claims)
