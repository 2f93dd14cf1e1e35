"""What a run would ask of its endpoint: a rehearsal with offline answers, or an earlier run, counted."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from tempfile import TemporaryDirectory

from openiir.core.agents.asking import SHADOW
from openiir.core.asking import Asked, Offline
from openiir.core.errors import OpeniirError
from openiir.core.llm import Prices, estimated_tokens
from openiir.core.storage import RunFile
from openiir.core.storage.database import guarded
from openiir.core.sums import int_sum
from openiir.runs.assemble import Sources, assemble
from openiir.runs.engine import Silent, run_steps
from openiir.runs.replay import copy_of
from openiir.runs.settings import Settings


@dataclass
class Forecast:
    """Calls by question kind, and tokens of all prompts and replies."""

    basis: str
    """What it was counted on."""
    calls: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    reply_tokens: int = 0

    def money(self, prices: Prices) -> float:
        return prices.of(self.prompt_tokens, self.reply_tokens)


async def rehearse(run: RunFile, settings: Settings) -> Forecast:
    """Play a declared run through offline in a scratch folder and count what would have gone to a model.

    Tokens are words x 4/3; model replies are as a rule longer than offline ones, so read them as a lower bound.
    """
    forecast = Forecast("a rehearsal with offline answers")

    def watch(asked: Asked, name: str) -> None:
        if name == "model":
            forecast.calls[asked.place.kind.removesuffix(SHADOW)] += 1
            forecast.prompt_tokens += int_sum(estimated_tokens(m.text) for m in asked.messages())

    with (
        TemporaryDirectory(prefix="openiir-rehearsal-") as scratch,
        copy_of(run, Path(scratch) / "run") as copy,
    ):
        async with AsyncExitStack() as exits:
            machine = await assemble(copy, settings, Sources(live=False), exits)
            answering = machine.stage.answering
            answering.answerers = {name: _Understudy(name) for name in answering.answerers}
            answering.watch = watch
            await run_steps(machine, copy, Silent())
        forecast.reply_tokens = _reply_tokens(copy)
    return forecast


class _Understudy(Offline):
    """Gives offline answers in another's name."""

    def __init__(self, name: str) -> None:
        self.name = self.label = name


def from_earlier(folders: Sequence[Path], kinds: Counter[str]) -> Forecast | None:
    """The same calls at the tokens (repairs included) of the first of these runs that a model answered.

    None where there is none; a folder that cannot be read is passed over, since it has no part in the new run.
    """
    for folder in folders:
        try:
            means = _means(folder)
        except OpeniirError:
            continue
        if kinds and kinds.keys() <= means.keys():
            forecast = Forecast(f"the calls of {folder}", Counter(kinds))
            forecast.prompt_tokens = round(fsum(n * means[kind][0] for kind, n in kinds.items()))
            forecast.reply_tokens = round(fsum(n * means[kind][1] for kind, n in kinds.items()))
            return forecast
    return None


def _means(folder: Path) -> dict[str, tuple[float, float]]:
    """Prompt and reply tokens a question, by kind."""
    sql = "select kind, 1.0 * sum(prompt_tokens), 1.0 * sum(reply_tokens), sum(attempt = 0) from call"
    with RunFile.open(folder) as run, guarded(run.path):
        rows = run.db.execute(f"{sql} where answerer = 'model' group by kind").fetchall()
    return {kind: (prompt / asked, reply / asked) for kind, prompt, reply, asked in rows if asked}


def _reply_tokens(run: RunFile) -> int:
    payloads = [
        json.loads(text) for (text,) in run.db.execute("select payload from event where kind = 'asked'")
    ]
    return int_sum(entry["reply_tokens"] for entry in payloads if entry.get("answerer") == "model")


def forecast_of(run: RunFile, settings: Settings, earlier: Sequence[Path] = ()) -> list[Forecast]:
    """A rehearsal, and beside it the same calls at an earlier run's prices where there is one."""
    rehearsal = asyncio.run(rehearse(run, settings))
    known = from_earlier(earlier, rehearsal.calls)
    return [rehearsal, known] if known else [rehearsal]
