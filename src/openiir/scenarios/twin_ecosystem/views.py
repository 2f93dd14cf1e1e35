"""Views of a run: outcomes of both worlds and their differences, providers, pages, what personas used."""

from functools import partial

import numpy as np

from openiir.kit.cast_rows import cast_rows
from openiir.kit.measures import row_shares
from openiir.plugin import CellValue, Entry, Log, Ranking, Series, Surface, Table
from openiir.scenarios.twin_ecosystem.measures import read_outcomes
from openiir.scenarios.twin_ecosystem.model.outcomes import DEFINITIONS, PARTS
from openiir.scenarios.twin_ecosystem.run import ARMS, FREE, REGULATED, Used


def tabulate_outcomes(log: Log) -> Table:
    """Tabulate outcomes in both worlds, the parts of their difference, and how it lies to the margin."""
    rows: list[tuple[CellValue, ...]] = []
    if found := read_outcomes(log):
        for name, values in found.by_round.items():
            tested, parts = found.compare_needs(name), found.differences(name)
            numbers = [round(float(one.mean()), 3) for one in (*values.T[:2], *parts.values())]
            verdict = tested.verdict if tested else "over seeds alone"
            first = found.first_round(np.abs(parts["total"]) > 0)
            rows.append((DEFINITIONS[name][0], *numbers, found.margins[name], verdict, first))
    columns = ("outcome", FREE, REGULATED, *PARTS, "margin", "over needs", "from round")
    return Table(columns=columns, rows=tuple(rows))


def trace_differences(log: Log) -> Series:
    """Trace the difference of each outcome between the worlds, round by round."""
    lines = {}
    if found := read_outcomes(log):
        for name in found.by_round:
            points = zip(found.rounds.tolist(), found.differences(name)["total"].tolist(), strict=True)
            lines[DEFINITIONS[name][0]] = tuple(points)
    return Series(along="round", unit="regulated less free", low=-0.1, high=0.1, lines=lines)


def rank_providers(log: Log) -> Ranking:
    """Rank the providers of each world by their share of attention over all rounds."""
    found, names = read_outcomes(log), log.columns("providers").get("name", ())
    shares = row_shares(found.exposure.sum(axis=0))[:2].tolist() if found else []
    arms = zip((FREE, REGULATED), shares, strict=False)
    return Ranking.of([(arm, *one) for arm, row in arms for one in zip(names, row, strict=True)], "attention")


def rank_documents(log: Log, arm: str) -> Ranking:
    """Return the pages of a world in the last round as ranked lists, a topic a query."""
    found, ids = read_outcomes(log), log.columns("needs").get("id", ())
    pages = found.document[-1, ARMS.index(arm)].tolist() if found else ()
    lists = zip(ids, pages, strict=True) if found else ()
    return Ranking.of([(id, one, 1 / n) for id, page in lists for n, one in enumerate(page, 1)], arm)


def list_uses(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List what personas used in each world, round by round."""
    key, queries = ("step", "arm", "need", "place"), log.columns("needs").get("query", ())
    pages = log.columns("pages", since=since)
    places = zip(*(pages.get(name, ()) for name in key), strict=True)
    names, entries = dict(zip(places, pages.get("document", ()), strict=True)), []
    for row, who in cast_rows(log, Used.columns(log, since=since), agent):
        text = names.get(tuple(row[name] for name in key), "used nothing")
        entries.append(Entry(heading=f"{row['arm']}: {queries[row['need']]}", text=text, **who))
    return entries


SURFACES = (
    Surface("outcomes", "table", "Outcomes, as means over rounds", tabulate_outcomes),
    Surface("differences", "series", "Differences by round", trace_differences),
    Surface("providers", "ranking", "Attention to providers", rank_providers),
    Surface("pages", "ranking", "Last pages, regulated", partial(rank_documents, arm=REGULATED)),
    Surface("free-pages", "ranking", "Last pages, free", partial(rank_documents, arm=FREE)),
    Surface("used", "timeline", "What personas used", list_uses, per_agent=True, live="append"),
)
