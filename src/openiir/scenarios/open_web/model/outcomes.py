"""What is measured of an open web: survivors and funds, who is there, who is read, and whom readers trust."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Floats, Ints
from openiir.kit.statistics import Statistic, Undefined
from openiir.kit.text_tables import read_definitions
from openiir.plugin import Measure, ratio, undefined_measure
from openiir.scenarios.open_web.model.readership import NOBODY

DEFINITIONS = read_definitions("""
survivors | survivors | share of publishers that are open after the last round | 0 to 1
tail | survivors of the tail | the same among the half of the publishers with least quality | 0 to 1
mass | quality mass | quality of the open publishers, as a share of that at the start | 0 or more
coverage | coverage | share of niches that an open publisher serves | 0 to 1
gini | revenue Gini | Gini coefficient of what open publishers earned in the last round | 0 to 1
hhi | revenue concentration | sum of the squared shares of what they earned (Herfindahl and Hirschman) |
    0 to 1
visits | visits by people | share of people's visits that are still made, in the last round | 0 to 1
views | views by people | pages that people opened per visit of theirs, mean over rounds | 0 to 1
paid | paid views | paid views that a visit brought, by people and agents together, mean over rounds | 0 to 1
elasticity | elasticity of survivors | change of ln survivors per change of ln paid views, from the arm human
stayed | stayed | share of people who have not left their space | 0 to 1
human_share | human share | share of the pieces shown that people wrote, mean over spaces with readers |
    0 to 1
contamination | contamination | share of what is read that agents wrote (Garetto et al., SIGIR 2025) |
    0 to 1
trust_gap | trust gap | mean reputation of the people less that of the agents whose pieces were shown |
    -1 to 1
tipping_point | tipping point | share of agents from which on fewer than half stay, over this run's arms |
    0 to 1
tipping_assumed | tipping point assumed | the same by thresholds alone, without followers, chance and time |
    0 to 1
""")


@Statistic
def arc_elasticity(before: float, after: float, funds_before: float, funds_after: float) -> float:
    """Compute the change of a logarithm for each change of the logarithm of what funds it.

    Undefined where nothing is left, or where funds do not differ.
    """
    if min(before, after, funds_before, funds_after) <= 0:
        raise Undefined("nothing is left, or nothing is paid")
    if funds_before == funds_after:
        raise Undefined("as much is paid in both arms")
    return math.log(after / before) / math.log(funds_after / funds_before)


def sum_looks(
    looked: Mapping[str, NDArray[Any]], people: int, spaces: int, pieces: int
) -> dict[str, NDArray[np.float64]]:
    """Sum up by space what its readers were shown and looked into: columns of `Readership.settle`.

    `human` is the share of the pieces shown that people wrote, NaN where nobody looked.
    """
    summed = {name: looked[name] for name in ("agents", "trust_people", "trust_agents")}
    summed |= {"read": looked["writer"] != NOBODY, "read_agents": looked["writer"] >= people}
    space = looked["member"] % spaces
    sums = {name: np.bincount(space, one, spaces).astype(np.float64) for name, one in summed.items()}
    shown = np.bincount(space, minlength=spaces) * float(pieces)
    human = 1.0 - np.divide(sums["agents"], shown, out=np.full(spaces, np.nan), where=shown > 0)
    return sums | {"shown": shown, "human": human}


def measure_looks(sums: Mapping[str, Floats]) -> dict[str, Measure]:
    """Measure what `sum_looks` has summed up: the human share, contamination, and the trust gap."""
    human, nobody = sums["human"][np.isfinite(sums["human"])], "nobody reads any more"
    shown = {"people": sums["shown"] - sums["agents"], "agents": sums["agents"]}
    trust = [
        ratio(float(sums[f"trust_{kind}"].sum()), float(pieces.sum()), f"no piece by {kind} is shown")
        for kind, pieces in shown.items()
    ]
    gap, why = trust[0].value - trust[1].value, trust[0].reason or trust[1].reason
    return {
        "human_share": ratio(float(human.sum()), len(human), nobody),
        "contamination": ratio(float(sums["read_agents"].sum()), float(sums["read"].sum()), nobody),
        "trust_gap": undefined_measure(why) if why else Measure(gap),
    }


def find_stayed(left: Ints, people: int, spaces: int) -> Floats:
    """Compute for each space the share of its people who stayed, from the rows of those who left."""
    members = np.bincount(np.arange(people) % spaces)
    return np.asarray(1.0 - np.bincount(left % spaces, minlength=spaces) / members)


def measure_value(value: float, reason: str) -> Measure:
    """Return a value as a measure; undefined, with this reason, if it is NaN."""
    return undefined_measure(reason) if np.isnan(value) else Measure(float(value))
