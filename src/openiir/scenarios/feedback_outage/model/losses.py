"""What an outage does to a measure, beside its control: collapse, area lost, recovery and hysteresis."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.measures import collapse_times
from openiir.kit.statistics import LagTest, Undefined, follow_series, holm
from openiir.kit.text_tables import read_definitions
from openiir.plugin import Draw, Log, Measure, undefined_measure
from openiir.scenarios.feedback_outage.model.platform import ARMS, CONTROL

ERRORS = frozenset({"calibration", "freshness", "price"})
"""Evaluators of which more is worse."""
DEPARTURE, LASTING = 0.1, 3
"""Loss, as a share of the control, that counts as a collapse if it lasts for so many rounds."""
EFFECTS = read_definitions("""
collapse | collapse of {} | rounds of the outage until it is worse than the control by over a tenth for 3 |
    1 or more
area | area lost of {} | sum over rounds of how much worse it is than the control, as a share of that
recovery | recovery of {} | rounds after the restoration until it is worse by at most a tenth for 3 |
    1 or more
hysteresis | hysteresis of {} | area lost after the restoration, as a share of that lost during the outage
""")
"""Labels and definitions of what an outage does to an evaluator."""
_OF_ARMS = read_definitions("""
ndcg | nDCG | nDCG@10 in the last 3 rounds of the outage, weighted by how often queries are asked | 0 to 1
lead | lead over a random order | mean over queries of nDCG@10 less that of a random order, in these rounds |
    -1 to 1
lost | clicks lost | share of the clicks that did not reach the platform during the outage | 0 to 1
""")
DEFINITIONS = {**{f"{name}.*": found for name, found in EFFECTS.items()}, **_OF_ARMS}
"""Of all measures of a run, by name."""


def measure_losses(values: Floats, controls: Floats, evaluator: str) -> Floats:
    """Compute by round how much worse than its control an evaluator is, as a share of the control.

    Negative where it is better; NaN where the control is 0.
    """
    worse = values - controls if evaluator in ERRORS else controls - values
    return np.divide(worse, controls, out=np.full(len(controls), math.nan), where=controls != 0)


def find_collapse(losses: Floats) -> float:
    """Find the first of LASTING rounds in a row, from 1, with a loss over DEPARTURE; NaN if there is none."""
    return float(collapse_times(1 - np.maximum(losses, 0.0), np.ones(len(losses)), DEPARTURE, LASTING))


def find_recovery(losses: Floats) -> float:
    """Find the first of LASTING rounds in a row, from 1, with a loss of at most DEPARTURE; NaN if none."""
    near = losses <= DEPARTURE
    if len(near) < LASTING:
        return math.nan
    lasts = np.flatnonzero(np.lib.stride_tricks.sliding_window_view(near, LASTING).all(axis=-1))
    return float(lasts[0]) + 1 if len(lasts) else math.nan


def describe_outage(losses: Floats, began: int, restored: int) -> dict[str, Measure]:
    """Measure collapse, area lost, recovery and hysteresis of losses by round, by the names of EFFECTS.

    `began` is the first round of the outage, from 1, and `restored` the first one after it. The area is the
    sum of losses from the outage on. The hysteresis is what of it was lost after signals arrived again, as a
    share of what was lost before: 0 where the return of the signals undoes at once what their loss did.
    """
    out, after = losses[began - 1 : restored - 1], losses[restored - 1 :]
    collapse, recovery = find_collapse(out), find_recovery(after)
    during, later = (float(np.nansum(part)) for part in (out, after))
    never = undefined_measure(f"not within the {len(out)} rounds of the outage")
    late = undefined_measure(f"not within the {len(after)} rounds after the restoration")
    lasting = undefined_measure("signals never came back, or nothing was lost without them")
    found = {
        "collapse": never if math.isnan(collapse) else Measure(collapse),
        "area": Measure(during + later),
        "recovery": late if math.isnan(recovery) else Measure(recovery),
        "hysteresis": Measure(later / during) if len(after) and during > 0 else lasting,
    }
    if math.isnan(collapse):
        found |= dict.fromkeys(("recovery", "hysteresis"), undefined_measure("it had not collapsed"))
    return found


def late_mean(values: Floats) -> float:
    """Average the last LASTING values."""
    return float(values[-LASTING:].mean())


@dataclass(frozen=True)
class OutageRecord:
    """Values of each evaluator in each arm by round, and when signals were lost."""

    values: Mapping[str, Mapping[str, Floats]]
    """By arm and evaluator; the first arm is the control of the others."""
    began: int
    """First round of the outage, from 1; one after the last where there was none."""
    restored: int
    """First round after the outage; one after the last where signals never came back."""

    @classmethod
    def read(cls, log: Log) -> "OutageRecord":
        """Read the values of all evaluators, and when an outage began and ended."""
        columns, events = log.columns("evaluators"), list(log.events("event"))
        arm = columns.pop("arm") if columns else np.zeros(0, dtype=object)
        values = {name: {what: column[arm == name] for what, column in columns.items()} for name in ARMS}
        end = int((arm == CONTROL).sum()) + 1
        began = min((one.step for one in events if one.payload["kind"] == "outage"), default=end)
        back = (one.step for one in events if one.payload["kind"] == "restore" and one.step > began)
        return cls(values, began, min(back, default=end))

    def losses(self, *evaluators: str) -> dict[tuple[str, str], Floats]:
        """Compute losses by round, by evaluator and arm; none before an outage began."""
        (_, control), *arms = self.values.items()
        return {
            (evaluator, arm): measure_losses(found[evaluator], control[evaluator], evaluator)
            for evaluator in evaluators
            for arm, found in arms
            if self.began <= len(found.get(evaluator, ()))
        }

    def describe(self, losses: Floats) -> dict[str, Measure]:
        """Measure what the outage did, by the names of EFFECTS."""
        return describe_outage(losses, self.began, self.restored)


def follow_all(losses: Mapping[str, Floats], most: int, draw: Draw) -> list[tuple[str, str, LagTest, float]]:
    """Test which loss follows which, up to `most` rounds later: leading, following, test, p by Holm's method.

    Each is (rounds,), or (seeds, rounds). Left out are series that do not change, and that change in the same
    round.
    """
    found = []
    for first, second in permutations(losses, 2):
        try:
            found.append((first, second, follow_series(losses[first], losses[second], most, draw)))
        except Undefined:
            continue
    adjusted = holm([test.p for _, _, test in found]).tolist()
    return [(*one, p) for one, p in zip(found, adjusted, strict=True) if one[2].lag]
