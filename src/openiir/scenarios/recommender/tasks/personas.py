"""Persona inference: what was matched beside what the data set says (SimUSER, table 8). Visitors do nothing else."""

from collections.abc import AsyncIterator

from openiir.plugin import Stage, Step
from openiir.scenarios.recommender.founding import Ground


async def personas(stage: Stage, ground: Ground) -> AsyncIterator[Step]:
    """Everything has been noted with the visitors."""
    yield Step(f"{len(ground.visitors)} personas matched")
