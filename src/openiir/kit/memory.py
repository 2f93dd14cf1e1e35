"""What the members of a population remember of sources: in arrays, and of the cast also in words."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import (
    CastArm,
    Draw,
    MemoryPolicy,
    MemoryRecord,
    Own,
    Population,
    int_sum,
    quantise,
    round_floats,
)

NOISE = 0.4
"""Spread of activation noise, the `s` of ACT-R."""
LOST = -0.5
"""Power of age by which uses lose weight (Anderson & Schooler, Psychological Science 1991)."""


def name_policies(users: Population, usual: str, who: Bools) -> list[str]:
    """Name each member's memory policy: a persona's own or else the usual one, and none where not `who`."""
    own = {row: agent.persona.memory for row, agent in users.agents.items()}
    named = [usual if (name := own.get(row, "full")) == "full" else name for row in range(users.size)]
    return [name if yes else "none" for name, yes in zip(named, who.tolist(), strict=True)]


@dataclass
class Recollection:
    """What members recall of each source; arrays are (members, sources)."""

    value: Floats
    """Mean of the outcomes remembered; 0 where nothing is."""
    uses: Ints
    """How many outcomes that rests on; 0 where nothing is recalled."""
    last: Ints
    """Round of the latest of them."""
    told: dict[int, tuple[MemoryRecord, ...]] = field(default_factory=dict)
    """Notes that members recalled for whom not the behaviour model answers, by row: they read no numbers."""

    @property
    def weight(self) -> Floats:
        """Weight of memory against what is seen now: n / (n + 1) for n outcomes."""
        return np.asarray(quantise(self.uses / (self.uses + 1.0)))

    def count(self, changed: Ints) -> tuple[Ints, Ints]:
        """Count what each member recalled, and how much of it is older than the last change of its source."""
        recalled = self.uses > 0
        read, stale = recalled.sum(axis=1), (recalled & (self.last < changed)).sum(axis=1)
        for row, records in self.told.items():
            read[row] = len(records)
            stale[row] = int_sum(one.facts["round"] < changed[one.facts["source"]] for one in records)
        return read, stale


class CrowdMemory(CastArm):
    """Outcomes that members had from sources: an arm, in which each has a memory of its own.

    `policies` has each member's policy, as a persona names it (`MemoryPolicy`). Of `decayed:N` a source's
    outcomes are recalled together, with probability 1 / (1 + exp((ln N^-0.5 - B) / 0.4)), where B is the
    base-level activation of its uses: half the time N rounds after a single use. Members under one
    `shared:NAME` write and read one memory.
    """

    owner: Own[Ints]
    """(members,) row of the memory that a member writes and reads: its own, unless it is shared."""
    span: Own[Ints]
    """(members,) number of latest outcomes kept; -1 for all."""
    fades: Own[Ints]
    """(members,) N of `decayed:N`; 0 for memories that do not fade."""
    total: Own[Floats]
    """(members, sources) sum of the outcomes remembered."""
    uses: Own[Ints]
    first: Own[Ints]
    """(members, sources) round of the first outcome."""
    last: Own[Ints]
    written: Own[Ints]
    """(members,) number of outcomes written so far."""
    recent_source: Own[Ints]
    """(longest window, members) sources of the latest outcomes, for members with a window."""
    recent_value: Own[Floats]

    def __init__(self, users: Population, policies: Sequence[str], sources: int) -> None:
        super().__init__(users, dict(enumerate(policies)))
        names, kind = np.unique(np.asarray(policies), return_inverse=True)
        parsed = [MemoryPolicy.parse(name) for name in names.tolist()]
        self.owner = np.arange(users.size)
        for number, policy in enumerate(parsed):
            if policy.shared:
                self.owner[kind == number] = np.flatnonzero(kind == number)[0]
        self.span = np.array([-1 if one.span is None else one.span for one in parsed], np.int64)[kind]
        self.fades = np.array([one.fades or 0 for one in parsed], np.int64)[kind]
        self.total = np.zeros((users.size, sources))
        self.uses, self.first, self.last = (np.zeros(self.total.shape, np.int64) for _ in range(3))
        self.written = np.zeros(users.size, np.int64)
        self.recent_source = np.zeros((max(self.span.max(initial=0), 0), users.size), np.int64)
        self.recent_value = np.zeros(self.recent_source.shape)

    def write(self, rows: Ints, sources: Ints, outcomes: Floats, now: int) -> None:
        """Store one outcome for each of these members, in round `now`; rounds count from 1."""
        kept = self.span[rows] != 0
        rows, sources, outcomes = rows[kept], sources[kept], quantise(outcomes[kept])
        owner = self.owner[rows]
        self._forget_oldest(rows, sources, outcomes)
        np.add.at(self.total, (owner, sources), outcomes)
        np.add.at(self.uses, (owner, sources), 1)
        self.total = round_floats(self.total)
        new = self.first[owner, sources] == 0
        self.first[owner[new], sources[new]] = now
        self.last[owner, sources] = now
        self.written[rows] += 1

    def _forget_oldest(self, rows: Ints, sources: Ints, outcomes: Floats) -> None:
        """Take out of the sums what leaves a window, and note what enters it."""
        windowed = self.span[rows] > 0
        rows, sources, outcomes = rows[windowed], sources[windowed], outcomes[windowed]
        place = self.written[rows] % self.span[rows]
        full = self.written[rows] >= self.span[rows]
        old = rows[full], self.recent_source[place[full], rows[full]]
        self.total[old] -= self.recent_value[place[full], rows[full]]
        self.uses[old] -= 1
        self.recent_source[place, rows], self.recent_value[place, rows] = sources, outcomes

    def note(self, row: int, text: str, source: int, now: int) -> None:
        """Store an outcome in words, if this member belongs to the cast."""
        if row in self.memories:
            self.memories[row].store(text, source=source, round=now)

    def activate(self, rows: Ints, now: int) -> Floats:
        """Compute the base-level activation of each source's uses before round `now`; -inf without a use.

        The sum of t^-0.5 is exact for the latest use, and the others count as if they were spread evenly from
        the first to the latest (Petrov, ICCM 2006, with k = 1).
        """
        owner = self.owner[rows]
        uses = self.uses[owner]
        recent, oldest = (np.sqrt(np.maximum(now - at[owner], 1)) for at in (self.last, self.first))
        with np.errstate(divide="ignore"):
            found = np.log(np.where(uses > 0, 1 / recent + 2 * (uses - 1) / (recent + oldest), 0.0))
        return np.asarray(found)

    def recall(self, whose: Ints, now: int, draw: Draw) -> Recollection:
        """Recall in round `now` what the memories of these members hold, `whose` by the row of the reader."""
        owner = self.owner[whose]
        uses = self.uses[owner]
        fading = np.flatnonzero(self.fades[whose])
        if len(fading):
            least = LOST * np.log(self.fades[whose[fading]])
            chance = 1 / (1 + np.exp((least[:, None] - self.activate(whose[fading], now)) / NOISE))
            places = {"agent": fading[:, None], "item": np.arange(uses.shape[1])[None, :]}
            uses[fading] *= draw.chance(quantise(chance), **places)
        value = quantise(self.total[owner] / np.maximum(self.uses[owner], 1))
        return Recollection(np.where(uses > 0, value, 0.0), uses, self.last[owner])

    def recall_notes(self, whose: int, query: str, k: int = 10) -> tuple[MemoryRecord, ...]:
        """Recall the k best notes of a member; one of the crowd has none."""
        notes = self.memories.get(whose)
        return notes.recall(query, k) if notes is not None else ()
