"""Views of an open web: its arms side by side, week by week, over shares of agents, and by space."""

from functools import partial

from openiir.kit.cast_rows import cast_rows
from openiir.kit.text_tables import add_help
from openiir.plugin import Entry, Log, Matrix, Series, Surface, Table
from openiir.scenarios.open_web.measures import config_of, last_looks, last_weeks, web_measures

SHOWN = "survivors tail mass coverage paid elasticity stayed contamination trust_gap".split()


def show_summary(log: Log) -> Table:
    """Set the arms side by side after the last week."""
    found, arms = web_measures(log), last_weeks(log)
    cells = {arm: [found.get(f"{arm}/{name}") for name in SHOWN] for arm in arms}
    rows = [(a, *(round(m.value, 3) if m and m.defined else None for m in row)) for a, row in cells.items()]
    columns = [{"name": name.replace("_", " "), "kind": "float"} for name in SHOWN]
    return Table(columns=("arm", *columns), rows=tuple(rows))


def trace_weeks(name: str, log: Log) -> Series:
    """Trace a share week by week, in each arm."""
    lines: dict[str, tuple[tuple[int, float], ...]] = {}
    for row in log.table("weeks"):
        lines[row["arm"]] = (*lines.get(row["arm"], ()), *([(row["step"], row[name])] if name in row else ()))
    return Series(along="week", unit=name, low=0.0, high=1.0, lines=lines)


def draw_curve(log: Log) -> Series:
    """Draw the survivors at the end over shares of agents, a line for each price."""
    config, weeks = config_of(log), last_weeks(log)
    lines: dict[str, tuple[tuple[int, float], ...]] = {f"price {one}": () for one in config.prices}
    for arm, (share, price) in config.list_arms().items():
        for line in lines if not share else (f"price {price}",):
            if "survivors" in weeks.get(arm, ()):
                lines[line] += ((round(100 * share), weeks[arm]["survivors"]),)
    return Series(along="agents in 100 visits", unit="survivors", low=0.0, high=1.0, lines=lines)


def map_spaces(log: Log) -> Matrix:
    """Map what people wrote of what is shown, by arm and space."""
    human = {arm: row["human"].tolist() for arm, row in last_looks(log).items()}
    cells = [[round(one, 4) if one == one else None for one in row] for row in human.values()]
    columns = [f"space {n}" for n in range(1, config_of(log).spaces.number + 1)]
    return Matrix(rows=tuple(human), columns=columns, cells=cells, unit="by people", low=0.0, high=1.0)


def list_readings(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List what readers with a persona did in front of the page of their space, in each arm."""
    entries = list[Entry]()
    for did, who in cast_rows(log, log.columns("looked", since=since), agent):
        text = f"{'opened' if did['opened'] else 'looked at'} a piece of account {did['writer']}, "
        text += f"{'worth' if did['worth'] else 'not worth'} the time{', and left' if did['left'] else ''}"
        text = text if did["writer"] >= 0 else "gave no usable answer"
        entries.append(Entry(heading=did["arm"], text=text, **who))
    return entries


_HELP = """
summary | Only differences between arms say anything: the scale of earnings is assumed.
survivors | Share of publishers that are open, week by week.
stayed | Share of people who have not left their space, week by week.
curve | After the last week, for each price of an agent's visit.
human | Share of the pieces shown that people wrote, by arm and space, in the last week.
readings | What readers with a persona looked into, and whether they stayed, in each arm.
"""
_process = partial(Surface, group="process")
SURFACES = add_help(
    _HELP,
    Surface("summary", "table", "Arms side by side", show_summary),
    Surface("survivors", "series", "Publishers left", partial(trace_weeks, "survivors")),
    Surface("stayed", "series", "People who stay", partial(trace_weeks, "stayed")),
    Surface("curve", "series", "Publishers left by share of agents", draw_curve),
    Surface("human", "matrix", "What people wrote", map_spaces),
    _process("readings", "timeline", "What readers did", list_readings, per_agent=True, live="append"),
)
