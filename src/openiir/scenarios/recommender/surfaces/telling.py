"""Visits as a person would tell them, page by page, and what can be asked of a visitor afterwards."""

from collections.abc import Mapping, Sequence
from typing import Any

from openiir.plugin import Entry, Log, Persona, int_sum
from openiir.scenarios.recommender.actions import Browsed, DataRead, Interviewed, Learnt, Moved, Visits
from openiir.scenarios.recommender.config import LIKED
from openiir.scenarios.recommender.persona import Candidate
from openiir.scenarios.recommender.questions.closing import AfterFacts, AfterVisits, VisitTold, visit_words

Told = tuple[str, str, tuple[str, ...]]
"""Heading, text and small print."""


def visit(log: Log, since: int = 0, agent: str | None = None) -> Sequence[Entry]:
    """Who visits, what it sees, takes and feels, what it does next, and what it says on leaving."""
    names = {persona.id: persona.name for persona in log.personas}
    found: list[Entry] = []
    for event in log.events(since=since, actor=agent):
        tell = _TELL.get(event.kind)
        if tell and event.actor:
            heading, text, notes = tell(event.payload)
            found.append(
                Entry(step=event.step, actor=names[event.actor], heading=heading, text=text, notes=notes)
            )
    return found


def _visitor(payload: Mapping[str, Any]) -> Told:
    persona = payload["persona"]
    unmatched = (
        "No persona was matched."
        if payload["ratings"]
        else "A persona of the study's own, who never rated anything."
    )
    words = Candidate.model_validate(persona).words() if persona else unmatched
    return "visits", f"{words} {payload['taste']}".strip(), (f"{payload['ratings']} ratings in the past",)


def _browsed(payload: Mapping[str, Any]) -> Told:
    what = "reads more" if payload["opened"] else f"page {payload['page']}"
    return f"at {payload['system']}, {what}", "\n".join(map(_verdict, payload["items"])), ()


def _verdict(item: Mapping[str, Any]) -> str:
    if item["watch"] == "yes":
        return f"+ {item['title']}: {item['rating']}/5. {item['feeling']} ({item['reason']})"
    return f"- {item['title']}. {item['reason']}"


def _acted(payload: Mapping[str, Any]) -> Told:
    target = f" {payload['number']}" if payload["number"] else ""
    heading = f"at {payload['system']}, page {payload['page']}: {payload['do']}{target}"
    return (
        heading,
        payload["why"],
        (f"feels {payload['mood']}, {payload['tiredness']}; likes it so far: {payload['like_it_so_far']}",),
    )


def _reflected(payload: Mapping[str, Any]) -> Told:
    lines = [f"{i['text']} [{', '.join(i['records'])}]" for i in payload["insights"]]
    return (
        f"at {payload['system']}, page {payload['page']}, looks back",
        "\n".join(lines),
        tuple(payload["questions"]),
    )


def _interviewed(payload: Mapping[str, Any]) -> Told:
    return f"leaves {payload['system']}", f"{payload['rating']} of 10. {payload['reason']}", ()


_TELL = {
    Visits.kind: _visitor,
    Browsed.kind: _browsed,
    Moved.kind: _acted,
    Learnt.kind: _reflected,
    Interviewed.kind: _interviewed,
}


def after(log: Log, persona: Persona, asked: str) -> AfterVisits:
    """The question to one visitor after the run, with its own visits alone."""
    return AfterVisits(AfterFacts(asked=asked, noun=_noun(log), visits=_told(log, persona.id)))


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """What a visitor tells of each visit, for its participant to agree or disagree with."""
    noun = _noun(log)
    return [(f"visit-{n}", visit_words(told, noun)) for n, told in enumerate(_told(log, agent), 1)]


def _noun(log: Log) -> str:
    return next((event.payload["noun"] for event in log.events(DataRead.kind)), "item")


def _told(log: Log, who: str) -> tuple[VisitTold, ...]:
    """A visitor's visits from its own record."""
    said: dict[str, tuple[int, str]] = {}
    seen: dict[str, dict[str, Mapping[str, Any]]] = {}
    pages: dict[str, int] = {}
    moods: dict[str, list[str]] = {}
    for event in log.events(actor=who):
        system = event.payload.get("system", "")
        if event.kind == Browsed.kind:
            pages[system] = max(pages.get(system, 0), event.payload["page"])
            views = seen.setdefault(system, {})
            for item in event.payload["items"]:
                if item["rating"] is not None or item["item"] not in views:
                    views[item["item"]] = item
        elif event.kind == Moved.kind and event.payload["do"] != "open":
            moods.setdefault(system, []).append(event.payload["mood"])
        elif event.kind == Interviewed.kind:
            said[system] = event.payload["rating"], event.payload["reason"]
    return tuple(
        VisitTold(
            system=system,
            pages=pages[system],
            shown=len(views),
            watched=int_sum(item["rating"] is not None for item in views.values()),
            liked=tuple(i["title"] for i in views.values() if (i["rating"] or 0) >= LIKED)[:5],
            satisfaction=said.get(system, (None, ""))[0],
            reason=said.get(system, (None, ""))[1],
            moods=tuple(moods.get(system, ())),
        )
        for system, views in seen.items()
    )
