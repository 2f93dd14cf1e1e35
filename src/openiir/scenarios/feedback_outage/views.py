"""Views of a run: losses by round, what collapsed first, what followed what, and searches."""

from functools import partial
from math import inf

from openiir.kit.cast_rows import cast_rows
from openiir.kit.prompting import count_noun
from openiir.plugin import Column, Draw, Entry, Log, Mark, Matrix, Series, Surface, Table
from openiir.scenarios.feedback_outage.model.losses import EFFECTS, OutageRecord, follow_all
from openiir.scenarios.feedback_outage.model.platform import ARMS, CHANNELS, READERS, READING
from openiir.scenarios.feedback_outage.run import SearchAction

SINGLE = tuple(what for what in READERS if not what.startswith("ndcg_"))
"""Evaluators of which none is part of another."""
MOST_LAG = 8
"""Largest number of rounds after which one loss is taken to follow another."""


def trace_losses(log: Log, arm: str) -> Series:
    """Trace each evaluator's loss in an arm, with marks where the outage begins and ends."""
    record = OutageRecord.read(log)
    losses = {what: one for (what, name), one in record.losses(*READERS).items() if name == arm}
    lines = {what: tuple(enumerate(one.tolist(), 1)) for what, one in losses.items()}
    end = max(map(len, lines.values()), default=0)
    marks = ((record.began, "outage"), (record.restored, "restored"))
    shown = tuple(Mark(x=x, label=label) for x, label in marks if x <= end)
    return Series(along="round", unit="share of the control", low=0.0, high=0.5, lines=lines, marks=shown)


def tabulate_collapses(log: Log) -> Table:
    """Tabulate by evaluator and cause, the earliest collapse first, what was lost and how it recovered."""
    record = OutageRecord.read(log)
    found = [(key, record.describe(losses)) for key, losses in record.losses(*READERS).items()]
    found.sort(key=lambda one: one[1]["collapse"].value if one[1]["collapse"].defined else inf)
    rows = tuple((*key, *(effect.value for effect in effects.values())) for key, effects in found)
    columns = ("evaluator", "cause", *(Column(name=name, kind="float") for name in EFFECTS))
    return Table(columns=columns, rows=rows, sort="collapse")


def follow_losses(log: Log) -> Table:
    """Test which evaluator's loss follows which, from the outage on."""
    record, draw = OutageRecord.read(log), Draw(log.study["seed"], "feedback_outage.cascade")
    losses, rows = record.losses(*SINGLE), []
    for arm in ARMS[1:]:
        own = {what: one[record.began - 1 :] for (what, name), one in losses.items() if name == arm}
        tests = follow_all(own, MOST_LAG, draw)
        rows += [(arm, first, second, one.lag, one.correlation, p) for first, second, one, p in tests]
    rows.sort(key=lambda row: row[-1])
    columns = ("cause", "leads", "follows", "rounds", "correlation", "p")
    return Table(columns=columns, rows=tuple(rows), sort="p")


def show_readers(log: Log) -> Matrix:
    """Show which channels the numbers of each evaluator come from."""
    cells = tuple(tuple(float(one in read) for one in CHANNELS) for read in READING.values())
    return Matrix(rows=tuple(READING), columns=CHANNELS, cells=cells, low=0.0, high=1.0)


def list_searches(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List what members of the cast searched for and opened, in order."""
    texts, entries = log.columns("queries").get("text", ()), []
    for row, who in cast_rows(log, SearchAction.columns(log, since=since), agent, by_member=True):
        words = f'"{texts[row["query"]]}": opened {count_noun(row["opened"], "result")}'
        words += ", the page answered by itself" if row["answered"] else ""
        entries.append(Entry(heading=row["arm"], text=words, **who))
    return entries


SURFACES = (
    Surface("collapse", "table", "What collapsed first", tabulate_collapses),
    Surface("fault", "series", "Losses by a fault of the channel", partial(trace_losses, arm="fault")),
    Surface("readers", "series", "Losses by people who only read", partial(trace_losses, arm="readers")),
    Surface("cascade", "table", "Which loss follows which", follow_losses),
    Surface("reads", "matrix", "What reads which channel", show_readers, group="data"),
    Surface("searches", "timeline", "Searches of the cast", list_searches, per_agent=True, live="append"),
)
