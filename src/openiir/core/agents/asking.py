"""From an asker and a question to an answer: which answerer, at what place, under which draw."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from openiir.core.asking import Answer, Answerer, Asked, Choice, Form, Offline, Partner, Question
from openiir.core.errors import UnknownName
from openiir.core.records import Persona, Place
from openiir.core.seeds import Draw

SHADOW = "~shadow"


class Answering:
    """The answerers of a run and the choice between them."""

    def __init__(
        self, seed: int, choice: Choice, answerers: Mapping[str, Answerer], form: Form = "example"
    ) -> None:
        self.seed = seed
        self.form: Form = form
        self.choice = choice
        self.answerers = answerers
        self.watch: Callable[[Asked, str], None] | None = None
        """Called with each question and its answerer's name (a rehearsal counts them)."""

    def answerer(self, name: str) -> Answerer:
        if name not in self.answerers:
            raise UnknownName("answerer of this run", name, self.answerers)
        return self.answerers[name]

    def label(self, asker: str, kind: str, offline: str) -> str:
        """What answers questions of this kind, for a record: `offline`'s own name, or the answerer's."""
        name = self.choice.of(asker, kind)
        return offline if name == "offline" else f"{self.answerer(name).label}/1"

    def enter(self, lane: str) -> None:
        """A lane begins to live beside others."""
        for partner in self._partners():
            partner.sessions.enter(lane)

    async def leave(self, lane: str, asker: str | None = None) -> None:
        """Close a lane's sessions with declared systems: those it has with one asker, or all at the lane's end."""
        for partner in self._partners():
            await partner.sessions.leave(lane, asker)

    def _partners(self) -> list[Partner]:
        return [answerer for answerer in self.answerers.values() if isinstance(answerer, Partner)]

    def asked(
        self,
        place: Place,
        question: Question[Any],
        persona: Persona | None,
        key: str | int,
        at: int | None = None,
    ) -> Asked:
        """A question in its place, with the draw that belongs there (the lane is left out of its name).

        `at` takes the place of the step in the draw's name.
        """
        item = place.subject if place.ordinal == 0 else f"{place.subject}\x1f{place.ordinal}"
        draw = Draw(self.seed, place.kind, agent=key, item=item, step=place.step if at is None else at)
        return Asked(place, question, persona, draw, self.form)

    def of_crowd(self, asked: Asked) -> bool:
        """Whether a member of the cast does what a crowd does, with nobody but the behaviour model to say what."""
        return asked.question.of_crowd and self.offline_alone(asked.place.asker, asked.place.kind)

    def offline_alone(self, asker: str, kind: str) -> bool:
        """Whether nobody but the behaviour model answers an asker's questions of a kind, not even in the shadow."""
        return self.choice.of(asker, kind) == "offline" and self.choice.shadow in (None, "offline")

    @property
    def offline_throughout(self) -> bool:
        """Whether nobody but the behaviour model can be asked anything, and nobody watches."""
        return self.watch is None and set(self.choice.used()) == set(self.answerers) == {"offline"}

    def at_once(self, asker: str, kind: str) -> bool:
        """Whether the behaviour model alone answers and nobody watches: then `offline` gives the answer."""
        return self.watch is None and self.offline_alone(asker, kind)

    def offline(self, asked: Asked) -> Answer:
        """The behaviour model's answer to one question."""
        return self._offline(type(asked.question), [asked], [0])[0]

    async def answer_all(self, batch: Sequence[Asked]) -> list[Answer]:
        """Answers in the order asked; asked at the same time where the answerer has to wait for them."""
        return await self._answers(batch, [self.choice.of(a.place.asker, a.place.kind) for a in batch])

    async def shadow_all(self, batch: Sequence[Asked]) -> list[Answer | None]:
        """The shadow's answers to questions that were answered; None where no shadow is cast.

        None is cast where the study names none, and where it is the one who answers anyway.
        """
        name = self.choice.shadow
        if name is None:
            return [None] * len(batch)
        cast = [n for n, a in enumerate(batch) if self.choice.of(a.place.asker, a.place.kind) != name]
        answers = await self._answers([_in_the_shadow(batch[n]) for n in cast], [name] * len(cast))
        found = dict(zip(cast, answers, strict=True))
        return [found.get(n) for n in range(len(batch))]

    async def _answers(self, batch: Sequence[Asked], names: Sequence[str]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        waiting: dict[int, tuple[str, Asked]] = {}
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
        return [answers[n] for n in range(len(batch))]

    def _offline(
        self, kind: type[Question[Any]], batch: Sequence[Asked], places: Sequence[int]
    ) -> dict[int, Answer]:
        answerer = self.answerer("offline")
        assert isinstance(answerer, Offline)
        replies = kind.offline_all([a.question for a in batch], [a.draw for a in batch])
        return {n: answerer.wrap(reply) for n, reply in zip(places, replies, strict=True)}

    async def _together(self, waiting: Mapping[int, tuple[str, Asked]]) -> dict[int, Answer]:
        """All at the same time; what is under way is brought home before the first error is raised."""
        if len(waiting) == 1 or not any(self.answerer(name).waits for name, _ in waiting.values()):
            return {n: await self.answerer(name).answer(asked) for n, (name, asked) in waiting.items()}
        tasks = [self.answerer(name).answer(asked) for name, asked in waiting.values()]
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return dict(zip(waiting, results, strict=True))  # type: ignore[arg-type]


def _in_the_shadow(asked: Asked) -> Asked:
    """The same question under the same draw, at a place of its own."""
    return replace(asked, place=asked.place.model_copy(update={"kind": asked.place.kind + SHADOW}))
