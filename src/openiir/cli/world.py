"""`openiir world`: build a world outside a study and show what it contains."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import SkipBad, Sources, command_app
from openiir.cli.source_paths import resolve_sources
from openiir.core.hashing import canonical
from openiir.core.records import Chunk
from openiir.core.world import World, chunk_sources, load_sources
from openiir.runs.edge import run_coroutine
from openiir.runs.terminal import print_message, print_result
from openiir.runs.views.writing import write_out

app = command_app("Build worlds from sources.")


@app.callback()
def _group() -> None:
    """Keep `build` a subcommand, though it is the only one."""


@app.command("build")
def build_world(
    sources: Sources,
    skip_bad: SkipBad = False,
    words: Annotated[
        int, typer.Option("--chunk-words", min=10, max=2_000, help="Most words in a chunk.")
    ] = 120,
    query: Annotated[str, typer.Option("--query", help="Try a look-up in its index.")] = "",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Chunks as JSON lines.")] = None,
) -> None:
    """Read and chunk sources as a study would, and say what is in them."""
    loaded = load_sources(*resolve_sources(sources), skip_bad)
    for left in loaded.skipped:
        print_message(f"left out: {left.name}: {left.reason}")
    chunks = chunk_sources(loaded.sources, "main", words)
    per_source = Counter(chunk.source for chunk in chunks)
    for source in loaded.sources:
        print_result(
            f"{source.name}: {source.media}, {len(source.text.split()):,} words, {per_source[source.name]} "
            "chunks"
        )
    print_result(f"{len(loaded.sources)} sources, {len(chunks)} chunks, {len(loaded.skipped)} left out")
    if query:
        run_coroutine(_look_up(chunks, query))
    if out is not None:
        write_out(out, "".join(canonical(chunk) + "\n" for chunk in chunks))


async def _look_up(chunks: Sequence[Chunk], query: str) -> None:
    world = await World.build("main", chunks)
    for hit in await world.lookup(query, 5):
        print_result(
            f"\n{hit.chunk.id} {hit.score:.3f} {hit.chunk.source} [{hit.chunk.start}:{hit.chunk.end}]"
        )
        print_result(hit.chunk.text)
