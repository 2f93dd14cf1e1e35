"""A judge reads visits and says how human they look (SimUSER, table 4)."""

from collections.abc import Iterable, Mapping

from openiir.plugin import Stage
from openiir.scenarios.recommender.actions import Judged
from openiir.scenarios.recommender.questions.judge import (
    Judge,
    JudgeDispositions,
    JudgedPage,
    JudgedTitle,
    JudgeFacts,
)
from openiir.scenarios.recommender.visit import Visit

JUDGE = "judge"


async def judge(stage: Stage, visits: Mapping[str, Visit], noun: str) -> None:
    """Have so many visits of each system judged: those of the same visitors for each, told by a number alone."""
    chosen: dict[str, Visit] = {}
    counts: dict[str, int] = {}
    for name, visit in visits.items():
        system = visit.system.name
        if counts.get(system, 0) < stage.config.judge.visits:
            counts[system] = counts.get(system, 0) + 1
            chosen[name] = visit
    questions = [
        Judge(JudgeFacts(noun, tuple(_pages(visit))), JudgeDispositions(f"visit {n}"))
        for n, visit in enumerate(chosen.values(), 1)
    ]
    replies = await stage.ask_all([(JUDGE, question) for question in questions])
    for visit, reply in zip(chosen.values(), replies, strict=True):
        if reply is not None:
            stage.act(
                visit.agent, Judged(system=visit.system.name, grade=reply.grade, reason=reply.what_you_see)
            )


def _pages(visit: Visit) -> Iterable[JudgedPage]:
    for n, page in enumerate(visit.pages, 1):
        views = [visit.views[item] for item in page if item in visit.views]
        taken = tuple(JudgedTitle(v.title, v.rating, v.words) for v in views if v.rating is not None)
        passed = tuple(v.title for v in views if v.rating is None)
        yield JudgedPage(taken, passed, "left" if n == len(visit.pages) else "next page")
