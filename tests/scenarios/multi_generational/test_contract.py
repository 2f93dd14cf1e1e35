"""Producers and detectors keep the contract of every type, with posts that stand and a hall of fame."""

from typing import Any, ClassVar

from openiir.scenarios.multi_generational import MultiGenerational
from openiir.testing import ScenarioContract
from openiir.testing.contract import QuestionContract

SMALL = (
    "config.generations=3",
    "config.producers=3",
    "config.detectors=3",
    "config.pairs=3",
    "config.matrix.generations=2",
    "config.matrix.pairs=2",
)


class TestContract(ScenarioContract):
    type = MultiGenerational
    sets = SMALL


class TestHallOfFame(QuestionContract):
    type = MultiGenerational
    sets: ClassVar[Any] = (
        *SMALL,
        "config.hall_of_fame=0.5",
        "config.sharing=true",
        'config.controls=["neutral"]',
    )
