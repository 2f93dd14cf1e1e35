"""Prepare a run from a study: read, chunk and fit its worlds, and create the run's folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, StorageFull
from openiir.core.records import Chunk, Persona
from openiir.core.retrieval import LSA
from openiir.core.storage import RunFile, hide_folder, is_free
from openiir.core.storage.run_start import RunHome
from openiir.core.world import (
    FetchLimits,
    SkippedSource,
    SourceDocument,
    WorldSpec,
    chunk_sources,
    extraction,
    fetch_pages,
    load_sources,
)
from openiir.runs.edge import call_blocking, run_coroutine
from openiir.runs.settings import Settings, apply_settings
from openiir.runs.study import LoadedStudy, world_table_name
from openiir.runs.types import find_type


@dataclass(frozen=True)
class SourceOptions:
    """Options for reading the sources of a study's worlds: skip unreadable ones, fetch URLs."""

    skip_bad: bool = False
    """Whether unreadable sources are left out with a message instead of stopping."""
    fetch: bool = False
    """Whether the URLs and collections that a world names are fetched."""
    tell: Callable[[str], None] = lambda text: None


def prepare_run(
    loaded: LoadedStudy,
    folder: Path,
    settings: Settings,
    gathering: SourceOptions | None = None,
    *,
    again: bool = False,
) -> RunFile:
    """Create a run folder with all that a run needs; with `again` it replaces an existing run.

    Nothing is written before all sources are read and checked; a replaced run is deleted after the first new
    step.
    """
    apply_settings(settings)
    _check_place(folder, again)
    chunks, fitted = _worlds(loaded, settings, gathering or SourceOptions())
    before = hide_folder(folder) if again else None
    try:
        run = declare_run(folder, loaded.document(), loaded.personas, chunks, fitted, loaded.folder)
    except BaseException:
        if before is not None:
            before.replace(folder)
        raise
    run.replaces = before
    return run


def declare_run(
    folder: Path,
    document: dict[str, Any],
    personas: Sequence[Persona],
    chunks: Sequence[Chunk],
    fitted: dict[str, bytes],
    place: Path,
    home: RunHome | None = None,
) -> RunFile:
    """Create a run folder with study, personas, chunks and fitted models, completely or not at all.

    `place` is the study's folder; it is not stored for a type's reference study, whose place differs by
    machine. `home` is where run and study belong, if these are copies.
    """
    own = find_type(document["type"]).reference
    try:
        run = RunFile.create(folder)
        try:
            elsewhere = None if own and own.resolve() == place.resolve() else place
            run.declare(document, personas, chunks, fitted, elsewhere, home=home)
        except BaseException:
            run.withdraw()
            raise
    except StorageFull as error:
        raise StorageFull(
            f"the run at {folder} could not begin: {error.__cause__}; make space, then run it again"
        ) from error
    return run


def _check_place(folder: Path, again: bool) -> None:
    if is_free(folder) or (again and (folder / "run.db").is_file()):
        return
    if folder.is_dir() and (folder / "run.db").is_file():
        raise InputError(
            f"there is a run at {folder}; `openiir resume {folder}` goes on with it, --again replaces it, "
            "or name another --out"
        )
    what = "is not empty" if folder.is_dir() else "is a file"
    raise InputError(f"{folder} {what}; name another --out")


def _worlds(
    loaded: LoadedStudy, settings: Settings, gathering: SourceOptions
) -> tuple[list[Chunk], dict[str, bytes]]:
    chunks: list[Chunk] = []
    fitted: dict[str, bytes] = {}
    for name, spec in sorted(loaded.study.world.items()):
        pieces = gather_declared(name, loaded, settings, gathering)
        chunks += pieces
        fitted |= fit_world(name, spec, pieces)
    extraction.stop_extraction()
    return chunks, fitted


def fit_world(name: str, spec: WorldSpec, pieces: Sequence[Chunk]) -> dict[str, bytes]:
    """Fit LSA on a world's chunks and return models by name; none where an endpoint embeds them."""
    if spec.embeddings is not None:
        return {}
    return {f"lsa:{name}": LSA.fit([c.text for c in pieces], spec.dimensions).to_bytes()}


def gather_declared(
    name: str, loaded: LoadedStudy, settings: Settings, gathering: SourceOptions
) -> tuple[Chunk, ...]:
    """Read and chunk a world of a study as `gather_chunks` does; errors name the world's table."""
    try:
        return gather_chunks(name, loaded.study.world[name], loaded.folder, settings, gathering)
    except InputError as error:
        raise InputError(f"study {loaded.study.name} {world_table_name(name)}: {error}") from None


def gather_chunks(
    name: str, spec: WorldSpec, folder: Path, settings: Settings, gathering: SourceOptions
) -> tuple[Chunk, ...]:
    """Read and chunk a world's sources, reporting those left out; raises InputError for an empty world."""
    sources: list[SourceDocument] = []
    skipped: list[SkippedSource] = []
    if spec.sources:
        files = load_sources(spec.sources, folder, gathering.skip_bad, spec.encoding, gathering.fetch)
        sources, skipped = [*files.sources], [*files.skipped]
    if spec.urls and not gathering.fetch:
        raise InputError(
            f"world {name} names URLs ({len(spec.urls)}), which are fetched only when asked: add --fetch"
        )
    if spec.urls:
        limits = FetchLimits(allow_private=settings.allow_private_addresses)
        pages = call_blocking(lambda: run_coroutine(fetch_pages(spec.urls, limits, gathering.skip_bad)))
        sources += pages.sources
        skipped += pages.skipped
    for left in skipped:
        gathering.tell(f"left out of world {name}: {left.name}: {left.reason}")
    if not sources:
        raise InputError(f"world {name} has no sources; name files or folders by its key `sources`")
    return chunk_sources(sources, name, spec.chunk_words)
