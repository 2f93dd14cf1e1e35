"""Views of a run: gaps between tiers, measures by arm, outcomes and knowledge by round, pages, look-ups."""

from functools import partial
from math import isnan, nan

from openiir.kit.cast_rows import cast_rows
from openiir.kit.prompting import join_words
from openiir.plugin import CellValue, Column, Entry, Log, Measure, Series, Surface, Table, interval_ends
from openiir.scenarios.tiered_capability.measures import tier_measures
from openiir.scenarios.tiered_capability.model.divide import GAP_DEFINITIONS, MIXED, Divide, rank_pages
from openiir.scenarios.tiered_capability.model.outcomes import ARM_DEFINITIONS
from openiir.scenarios.tiered_capability.model.visits import Opened


def tabulate_arms(log: Log) -> Table:
    """Tabulate the measures of each arm."""
    arms = {arm: own.measure() for arm, own in Divide.read(log).arms.items()}
    rows: list[tuple[CellValue, ...]] = []
    for name, (label, *_) in ARM_DEFINITIONS.items() if arms else ():
        values = [found[name].value for found in arms.values()]
        rows.append((label, *(None if isnan(one) else round(one, 4) for one in values)))
    columns = ("measure", *(Column(name=arm, kind="float") for arm in arms))
    return Table(columns=columns, rows=tuple(rows))


def tabulate_gaps(log: Log) -> Table:
    """Tabulate gaps between tiers, with intervals where there are any."""
    rows, found = list[tuple[CellValue, ...]](), tier_measures(log)
    for name, one in found.items():
        arm, _, key = name.partition("/")
        if key in GAP_DEFINITIONS:
            label, words, *_ = GAP_DEFINITIONS[key]
            values = (found.get(f"{name}{end}", Measure(nan)).value for end in ("", ".low", ".high"))
            numbers = (None if isnan(value) else round(value, 4) for value in values)
            rows.append((f"{label}, {arm}", *numbers, one.reason or words))
    return Table(columns=("gap", "value", *interval_ends("value"), "what it is"), rows=tuple(rows))


def trace_tiers(log: Log, record: str, unit: str) -> Series:
    """Trace the means of a record of the members of each tier, where all tiers are together."""
    divide, lines = Divide.read(log), {}
    for n, name in enumerate(divide.tiers if divide.arms else ()):
        if (own := divide.members(n)).any():
            values = getattr(divide.arms[MIXED], record)[:, own].mean(axis=1)
            lines[name] = tuple(enumerate(values.tolist(), 1))
    return Series(along="round", unit=unit, low=0.0, high=1.0, lines=lines)


def list_lookups(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List what members with a persona looked for in each arm, what they opened, and what they got."""
    queries, names = log.columns("needs").get("query", ()), log.columns("documents").get("name", ())
    opened, entries = dict[tuple[int, str, int], list[str]](), []
    for row, _ in cast_rows(log, Opened.columns(log, since=since), agent):
        name = names[row["document"]] if row["granted"] else f"{names[row['document']]} (taken)"
        opened.setdefault((row["step"], row["arm"], row["member"]), []).append(name)
    for row, who in cast_rows(log, log.columns("visits", since=since), agent):
        what = join_words(opened.get((row["step"], row["arm"], row["member"]), ["nothing"]))
        notes = (f"outcome {row['outcome']:.2f}", *["searched the web as well"] * row["web"])
        text = f"{queries[row['need']]}: opened {what}"
        entries.append(Entry(heading=row["arm"], text=text, notes=notes, **who))
    return entries


SURFACES = (
    Surface("gaps", "table", "Gaps between tiers", tabulate_gaps),
    Surface("arms", "table", "Among all tiers, and where all have one", tabulate_arms),
    Surface("outcomes", "series", "Outcomes by tier", partial(trace_tiers, record="outcome", unit="outcome")),
    Surface(
        "knowledge", "series", "Needs met so far, by tier", partial(trace_tiers, record="known", unit="share")
    ),
    Surface("pages", "ranking", "Pages of the last tier", partial(rank_pages, tier=-1)),
    Surface("first-pages", "ranking", "Pages of the first tier", partial(rank_pages, tier=0)),
    Surface("lookups", "timeline", "What the cast looked for", list_lookups, per_agent=True, live="append"),
)
