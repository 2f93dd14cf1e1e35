"""Views of a panel: transcript, argument graph, stance trajectories, activity, report; and its interview."""

from collections import Counter, defaultdict

from openiir.plugin import Column, Graph, Log, Series, Surface, Table, int_sum, names_with_answerers
from openiir.plugin.arguments import strengths
from openiir.scenarios.panel.run.actions import RoundOpened, Spoke
from openiir.scenarios.panel.views.interviewing import INTERVIEW
from openiir.scenarios.panel.views.report import report
from openiir.scenarios.panel.views.transcript import transcript


def graph(log: Log, agent: str | None = None) -> Graph:
    """Return the argument graph; `agent` keeps one speaker's claims and those connected to them."""
    claims, edges = log.claims(), log.edges()
    strength = strengths(claims, edges)
    if agent is not None:
        own = {c.id for c in claims if c.speaker == agent}
        edges = [e for e in edges if e.source in own or e.target in own]
        near = own | {e.source for e in edges} | {e.target for e in edges}
        claims = [c for c in claims if c.id in near]
    return Graph(
        topic=log.study["config"]["topic"],
        claims=tuple(claims),
        edges=tuple(edges),
        strengths=strength,
        speakers={p.id: p.name for p in log.personas},
        world="main",
    )


def trajectories(log: Log, agent: str | None = None) -> Series:
    """Return everyone's stance after each utterance."""
    lines: dict[str, list[tuple[int, float]]] = defaultdict(list)
    names = names_with_answerers(log)
    for row in log.table("stances"):
        if agent is None or row["persona"] == agent:
            lines[names[row["persona"]]].append((row["utterance"], row["stance"]))
    return Series(
        along="utterance", unit="stance", low=-1.0, high=1.0, lines={k: tuple(v) for k, v in lines.items()}
    )


def activity(log: Log) -> Table:
    """Tabulate what each panelist said, searched and spent."""
    spoke = [(e.actor, s) for e, s in Spoke.read(log)]
    claims = Counter(c.speaker for c in log.claims())
    debits: Counter[str] = Counter()
    looks: Counter[str] = Counter()
    for event in log.events("asked"):
        debits[event.actor or ""] += event.payload["debit"]
    for event in log.events("lookup"):
        looks[event.actor or ""] += 1
    searches = Counter(s.asker for s in log.searches() if s.refused is None)
    acts: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
    for actor, s in spoke:
        acts[actor][s.act] += 1
    names = names_with_answerers(log)
    rows = tuple(
        (
            p.id,
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
    columns = (
        Column(name="panelist", kind="agent"),
        "utterances",
        "claims",
        "acts",
        "look-ups",
        "searches",
        "tokens",
        "tokens left",
    )
    return Table(columns=columns, rows=rows, labels=names)


def _has_claims(log: Log) -> bool | str:
    return bool(log.claims()) or "no claim was found in what was said so far"


def _has_stances(log: Log) -> bool | str:
    return bool(log.parts("stances")) or "nobody has taken a seat yet"


def _has_rounds(log: Log) -> bool | str:
    return any(True for _ in log.events(RoundOpened.kind)) or "no round was opened yet"


SURFACES = (
    Surface(
        "graph",
        "graph",
        "Argument graph",
        graph,
        per_agent=True,
        help="Claims and how they bear on each other, read by rules unless a model extracts; larger is stronger (0 to 1).",
        shows=_has_claims,
    ),
    Surface(
        "stances",
        "series",
        "Stances after each utterance",
        trajectories,
        per_agent=True,
        help="Each panelist's stance, from -1 (firmly against) to +1 (firmly in favour).",
        shows=_has_stances,
    ),
    Surface(
        "report",
        "report",
        "Deliberation report",
        report,
        help="Where everybody ended, what was granted and what stayed open, each with the claims it rests on.",
        shows=_has_rounds,
    ),
    Surface(
        "transcript",
        "timeline",
        "Transcript",
        transcript,
        per_agent=True,
        help="Who said what, in order; below it the passages cited and who answered.",
        live="append",
        group="process",
        shows=_has_rounds,
    ),
    Surface(
        "activity",
        "table",
        "Activity of each panelist",
        activity,
        help="What each panelist said, looked up and spent.",
        group="process",
    ),
    INTERVIEW,
)
