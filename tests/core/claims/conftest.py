"""A small debate to measure, and the builders it is made of."""

from collections.abc import Callable

import pytest

from openiir.core.records import Citation, Claim, Edge


def _claim(
    identity: str, stance: float = 0.0, speaker: str = "ada", cited: bool = False, text: str = ""
) -> Claim:
    return Claim(
        id=identity,
        text=text or f"What {identity} says",
        topic="Cities should plant more trees",
        stance=stance,
        step=1,
        speaker=speaker,
        utterance=int(identity[1:]) if identity[1:].isdigit() else 1,
        start=0,
        end=4,
        cites=(Citation(chunk="c0001", start=0, end=9),) if cited else (),
        confidence=0.5,
        extractor="test/1",
    )


def _edge(source: str, target: str, kind: str) -> Edge:
    fields = {
        "source": source,
        "target": target,
        "type": kind,
        "confidence": 0.5,
        "extractor": "test/1",
        "step": 1,
    }
    return Edge.model_validate(fields)


@pytest.fixture
def claim() -> Callable[..., Claim]:
    return _claim


@pytest.fixture
def edge() -> Callable[..., Edge]:
    return _edge


@pytest.fixture
def debate() -> tuple[list[Claim], list[Edge]]:
    """ada (for) says k1; bo (against) counters it; cy questions bo's; ada supports her own; di refines k1."""
    claims = [
        _claim("k1", 0.8, "ada", cited=True),
        _claim("k2", -0.6, "bo"),
        _claim("k3", 0.0, "cy"),
        _claim("k4", 0.5, "ada"),
        _claim("k5", 0.4, "di"),
    ]
    edges = [
        _edge("k2", "k1", "counters"),
        _edge("k3", "k2", "questions"),
        _edge("k4", "k1", "supports"),
        _edge("k5", "k1", "refines"),
    ]
    return claims, edges
