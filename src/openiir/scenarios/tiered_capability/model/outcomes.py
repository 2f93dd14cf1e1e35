"""What is measured of an arm: outcomes of its members and how unequal they are, and who was shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Floats
from openiir.kit.measures import atkinson, gini, palma, row_shares, theil
from openiir.kit.text_tables import read_definitions
from openiir.plugin import Log, Measure, ratio, undefined_measure

ARM_DEFINITIONS = read_definitions("""
outcome | outcome | nDCG@10 of the documents that members opened, from the top | 0 to 1
correct | needs met | share of needs for which a document was opened that none serves better | 0 to 1
page | quality of pages | nDCG@10 of the first page, whatever is opened of it | 0 to 1
known | knowledge | share of all needs that a member has met once, at the end | 0 to 1
cost | cost | what a need cost, as declared | 0 or more
latency | latency | seconds that a need took, as declared | 0 or more
web | web searches | share of needs for which the web was searched | 0 to 1
opened | documents opened | documents that a member wanted to open for a need | 0 to 10
denied | turned away | share of these that others had taken | 0 to 1
gini | Gini coefficient | of members' mean outcomes: 0 for equal ones | 0 to 1
atkinson | Atkinson index (0.5) | share of all outcomes that could go unmissed if the rest were equal | 0 to 1
atkinson_1 | Atkinson index (1) | the same with more aversion; 1 where a member has nothing | 0 to 1
theil | Theil index | of members' mean outcomes, in nats | 0 or more
palma | Palma ratio | what the tenth with most has to what the four tenths with least have | 0 or more
concentration | concentration of attention | Gini coefficient of documents' attention | 0 to 1
misplaced | misplaced attention | share of attention that documents have above their share of merit | 0 to 1
""")


@dataclass(frozen=True, eq=False)
class TierArmRecord:
    """What one arm's members did: columns of the table `visits` as (rounds, members)."""

    columns: Mapping[str, NDArray[Any]]
    exposure: Floats
    """(documents,) attention that pages gave each document."""
    merit: Floats
    """(documents,) grades for the needs that members had."""
    needs: int

    @classmethod
    def read_all(cls, log: Log) -> "dict[str, TierArmRecord]":
        """Read the record of each arm; none before the first round has ended."""
        visits, shown, judged = (log.columns(name) for name in ("visits", "exposure", "judged"))
        found, members = {}, log.members.size
        for arm in dict.fromkeys(visits["arm"]) if visits else ():
            own, seen = visits["arm"] == arm, shown["arm"] == arm
            columns = {name: one[own].reshape(-1, members) for name, one in visits.items() if name != "arm"}
            documents, needs = len(log.columns("documents")["name"]), len(log.columns("needs")["id"])
            exposure, merit = np.zeros((2, documents))
            np.add.at(exposure, shown["document"][seen], shown["attention"][seen])
            asked = np.bincount(columns["need"].ravel(), minlength=needs)
            np.add.at(merit, judged["document"], judged["grade"] * asked[judged["need"]])
            found[arm] = cls(columns, exposure, merit, needs)
        return found

    @cached_property
    def outcome(self) -> Floats:
        """(rounds, members)"""
        return np.asarray(self.columns["outcome"], dtype=np.float64)

    @cached_property
    def known(self) -> Floats:
        """(rounds, members) share of all needs that each member has met by the end of a round."""
        rounds, members = self.outcome.shape
        met, found = np.zeros((members, self.needs), dtype=np.bool_), np.zeros((rounds, members))
        for n in range(rounds):
            met[np.arange(members), self.columns["need"][n]] |= self.columns["correct"][n]
            found[n] = met.mean(axis=1)
        return found

    def measure(self) -> dict[str, Measure]:
        """Compute each of ARM_DEFINITIONS."""
        own = self.outcome.mean(axis=0)
        names = ("outcome", "correct", "page", "cost", "latency", "web", "opened")
        denied, opened = int(self.columns["denied"].sum()), int(self.columns["opened"].sum())
        means = {name: Measure(float(self.columns[name].mean())) for name in names}
        found = {
            **means,
            "known": Measure(float(self.known[-1].mean())),
            "denied": ratio(denied, opened, "nobody opened anything"),
            "gini": gini.measure(own),
            "atkinson": atkinson.measure(own),
            "atkinson_1": atkinson.measure(own, 1.0),
            "theil": theil.measure(own),
            "palma": palma.measure(own),
            "concentration": gini.measure(self.exposure),
            "misplaced": measure_misplaced(self.exposure, self.merit),
        }
        return {name: found[name] for name in ARM_DEFINITIONS}


def measure_misplaced(exposure: Floats, merit: Floats) -> Measure:
    """Measure the share of attention that would have to move for all to have as much as they merit.

    Half of the unfairness of Biega, Gummadi & Weikum (SIGIR 2018), the L1 distance of amortised attention
    from relevance, in shares. Merit counts how often members had each need.
    """
    apart = float(np.abs(row_shares(exposure) - row_shares(merit)).sum() / 2)
    return undefined_measure("no page showed anything") if np.isnan(apart) else Measure(min(apart, 1.0))
