"""The gap between tiers: in outcomes, in knowledge, and how much of it is at others' cost."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Bools, Ints
from openiir.kit.measures import gap_trend, theil, theil_between
from openiir.kit.measures.retrieval import evaluate
from openiir.kit.measures.trec import Judgement
from openiir.kit.statistics import Estimate, cliffs_delta, paired_difference
from openiir.kit.text_tables import read_definitions
from openiir.plugin import Log, Measure, Ranking, ratio
from openiir.scenarios.tiered_capability.model.outcomes import TierArmRecord
from openiir.scenarios.tiered_capability.model.search import LOCAL

MIXED = "mixed"
"""Name of the arm in which members have the tiers that fall to them; in each other arm all have one tier."""
GAP_DEFINITIONS = read_definitions("""
lead | lead | outcome where all have this tier less that where all have the first, over needs | -1 to 1
gap | gap | outcome of the last tier's members less that of the first's, among all tiers | -1 to 1
trend | trend of the gap | rise of that gap in ten rounds
known_gap | gap in knowledge | the same of what members know, over all rounds | -1 to 1
known_trend | trend of the gap in knowledge | rise of that gap in ten rounds
delta | size of the gap | Cliff's delta of members of the last tier and the first | -1 to 1
between | share between tiers | share of the Theil index that lies between tiers | 0 to 1
spillover | spillover | outcome of the first tier's members, among all tiers less among their own | -1 to 1
rivalrous | rivalrous share | share of others' gain by their tiers that the first tier's members lose
""")


@dataclass(frozen=True, eq=False)
class Divide:
    """The arms of a run side by side: MIXED, and an arm for each tier."""

    arms: Mapping[str, TierArmRecord]
    tiers: tuple[str, ...]
    tier: Ints
    """(members,) number of each member's tier in the mixed arm."""

    @classmethod
    def read(cls, log: Log) -> "Divide":
        """Read the arms of a run; there are none before its first round has ended."""
        arms = TierArmRecord.read_all(log)
        tiers, own = (
            log.columns("tiers").get("name", ()),
            log.columns("members").get("tier", np.zeros(0, int)),
        )
        return cls(arms, tuple(tiers), own)

    def members(self, tier: int) -> Bools:
        """Return the mask of a tier's members."""
        return np.asarray(self.tier == tier)

    def estimate_leads(self) -> dict[str, Estimate]:
        """Estimate how much more all get with each further tier than with the first, paired by need."""
        need = self.arms[MIXED].columns["need"].ravel()
        times = np.bincount(need)
        asked = times > 0
        means = [
            np.bincount(need, self.arms[one].outcome.ravel())[asked] / times[asked] for one in self.tiers
        ]
        pairs = zip(self.tiers[1:], means[1:], strict=True)
        return {f"{name}/lead": paired_difference(means[0], own, bounds=(0.0, 1.0)) for name, own in pairs}

    def estimate_gaps(self) -> dict[str, Estimate]:
        """Estimate gaps between the members of the last tier and the first, among all tiers, and trends."""
        record, found = self.arms[MIXED], dict[str, Estimate]()
        ends = self.members(len(self.tiers) - 1), self.members(0)
        for name, values in (("", record.outcome), ("known_", record.known)):
            gap, trend = gap_trend(values, *ends)
            found |= {f"{MIXED}/{name}gap": gap, f"{MIXED}/{name}trend": trend}
        return found

    def measure(self) -> dict[str, Measure]:
        """Compute the measures of all arms, `ARM/NAME`, and those of gaps, with the ends of intervals."""
        found = {
            f"{arm}/{name}": one for arm, own in self.arms.items() for name, one in own.measure().items()
        }
        for name, one in (self.estimate_leads() | self.estimate_gaps()).items():
            found |= one.measures(name)
        own, base = (self.arms[arm].outcome.mean(axis=0) for arm in (MIXED, self.tiers[0]))
        first, whole, gain = self.members(0), theil.measure(own), own - base
        least, most = own[first], own[self.members(len(self.tiers) - 1)]
        lost, won = 0.0 - float(gain[first].sum()), max(float(gain[~first].sum()), 0.0)
        others = {
            "delta": cliffs_delta.measure(least, most),
            "between": ratio(theil_between(own, self.tier), whole.value, "all outcomes are equal"),
            "spillover": ratio(0.0 - lost, len(least), "no member has the first tier"),
            "rivalrous": ratio(lost, won, "nobody gains by another tier"),
        }
        for n, tier in enumerate(self.tiers):
            mine = own[self.members(n)]
            others[f"outcome[{tier}]"] = ratio(float(mine.sum()), len(mine), "no member has this tier")
        return found | {f"{MIXED}/{name}": one for name, one in others.items()}


def rank_pages(log: Log, tier: int) -> Ranking:
    """Return the first pages of a tier by its number, from 0 or from the end, as ranked lists by need.

    They are the latest where the tier's line has changed.
    """
    names, pages = log.columns("tiers").get("name", ()), log.columns("pages")
    if not pages:
        return Ranking(rows=())
    own = (pages["tier"] == names[tier]) & (pages["world"] == LOCAL)
    own &= pages["step"] == pages["step"][own].max(initial=0)
    needs, documents = log.columns("needs")["id"], log.columns("documents")["name"]
    rows = zip(*(pages[key][own].tolist() for key in ("need", "document", "place")), strict=True)
    return Ranking.of([(needs[need], documents[one], 1 / at) for need, one, at in rows], names[tier])


def measure_retrieval(log: Log, names: tuple[str, ...]) -> dict[str, Measure]:
    """Measure the first pages of each tier by these measures of ir_measures, `TIER/NAME`."""
    needs, documents = log.columns("needs")["id"], log.columns("documents")["name"]
    rows = zip(*(log.columns("judged")[key].tolist() for key in ("need", "document", "grade")), strict=True)
    qrels = [Judgement(needs[need], documents[one], grade) for need, one, grade in rows]
    found = {
        tier: evaluate(rank_pages(log, n), qrels, names)
        for n, tier in enumerate(log.columns("tiers")["name"])
    }
    return {f"{tier}/{name}": one for tier, own in found.items() for name, one in own.items()}
