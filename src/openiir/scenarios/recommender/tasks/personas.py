"""Persona inference: what was matched beside what the data set says (SimUSER, table 8). Visitors do nothing else."""

from collections.abc import AsyncIterator

from openiir.plugin import Stage, Step
from openiir.scenarios.recommender.actions import Majority
from openiir.scenarios.recommender.founding import Ground


async def personas(stage: Stage, ground: Ground) -> AsyncIterator[Step]:
    """Everything has been noted with the visitors; the majority of the other users is the baseline."""
    others = {name: _majority(ground, column) for name, column in ground.data.demographics.items()}
    stage.act(None, Majority(values=others))
    yield Step("compared")


def _majority(ground: Ground, column: tuple[str, ...]) -> str:
    """What most users say of themselves who are no visitors; of all, where everybody visits."""
    visitors = {v.user for v in ground.visitors}
    said = [value for user, value in enumerate(column) if user not in visitors] or list(column)
    return max(sorted(set(said)), key=said.count)
