"""Lanes: sequences of questions and events that run concurrently within a step, with their own buffers."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents import crowd_asking
from openiir.core.agents.action import Action
from openiir.core.agents.agent import Agent
from openiir.core.agents.answer_router import AnswerRouter
from openiir.core.agents.knowledge import LOOKUP, HitPolicy, Knowledge
from openiir.core.agents.population import Population
from openiir.core.asking import (
    Answer,
    Columns,
    CrowdQuestion,
    PlacedQuestion,
    Question,
    question_scales,
    set_options,
)
from openiir.core.errors import InputError
from openiir.core.grid import round_floats
from openiir.core.hashing import canonical
from openiir.core.records import Place, Record, RetrievalMode, Search, SearchHit
from openiir.core.seeds import Draw
from openiir.core.storage import Column, StepRows
from openiir.core.world import Hit, World

R = TypeVar("R", bound=Record)
PLATFORM = "platform"
"""Who asks a retriever in the name of no agent."""


class Lane:
    """A concurrent part of a step: asks questions and buffers events, which are logged in lane order."""

    def __init__(
        self,
        name: str,
        answering: AnswerRouter,
        knowledge: Knowledge,
        apart: bool = False,
        at: int | None = None,
    ) -> None:
        self.name = name
        self.at = at
        """Step number in the keys of random draws; None for the current step."""
        self.apart = apart
        """Whether the lane runs beside others; its web results then join the worlds at the step's end."""
        self.answering = answering
        self.knowledge = knowledge
        self.departed: dict[str, int] = {}
        """Ids of agents that have left the run, with the step in which each left."""
        self.rows = StepRows(0)
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def begin(self, step: int) -> None:
        """Start a step with an empty event buffer and question counts of 0."""
        self.rows = StepRows(step)
        self._counts.clear()

    @property
    def step(self) -> int:
        """Current step, from 1."""
        return self.rows.number

    def note(self, kind: str, actor: str | None, payload: Any) -> None:
        """Log an event, its floats rounded; the payload must be representable as canonical JSON."""
        self.rows.events.append((self.name, kind, actor, canonical(round_floats(payload))))

    def act(self, actor: Agent | str | None, action: Action) -> None:
        """Log an action of an agent or member, given as object or id; None stands for the platform."""
        id = actor.id if isinstance(actor, Agent) else actor
        if id is not None:
            self._check_present(id)
        self.note(action.kind, id, action)

    def act_all(self, action: type[Action], members: NDArray[np.integer[Any]], **columns: Column) -> None:
        """Log an action of many members as columns: their row numbers, and a column for each field.

        A single text or number applies to all of them. What crowd and cast both do is logged so for both, so
        that giving a member a persona changes no table. Read it by `Action.columns`. Raises InputError for
        columns that are not the action's fields.
        """
        if columns.keys() != action.model_fields.keys():
            raise InputError(
                f"{action.kind} is logged with the columns {', '.join(columns) or '(none)'}; its fields are "
                f"{', '.join(action.model_fields)}"
            )
        if len(members):
            steps = np.full(len(members), self.step, dtype=np.int32)
            self.columns(action.table(), {"step": steps, "member": np.asarray(members, np.int32), **columns})

    def row(self, table: str, **values: Any) -> None:
        """Add one row to a columnar table; its columns and types must stay the same during the run."""
        self.rows.row(table, values)

    def columns(self, table: str, columns: Mapping[str, Column]) -> None:
        """Add many rows to a columnar table, given as columns of equal length.

        A single text or number applies to all rows. Arrays are copied unless they are read-only
        (`array.flags.writeable = False`). Raises InputError, naming table and column, for values that are no
        column.
        """
        self.rows.columns(table, columns)

    def _check_present(self, id: str) -> None:
        """Raise InputError if the agent has left the run."""
        if id in self.departed:
            raise InputError(
                f"{id!r} left in step {self.departed[id]} and cannot take part in step {self.step}; "
                "take agents from stage.agents, which holds those who are there"
            )

    def world(self, name: str = "main") -> World:
        """Return a world (text collection) of the study for the platform; agents use `lookup` instead."""
        return self.knowledge.world(name)

    @property
    def searchable(self) -> bool:
        """Whether this study allows personas to search the web."""
        return self.knowledge.web is not None

    async def lookup(
        self,
        agent: Agent,
        query: str,
        k: int = 5,
        world: str = "main",
        *,
        mode: RetrievalMode | None = None,
        policy: HitPolicy | None = None,
    ) -> list[Hit]:
        """Retrieve passages for an agent; logged, at no cost to its budget.

        `mode` and `policy`, which re-ranks the best passages and chooses k, go before those that a change of
        the study gives the agent, and these before the persona's retrieval mode.
        """
        self._check_present(agent.id)
        tools = self.knowledge.tools_of(agent)
        mode, policy = mode or tools.retrieval, policy or tools.policy
        hits, dropped = await self.knowledge.lookup(
            self.place(agent.id, LOOKUP, world), query, k, mode or agent.persona.retrieval, policy
        )
        told = {"mode": mode or "", "policy": policy.name if policy else "", "dropped": dropped}
        found = {"world": world, "query": query, "chunks": [h.chunk.id for h in hits]}
        self.note("lookup", agent.id, found | {name: value for name, value in told.items() if value})
        return hits

    async def score_passages(
        self, query: str, world: str = "main", *, mode: RetrievalMode = "own"
    ) -> NDArray[np.float64]:
        """Score all passages of a world for a query of the platform's, in the order of the world's chunks.

        Scores are those by which agents' look-ups rank, a retriever's as a share of the best; 0 is not found.
        """
        return await self.knowledge.scores(self.place(PLATFORM, LOOKUP, world), query, mode)

    async def search(
        self, agent: Agent, query: str, justification: str, claims: Collection[str] = (), world: str = "main"
    ) -> list[Hit]:
        """Search the web for an agent; new passages join the world and can be cited from then on.

        `claims` are the ids that the justification may name as lacking support. A refused search (no budget,
        missing or inadequate justification) is logged with the reason and is free.
        """
        self._check_present(agent.id)
        place = self.place(agent.id, "web.search", "")
        refused, hits = await self.knowledge.search(agent, place, query, justification, claims)
        self.rows.searches.append(
            Search(
                lane=self.name,
                asker=agent.id,
                step=self.step,
                ordinal=place.ordinal,
                query=query,
                justification=justification,
                refused=refused,
                hits=hits,
            )
        )
        return await self._take_in(hits, query, world)

    async def publish(self, texts: Mapping[str, str], world: str = "main") -> list[Hit]:
        """Add texts that agents wrote to a world, each as a source by its name; returns those that are new.

        Look-ups find them from now on, and they can be cited.
        """
        written = [SearchHit(title="", url=source, text=text) for source, text in texts.items()]
        return await self._take_in(written, "", world)

    async def _take_in(self, found: Sequence[SearchHit], query: str, name: str) -> list[Hit]:
        world = self.world(name)
        new = world.new_hits(found) if self.apart else await world.extend(found, query)
        self.rows.chunks += [hit.chunk for hit in new]
        return new

    def offline_alone(self, asker: str, *kinds: str) -> bool:
        """Whether the behaviour model alone answers these kinds for this asker, with no other as shadow.

        If so, a type may compute many answers in arrays instead of asking one by one.
        """
        return all(self.answering.offline_alone(asker, kind) for kind in kinds)

    def answerer(self, asker: Agent | str, kind: str) -> str:
        """Return the name of this kind's answerer for this asker, such as `offline` or `model`."""
        return self.answering.choice.of(asker.id if isinstance(asker, Agent) else asker, kind)

    def place(self, asker: str, kind: str, subject: str) -> Place:
        """Return the place (ledger key) of the asker's next question of this kind about this subject."""
        key = (asker, kind, subject)
        ordinal = self._counts[key]
        self._counts[key] += 1
        return Place(lane=self.name, asker=asker, kind=kind, subject=subject, step=self.step, ordinal=ordinal)

    async def ask(self, who: Agent | str, question: Question[R]) -> R | None:
        """Ask one question; returns None if there is no usable answer or the agent has no tokens left."""
        if not self.answering.at_once(who.id if isinstance(who, Agent) else who, question.kind):
            return (await self.ask_all([(who, question)]))[0]
        one = self._place_question(who, question)
        if one is None:
            return None
        answer = self.answering.offline(one)
        self._settle(who, one, answer)
        return answer.reply  # type: ignore[return-value]

    async def ask_all(self, batch: Sequence[tuple[Agent | str, Question[R]]]) -> list[R | None]:
        """Ask many questions concurrently; answers, events and charges are in input order.

        Each question goes to an agent, or to a role by name, which has no persona and no budget.
        """
        asked = [self._place_question(who, question) for who, question in batch]
        put = [one for one in asked if one is not None]
        answers = await self.answering.answer_all(put)
        shadows = await self.answering.shadow_all(put)
        coming = iter(answers)
        replies: list[Any] = []
        for (who, _), one in zip(batch, asked, strict=True):
            if one is None:
                replies.append(None)
                continue
            answer = next(coming)
            replies.append(answer.reply)
            self._settle(who, one, answer)
        for one, answer, shadow in zip(put, answers, shadows, strict=True):
            if shadow is not None:
                self._log_shadow(one, answer, shadow)
        return replies

    async def ask_crowd(
        self,
        question: type[CrowdQuestion[Any]],
        population: Population,
        columns: Columns,
        facts: Callable[[int], Mapping[str, Any]],
        *,
        rows: NDArray[np.integer[Any]] | None = None,
        subject: str = "",
        behaviour: Any = None,
    ) -> crowd_asking.CrowdAnswers:
        """Ask many members one question; returns their replies' fields as columns, in the order of `rows`.

        `rows` are those asked, by default all present; each has a row in `columns`, the question's
        dispositions. The behaviour model answers in arrays for all for whom nobody else does. The others are
        asked one by one: `facts(n)` returns the facts, by name, for the n-th of `rows`. Draws are named
        alike, so that giving a member a persona changes no answer but its own. `subject` is the id of the
        object that all are asked about, and part of the draws' names. Without a usable reply a member's
        answer is 0, False, an empty text or the first listed value.
        """
        asked = population.rows if rows is None else np.asarray(rows)
        return await crowd_asking.answer_crowd(
            self, question, population, columns, asked, facts, subject, behaviour
        )

    def answer_draw(
        self, question: type[CrowdQuestion[Any]], rows: NDArray[np.integer[Any]], subject: str = ""
    ) -> Draw:
        """Return the draw by which `ask_crowd` answers for these rows, for a model that does so itself.

        It is the same in every lane, so that arms share their noise.
        """
        step = self.step if self.at is None else self.at
        return Draw(self.answering.seed, question.kind, agent=rows, item=subject, step=step)

    async def end_dialogue(self, who: Agent | str) -> None:
        """End this lane's dialogue with a declared system; the next turn starts a new dialogue.

        Nothing is recorded; a failure to close and a session that is not open are ignored. Sessions end with
        their lane in any case, those of the main lane with the run.
        """
        await self.answering.leave(self.name, who.id if isinstance(who, Agent) else who)

    def _place_question(self, who: Agent | str, question: Question[Any]) -> PlacedQuestion | None:
        """Assign a question its place; returns None, logged as exhausted, if the agent has no tokens left."""
        agent = who if isinstance(who, Agent) else None
        name = agent.id if agent else str(who)
        self._check_present(name)
        place = self.place(name, question.kind, question.subject)
        asked = self.answering.place_question(
            place, question, agent.persona if agent else None, agent.key if agent else name, self.at
        )
        if agent and agent.spent and not self.answering.of_crowd(asked):
            self._log_answer(place, None, 0, "exhausted")
            return None
        return asked

    def _settle(self, who: Agent | str, asked: PlacedQuestion, answer: Answer) -> None:
        """Charge the agent for an answer and log it, except for crowd questions (`Question.of_crowd`)."""
        if not self.answering.of_crowd(asked):
            debit = who.debit(answer.reply_tokens)[0] if isinstance(who, Agent) else 0
            self._log_answer(asked.place, answer, debit, "answered" if answer.reply is not None else "failed")
            recorder, events = self.answering.recorder, self.rows.events
            if recorder and (facts := recorder.record(asked, answer, len(events) - 1)):
                self.rows.facts.append(facts)

    def _log_answer(self, place: Place, answer: Answer | None, debit: int, outcome: str) -> None:
        payload: dict[str, Any] = {**_place_fields(place), "outcome": outcome, "debit": debit}
        if answer is not None:
            payload |= {
                "answerer": answer.answerer,
                "attempts": answer.attempts,
                "prompt_tokens": answer.prompt_tokens,
                "reply_tokens": answer.reply_tokens,
            }
            if answer.failure:
                payload["failure"] = answer.failure
        self.note("asked", place.asker, payload)

    def _log_shadow(self, asked: PlacedQuestion, acted: Answer, shadow: Answer) -> None:
        place = asked.place
        payload = {
            **_place_fields(place),
            "compared": question_scales(asked.question),
            "answerer": acted.answerer,
            "reply": acted.reply,
            "shadow": shadow.answerer,
            "shadow_reply": shadow.reply,
        }
        if options := set_options(asked.question):
            payload["options"] = options
        self.note("shadow", place.asker, payload)


def _place_fields(place: Place) -> dict[str, Any]:
    return {"question": place.kind, "subject": place.subject, "ordinal": place.ordinal}
