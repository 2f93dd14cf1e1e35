"""A judge reads visits and says how human they look (SimUSER, table 4)."""

from collections.abc import Sequence

from openiir.plugin import Stage
from openiir.scenarios.recommender.questions.judge import Judge

JUDGE = "judge"


async def judge(stage: Stage, visits: Sequence[str]) -> None:
    """Have some visits of each system judged, the same visitors' for each."""
