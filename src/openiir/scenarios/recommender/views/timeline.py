"""Visits as a timeline, page by page, and interviews with visitors after the run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from openiir.kit.interviewing import look_back
from openiir.kit.prompting import join_words
from openiir.plugin import AnswerNotes, Entry, EpisodicMemory, Log, Persona, Ref, int_sum
from openiir.scenarios.recommender.config import LIKED
from openiir.scenarios.recommender.model.persona.profile import Profile, as_persona
from openiir.scenarios.recommender.model.persona.traits import PersonaCandidate
from openiir.scenarios.recommender.questions.interviews import AfterVisits, VisitSummary, describe_visit
from openiir.scenarios.recommender.questions.wording import insight_words, ordinal, taken_memory
from openiir.scenarios.recommender.run.actions import (
    DataRead,
    InsightsLearnt,
    PageBrowsed,
    VisitorInterviewed,
    VisitorMoved,
    VisitorReady,
)
from openiir.scenarios.recommender.run.visit_record import describe_mood

EntryText = tuple[str, str, tuple[str, ...]]
"""Heading, text and notes of an entry."""


def visit_timeline(log: Log, since: int = 0, agent: str | None = None) -> Sequence[Entry]:
    """List the timeline entries of visits: pages, titles taken, moods, moves and exit interviews."""
    names = {persona.id: persona.name for persona in log.personas}
    answers = AnswerNotes(log, since)
    found: list[Entry] = []
    for event in log.events(since=since, actor=agent):
        tell = _TELL.get(event.kind)
        if tell and event.actor in names and (told := tell(event.payload)):
            items = event.payload["items"] if event.kind == PageBrowsed.kind else ()
            refs = (Ref(to="item", id=item["item"], label=item["title"]) for item in items)
            found.append(answers.entry(event, names[event.actor], *told, refs=refs))
    return found


def _tell_unanswered(payload: Mapping[str, Any]) -> EntryText | None:
    """Describe a question without a usable answer; None for other questions."""
    return ("gives no usable answer", payload["subject"], ()) if payload["outcome"] == "failed" else None


def _tell_visitor(payload: Mapping[str, Any]) -> EntryText:
    persona = payload["persona"]
    unmatched = (
        "No persona was matched."
        if payload["ratings"]
        else "A persona of the study's own, who never rated anything."
    )
    words = PersonaCandidate.model_validate(persona).words() if persona else unmatched
    return "visits", f"{words} {payload['taste']}".strip(), (f"{payload['ratings']} ratings in the past",)


def _tell_page(payload: Mapping[str, Any]) -> EntryText:
    what = "reads more" if payload["opened"] else f"page {payload['page']}"
    return f"at {payload['system']}, {what}", "\n".join(map(_verdict_line, payload["items"])), ()


def _verdict_line(item: Mapping[str, Any]) -> str:
    if item["watch"] == "yes":
        return f"✓ {item['title']}: {item['rating']}/5. {item['feeling']} ({item['reason']})"
    return f"✗ {item['title']}. {item['reason']}".rstrip()


def _tell_move(payload: Mapping[str, Any]) -> EntryText:
    target = f" {payload['number']}" if payload["number"] else ""
    heading = f"at {payload['system']}, page {payload['page']}: {payload['do']}{target}"
    modelled = "" if payload["satisfied"] is None else f" (by the formula {payload['satisfied']:.2f} of 1)"
    likes = f"likes it so far: {payload['like_it_so_far']}{modelled}"
    return heading, payload["why"], (f"feels {payload['mood']}, {payload['tiredness']}; {likes}",)


def _tell_insights(payload: Mapping[str, Any]) -> EntryText:
    lines = [f"{i['text']} [{', '.join(i['records'])}]" for i in payload["insights"]]
    return (
        f"at {payload['system']}, page {payload['page']}, looks back",
        "\n".join(lines) or "Learns nothing new.",
        tuple(payload["questions"]),
    )


def _tell_interview(payload: Mapping[str, Any]) -> EntryText:
    return f"leaves {payload['system']}", f"{payload['rating']} of 10. {payload['reason']}", ()


_TELL: Mapping[str, Callable[[Mapping[str, Any]], EntryText | None]] = {
    "asked": _tell_unanswered,
    VisitorReady.kind: _tell_visitor,
    PageBrowsed.kind: _tell_page,
    VisitorMoved.kind: _tell_move,
    InsightsLearnt.kind: _tell_insights,
    VisitorInterviewed.kind: _tell_interview,
}


def add_matched_traits(log: Log, persona: Persona) -> Persona:
    """Return a visitor's persona as prompts describe it, with the traits matched to its ratings."""
    ready = next((one for event, one in [*VisitorReady.read(log)][::-1] if event.actor == persona.id), None)
    if ready is None or not ready.ratings:
        return persona
    profile, kind = Profile(ready.levels), _noun(log)
    who = [ready.persona.words().capitalize()] if ready.persona else []
    found = as_persona(persona.id, profile, ready.persona, " ".join([*who, ready.taste]), kind)
    return persona.model_copy(update={key: getattr(found, key) for key in ("bio", "big_five", "traits")})


