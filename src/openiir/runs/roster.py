"""Draft personas from the text chunks of a world, offline or by a model."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openiir.core.agents import AnswerRouter
from openiir.core.asking import Answerer, AnswererChoice, Ledger, ModelAnswerer, OfflineAnswerer, Question
from openiir.core.claims import stance
from openiir.core.errors import EndpointError
from openiir.core.llm import Sampling
from openiir.core.personas import generate_personas
from openiir.core.records import Chunk, Persona, Place
from openiir.core.storage import RunFile
from openiir.runs.settings import Settings, connect_endpoints, require_endpoints


async def draft_roster(
    chunks: Sequence[Chunk], topic: str, n: int, seed: int, model: str | None, settings: Settings
) -> tuple[Persona, ...]:
    """Draft n personas from text chunks, offline or by a model; EndpointError for an unusable draft."""
    with TemporaryDirectory(prefix="openiir-roster-") as scratch:
        async with AsyncExitStack() as exits:
            run = RunFile.create(Path(scratch) / "run")
            exits.callback(run.close)
            answerers: dict[str, Answerer] = {"offline": OfflineAnswerer()}
            if model is not None:
                models = await exits.enter_async_context(
                    connect_endpoints(settings, require_endpoints(settings))
                )
                answerers["model"] = ModelAnswerer(Ledger(run), models, model, Sampling())
            answering = AnswerRouter(seed, AnswererChoice(default="model" if model else "offline"), answerers)

            async def ask(question: Question[Any]) -> Any:
                about = {"kind": question.kind, "subject": question.subject, "step": 0, "ordinal": 0}
                place = Place(lane="main", asker="generator", **about)
                placed = answering.place_question(place, question, None, "generator")
                (answer,) = await answering.answer_all([placed])
                if answer.reply is None:
                    raise EndpointError(
                        f"the model's draft of {question.subject} cannot be used: {answer.failure}"
                    )
                return answer.reply

            return await generate_personas(
                chunks, topic, n, ask, leaning=lambda sentence: stance(sentence, topic)
            )
