"""The record of a run's arms, and what is measured of it."""

from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.measures import pairwise_jaccard, row_shares
from openiir.kit.text_tables import read_definitions
from openiir.plugin import Draw, Log, Measure, order_by, ratio, undefined_measure
from openiir.scenarios.coordination_emergent.model.access import DENIED, Requested
from openiir.scenarios.coordination_emergent.model.co_access import (
    AccessRecord,
    Cluster,
    CoAccessMeasuring,
    WindowTest,
    displace,
    find_clusters,
)
from openiir.scenarios.coordination_emergent.model.sources import GRADES

TENTH = 10
DEFINITIONS = read_definitions("""
overlap | overlap | mean similarity of the sets of sources that two agents asked in a window | 0 to 1
expected | overlap under the null | the same if who asked what is random, within goals, at the same numbers of
  sources of each agent and agents of each source | 0 to 1
excess | excess overlap | overlap less that under the null | -1 to 1
over_hidden | excess over hidden | excess overlap less that of the arm that sees nothing of others | -2 to 2
pairs | pairs in excess | share of pairs whose overlap is in excess, at the false discovery rate | 0 to 1
uniform | overlap by chance | mean Jaccard of sets of these sizes, all sources as likely to all | 0 to 1
clusters | clusters | groups of at least three agents that are linked by pairs in excess | 0 or more
lasting | lasting clusters | clusters in excess again in windows after that of their finding | 0 or more
cartels | cartels | lasting clusters that deny others more than as many others with the same goals | 0 or more
hhi | concentration | Herfindahl-Hirschman index of requests by source, mean over rounds | 0 to 1
denied | denials | share of requests that were turned away | 0 to 1
hoarded | hoarding | share of places, where somebody was turned away, of the tenth with most | 0 to 1
imposed | denials imposed | share of the others' requests that are denied for that tenth's | 0 to 1
exclusivity | exclusivity | share of agents who did not ask a source in a window, mean over sources | 0 to 1
worth | worth of a request | mean grade of answers, where a request that was turned away has 0 | 0 to 1
""")


@dataclass(frozen=True, eq=False)
class ArmRecord:
    """What one arm's agents asked in each round, and how the sources answered."""

    record: AccessRecord
    options: CoAccessMeasuring
    requests: Bools
    """(rounds, agents, sources)"""
    grades: Ints
    """(rounds, agents, sources) grade of each answer; DENIED for none, whether or not it was asked for."""
    places: Ints
    """(rounds,) requests that each source serves."""

    @classmethod
    def read_all(cls, log: Log) -> "dict[str, ArmRecord]":
        """Read the record of each arm; none before the first round has ended."""
        done, capacity = Requested.columns(log), log.columns("capacity")
        options = log.options(CoAccessMeasuring)
        found = {}
        for arm in dict.fromkeys(capacity["arm"]) if capacity else ():
            own, places = done["arm"] == arm, capacity["places"][capacity["arm"] == arm].astype(np.int64)
            goals, sources = log.columns("goals")["goal"], len(log.columns("sources")["name"])
            place = tuple(
                done[name][own] - shift for name, shift in (("step", 1), ("member", 0), ("source", 0))
            )
            requests = np.zeros((len(places), len(goals), sources), dtype=np.bool_)
            grades = np.full(requests.shape, DENIED, dtype=np.int64)
            requests[place], grades[place] = True, done["answer"][own]
            record = AccessRecord.of(requests, places, goals, log.study["seed"])
            found[arm] = cls(record, options, requests, grades, places)
        return found

    @property
    def windows(self) -> tuple[WindowTest, ...]:
        """Tests of the windows that have ended."""
        return find_clusters(self.record, self.options)[0]

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """Clusters of all windows, in the order in which they were found."""
        return find_clusters(self.record, self.options)[1]

    def measure_overlap(self) -> dict[str, Measure]:
        """Compare overlap with its null, as means over the windows of the second half, and count clusters."""
        names = "overlap expected excess pairs uniform clusters lasting cartels".split()
        if not self.windows:
            few = undefined_measure(f"no window of {self.options.window} rounds has ended")
            return dict.fromkeys(names, few)
        late, (agents, sources) = self.windows[len(self.windows) // 2 :], self.requests.shape[1:]
        overlap, expected = (
            float(np.mean(one)) for one in zip(*((w.mean, w.expected) for w in late), strict=True)
        )
        pairs, draw = agents * (agents - 1) // 2, Draw(0, "all pairs")
        chance = []
        for window in late:
            agent, source = np.nonzero(window.sets)
            chance.append(pairwise_jaccard(agent, source, agents, sources, draw, pairs).expected)
        values = (
            overlap,
            expected,
            overlap - expected,
            float(np.mean([len(w.pairs) for w in late])) / pairs,
            float(np.mean([one.measure("nobody asked").value for one in chance])),
            len(self.clusters),
            len([one for one in self.clusters if one.lasts(self.options)]),
            len([one for one in self.clusters if one.is_cartel(self.options)]),
        )
        return {name: Measure(float(value)) for name, value in zip(names, values, strict=True)}

    def measure_access(self) -> dict[str, Measure]:
        """Measure concentration, hoarding, denials and worth over the second half of the run."""
        half = len(self.requests) // 2
        requests, grades = self.requests[half:], self.grades[half:]
        served, asked, none = grades != DENIED, int(requests.sum()), "nobody asked anything"
        by_source = requests.sum(axis=1).astype(np.float64)
        held = (served & (requests & ~served).any(axis=1, keepdims=True)).sum(axis=(0, 2))
        top = hold_most(held)
        denied = displace(requests, top[None], self.places[half:])[0] * requests[:, top].sum()
        return {
            "hhi": ratio(float(concentrations(by_source).mean()), float(asked > 0), none),
            "denied": ratio(asked - int(served.sum()), asked, none),
            "hoarded": ratio(int(held[top].sum()), int(held.sum()), "no source turned anybody away"),
            "imposed": ratio(float(denied), int(requests[:, ~top].sum()), none),
            "exclusivity": Measure(1 - float(np.mean(self.use_shares()))),
            "worth": ratio(float(grades[served].sum()) / (GRADES - 1), asked, none),
        }

    def use_shares(self) -> Floats:
        """Compute the share of agents who asked each source in a window, as means over the second half."""
        late = [window.sets for window in self.windows[len(self.windows) // 2 :]]
        return np.asarray(np.mean(late or [np.asarray(self.requests.any(axis=0))], axis=(0, 1)))


def hold_most(held: Ints) -> Bools:
    """Return the mask of the tenth of agents who hold most, ties to the first."""
    return np.isin(np.arange(len(held)), order_by(-held)[: max(1, len(held) // TENTH)])


def concentrations(amounts: Floats) -> Floats:
    """Compute the Herfindahl-Hirschman index of each row: 1 where one has all, 1 / n for equal shares."""
    return np.asarray((np.nan_to_num(row_shares(amounts)) ** 2).sum(axis=1))
