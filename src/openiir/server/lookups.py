"""Try-out of the look-ups that a run's agents make, with the scores of each passage by part."""

import re
from collections.abc import Iterable
from typing import Any

from openiir.core.errors import EndpointError, InputError
from openiir.core.retrieval.hybrid import Mode
from openiir.core.storage import Log, RunFile
from openiir.core.storage.folder import database_stamp
from openiir.core.world import World
from openiir.runs.build import rebuild_world
from openiir.runs.edge import run_coroutine

_START = 60
"""Letters by which a passage is known."""
_NUMBERED = re.compile(rf"^\[(\d+)\] (?:\([^()\n]*\) )?(?=([\s\S]{{1,{2 * _START}}}))", re.MULTILINE)
"""A passage of a prompt: its number, a remark in brackets, and its beginning."""


def find_numbered_passages(run: RunFile, texts: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Find the passages that a prompt lists as "[1] ...": world and chunk by number."""
    listed = [found for text in texts for found in _NUMBERED.findall(text)]
    if not listed:
        return {}
    known = {_start(chunk.text): (chunk.world, chunk.id) for chunk in Log(run).chunks()}
    short = [start for start in known if len(start) < _START]
    found = {}
    for number, text in listed:
        start = _start(text)
        whole = start if start in known else next((one for one in short if start.startswith(one)), "")
        if whole:
            found[number] = known[whole]
    return found


def _start(text: str) -> str:
    return " ".join(text[: 2 * _START].split())[:_START]


class PassageFinder:
    """Finds passages in the worlds of runs; the world used last stays in memory."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[Any, ...], World] | None = None

    def find(self, run: RunFile, world: str, query: str, k: int, mode: Mode) -> dict[str, Any]:
        """Find the k best passages, best first, with their scores; raises UnknownName or InputError."""
        return run_coroutine(self._find(run, world, query, k, mode))

    async def _find(self, run: RunFile, name: str, query: str, k: int, mode: Mode) -> dict[str, Any]:
        key = (*database_stamp(run.folder), len(run.steps()), name)
        try:
            world = self._kept[1] if self._kept and self._kept[0] == key else await rebuild_world(run, name)
            hits = await world.lookup(query, k, mode)
        except EndpointError:
            raise InputError(
                "the run holds no vector of these words, which an endpoint would have to make; look "
                f"{query!r} up by mode = keyword, or look up what an agent of the run looked up"
            ) from None
        if run.study()["world"][name]["embeddings"] is None:  # others read vectors from the open run
            self._kept = key, world
        return {
            "weight": world.weight,
            "embedder": world.embedder,
            "hits": [
                {
                    "world": name,
                    "chunk": hit.chunk.id,
                    "source": hit.chunk.source,
                    "text": hit.chunk.text,
                    "bm25": hit.bm25,
                    "cosine": hit.cosine,
                    "score": hit.score,
                }
                for hit in hits
            ],
        }
