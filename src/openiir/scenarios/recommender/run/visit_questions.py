"""Builders of a visit's questions from the visitor's state and the record of the visit."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from openiir.plugin import Agent, Lane
from openiir.scenarios.recommender.behaviour.visitor import VisitState
from openiir.scenarios.recommender.config import LIKED
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.questions.act import Move, Opinion, VisitAct
from openiir.scenarios.recommender.questions.browse import PageRecall, VisitBrowse
from openiir.scenarios.recommender.questions.interviews import RECALLED, ExitInterview
from openiir.scenarios.recommender.questions.page import TitleShown
from openiir.scenarios.recommender.questions.reflect import REMEMBERED, Reflect
from openiir.scenarios.recommender.run.visit_record import PageView, VisitRecord

FAR_MORE = 0.5
"""Lead in attraction over all titles of this page for which a visitor goes back to an earlier title [MODELS
7.3]."""


def browse_question(
    state: VisitState, record: VisitRecord, shown: Sequence[TitleShown], recalled: PageRecall, opened: bool
) -> VisitBrowse:
    """Build the question about a page, or about one title of it that was opened."""
    again = record.pages[record.at - 1][0] in record.views and not opened
    return _ask_to_browse(
        state,
        shown,
        recalled,
        f"{shown[0].by.item}+{len(shown)}" if opened else f"page {record.gone}",
        page=None if again else record.at,
        back_on=record.at if again else None,
        opened=opened,
        fresh=not (again or opened or state.context.spec.memory == "sim"),
        sought=record.sought,
    )


def _ask_to_browse(
    state: VisitState, shown: Sequence[TitleShown], recalled: PageRecall, place: str, **facts: Any
) -> VisitBrowse:
    """Build the question about some titles; `facts` are further fields of it."""
    context, visitor = state.context, state.visitor
    return VisitBrowse(
        noun=context.noun,
        titles=tuple([look.entry for look in shown]),
        remembered=recalled,
        looks=tuple([look.by for look in shown]),
        temper=visitor.temper,
        scales=context.model.scales,
        place=place,
        usual=visitor.usual,
        **facts,
    )


async def ask_verdicts(
    lane: Lane,
    agent: Agent,
    state: VisitState,
    items: Sequence[int],
    place: str,
    pictures: Sequence[str] | None = None,
    **facts: Any,
) -> list[tuple[str, bool]]:
    """Ask for verdicts on items outside a visit; returns each item's id and whether it is taken.

    Empty without a usable answer.
    `pictures` are captions in place of the items' own, `facts` further ones of `VisitBrowse`.
    """
    shown = state.show(items)
    if pictures is not None:
        shown = tuple(
            replace(look, entry=replace(look.entry, picture=one))
            for look, one in zip(shown, pictures, strict=True)
        )
    recalled = state.recall_for_page(items, shown)[0]
    reply = await lane.ask(agent, _ask_to_browse(state, shown, recalled, place, **facts))
    verdicts = sorted(reply.verdicts, key=lambda v: v.number) if reply else ()
    return [(shown[v.number - 1].by.item, v.take) for v in verdicts]


def next_move_question(
    state: VisitState, record: VisitRecord, satisfied: tuple[float, float], clicks: int
) -> tuple[VisitAct, list[PageView]]:
    """Build the question about the visitor's move after a page.

    Returns it with the titles passed over, in the order of their numbers.
    `satisfied` is satisfaction before and after the page, `clicks` how many titles may still be opened.
    """
    context, visitor = state.context, state.visitor
    views = record.on_page(record.pages[record.at - 1])
    passed = [view for view in views if view.rating is None]
    question = VisitAct(
        noun=context.noun,
        page=record.at,
        taken=tuple(Opinion(v.title, v.words, v.rating) for v in views if v.rating is not None),
        passed=tuple(Opinion(v.title, v.words, opened=v.opened) for v in passed),
        moves=_possible_moves(state, record, bool(clicks and any(not v.opened for v in passed))),
        visit=tuple(page.text for page in state.earlier_pages()),
        chances=tuple(
            round(choice_model.watch_probability(visitor.temper, s.by.pull, s.by.novelty, s.shift), 2)
            for s in (view.shown for view in passed)
        ),
        gains=tuple(record.gains),
        before=satisfied[0],
        satisfied=satisfied[1],
        tired=round(choice_model.fatigue_after(visitor.temper, record.gone), 3),
        novelty=round(fmean(v.shown.by.novelty > 0.5 for v in views), 2),
        temper=visitor.temper,
        place=f"page {record.gone}",
        earlier=find_better_earlier_title(record, views),
        leaving=context.spec.leaving,
        travel=context.spec.travel,
    )
    return question, passed


def _possible_moves(state: VisitState, record: VisitRecord, clickable: bool) -> tuple[Move, ...]:
    """List the possible moves; steps back and opened titles are limited, so that a visit ends."""
    page = state.context.page
    moves: list[Move] = ["leave"] if page.exits else []
    if record.gone < page.most:
        moves.append("next")
        if record.at > 1 and record.returned < page.returns:
            moves.append("back")
    if clickable:
        moves.append("open")
    return tuple(moves) if "leave" in moves or "next" in moves else ("leave", *moves)


def find_better_earlier_title(record: VisitRecord, views: Sequence[PageView]) -> str:
    """Find a title passed over on the previous page that is FAR_MORE attractive than all these.

    Empty without one.
    """
    if record.at < 2:
        return ""
    best = record.most_attractive_passed(record.pages[record.at - 2])
    here = max(view.shown.by.pull for view in views)
    return best.title if best and best.shown.by.pull > here + FAR_MORE else ""


def reflect_question(state: VisitState, record: VisitRecord) -> Reflect:
    """Build the question about what the visitor learnt from the latest titles it took."""
    return Reflect(
        noun=state.context.noun,
        taken=tuple(record.taken[-REMEMBERED:]),
        learnt=state.insights(),
        usual=round(state.visitor.usual, 2),
        place=f"page {record.gone}",
    )


def interview_question(state: VisitState, record: VisitRecord) -> ExitInterview:
    """Build the question about the visitor's satisfaction on leaving."""
    liked = next((t.title for t in record.taken if t.stars >= LIKED), "")
    return ExitInterview(
        noun=state.context.noun,
        pages=len(record.pages),
        shown=len(record.views),
        taken=tuple(Opinion(t.title, t.words, t.stars) for t in record.taken[-RECALLED:]),
        others=max(0, len(record.taken) - RECALLED),
        parting=record.parting,
        learnt=state.insights(),
        gains=tuple(record.gains),
        liked=liked,
    )
