"""Routing of questions to answerers: by the study's choice, with the place and the draw of each question."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from openiir.core.asking import (
    Answer,
    Answerer,
    AnswererChoice,
    Form,
    Offline,
    PlacedQuestion,
    Question,
    SystemAnswerer,
)
from openiir.core.errors import UnknownName
from openiir.core.records import Persona, Place
from openiir.core.seeds import Draw

SHADOW = "~shadow"


class AnswerRouter:
    """Sends each question to the answerer that the study names for it."""

    def __init__(
        self, seed: int, choice: AnswererChoice, answerers: Mapping[str, Answerer], form: Form = "example"
    ) -> None:
        self.seed = seed
        self.form: Form = form
        self.choice = choice
        self.answerers = answerers
        self.watch: Callable[[PlacedQuestion, str], None] | None = None
        """Callback for each question and the name of its answerer, by which a rehearsal counts questions."""
        self.watch_answer: Callable[[PlacedQuestion, Answer], None] | None = None
        """Callback for each question with its answer, in the order asked."""

    def answerer(self, name: str) -> Answerer:
        if name not in self.answerers:
            raise UnknownName("answerer of this run", name, self.answerers)
        return self.answerers[name]

    def label(self, asker: str, kind: str, offline: str) -> str:
        """Label for the record of what answers this kind: `offline` itself, or the answerer's label and version."""
        name = self.choice.of(asker, kind)
        return offline if name == "offline" else f"{self.answerer(name).label}/1"

    def enter(self, lane: str) -> None:
        """Register a concurrent lane with all declared systems."""
        for partner in self._partners():
            partner.sessions.enter(lane)

    async def leave(self, lane: str, asker: str | None = None) -> None:
        """Close a lane's sessions with declared systems: those of one asker, or all if none is named."""
        for partner in self._partners():
            await partner.sessions.leave(lane, asker)

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
        """Bind a question to its place and draw; the lane is no part of the draw's name.

        `at` replaces the step in the draw's name.
        """
        item = place.subject if place.ordinal == 0 else f"{place.subject}\x1f{place.ordinal}"
        draw = Draw(self.seed, place.kind, agent=key, item=item, step=place.step if at is None else at)
        return PlacedQuestion(place, question, persona, draw, self.form)

    def of_crowd(self, asked: PlacedQuestion) -> bool:
        """Whether this is a crowd question (`Question.of_crowd`) that the behaviour model alone answers."""
        return asked.question.of_crowd and self.offline_alone(asked.place.asker, asked.place.kind)

    def offline_alone(self, asker: str, kind: str) -> bool:
        """Whether the behaviour model alone answers this kind for this asker, without another shadow."""
        return self.choice.of(asker, kind) == "offline" and self.choice.shadow in (None, "offline")

    @property
    def _watched(self) -> bool:
        return self.watch is not None or self.watch_answer is not None

    @property
    def offline_throughout(self) -> bool:
        """Whether the behaviour model alone answers all questions of the run, and no callback watches."""
        return not self._watched and set(self.choice.names()) == set(self.answerers) == {"offline"}

    def at_once(self, asker: str, kind: str) -> bool:
        """Whether `offline` can answer directly: the behaviour model alone answers, and no callback watches."""
        return not self._watched and self.offline_alone(asker, kind)

    def offline(self, asked: PlacedQuestion) -> Answer:
        """The behaviour model's answer to one question."""
        return self._offline(type(asked.question), [asked], [0])[0]

    async def answer_all(self, batch: Sequence[PlacedQuestion]) -> list[Answer]:
        """Answer a batch, concurrently where answerers wait; answers come in the order asked."""
        return await self._answers(batch, [self.choice.of(a.place.asker, a.place.kind) for a in batch])

    async def shadow_all(self, batch: Sequence[PlacedQuestion]) -> list[Answer | None]:
        """Shadow answers to a batch; None if the study has no shadow or the shadow is the answerer itself."""
        name = self.choice.shadow
        if name is None:
            return [None] * len(batch)
        cast = [n for n, a in enumerate(batch) if self.choice.of(a.place.asker, a.place.kind) != name]
        answers = await self._answers([_in_the_shadow(batch[n]) for n in cast], [name] * len(cast))
        found = dict(zip(cast, answers, strict=True))
        return [found.get(n) for n in range(len(batch))]

    async def _answers(self, batch: Sequence[PlacedQuestion], names: Sequence[str]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        waiting: dict[int, tuple[str, PlacedQuestion]] = {}
        offline: dict[type[Question[Any]], list[int]] = {}
        for n, (asked, name) in enumerate(zip(batch, names, strict=True)):
            if self.watch:
                self.watch(asked, name)
            if name == "offline":
                offline.setdefault(type(asked.question), []).append(n)
            else:
                waiting[n] = (name, asked)
        for kind, places in offline.items():
            answers |= self._offline(kind, [batch[n] for n in places], places)
        answers |= await self._together(waiting)
        if self.watch_answer:
            for n, asked in enumerate(batch):
                self.watch_answer(asked, answers[n])
        return [answers[n] for n in range(len(batch))]

    def _offline(
        self, kind: type[Question[Any]], batch: Sequence[PlacedQuestion], places: Sequence[int]
    ) -> dict[int, Answer]:
        answerer = self.answerer("offline")
        assert isinstance(answerer, Offline)
        replies = kind.offline_all([a.question for a in batch], [a.draw for a in batch])
        return {n: answerer.wrap(reply) for n, reply in zip(places, replies, strict=True)}

    async def _together(self, waiting: Mapping[int, tuple[str, PlacedQuestion]]) -> dict[int, Answer]:
        """Answer concurrently; all answers are awaited before the first error is raised."""
        if len(waiting) == 1 or not any(self.answerer(name).waits for name, _ in waiting.values()):
            return {n: await self.answerer(name).answer(asked) for n, (name, asked) in waiting.items()}
        tasks = [self.answerer(name).answer(asked) for name, asked in waiting.values()]
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return dict(zip(waiting, results, strict=True))  # type: ignore[arg-type]


def _in_the_shadow(asked: PlacedQuestion) -> PlacedQuestion:
    """The same question with the same draw, at a place of its own."""
    return replace(asked, place=asked.place.model_copy(update={"kind": asked.place.kind + SHADOW}))
