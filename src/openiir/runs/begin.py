"""From a study to a declared run: its worlds loaded, chunked and fitted, everything written before the first step."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from openiir.core.errors import InputError
from openiir.core.records import Chunk
from openiir.core.retrieval import LSA
from openiir.core.storage import RunFile
from openiir.core.world import Limits, Skipped, Source, WorldSpec, chunk_all, fetch_pages, load
from openiir.runs.settings import Settings
from openiir.runs.study import Loaded


@dataclass(frozen=True)
class Gathering:
    """How a study's sources are read."""

    skip_bad: bool = False
    """Leave unreadable sources out, saying so, instead of stopping."""
    fetch: bool = False
    """Fetch the URLs that a world names."""
    tell: Callable[[str], None] = lambda text: None


def begin(loaded: Loaded, folder: Path, settings: Settings, gathering: Gathering | None = None) -> RunFile:
    """A fresh run folder that holds all the run will need. Nothing is written before the sources are read."""
    if folder.exists() and (not folder.is_dir() or any(p.name != "run.lock" for p in folder.iterdir())):
        raise InputError(f"{folder} is not empty; name another --out, or `openiir resume {folder}` if it is a run")
    gathering = gathering or Gathering()
    chunks: list[Chunk] = []
    fitted: dict[str, bytes] = {}
    for name, spec in sorted(loaded.study.world.items()):
        pieces = gather(name, spec, loaded.folder, settings, gathering)
        chunks += pieces
        if spec.embeddings is None:
            fitted[f"lsa:{name}"] = LSA.fit([c.text for c in pieces], spec.dimensions).to_bytes()
    run = RunFile.create(folder)
    try:
        run.declare(loaded.document(), loaded.personas, chunks, fitted)
    except BaseException:
        run.close()
        raise
    return run


def gather(
    name: str, spec: WorldSpec, folder: Path, settings: Settings, gathering: Gathering
) -> tuple[Chunk, ...]:
    """The chunks of a declared world; says what was left out, and refuses a world with nothing in it."""
    sources: list[Source] = []
    skipped: list[Skipped] = []
    if spec.sources:
        files = load(spec.sources, folder, gathering.skip_bad, spec.encoding)
        sources, skipped = [*files.sources], [*files.skipped]
    if spec.urls and not gathering.fetch:
        raise InputError(
            f"world {name} names {len(spec.urls)} URLs, which are fetched only when asked: add --fetch"
        )
    if spec.urls:
        limits = Limits(allow_private=settings.allow_private_addresses)
        pages = asyncio.run(fetch_pages(spec.urls, limits, gathering.skip_bad))
        sources += pages.sources
        skipped += pages.skipped
    for left in skipped:
        gathering.tell(f"left out of world {name}: {left.name}: {left.reason}")
    if not sources:
        raise InputError(f"world {name} has no sources; name files or folders under [world] sources")
    return chunk_all(sources, name, spec.chunk_words)
