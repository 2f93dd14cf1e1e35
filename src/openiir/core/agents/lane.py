"""A lane: a life of its own within a step, with its own buffer of events and count of questions."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from openiir.core.agents.action import Action
from openiir.core.agents.agent import Agent
from openiir.core.agents.asking import Answering
from openiir.core.agents.knowledge import Knowledge
from openiir.core.asking import Answer, Asked, Question, options_of, scales_of
from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.records import Place, Record
from openiir.core.storage import Column, StepRows
from openiir.core.world import Hit, World

R = TypeVar("R", bound=Record)


class Lane:
    """Asks and logs; what it logs joins the run in lane order at the end of the step."""

    def __init__(
        self,
        name: str,
        answering: Answering,
        knowledge: Knowledge,
        apart: bool = False,
        at: int | None = None,
    ) -> None:
        self.name = name
        self.at = at
        """What takes the place of the step in the names of its answers' draws."""
        self.apart = apart
        """Whether it lives beside others: then what it finds on the web joins the worlds at the step's end."""
        self.answering = answering
        self.knowledge = knowledge
        self.departed: dict[str, int] = {}
        """Ids of agents that left the run, each with the step."""
        self.rows = StepRows(0)
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def begin(self, step: int) -> None:
        """Start a step with an empty buffer; questions are counted anew."""
        self.rows = StepRows(step)
        self._counts.clear()

    @property
    def step(self) -> int:
        """The step under way, from 1."""
        return self.rows.number

    def note(self, kind: str, actor: str | None, payload: Any) -> None:
        """Add an event; the payload must have a canonical JSON form."""
        self.rows.events.append((self.name, kind, actor, canonical(payload)))

    def act(self, actor: Agent | None, action: Action) -> None:
        """Carry out a platform action: its entry in the log. No actor stands for the platform itself."""
        if actor is not None:
            self._check_present(actor.id)
        self.note(action.kind, actor.id if actor else None, action)

    def row(self, table: str, **values: Any) -> None:
        """Add a row to a columnar table of this step; a table has the same columns and types throughout."""
        self.rows.row(table, values)

    def columns(self, table: str, columns: Mapping[str, Column]) -> None:
        """Add rows to a columnar table of this step, as columns of one length; one text stands for all rows.

        Arrays are copied, unless nobody can write to them any more (`array.flags.writeable = False`). Raises
        InputError naming the table and the column where these are no columns.
        """
        self.rows.columns(table, columns)

    def _check_present(self, id: str) -> None:
        """Raises InputError for an agent that left the run."""
        if id in self.departed:
            raise InputError(
                f"{id!r} left in step {self.departed[id]} and cannot take part in step {self.step}; "
                "take agents from stage.agents, which holds those who are there"
            )

    def world(self, name: str = "main") -> World:
        """A world of the study, for what is not an agent's own look into it."""
        return self.knowledge.world(name)

    @property
    def searchable(self) -> bool:
        """Whether this study lets personas search the web."""
        return self.knowledge.web is not None

    async def lookup(self, agent: Agent, query: str, k: int = 5, world: str = "main") -> list[Hit]:
        """The agent's free look into a world, by its own retrieval policy; logged, never debited."""
        self._check_present(agent.id)
        hits = await self.knowledge.lookup(agent, query, k, world)
        self.note("lookup", agent.id, {"world": world, "query": query, "chunks": [h.chunk.id for h in hits]})
        return hits

    async def search(
        self, agent: Agent, query: str, justification: str, claims: Collection[str] = (), world: str = "main"
    ) -> list[Hit]:
        """A justified web search; what it finds joins the world and can be cited from now on.

        `claims` are the ids that a justification may name as missing support. A search that is refused (budget,
        missing or inadequate justification) is logged with the reason and costs nothing.
        """
        self._check_present(agent.id)
        ordinal = self.place(agent.id, "web.search", "").ordinal
        return await self.knowledge.search(self, agent, query, justification, claims, world, ordinal)

    def offline_alone(self, asker: str, *kinds: str) -> bool:
        """Whether nobody but the behaviour model answers an asker's questions of these kinds.

        Then a type may compute what many of them would bring in arrays, instead of asking one by one.
        """
        return all(self.answering.offline_alone(asker, kind) for kind in kinds)

    def answerer(self, asker: Agent | str, kind: str) -> str:
        """The name of who answers an asker's questions of a kind: whoever does owns the state that the replies bear."""
        return self.answering.choice.of(asker.id if isinstance(asker, Agent) else asker, kind)

    def place(self, asker: str, kind: str, subject: str) -> Place:
        """The next place for a question of this kind about this subject to this asker."""
        key = (asker, kind, subject)
        ordinal = self._counts[key]
        self._counts[key] += 1
        return Place(lane=self.name, asker=asker, kind=kind, subject=subject, step=self.step, ordinal=ordinal)

    async def ask(self, who: Agent | str, question: Question[R]) -> R | None:
        """One question; None where no usable answer came or the agent's tokens are gone."""
        if not self.answering.at_once(who.id if isinstance(who, Agent) else who, question.kind):
            return (await self.ask_all([(who, question)]))[0]
        one = self._put(who, question)
        if one is None:
            return None
        answer = self.answering.offline(one)
        self._settle(who, one, answer)
        return answer.reply  # type: ignore[return-value]

    async def ask_all(self, batch: Sequence[tuple[Agent | str, Question[R]]]) -> list[R | None]:
        """Many questions at the same time; answers in the order asked, events and debits in that order too.

        `who` is an agent, or the name of a role that has no persona and no budget.
        """
        asked = [self._put(who, question) for who, question in batch]
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
                self._shadow_asked(one, answer, shadow)
        return replies

    async def end_dialogue(self, who: Agent | str) -> None:
        """End this lane's dialogue with a declared system; a next turn said to it begins another one.

        Nothing is recorded, a system that fails to say goodbye harms nothing, and where no session is open nothing is
        done. A lane's sessions end with its life, those of the main lane with the run.
        """
        await self.answering.leave(self.name, who.id if isinstance(who, Agent) else who)

    def _put(self, who: Agent | str, question: Question[Any]) -> Asked | None:
        """The question in its place; None, logged, where the agent's tokens are gone."""
        agent = who if isinstance(who, Agent) else None
        name = agent.id if agent else str(who)
        self._check_present(name)
        place = self.place(name, question.kind, question.subject)
        asked = self.answering.asked(
            place, question, agent.persona if agent else None, agent.key if agent else name, self.at
        )
        if agent and agent.spent and not self.answering.of_crowd(asked):
            self._asked(place, None, 0, "exhausted")
            return None
        return asked

    def _settle(self, who: Agent | str, asked: Asked, answer: Answer) -> None:
        """Charge for an answer and log it; what a crowd does anyway is free."""
        if not self.answering.of_crowd(asked):
            debit = who.debit(answer.reply_tokens)[0] if isinstance(who, Agent) else 0
            self._asked(asked.place, answer, debit, "answered" if answer.reply is not None else "failed")

    def _asked(self, place: Place, answer: Answer | None, debit: int, outcome: str) -> None:
        payload: dict[str, Any] = {
            "question": place.kind,
            "subject": place.subject,
            "ordinal": place.ordinal,
            "outcome": outcome,
            "debit": debit,
        }
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

    def _shadow_asked(self, asked: Asked, acted: Answer, shadow: Answer) -> None:
        place = asked.place
        payload = {
            "question": place.kind,
            "subject": place.subject,
            "ordinal": place.ordinal,
            "compared": scales_of(asked.question.Reply),
            "answerer": acted.answerer,
            "reply": acted.reply,
            "shadow": shadow.answerer,
            "shadow_reply": shadow.reply,
        }
        if options := options_of(asked.question):
            payload["options"] = options
        self.note("shadow", place.asker, payload)
