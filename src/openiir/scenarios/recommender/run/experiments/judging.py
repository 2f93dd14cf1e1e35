"""Grading of visits by a judge: how human they look (SimUSER, table 4)."""

from collections.abc import Iterable, Mapping

from openiir.plugin import Stage
from openiir.scenarios.recommender.questions.judge import (
    JudgedPage,
    JudgedTitle,
    VisitJudge,
)
from openiir.scenarios.recommender.run.actions import VisitJudged
from openiir.scenarios.recommender.run.visit import Visit

JUDGE = "judge"


async def judge(stage: Stage, visits: Mapping[str, Visit], noun: str) -> None:
    """Ask a judge to grade `judge.visits` visits of each system, by the same visitors for each."""
    chosen: dict[str, Visit] = {}
    counts: dict[str, int] = {}
    for name, visit in visits.items():
        system = visit.system.name
        if counts.get(system, 0) < stage.config.judge.visits:
            counts[system] = counts.get(system, 0) + 1
            chosen[name] = visit
    questions = [
        VisitJudge(noun, tuple(_pages(visit)), f"visit {n}") for n, visit in enumerate(chosen.values(), 1)
    ]
    replies = await stage.ask_all([(JUDGE, question) for question in questions])
    for visit, reply in zip(chosen.values(), replies, strict=True):
        if reply is not None:
            stage.act(
                visit.agent,
                VisitJudged(system=visit.system.name, grade=reply.grade, reason=reply.what_you_see),
            )


def _pages(visit: Visit) -> Iterable[JudgedPage]:
    for n, page in enumerate(visit.record.pages, 1):
        views = [visit.record.views[item] for item in page if item in visit.record.views]
        taken = tuple(JudgedTitle(v.title, v.rating, v.words) for v in views if v.rating is not None)
        passed = tuple(v.title for v in views if v.rating is None)
        yield JudgedPage(taken, passed, "left" if n == len(visit.record.pages) else "next page")
