"""Measure the speed of a model at an endpoint: in seconds, or within a minute where it is slow."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from openiir.core.errors import InputError
from openiir.core.llm.endpoint import Connection
from openiir.core.llm.probe import first_model
from openiir.core.llm.provider import Reply, Request, Sampling
from openiir.core.records import Message
from openiir.core.seeds import Draw
from openiir.core.sums import int_sum

_WORDS = "tide lamp bridge heron kettle orchard signal winter ladder copper meadow ferry".split()

_LONG = 300
"""Words of the prompt by which prompts are timed."""
_REPLY = 32
"""Tokens of the replies by which replies are timed."""
_SECONDS = 2.0
"""Seconds of a call of a fifth of these words and a quarter of these tokens from which on less is timed."""


@dataclass(frozen=True)
class Speed:
    """A model's speed at an endpoint, in tokens a second."""

    model: str
    prompt: float
    reply: float
    """Of one call alone."""
    together: float
    """Of `width` calls at once."""
    width: int
    context: int | None
    """Most tokens of prompt and reply together; None where the endpoint does not say."""


async def measure_speed(connection: Connection, width: int, model: str | None = None) -> Speed:
    """Time a long prompt, a reply alone, and `width` replies at once.

    `model` defaults to the first listed that is not for embeddings. Raises InputError where there is none,
    EndpointError where a call fails.
    """
    contexts = await connection.contexts()
    model = model or first_model(sorted(contexts), embeds=False)
    if model is None:
        raise InputError(f"{connection.pool.where} lists no model; name one with --model")
    await _time(connection, model, ["load"], 1, 1)  # a server may load the model at its first call
    brief = await _time(connection, model, ["brief"], _LONG // 5, _REPLY // 4)
    share = min(1.0, max(0.2, _SECONDS / brief.seconds))
    words, most = round(_LONG * share), round(_REPLY * share)
    read = await _time(connection, model, ["read"], words, 1)
    wrote = await _time(connection, model, ["write"], 1, most)
    together = await _time(connection, model, [f"write {n}" for n in range(width)], 1, most)
    # Two equations: prompt tokens / prompt speed + reply tokens / reply speed = seconds.
    both = read.prompt * wrote.reply - wrote.prompt * read.reply
    a_prompt = (read.seconds * wrote.reply - wrote.seconds * read.reply) / both if both else 0.0
    a_prompt = a_prompt if a_prompt > 0 else read.seconds / read.prompt
    a_reply = max(wrote.seconds - wrote.prompt * a_prompt, wrote.seconds / 2) / wrote.reply
    all_replies = max(together.seconds - together.prompt * a_prompt, together.seconds / 2)
    return Speed(
        model,
        prompt=1 / a_prompt,
        reply=1 / a_reply,
        together=together.reply / all_replies,
        width=width,
        context=contexts.get(model),
    )


@dataclass(frozen=True)
class _Timed:
    prompt: int
    reply: int
    seconds: float


async def _time(
    connection: Connection, model: str, names: Sequence[str], words: int, most_tokens: int
) -> _Timed:
    """Time calls that are under way together; prompts begin by names, so that no cache knows them."""
    begun = time.monotonic()
    replies = await asyncio.gather(*(_request(connection, model, name, words, most_tokens) for name in names))
    return _Timed(
        int_sum(reply.prompt_tokens for reply in replies) or 1,
        int_sum(reply.reply_tokens for reply in replies) or 1,
        time.monotonic() - begun,
    )


async def _request(connection: Connection, model: str, name: str, words: int, most_tokens: int) -> Reply:
    bits = Draw(time.time_ns(), "speed", item=name)
    told = " ".join(_WORDS[bits.below(len(_WORDS), item=f"{name} {n}")] for n in range(words))
    text = f"{name} {bits.bits()}: {told}. Tell a long story about all of these."
    messages = (Message(role="user", text=text),)
    return await connection.complete(Request(model, messages, Sampling(max_tokens=most_tokens)))
