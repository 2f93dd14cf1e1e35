"""Views of a panel: transcript, argument graph, stance trajectories, activity, report; and its interview."""

from collections import Counter, defaultdict

from openiir.plugin import Graph, Log, Series, Surface, Table, int_sum, names_with_answerers
from openiir.plugin.arguments import strengths
from openiir.scenarios.panel.actions import Spoke
from openiir.scenarios.panel.interviewing import INTERVIEW
from openiir.scenarios.panel.report import report
from openiir.scenarios.panel.transcript import transcript


def graph(log: Log, since: int = 0, agent: str | None = None) -> Graph:
    """Claims and typed edges; `agent` keeps one speaker's claims and what touches them."""
    claims, edges = log.claims(), log.edges()
    strength = strengths(claims, edges)
    if agent is not None:
        own = {c.id for c in claims if c.speaker == agent}
        edges = [e for e in edges if e.source in own or e.target in own]
        near = own | {e.source for e in edges} | {e.target for e in edges}
        claims = [c for c in claims if c.id in near]
    return Graph(
        topic=log.study["config"]["topic"],
        claims=tuple(c for c in claims if c.step > since),
        edges=tuple(e for e in edges if e.step > since),
        strengths=strength,
        speakers={p.id: p.name for p in log.personas},
    )


def trajectories(log: Log, since: int = 0, agent: str | None = None) -> Series:
    """Where everyone stood after each utterance."""
    lines: dict[str, list[tuple[int, float]]] = defaultdict(list)
    names = names_with_answerers(log)
    for row in log.table("stances", since=since):
        if agent is None or row["persona"] == agent:
            lines[names[row["persona"]]].append((row["utterance"], row["stance"]))
    return Series(unit="stance", low=-1.0, high=1.0, lines={k: tuple(v) for k, v in lines.items()})


def activity(log: Log, since: int = 0) -> Table:
    """What each panelist did and spent."""
    spoke = [(e.actor, s) for e, s in Spoke.read(log, since=since)]
    claims = Counter(c.speaker for c in log.claims(since=since))
    debits: Counter[str] = Counter()
    looks: Counter[str] = Counter()
    for event in log.events("asked", since=since):
        debits[event.actor or ""] += event.payload["debit"]
    for event in log.events("lookup", since=since):
        looks[event.actor or ""] += 1
    searches = Counter(s.asker for s in log.searches() if s.refused is None)
    acts: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
    for actor, s in spoke:
        acts[actor][s.act] += 1
    names = names_with_answerers(log)
    rows = tuple(
        (
            names[p.id],
            int_sum(acts[p.id].values()),
            claims[p.id],
            ", ".join(f"{n} {a}" for a, n in sorted(acts[p.id].items())),
            looks[p.id],
            searches[p.id],
            debits[p.id],
            max(0, p.tokens - debits[p.id]),
        )
        for p in log.personas
    )
    columns = ("panelist", "utterances", "claims", "acts", "look-ups", "searches", "tokens", "tokens left")
    return Table(columns=columns, rows=rows)


SURFACES = (
    Surface("transcript", "timeline", "Transcript", transcript, per_agent=True),
    Surface("report", "report", "Deliberation report", report),
    Surface("graph", "graph", "Argument graph", graph, per_agent=True),
    Surface("stances", "series", "Stances after each utterance", trajectories, per_agent=True),
    Surface("activity", "table", "Activity of each panelist", activity),
    INTERVIEW,
)