def after_run_question(log: Log, persona: Persona, asked: str) -> AfterVisits:
    """Build the question to a visitor after the run, from its own visits alone."""
    noun, visits = _noun(log), _summarise_visits(log, persona.id)
    memory = EpisodicMemory(persona.memory)
    for text in _visit_memories(log, persona.id):
        memory.store(text)
    tried = f"You have tried {noun} recommenders: {join_words([visit.system for visit in visits])}."
    part = tried if visits else f"You have tried no {noun} recommender."
    return AfterVisits(part, look_back(memory, asked), asked, noun, visits)


def _visit_memories(log: Log, who: str) -> Iterator[str]:
    """List memories of a visitor's visits: titles taken, moods, insights and parting words."""
    for event in log.events(actor=who):
        found = event.payload
        at = f"At {found.get('system', '')}:"
        if event.kind == PageBrowsed.kind:
            for item in found["items"]:
                if item["rating"] is not None:
                    said = item["feeling"] or item["reason"]
                    yield f"{at} {taken_memory(item['title'], (), item['rating'], said)}"
        elif event.kind == VisitorMoved.kind and found["do"] != "open":
            page, then = ordinal(found["page"]), describe_mood(VisitorMoved.model_validate(found))
            yield f"{at} You went through the {page} page. {then}"
        elif event.kind == InsightsLearnt.kind:
            yield from (f"{at} {insight_words(one['text'])}" for one in found["insights"])
        elif event.kind == VisitorInterviewed.kind:
            yield f'{at} On leaving you gave it {found["rating"]} of 10 and said: "{found["reason"]}"'


def list_statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List a summary of each visit, which the visitor's participant can agree with or not."""
    noun = _noun(log)
    return [
        (f"visit-{n}", describe_visit(told, noun)) for n, told in enumerate(_summarise_visits(log, agent), 1)
    ]


def _noun(log: Log) -> str:
    return next((event.payload["noun"] for event in log.events(DataRead.kind)), "item")


def _summarise_visits(log: Log, who: str) -> tuple[VisitSummary, ...]:
    """Summarise each of a visitor's visits from the log."""
    said: dict[str, Mapping[str, Any]] = {}
    seen: dict[str, dict[str, Mapping[str, Any]]] = {}
    pages: dict[str, int] = {}
    for event in log.events(actor=who):
        system = event.payload.get("system", "")
        if event.kind == PageBrowsed.kind:
            pages[system] = max(pages.get(system, 0), event.payload["page"])
            views = seen.setdefault(system, {})
            for item in event.payload["items"]:
                if item["rating"] is not None or item["item"] not in views:
                    views[item["item"]] = item
        elif event.kind == VisitorInterviewed.kind:
            said[system] = event.payload
    return tuple(
        VisitSummary(
            system=system,
            pages=pages[system],
            shown=len(views),
            watched=int_sum(item["rating"] is not None for item in views.values()),
            liked=tuple(i["title"] for i in views.values() if (i["rating"] or 0) >= LIKED)[:5],
            satisfaction=said[system]["rating"] if system in said else None,
            reason=said[system]["reason"] if system in said else "",
        )
        for system, views in seen.items()
    )
