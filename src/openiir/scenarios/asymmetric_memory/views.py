"""Views of the worlds: effects of memory, outcomes, time to an answer, what memory was good for, requests."""

from functools import partial

from openiir.kit.access import AccessLog, list_accesses, tabulate_accesses
from openiir.kit.measures import kaplan_meier
from openiir.kit.text_tables import add_help
from openiir.plugin import Entry, Log, Series, Surface, Table, interval_ends
from openiir.scenarios.asymmetric_memory.config import MIXED
from openiir.scenarios.asymmetric_memory.measures import EFFECTS, estimate_effects, list_groups
from openiir.scenarios.asymmetric_memory.model import list_waits


def tabulate_effects(log: Log) -> Table:
    """Tabulate what memory does, with intervals over members."""
    found = estimate_effects(log).items()
    rows = [(EFFECTS[name][0], one.value, one.low, one.high, EFFECTS[name][1]) for name, one in found]
    return Table(columns=("effect", "value", *interval_ends("value"), "what it is"), rows=tuple(rows))


def trace_outcomes(log: Log) -> Series:
    """Draw the mean outcome of each group by round."""
    access = AccessLog(log)
    found = {group: access.of("outcome", *who) for group, who in list_groups(log).items()}
    lines = {group: tuple(enumerate(of.mean(axis=1).tolist(), 1)) for group, of in found.items() if of.size}
    return Series(along="round", unit="mean outcome", low=0.0, high=1.0, lines=lines)


def trace_waits(log: Log) -> Series:
    """Draw the share of needs that still wait for an answer, by the rounds since they began."""
    access, lines, bands = AccessLog(log), {}, {}
    for group, who in list_groups(log).items():
        times, ended = list_waits(access.of("waited", *who), access.of("met", *who))
        if len(times):
            at, *curve = (part.tolist() for part in kaplan_meier(times, ended))
            lines[group] = ((0, 1.0), *zip(map(int, at), curve[0], strict=True))
            bands[group] = tuple(zip(map(int, at), *curve[1:], strict=True))
    return Series(along="rounds waited", unit="share unmet", low=0.0, high=1.0, lines=lines, bands=bands)


def list_requests(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List what members with a persona asked whom in the mixed world, and how good the answer was."""
    needs, sources = ([row["name"] for row in log.table(name)] for name in ("needs", "sources"))
    return list_accesses(log, MIXED, lambda r: f"{needs[r['need']]}: {sources[r['source']]}", since, agent)


def tabulate_reads(log: Log) -> Table:
    """Tabulate what the groups got and read."""
    return tabulate_accesses(log, list_groups(log))


_HELP = """
effects | Differences between groups and worlds, with 95 % intervals over members.
outcomes | How good answers are, round by round; being turned away counts 0.
waits | Share of needs that still wait, by rounds since they began (Kaplan-Meier).
reads | Whether what was recalled led to a better or worse source.
requests | What members with a persona asked in the mixed world, and how good the answer was.
"""
_process = partial(Surface, group="process")
SURFACES = add_help(
    _HELP,
    Surface("effects", "table", "What memory does", tabulate_effects),
    Surface("outcomes", "series", "Outcomes by group", trace_outcomes),
    Surface("waits", "series", "Time to an answer", trace_waits),
    Surface("reads", "table", "What reading memory was good for", tabulate_reads),
    _process("requests", "timeline", "Who asked whom", list_requests, per_agent=True, live="append"),
)
