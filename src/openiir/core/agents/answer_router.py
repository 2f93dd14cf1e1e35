"""Routing of each question to its answerer (offline behaviour model, language model, person, system)."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from openiir.core.asking import (
    Answer,
    Answerer,
    AnswererChoice,
    FactsRecorder,
    Form,
    OfflineAnswerer,
    PlacedQuestion,
    Question,
    SystemAnswerer,
)
from openiir.core.errors import UnknownName
from openiir.core.records import Persona, Place
from openiir.core.seeds import Draw

SHADOW = "~shadow"


class AnswerRouter:
    """Router that sends each question to the answerer chosen in the study."""

    def __init__(
        self, seed: int, choice: AnswererChoice, answerers: Mapping[str, Answerer], form: Form = "example"
    ) -> None:
        self.seed = seed
        self.form: Form = form
        self.choice = choice
        self.answerers = answerers
        self.watch: Callable[[Sequence[PlacedQuestion], Sequence[Answer]], None] | None = None
        """Callback for each batch of questions asked together, with its answers."""
        self.recorder: FactsRecorder | None = None
        """Records what prompts of offline questions are made of; None where nobody will read them."""

    def answerer(self, name: str) -> Answerer:
        if name not in self.answerers:
            raise UnknownName("answerer of this run", name, self.answerers)
        return self.answerers[name]

    def label(self, asker: str, kind: str, offline: str) -> str:
        """Label the answerer of this kind of question: `offline` itself, or its label and version."""
        name = self.choice.of(asker, kind)
        return offline if name == "offline" else f"{self.answerer(name).label}/1"

    def enter_lane(self, lane: str) -> None:
        """Tell all declared systems that a lane (a concurrent part of a step) has begun."""
        for partner in self._partners():
            partner.sessions.enter_lane(lane)

    async def leave(self, lane: str, asker: str | None = None) -> None:
        """Close the dialogues that a lane (a concurrent part of a step) has with declared systems."""
        for partner in self._partners():
            await partner.sessions.leave(lane, asker)

    def has_dialogue(self, lane: str) -> bool:
        """Whether a lane has an open dialogue with a declared system, which no checkpoint can store."""
        return any(partner.sessions.has_dialogue(lane) for partner in self._partners())

    def _partners(self) -> list[SystemAnswerer]:
        return [answerer for answerer in self.answerers.values() if isinstance(answerer, SystemAnswerer)]

    def place_question(
        self,
        place: Place,
        question: Question[Any],
        persona: Persona | None,
        key: str | int,
        at: int | None = None,
    ) -> PlacedQuestion:
        """Attach to a question its ledger key, the persona asked, and the random draw for an offline answer.

        The lane does not enter the draw's key. `at` replaces the step in that key."""
        item = place.subject if place.ordinal == 0 else f"{place.subject}\x1f{place.ordinal}"
        draw = Draw(self.seed, place.kind, agent=key, item=item, step=place.step if at is None else at)
        return PlacedQuestion(place, question, persona, draw, self.form)

    def of_crowd(self, asked: PlacedQuestion) -> bool:
        """Whether this is a crowd's question (`Question.of_crowd`) that the behaviour model alone answers."""
        return asked.question.of_crowd and self.offline_alone(asked.place.asker, asked.place.kind)

    def offline_alone(self, asker: str, kind: str) -> bool:
        """Whether the behaviour model alone answers this kind for this asker, with no other as shadow."""
        return self.choice.of(asker, kind) == "offline" and self.choice.shadow in (None, "offline")

    @property
    def is_all_offline(self) -> bool:
        """Whether the behaviour model answers all questions of the run, and no `watch` callback is set."""
        return self.watch is None and set(self.choice.names()) == set(self.answerers) == {"offline"}

    def at_once(self, asker: str, kind: str) -> bool:
        """Whether `offline` may answer without waiting: behaviour model only, and no `watch` callback."""
        return self.watch is None and self.offline_alone(asker, kind)

    def offline(self, asked: PlacedQuestion) -> Answer:
        """Answer one question by its offline behaviour model."""
        return self._answer_offline(type(asked.question), [asked], [0])[0]

    async def answer_all(self, batch: Sequence[PlacedQuestion]) -> list[Answer]:
        """Answer a batch of questions, concurrently where answerers wait; answers are in input order."""
        return await self._answer_batch(batch, [self.choice.of(a.place.asker, a.place.kind) for a in batch])

    async def shadow_all(self, batch: Sequence[PlacedQuestion]) -> list[Answer | None]:
        """Get the answers of the shadow (a second answerer, only logged); None where it has none to give."""
        name = self.choice.shadow
        if name is None:
            return [None] * len(batch)
        cast = [n for n, a in enumerate(batch) if self.choice.of(a.place.asker, a.place.kind) != name]
        # The shadow answers a copy of the question at a place of its own, with the question's draw.
        places = [a.place.model_copy(update={"kind": a.place.kind + SHADOW}) for a in batch]
        copies = [replace(batch[n], place=places[n]) for n in cast]
        answers = await self._answer_batch(copies, [name] * len(cast))
        found = dict(zip(cast, answers, strict=True))
        return [found.get(n) for n in range(len(batch))]

    async def _answer_batch(self, batch: Sequence[PlacedQuestion], names: Sequence[str]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        waiting: dict[int, tuple[str, PlacedQuestion]] = {}
        offline: dict[type[Question[Any]], list[int]] = {}
        for n, (asked, name) in enumerate(zip(batch, names, strict=True)):
            if name == "offline":
                offline.setdefault(type(asked.question), []).append(n)
            else:
                waiting[n] = (name, asked)
        for kind, places in offline.items():
            answers |= self._answer_offline(kind, [batch[n] for n in places], places)
        answers |= await self._answer_concurrently(waiting)
        ordered = [answers[n] for n in range(len(batch))]
        if self.watch and batch:
            self.watch(batch, ordered)
        return ordered

    def _answer_offline(
        self, kind: type[Question[Any]], batch: Sequence[PlacedQuestion], places: Sequence[int]
    ) -> dict[int, Answer]:
        answerer = self.answerer("offline")
        assert isinstance(answerer, OfflineAnswerer)
        replies = kind.offline_all([a.question for a in batch], [a.draw for a in batch])
        return {n: answerer.wrap(reply) for n, reply in zip(places, replies, strict=True)}

    async def _answer_concurrently(
        self, waiting: Mapping[int, tuple[str, PlacedQuestion]]
    ) -> dict[int, Answer]:
        """Answer questions concurrently; waits for all answers before raising the first error."""
        if len(waiting) == 1 or not any(self.answerer(name).waits for name, _ in waiting.values()):
            return {n: await self.answerer(name).answer(asked) for n, (name, asked) in waiting.items()}
        tasks = [self.answerer(name).answer(asked) for name, asked in waiting.values()]
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return dict(zip(waiting, results, strict=True))  # type: ignore[arg-type]
