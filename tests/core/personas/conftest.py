"""Small corpora and persona files that the persona tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from openiir.core.hashing import sha256
from openiir.core.records import Chunk

THEMES = {
    "harbour.md": "Harbour cranes lift containers faster than dock workers can count them. "
    "A crane that fails in a storm endangers every ship in the harbour. "
    "Crane operators complain that automatic cranes destroy good jobs in the port.",
    "orchard.md": "Orchard growers prune apple trees in winter because sap runs low. "
    "Apple growers lose a terrible share of the harvest to late frost each spring. "
    "A wonderful apple harvest brings growers a better price than wheat does.",
    "library.md": "Library readers borrow more novels than poems in every month of the year. "
    "Lending libraries benefit poor readers who cannot buy novels themselves. "
    "A library that closes on Sunday harms readers who work during the week.",
}


@pytest.fixture
def chunks() -> tuple[Chunk, ...]:
    """Three sources on three subjects, a chunk a sentence."""
    made: list[Chunk] = []
    for source, text in sorted(THEMES.items()):
        start = 0
        for sentence in text.split(". "):
            piece = sentence if sentence.endswith(".") else f"{sentence}."
            made.append(
                Chunk(
                    id=f"c{len(made) + 1:04d}",
                    world="main",
                    source=source,
                    start=start,
                    end=start + len(piece),
                    text=piece,
                    sha256=sha256(piece),
                )
            )
            start += len(piece) + 1
    return tuple(made)


@pytest.fixture
def persona_file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes a persona file and returns its path."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "cast.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
