"""Rehearse a run offline in a temporary folder, from its start or from what a pilot of it recorded."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from openiir.core.agents.answer_router import SHADOW
from openiir.core.asking import Answer, Answerer, OfflineAnswerer, PlacedQuestion
from openiir.core.llm import estimated_tokens
from openiir.core.records import Place
from openiir.core.seeds import Draw
from openiir.core.storage import RunFile
from openiir.runs.build import RunSources, build_run_context
from openiir.runs.engine import Watcher, run_steps
from openiir.runs.forecast.prefixes import PrefixShares
from openiir.runs.forecast.transfer import move_reply
from openiir.runs.replay import copy_run_inputs
from openiir.runs.settings import Settings

PARTS = ("who is asked", "the beginning, as last time", "what is new", "the form of the reply")
TRANSFERS = 6
"""Replies of a pilot that are tried on a question before the behaviour model answers it."""
Asked = tuple[PlacedQuestion, Answer]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A question to the model in a rehearsal; prompt tokens are words x 4/3."""

    kind: str
    step: int
    lane: str
    turn: int
    """Number of its batch among the lane's in this step, from 1; what is asked together has the same."""
    recorded: bool
    """Whether the answer was recorded in the pilot; then its tokens are those that the endpoint reported."""
    attempts: int
    prompt_tokens: int
    reply_tokens: int
    parts: tuple[int, ...]
    """Rehearsed tokens of the prompt, for each of PARTS."""
    example: int
    """Tokens of the example that the prompt shows; 0 without one."""
    own: int
    """Tokens at the prompt's beginning that the asker's last prompt of the kind had."""
    earlier: int
    """Tokens at the prompt's beginning that any earlier prompt had."""


async def rehearse(
    run: RunFile, settings: Settings, pilot: Sequence[Asked] = (), number: int = 0
) -> list[Rehearsed]:
    """Execute a prepared run with offline answers in a temporary folder; returns its questions to the model.

    Recorded replies are used first. With a `pilot`, its questions with their answers, a question that is not
    on record gets a reply of the pilot to another question of its kind, drawn for this `number`. Worlds with
    a retriever are searched by their own index; web searches that are not on record find nothing.
    """
    found: list[Rehearsed] = []
    prefixes = PrefixShares()
    turns: Counter[tuple[int, str]] = Counter()
    recorded: set[Place] = set()

    def watch(batch: Sequence[PlacedQuestion], answers: Sequence[Answer]) -> None:
        turns[batch[0].place.step, batch[0].place.lane] += any(one.answerer == "model" for one in answers)
        for asked, answer in zip(batch, answers, strict=True):
            if answer.answerer == "model":
                note(asked, answer)

    def note(asked: PlacedQuestion, answer: Answer) -> None:
        kind = asked.place.kind.removesuffix(SHADOW)
        texts = [message.text for message in asked.messages()]
        own, earlier = prefixes.add((asked.place.lane, asked.place.asker, kind), "\n".join(texts))
        parts = tuple(map(estimated_tokens, _parts(asked, texts, len(own))))
        shown = asked.question.example
        example = estimated_tokens(json.dumps(shown.model_dump(mode="json"))) if shown else 0
        where = asked.place.step, asked.place.lane, turns[asked.place.step, asked.place.lane]
        found.append(
            Rehearsed(
                kind,
                *where,
                recorded=asked.place in recorded,
                attempts=answer.attempts,
                prompt_tokens=answer.prompt_tokens,
                reply_tokens=answer.reply_tokens,
                parts=parts,
                example=example,
                own=estimated_tokens(own),
                earlier=earlier,
            )
        )

    with (
        TemporaryDirectory(prefix="openiir-rehearsal-") as scratch,
        copy_run_inputs(run, Path(scratch) / "run") as copy,
    ):
        async with AsyncExitStack() as exits:
            machine = await build_run_context(copy, settings, RunSources(run, live=False), exits)
            machine.stage.knowledge.retrievers.clear()
            machine.stage.knowledge.rehearsing = True
            answering = machine.stage.answering
            replies = _PilotReplies(pilot, Draw(answering.seed, f"pilot {number}"))
            answering.answerers = {
                name: one if name == "offline" else _Rehearsal(name, one, run, replies, recorded)
                for name, one in answering.answerers.items()
            }
            answering.watch = watch
            await run_steps(machine, copy, Watcher())
    return found


def _parts(asked: PlacedQuestion, texts: Sequence[str], own: int) -> tuple[str, ...]:
    """Split a prompt into PARTS; its first `own` characters are as in its asker's last of the kind."""
    *role, user = texts
    told = asked.question.facts_only.prompt()
    again = min(len(told), max(0, own - len("\n".join([*role, ""]))))
    return "".join(role), told[:again], told[again:], user[len(told) :]


class _PilotReplies:
    """The answers of a pilot by answerer and kind, drawn anew for further questions."""

    def __init__(self, pilot: Sequence[Asked], draw: Draw) -> None:
        """Draw of each kind as many answers as the pilot has, with replacement (the bootstrap of Efron 1979).

        So several rehearsals differ as much as pilots of this size may.
        """
        self._purpose = draw.purpose
        kinds: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
        for asked, answer in pilot:
            kinds[answer.answerer, asked.place.kind.removesuffix(SHADOW)].append((asked, answer))
        self._answers = {
            key: [some[draw.below(len(some), agent=".".join(key), item=n)] for n in range(len(some))]
            for key, some in kinds.items()
        }

    def draw(self, name: str, now: PlacedQuestion) -> Answer | None:
        """Draw an answer to a question; None where the pilot has none of its kind that fits.

        Whether there is an answer is drawn once, before what it is, so that answers which fit seldom do not
        become rare.
        """
        known = self._answers.get((name, now.place.kind.removesuffix(SHADOW)), ())
        for n in range(TRANSFERS if known else 0):
            asked, answer = known[now.draw.at(f"{self._purpose}/{n}").below(len(known))]
            if answer.reply is None:
                if n == 0:
                    return answer
            elif (reply := move_reply(answer.reply, asked.question, now.question)) is not None:
                return replace(answer, reply=reply)
        return None


class _Rehearsal(OfflineAnswerer):
    """Stand-in for another answerer: recorded answers, else those drawn from a pilot, else offline ones."""

    def __init__(
        self, name: str, inner: Answerer, run: RunFile, replies: _PilotReplies, recorded: set[Place]
    ) -> None:
        self.name = self.label = name
        self._inner, self._run, self._replies, self._recorded = inner, run, replies, recorded

    async def answer(self, asked: PlacedQuestion) -> Answer:
        if self._run.find_call(asked.place, 0) is not None:
            self._recorded.add(asked.place)
            return await self._inner.answer(asked)
        return self._replies.draw(self.name, asked) or await super().answer(asked)
