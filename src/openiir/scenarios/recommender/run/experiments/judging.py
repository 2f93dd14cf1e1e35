"""Grading of visits by a judge: how human they look (SimUSER, table 4)."""

from collections.abc import Iterable, Mapping

from openiir.plugin import Stage
from openiir.scenarios.recommender.questions.judge import JudgedPage, JudgedTitle, VisitJudge
from openiir.scenarios.recommender.run.actions import VisitJudged
from openiir.scenarios.recommender.run.visit import Visit

JUDGE = "judge"


async def grade_visits(stage: Stage, visits: Mapping[str, Visit], noun: str) -> None:
    """Ask a judge to grade `judge.visits` visits of each system, by the same visitors for each."""
    by_system: dict[str, list[Visit]] = {}
    for visit in visits.values():
        by_system.setdefault(visit.system.name, []).append(visit)
    chosen = [visit for own in by_system.values() for visit in own[: stage.config.judge.visits]]
    questions = [VisitJudge(noun, tuple(_pages(visit)), f"visit {n}") for n, visit in enumerate(chosen, 1)]
    replies = await stage.ask_all([(JUDGE, question) for question in questions])
    for visit, reply in zip(chosen, replies, strict=True):
        if reply is not None:
            grade = VisitJudged(system=visit.system.name, grade=reply.grade, reason=reply.what_you_see)
            stage.act(visit.agent, grade)


def _pages(visit: Visit) -> Iterable[JudgedPage]:
    for n, page in enumerate(visit.record.pages, 1):
        views = [visit.record.views[item] for item in page if item in visit.record.views]
        taken = tuple(JudgedTitle(v.title, v.rating, v.words) for v in views if v.rating is not None)
        passed = tuple(v.title for v in views if v.rating is None)
        yield JudgedPage(taken, passed, "left" if n == len(visit.record.pages) else "next page")
