"""A run's calls in a process of its own: asks an endpoint under limits that it shares with other processes.

    python shared_worker.py URL USAGE CALLS REQUESTS TOKENS WINDOW

The limits hold for a stretch of WINDOW seconds in place of a minute. Prints a line for each reply.
"""

import asyncio
import sys
from pathlib import Path

from openiir.core.llm import Endpoint, Request, Sampling, connect
from openiir.core.records import Message
from openiir.core.storage import UsageFile


async def work(url: str, usage: str, calls: int, requests: int, tokens: int, window: float) -> None:
    limits = {"requests_per_minute": requests or None, "tokens_per_minute": tokens or None}
    with UsageFile(Path(usage)) as file:
        async with connect(Endpoint(url=url, **limits), usage=file) as models:
            shared = models.pool.members[0].shared
            assert shared is not None
            shared.limits = shared.limits._replace(window=window)

            async def ask(number: int) -> None:
                messages = (Message(role="user", text=f"Say {number} words about the sea."),)
                reply = await models.complete(Request("standin", messages, Sampling(max_tokens=100)))
                print(number, reply.prompt_tokens + reply.reply_tokens, flush=True)

            await asyncio.gather(*(ask(number) for number in range(calls)))


if __name__ == "__main__":
    url, usage, *numbers = sys.argv[1:]
    asyncio.run(work(url, usage, *map(int, numbers[:3]), float(numbers[3])))
