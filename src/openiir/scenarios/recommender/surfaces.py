"""Views of a run: the systems side by side, and one visitor's visits page by page."""

from collections.abc import Sequence

from openiir.plugin import Entry, Interview, Log, Persona, Surface, Table
from openiir.scenarios.recommender.measuring import visit_means, visits_of
from openiir.scenarios.recommender.questions.closing import AfterVisits, VisitTold, visit_words


def comparison(log: Log) -> Table:
    """Each system with what its visits came to, and half the width of the 95 % interval over visitors."""
    columns = ["system"]
    rows = []
    for system, visits in visits_of(log).items():
        means = visit_means(visits)
        columns = ["system", *(name for name in means for name in (name, "+-"))]
        rows.append((system, *(value for mean in means.values() for value in (_rounded(mean.value), _rounded((mean.high - mean.low) / 2)))))
    return Table(columns=tuple(columns), rows=tuple(rows))


def _rounded(value: float) -> float | None:
    return None if value != value else round(value, 3)


def visit(log: Log, since: int = 0, agent: str | None = None) -> Sequence[Entry]:
    """Visits page by page, as a person would tell them."""
    found: list[Entry] = []
    for event in log.events(since=since, actor=agent):
        entry = _entry(event.kind, event.payload)
        if entry:
            heading, text, notes = entry
            found.append(Entry(step=event.step, actor=event.actor, heading=heading, text=text, notes=notes))
    return found


def _entry(kind: str, payload: dict) -> tuple[str, str, tuple[str, ...]] | None:
    system = payload.get("system", "")
    if kind == "browsed":
        lines = [_verdict(item) for item in payload["items"]]
        what = "reads more" if payload["opened"] else f"page {payload['page']}"
        return f"at {system}, {what}", "\n".join(lines), ()
    if kind == "acted":
        target = f" {payload['number']}" if "number" in payload else ""
        mood = f"{payload['feeling']}, {payload['tiredness']}, {payload['emotion']}; satisfied to {payload['satisfied']:.2f}"
        return f"at {system}, page {payload['page']}: {payload['action']}{target}", payload["reason"], (f"{mood}. {payload['why']}",)
    if kind == "reflected":
        lines = [f"{i['text']} [{', '.join(i['records'])}]" for i in payload["insights"]]
        return f"at {system}, page {payload['page']}, looks back", "\n".join(lines), tuple(payload["questions"])
    if kind == "interviewed":
        return f"leaves {system}", f"{payload['rating']} of 10. {payload['reason']}", ()
    return None


def _verdict(item: dict) -> str:
    if item["watch"] == "yes":
        return f"+ {item['title']}: {item['rating']}/5. {item['feeling']} ({item['reason']})"
    return f"- {item['title']}. {item['reason']}"


def after(log: Log, persona: Persona, asked: str) -> AfterVisits:
    """The question to one visitor after the run, with its own visits alone."""
    return AfterVisits(asked=asked, noun="movie", visits=_told(log, persona.id))


def _told(log: Log, who: str) -> tuple[VisitTold, ...]:
    liked: dict[str, list[str]] = {}
    said: dict[str, tuple[int, str]] = {}
    for event in log.events(actor=who):
        if event.kind == "browsed":
            liked.setdefault(event.payload["system"], []).extend(i["title"] for i in event.payload["items"] if (i["rating"] or 0) >= 4)
        elif event.kind == "interviewed":
            said[event.payload["system"]] = event.payload["rating"], event.payload["reason"]
    told = []
    for row in log.table("visits"):
        if row["visitor"] == who:
            system = row["system"]
            rating, reason = said.get(system, (None, ""))
            told.append(VisitTold(system, row["pages"], row["shown"], row["watched"], tuple(liked.get(system, ()))[:5], rating, reason))
    return tuple(told)


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """What a visitor said of each system, for its participant to agree or disagree with."""
    return [(f"visit-{n}", visit_words(told, "movie")) for n, told in enumerate(_told(log, agent), 1)]


SURFACES = (
    Surface("comparison", "table", "The recommenders side by side", comparison),
    Surface("visit", "timeline", "Visits, page by page", visit, per_agent=True),
    Interview("chat", "Ask a visitor about its visits", after, statements),
)
