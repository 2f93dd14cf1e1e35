"""Forecast the calls and tokens of a run, from a rehearsal with offline answers or from an earlier run."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from os.path import commonprefix
from pathlib import Path
from tempfile import TemporaryDirectory

from openiir.core.agents.answer_router import SHADOW
from openiir.core.asking import Answer, OfflineAnswerer, PlacedQuestion
from openiir.core.errors import OpeniirError
from openiir.core.llm import Prices, estimated_tokens
from openiir.core.storage import RunFile
from openiir.core.storage.database import translate_errors
from openiir.core.sums import int_sum
from openiir.runs.build import RunSources, build_run_context
from openiir.runs.engine import Watcher, run_steps
from openiir.runs.replay import copy_run_inputs
from openiir.runs.settings import Settings

REPLY = "the reply"


@dataclass
class Forecast:
    """Expected model calls by kind of question, and the tokens of their prompts and replies by part."""

    basis: str
    """What the forecast is based on, in words."""
    calls: Counter[str] = field(default_factory=Counter)
    parts: dict[str, Counter[str]] = field(default_factory=dict)
    """Tokens by kind of question and by part of the prompts; the part REPLY counts the replies."""

    def add(self, kind: str, part: str, tokens: int) -> None:
        """Add tokens to a part of the prompts, or to the replies, of a kind of question."""
        self.parts.setdefault(kind, Counter())[part] += tokens

    @property
    def prompt_tokens(self) -> int:
        return int_sum(
            tokens for parts in self.parts.values() for part, tokens in parts.items() if part != REPLY
        )

    @property
    def reply_tokens(self) -> int:
        return int_sum(parts[REPLY] for parts in self.parts.values())

    def cost(self, prices: Prices) -> float:
        return prices.of(self.prompt_tokens, self.reply_tokens)


async def forecast_by_rehearsal(run: RunFile, settings: Settings) -> Forecast:
    """Forecast a prepared run's model calls by executing it with offline answers in a temporary folder.

    Tokens are words x 4/3. A reply counts as the offline one or as the example that the prompt shows,
    whichever is longer, since models say what they think and offline answers do not; many write more, so read
    it as a lower bound. Worlds with a retriever are searched by their own index; web searches find nothing.
    """
    forecast = Forecast("a rehearsal with offline answers")
    last: dict[tuple[str, str, str], str] = {}

    def watch(asked: PlacedQuestion, answer: Answer) -> None:
        if answer.answerer == "model":
            kind = asked.place.kind.removesuffix(SHADOW)
            forecast.calls[kind] += 1
            place = asked.place.lane, asked.place.asker, kind
            for part, text in _parts(asked, last.get(place, "")).items():
                forecast.add(kind, part, estimated_tokens(text))
            last[place] = asked.question.facts_only.prompt()
            shown = asked.question.example
            example = estimated_tokens(json.dumps(shown.model_dump(mode="json"))) if shown else 0
            forecast.add(kind, REPLY, max(answer.reply_tokens, example))

    with (
        TemporaryDirectory(prefix="openiir-rehearsal-") as scratch,
        copy_run_inputs(run, Path(scratch) / "run") as copy,
    ):
        async with AsyncExitStack() as exits:
            machine = await build_run_context(copy, settings, RunSources(live=False), exits)
            machine.stage.knowledge.retrievers.clear()
            machine.stage.knowledge.rehearsing = True
            answering = machine.stage.answering
            answering.answerers = {name: _RenamedOffline(name) for name in answering.answerers}
            answering.watch = watch
            await run_steps(machine, copy, Watcher())
    return forecast


def _parts(asked: PlacedQuestion, last: str) -> dict[str, str]:
    """Split a prompt into named parts; `last` is the asker's previous prompt of that kind in the lane."""
    *role, user = (message.text for message in asked.messages())
    told = asked.question.facts_only.prompt()
    again = commonprefix([told, last])
    return {
        "who is asked": "".join(role),
        "the beginning, as last time": again,
        "what is new": told[len(again) :],
        "the form of the reply": user[len(told) :],
    }


class _RenamedOffline(OfflineAnswerer):
    """Offline answerer that takes the name of another answerer."""

    def __init__(self, name: str) -> None:
        self.name = self.label = name


def forecast_from_earlier_run(folders: Sequence[Path], kinds: Counter[str]) -> Forecast | None:
    """Forecast calls of these kinds by their mean tokens in an earlier run by a model; None without one.

    The first of `folders` with calls of all kinds counts, repairs included; folders that cannot be read are
    skipped.
    """
    for folder in folders:
        try:
            means = _means(folder)
        except OpeniirError:
            continue
        if kinds and kinds.keys() <= means.keys():
            forecast = Forecast(f"the calls of {folder}", Counter(kinds))
            for kind, n in kinds.items():
                forecast.add(kind, "the prompt, repairs included", round(n * means[kind][0]))
                forecast.add(kind, REPLY, round(n * means[kind][1]))
            return forecast
    return None


def _means(folder: Path) -> dict[str, tuple[float, float]]:
    """Compute the mean prompt and reply tokens of a question, by kind."""
    sql = "select kind, 1.0 * sum(prompt_tokens), 1.0 * sum(reply_tokens), sum(attempt = 0) from call"
    with RunFile.open(folder) as run, translate_errors(run.path):
        rows = run.db.execute(f"{sql} where answerer = 'model' group by kind").fetchall()
    return {kind: (prompt / asked, reply / asked) for kind, prompt, reply, asked in rows if asked}


async def forecast_run(run: RunFile, settings: Settings, earlier: Sequence[Path] = ()) -> list[Forecast]:
    """Forecast a run by rehearsal, and by the tokens of an earlier run where there is one."""
    rehearsal = await forecast_by_rehearsal(run, settings)
    known = forecast_from_earlier_run(earlier, rehearsal.calls)
    return [rehearsal, known] if known else [rehearsal]
