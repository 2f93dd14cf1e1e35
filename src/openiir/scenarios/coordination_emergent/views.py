"""Views of a run: excess overlap by window, clusters and what makes them cartels, the network, requests."""

from functools import partial
from itertools import groupby

from openiir.kit.cast_rows import cast_rows
from openiir.kit.prompting import join_words
from openiir.plugin import (
    CellValue,
    Column,
    Entry,
    LinkKind,
    Log,
    Network,
    NetworkLink,
    NetworkNode,
    Series,
    Surface,
    Table,
)
from openiir.scenarios.coordination_emergent.measures import co_access_measures
from openiir.scenarios.coordination_emergent.model.access import DENIED, Requested
from openiir.scenarios.coordination_emergent.model.record import DEFINITIONS, ArmRecord
from openiir.scenarios.coordination_emergent.model.sources import ANSWERS


def tabulate_arms(log: Log) -> Table:
    """Tabulate the measures of each arm."""
    arms, found = list(ArmRecord.read_all(log)), co_access_measures(log)
    rows: list[tuple[CellValue, ...]] = []
    for name, (label, *_) in DEFINITIONS.items():
        values = [found.get(f"{arm}/{name}") for arm in arms]
        rows.append((label, *(round(one.value, 4) if one and one.defined else None for one in values)))
    columns = ("measure", *(Column(name=arm, kind="float") for arm in arms))
    return Table(columns=columns, rows=tuple(rows) if arms else ())


def trace_excess(log: Log) -> Series:
    """Trace the excess overlap of each arm, window by window."""
    lines = {
        arm: tuple((n * one.options.window, w.mean - w.expected) for n, w in enumerate(one.windows, 1))
        for arm, one in ArmRecord.read_all(log).items()
    }
    return Series(along="round", unit="overlap above the null", low=-0.005, high=0.02, lines=lines)


def tabulate_clusters(log: Log) -> Table:
    """Tabulate clusters, with the three conditions under which one is called a cartel."""
    rows: list[tuple[CellValue, ...]] = []
    for arm, record in ArmRecord.read_all(log).items():
        own, length, name = record.options, record.options.window, log.members.name
        for one in record.clusters:
            shown = [name(row) for row in one.members[:4].tolist()]
            who = join_words([*shown, f"{len(one.members) - 4} more"] if len(one.members) > 4 else shown)
            goals = len({record.record.goals[row] for row in one.members.tolist()})
            rounds = (one.first * length + 1, (one.last + 1) * length)
            overlap, denies = (one.pairs, round(one.q, 4)), (round(one.denies, 3), round(one.usual, 3))
            proved = (one.lasts(own), one.denies_more(own), one.is_cartel(own))
            rows.append((arm, len(one.members), goals, *overlap, *rounds, *denies, *proved, who))
    columns = "arm,members,goals,pairs,q,from round,to round,denies,usual,lasts,denies more,cartel,who".split(
        ","
    )
    return Table(columns=tuple(columns), rows=tuple(rows))


def draw_network(log: Log, whole: bool = False) -> Network:
    """Draw the pairs of agents in excess in the last window, or in every one if `whole`, arm by arm."""
    nodes, links, members = dict[str, NetworkNode](), [], log.members
    words = log.columns("goals").get("words", ())
    for arm, record in ArmRecord.read_all(log).items():
        windows = list(enumerate(record.windows, 1))
        for number, window in windows if whole else windows[-1:]:
            step = number * record.options.window
            for pair, z in zip(window.pairs.tolist(), window.z.tolist(), strict=True):
                ids = [f"{arm}/{members.id(row)}" for row in pair]
                for id, row in zip(ids, pair, strict=True):
                    label, group = members.name(row), words[row]
                    nodes[id] = NetworkNode(id=id, label=label, kind=arm, group=group, step=step)
                kind = "same goal" if words[pair[0]] == words[pair[1]] else "other goals"
                links.append(NetworkLink(source=ids[0], target=ids[1], kind=kind, weight=z, step=step))
    kinds = {"same goal": LinkKind(tone="quiet"), "other goals": LinkKind(tone="bad")}
    return Network(nodes=tuple(nodes.values()), edges=tuple(links), kinds=kinds, weight_name="z")


def list_requests(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List what members of the cast asked, and what they were answered."""
    names, entries = log.columns("sources").get("name", ()), []
    asked = cast_rows(log, Requested.columns(log, since=since), agent, by_member=True)
    for (arm, who), rows in groupby(asked, lambda one: (one[0]["arm"], one[1])):
        said = []
        for row, _ in rows:
            answer = "turned away" if row["answer"] == DENIED else ANSWERS[row["answer"]]
            said.append(f"{names[row['source']]} ({answer})")
        entries.append(Entry(heading=arm, text=f"Asked {join_words(said)}.", **who))
    return entries


SURFACES = (
    Surface("arms", "table", "What came of what could be seen", tabulate_arms),
    Surface("excess", "series", "Overlap above the null", trace_excess),
    Surface("clusters", "table", "Clusters, and which of them are cartels", tabulate_clusters),
    Surface(
        "network",
        "graph",
        "Pairs in excess in the last window",
        draw_network,
        whole=partial(draw_network, whole=True),
    ),
    Surface("requests", "timeline", "What the cast asked", list_requests, per_agent=True, live="append"),
)
