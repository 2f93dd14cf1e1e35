"""Advantage of memory, its spillover and its total effect, with intervals over the members of a run."""

import numpy as np

from openiir.kit.access import ACCESS_SHARES, AccessLog
from openiir.kit.arrays import Bools
from openiir.kit.measures import gap_trend
from openiir.kit.statistics import Estimate, cluster_bootstrap
from openiir.kit.text_tables import read_definitions
from openiir.plugin import Draw, Log, Measure
from openiir.scenarios.asymmetric_memory.config import MEMORY, MIXED, STATELESS
from openiir.scenarios.asymmetric_memory.model import hazard_ratio

EFFECTS = read_definitions("""
advantage | advantage | in the mixed world, outcome of those with memory less those without | -1 to 1
spillover | spillover | outcome of those without memory, in the mixed world less the stateless one | -1 to 1
total | total effect | outcome of all where all remember, less where nobody does | -1 to 1
hazard_ratio | hazard ratio | in the mixed world, times as likely an answer is with memory | 0 or more
learning | learning | in the mixed world, rise of outcomes in ten rounds with memory less without
""")
DEFINITIONS = {**EFFECTS, **ACCESS_SHARES}


def list_groups(log: Log) -> dict[str, tuple[str, Bools | None]]:
    """List the groups that are compared: each a world, and a mask of members where only some are meant."""
    some = log.columns("members").get("remembers", np.zeros(log.members.size, np.bool_))
    mixed = {"mixed, without memory": (MIXED, ~some), "mixed, with memory": (MIXED, some)}
    return {"stateless": (STATELESS, None), **mixed, "memory": (MEMORY, None)}


def estimate_effects(log: Log) -> dict[str, Estimate]:
    """Estimate each of EFFECTS, with a 95 % interval over resampled members."""
    access, (_, some) = AccessLog(log), list_groups(log)["mixed, with memory"]
    bare, mixed, full = (access.of("outcome", arm) for arm in (STATELESS, MIXED, MEMORY))
    if some is None or not len(mixed) or some.all() or not some.any():
        why = "all in the mixed world remember, or nobody does" if len(mixed) else "no round has ended"
        return dict.fromkeys(EFFECTS, Estimate(np.nan, reason=why))
    advantage, learning = gap_trend(mixed, some, ~some)
    spill, total = (mixed - bare).mean(axis=0), (full - bare).mean(axis=0)
    waits = access.of("waited", MIXED), access.of("met", MIXED)
    return {
        "advantage": advantage,
        "spillover": cluster_bootstrap(spill * ~some, ~some),
        "total": cluster_bootstrap(total, np.ones(len(some))),
        "hazard_ratio": hazard_ratio(*waits, some, Draw(0, "asymmetric_memory.hazard")),
        "learning": learning,
    }


def memory_measures(log: Log) -> dict[str, Measure]:
    """Compute effects with the ends of their intervals, and what groups got and read."""
    access, found = AccessLog(log), dict[str, Measure]()
    for name, one in estimate_effects(log).items():
        found |= one.measures(name)
    for group, who in list_groups(log).items():
        found |= {f"{name}[{group}]": measure for name, measure in access.shares(*who).items()}
    return found
