"""Views of a panel: transcript, argument graph, stance trajectories, activity, report; and its interview."""

from collections import Counter, defaultdict
from functools import partial

from openiir.kit.text_tables import add_help
from openiir.plugin import (
    Column,
    Graph,
    Interview,
    Log,
    Series,
    Surface,
    Table,
    int_sum,
    names_with_answerers,
)
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


def trace_stances(log: Log, agent: str | None = None) -> Series:
    """Return everyone's stance after each utterance."""
    lines: dict[str, list[tuple[int, float]]] = defaultdict(list)
    names = names_with_answerers(log)
    for row in log.table("stances"):
        if agent is None or row["persona"] == agent:
            lines[names[row["persona"]]].append((row["utterance"], row["stance"]))
    points = {name: tuple(line) for name, line in lines.items()}
    return Series(along="utterance", unit="stance", low=-1.0, high=1.0, lines=points)


def activity(log: Log) -> Table:
    """Tabulate what each panelist said, searched and spent."""
    claims = Counter(c.speaker for c in log.claims())
    looks = Counter(event.actor for event in log.events("lookup"))
    searches = Counter(s.asker for s in log.searches() if s.refused is None)
    debits: Counter[str | None] = Counter()
    for event in log.events("asked"):
        debits[event.actor] += event.payload["debit"]
    acts: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
    for event, spoke in Spoke.read(log):
        acts[event.actor][spoke.act] += 1
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
    numbers = ("utterances", "claims", "acts", "look-ups", "searches", "tokens", "tokens left")
    columns = (Column(name="panelist", kind="agent"), *numbers)
    return Table(columns=columns, rows=rows, labels=names_with_answerers(log))


def _has_rounds(log: Log) -> bool | str:
    return any(True for _ in log.events(RoundOpened.kind)) or "no round was opened yet"


_HELP = """
graph | Claims and how they bear on each other, read by rules unless a model extracts; larger is stronger (0
    to 1).
stances | Each panelist's stance, from -1 (firmly against) to +1 (firmly in favour).
report | Where everybody ended, what was granted and what stayed open, each with the claims it rests on.
transcript | Who said what, in order; below it the passages cited and who answered.
activity | What each panelist said, looked up and spent.
"""
_of_agents = partial(Surface, per_agent=True)
_live = partial(_of_agents, live="append", group="process")
_process = partial(Surface, group="process")
SURFACES: tuple[Surface | Interview, ...] = add_help(
    _HELP,
    _of_agents(
        "graph",
        "graph",
        "Argument graph",
        graph,
        shows=lambda log: bool(log.claims()) or "no claim was found in what was said so far",
    ),
    _of_agents(
        "stances",
        "series",
        "Stances after each utterance",
        trace_stances,
        shows=lambda log: bool(log.parts("stances")) or "nobody has taken a seat yet",
    ),
    Surface("report", "report", "Deliberation report", report, shows=_has_rounds),
    _live("transcript", "timeline", "Transcript", transcript, shows=_has_rounds),
    _process("activity", "table", "Activity of each panelist", activity),
    INTERVIEW,
)
