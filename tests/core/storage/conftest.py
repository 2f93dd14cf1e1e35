from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.hashing import canonical, sha256
from openiir.core.records import Call, Chunk, Claim, Edge, Persona, Place, Search, SearchHit
from openiir.core.storage import RunFile, StepRows

STUDY = {"type": "none", "name": "a study", "seed": 3, "config": {}}


@pytest.fixture
def declared(tmp_path: Path) -> Iterator[RunFile]:
    """A run that is about to begin."""
    with RunFile.create(tmp_path / "run") as run:
        personas = [Persona(id=name, name=name, bio="A person.") for name in ("zoe", "abe")]
        run.declare(STUDY, personas, [chunk_of("c0001", "Some text.")], {"lsa:main": b"numbers"})
        yield run


def chunk_of(name: str, text: str) -> Chunk:
    return Chunk(id=name, world="main", source="a.md", start=0, end=len(text), text=text, sha256=sha256(text))


@pytest.fixture
def call() -> Callable[..., Call]:
    """Makes a call to `asker` at a step."""

    def make(asker: str, step: int, ordinal: int = 0, attempt: int = 0, **more: Any) -> Call:
        place = Place(lane="main", asker=asker, kind="a.b", subject="", step=step, ordinal=ordinal)
        request = canonical({"to": asker, "step": step, "ordinal": ordinal, "attempt": attempt})
        values = {"answerer": "model", "reply": f"{asker} says {step}.{ordinal}", "usable": True} | more
        return Call(place=place, attempt=attempt, prompt_hash=sha256(request), request=request, **values)

    return make


@pytest.fixture
def rows() -> Callable[[int], StepRows]:
    """Makes a step with something of everything."""

    def make(number: int) -> StepRows:
        claims = [
            Claim(
                id=f"k{number}{n}",
                text=f"Claim {n}.",
                topic="t",
                stance=0.1,
                step=number,
                speaker="zoe",
                utterance=number,
                start=0,
                end=8,
                confidence=1 / 3,
                extractor="x/1",
            )
            for n in range(2)
        ]
        edge = Edge(
            step=number,
            source=claims[0].id,
            target=claims[1].id,
            type="supports",
            confidence=0.1,
            extractor="x",
        )
        hit = SearchHit(title="Ü", url="http://localhost", text="a line")
        step = StepRows(
            number,
            label=f"step {number}",
            events=[
                ("main", "a.said", "zoe", canonical({"text": "é", "n": number})),
                ("main", "a.end", None, "{}"),
            ],
            claims=claims,
            edges=[edge],
            searches=[
                Search(
                    lane="main",
                    asker=who,
                    step=number,
                    ordinal=0,
                    query="q",
                    justification="j",
                    refused=why,
                    hits=hits,
                )
                for who, why, hits in (("zoe", None, (hit,)), ("abe", "no", ()))
            ],
            chunks=[chunk_of(f"w{number}", f"Found at {number}.")],
        )
        step.row("posts", {"by": "zoe", "n": number, "x": 0.1})
        step.columns("none", {"n": np.zeros(0)})
        return step

    return make
