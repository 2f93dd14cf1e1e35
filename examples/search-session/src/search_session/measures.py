"""Measures and views of sessions, from the log alone."""

import numpy as np
from openiir.kit.text_tables import read_definitions
from openiir.plugin import ConfigTable, Entry, Measure, Surface, Table
from pydantic import Field

from search_session.run import ARMS, FIXED, SESSION

SESSIONS = read_definitions("""
sdcg | sDCG | gain of all that was looked at, discounted by rank and number of the query | 0 or more
tbg | time-biased gain | relevant documents found useful, discounted by the time until then | 0 or more
found | found | relevant documents found useful | 0 or more
queries | queries | queries typed, results of which were looked at | 0 or more
minutes | minutes | minutes until the last result or document | 0 or more
""")
DEFINITIONS = SESSIONS | read_definitions("gain.* | gain in {} | mean in the arm session less that in fixed")


class SessionMeasuring(ConfigTable):
    """What `openiir measure RUN --set` may set."""

    half_life: float = Field(224.0, ge=1, le=86_400)
    """Seconds after which what is found counts half in time-biased gain."""


def discount_gains(grade, query, rank):
    """Compute what each result adds to sDCG: Jarvelin, Price, Delcambre & Nielsen (ECIR 2008), b = 2, bq = 4.

    Gains and discounts, which begin at 1, as in Kanoulas, Carterette, Clough & Sanderson (SIGIR 2011).
    """
    return (2.0**grade - 1) / (np.log2(rank + 1.0) * np.log2(query + 3.0) / 2)


def measure_arms(log):
    """Compute the means of SESSIONS over the sessions of each arm; empty before there are any."""
    results, found = log.columns("results"), {}
    for arm in ARMS if results else ():
        own = {name: column[results["arm"] == arm] for name, column in results.items()}
        last = np.append((own["searcher"][1:] != own["searcher"][:-1]) | (np.diff(own["step"]) != 0), True)
        kept, sessions = own["helped"] & (own["grade"] > 0), len(log.personas) * int(results["step"].max())
        worth = 0.5 ** (own["seconds"][kept] / log.options(SessionMeasuring).half_life)
        gains = discount_gains(own["grade"] * own["new"], own["query"], own["rank"])
        sums = gains.sum(), worth.sum(), kept.sum(), own["query"][last].sum(), own["seconds"][last].sum() / 60
        found[arm] = {name: float(one / sessions) for name, one in zip(SESSIONS, sums, strict=True)}
    return found


def measure_sessions(log):
    """Compute the measures of both arms, and what further queries gain."""
    arms = measure_arms(log)
    found = {f"{arm}/{name}": Measure(value) for arm, means in arms.items() for name, value in means.items()}
    gains = {name: arms[SESSION][name] - arms[FIXED][name] for name in SESSIONS if arms}
    return found | {f"gain.{name}": Measure(value) for name, value in gains.items()}


def tabulate_arms(log):
    """Set the arms side by side."""
    rows = [(arm, *(round(value, 3) for value in means.values())) for arm, means in measure_arms(log).items()]
    return Table(columns=("arm", *(label for label, *_ in SESSIONS.values())), rows=tuple(rows))


def list_opened(log, since=0, agent=None):
    """List what searchers opened, in order, and whether it helped."""
    names, found = dict(log.persona_names()), []
    for row in log.table("results", since=since):
        if row["opened"] and agent in (None, row["searcher"]):
            text = f'{row["document"]}, by "{row["typed"]}": {"helped" if row["helped"] else "no help"}'
            who = {"actor": names[row["searcher"]], "agent": row["searcher"], "heading": row["arm"]}
            found.append(Entry(step=row["step"], text=text, **who))
    return found


SURFACES = (
    Surface("outcomes", "table", "Both arms", tabulate_arms),
    Surface("opened", "timeline", "What was opened", list_opened, per_agent=True, live="append"),
)
