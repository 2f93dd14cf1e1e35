"""Building a world outside a study, to see what is in it."""

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from openiir.cli.writing import write_out
from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.records import Chunk
from openiir.core.world import World, chunk_all, load
from openiir.core.world.irdatasets import PREFIX
from openiir.runs.terminal import note, say


def build_world(sources: Sequence[str], skip_bad: bool, words: int, query: str, out: Path | None) -> None:
    """Say what each source gave; try a look-up; write the chunks."""
    loaded = load(*located(sources), skip_bad)
    for left in loaded.skipped:
        note(f"left out: {left.name}: {left.reason}")
    chunks = chunk_all(loaded.sources, "main", words)
    per_source = Counter(chunk.source for chunk in chunks)
    for source in loaded.sources:
        say(
            f"{source.name}: {source.media}, {len(source.text.split()):,} words, {per_source[source.name]} chunks"
        )
    say(f"{len(loaded.sources)} sources, {len(chunks)} chunks, {len(loaded.skipped)} left out")
    if query:
        asyncio.run(_try(chunks, query))
    if out is not None:
        write_out(out, "".join(canonical(chunk) + "\n" for chunk in chunks))


def located(sources: Sequence[str]) -> tuple[tuple[str, ...], Path]:
    """Sources named on the command line, and the folder they are read in.

    That is the working folder if it holds them all; else the nearest folder that holds all those named, since
    somebody who types a path means it. Raises InputError for a web address.
    """
    if pages := [s for s in sources if s.startswith(("http://", "https://"))]:
        raise InputError(
            f"{pages[0]} is a web page, and files and folders are read here; save it and name the file"
        )
    elsewhere = ("$", PREFIX)
    named = [s if s.startswith(elsewhere) else os.path.normpath(Path(s).absolute()) for s in sources]
    here, above = Path.cwd(), [_folder_of(Path(s)) for s in named if not s.startswith(elsewhere)]
    inside = all(folder.is_relative_to(here) for folder in above)
    return tuple(named), here if inside else Path(os.path.commonpath(above))


def _folder_of(place: Path) -> Path:
    """The folder a path or pattern stands in; the working folder stands in itself."""
    if place == Path.cwd():
        return place
    plain = [*takewhile(lambda part: not any(mark in part for mark in "*?["), place.parent.parts)]
    return Path(*plain)


async def _try(chunks: Sequence[Chunk], query: str) -> None:
    world = await World.build("main", chunks)
    for hit in await world.lookup(query, 5):
        say(f"\n{hit.chunk.id} {hit.score:.3f} {hit.chunk.source} [{hit.chunk.start}:{hit.chunk.end}]")
        say(hit.chunk.text)
