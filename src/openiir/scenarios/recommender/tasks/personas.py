"""Persona inference: what was matched beside what the data set says (SimUSER, table 8). Visitors do nothing else."""

from collections.abc import AsyncIterator

from openiir.plugin import Stage, Step
from openiir.scenarios.recommender.setup import StudyContext


async def personas(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Do nothing further: the setup has logged the personas."""
    yield Step(f"{len(study.visitors)} personas matched")
