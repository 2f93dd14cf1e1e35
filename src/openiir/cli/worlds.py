"""Building a world outside a study, to see what is in it."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from openiir.core.hashing import canonical
from openiir.core.records import Chunk
from openiir.core.world import World, chunk_all, load


def build_world(sources: Sequence[str], skip_bad: bool, words: int, query: str, out: Path | None) -> None:
    """Say what each source gave; try a look-up; write the chunks."""
    loaded = load([_rooted(s) for s in sources], Path.cwd(), skip_bad)
    for left in loaded.skipped:
        print(f"left out: {left.name}: {left.reason}", file=sys.stderr)
    chunks = chunk_all(loaded.sources, "main", words)
    per_source = Counter(chunk.source for chunk in chunks)
    for source in loaded.sources:
        print(f"{source.name}: {source.media}, {len(source.text.split()):,} words, {per_source[source.name]} chunks")
    print(f"{len(loaded.sources)} sources, {len(chunks)} chunks, {len(loaded.skipped)} left out")
    if query:
        asyncio.run(_try(chunks, query))
    if out is not None:
        out.write_text("".join(canonical(chunk) + "\n" for chunk in chunks), encoding="utf-8")


def _rooted(source: str) -> str:
    return source if source.startswith("$") else str(Path(source).absolute())


async def _try(chunks: Sequence[Chunk], query: str) -> None:
    world = await World.build("main", chunks)
    for hit in await world.lookup(query, 5):
        print(f"\n{hit.chunk.id} {hit.score:.3f} {hit.chunk.source} [{hit.chunk.start}:{hit.chunk.end}]")
        print(hit.chunk.text)
