"""What agents know of sources and of each other, and how they choose what to ask offline."""

import math
from collections.abc import Mapping

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Floats, Ints
from openiir.kit.memory import CrowdMemory, Recollection, name_policies
from openiir.kit.prompting import choose_words, count_noun, join_words
from openiir.kit.signals import DecayedCounts
from openiir.plugin import Action, ConfigTable, Draw, Own, Population, order_by, quantise
from openiir.scenarios.coordination_emergent.model.sources import ANSWERS, GRADES, InformationSources

HIDDEN, COUNTS, NAMES = "hidden", "counts", "names"
"""What agents see of others' accesses: nothing, how many there were, or those of people whom they know."""
DENIED = -1
"""Answer to a request that a source turned away."""
MOST_REQUESTS = 10
TURNED_AWAY = ("nobody", "a few", "some", "more than half", "most")


class Requested(Action):
    """Agents asked a source, and were served or turned away."""

    kind = "coordination_emergent.requested"
    arm: str
    source: int
    answer: int
    """Grade of the answer, 0 to 4; DENIED for none."""


class AccessChoice(ConfigTable):
    """How agents choose sources offline: a logit of these weights, without replacement."""

    requests: int = Field(4, ge=1, le=MOST_REQUESTS)
    """Number of sources that an agent asks in a round."""
    value: float = Field(8.0, ge=0, le=100)
    """Weight of the mean worth of a source's answers so far, which is 0 to 1."""
    social: float = Field(8.0, ge=0, le=100)
    """Weight of others' recent accesses, 1 for the source with most; beta_s. 0 is the null of the study."""
    congestion: float = Field(1.0, ge=0, le=100)
    """Weight of the share of requests that a source turned away in the last round; beta_c."""

    def choose(self, value: Floats, social: Floats, busy: Floats, noise: Floats) -> Ints:
        """Choose sources by their utilities plus Gumbel noise, (agents, requests), the best first."""
        utility = self.value * value + self.social * social - self.congestion * busy
        return order_by(-(utility + noise), axis=1)[:, : self.requests]

    def act_in_concert(self, busy: Floats, agents: int, draw: Draw) -> Ints:
        """Choose for planted agents: the same sources for all of them, those that turn most away."""
        alone, noise = relative(busy[None]), draw.gumbel(item=np.arange(len(busy)))[None]
        return np.repeat(
            self.choose(alone, np.zeros_like(alone), np.zeros_like(alone), noise), agents, axis=0
        )


class AccessArm(CrowdMemory):
    """What agents of one arm know: of sources by what they remember of their answers, and of each other."""

    accesses: Own[Floats]
    """(agents, sources) times served, which fade."""
    met: Own[Floats]
    """(agents, agents) sources that served both in one round, which fade."""
    busy: Own[Floats]
    """(sources,) share of requests turned away in the last round."""

    def __init__(self, sees: str, users: Population, goal: Ints, looks: Ints, tie: Floats) -> None:
        policies = name_policies(users, "full", np.ones(len(goal), dtype=np.bool_))
        super().__init__(users, policies, looks.shape[1])
        self.sees = sees
        """What is seen of others' accesses: the name of the arm."""
        self.goal = goal
        """(agents,) number of each agent's goal."""
        self.looks = looks
        """(agents, sources) how promising each source looks for an agent's goal."""
        self.tie = tie
        """(agents, agents) order of those whom an agent met equally often."""
        self.accesses, self.met = np.zeros(looks.shape), np.zeros(tie.shape)
        self.busy = np.zeros(looks.shape[1])

    def expect(self, recalled: Recollection) -> Floats:
        """Compute what agents expect of each source, 0 to 1: what they recall, and its looks as one more."""
        weight, looks = recalled.weight, self.looks / (GRADES - 1)
        return np.asarray(quantise(weight * recalled.value + (1 - weight) * looks))

    def acquaintances(self, agents: Ints, most: int) -> list[Ints]:
        """List for each of these agents those whom it met most, at most so many."""
        ranked = order_by(-self.met[agents], self.tie[agents], axis=1)[:, :most]
        return [row[self.met[agent, row] > 0] for agent, row in zip(agents.tolist(), ranked, strict=True)]

    def others(self, watched: int) -> Floats:
        """Count recent accesses by others as each agent sees them, (agents, sources)."""
        if self.sees == HIDDEN:
            return np.zeros(self.accesses.shape)
        if self.sees == COUNTS:
            return np.asarray(self.accesses.sum(axis=0) - self.accesses)
        known = np.zeros(self.met.shape)
        for agent, row in enumerate(self.acquaintances(np.arange(len(known)), watched)):
            known[agent, row] = 1.0
        return np.asarray(known @ self.accesses)

    def describe_sources(
        self, sources: InformationSources, agent: int, recalled: Recollection, known: Mapping[str, int]
    ) -> tuple[str, ...]:
        """Tell an agent what it knows of each source; `known` are the people whom it knows, by name."""
        lines, lately = [], self.accesses.sum(axis=0) - self.accesses[agent]
        for source, busy in enumerate(self.busy.tolist()):
            told = [sources.describe(int(self.goal[agent]), source)]
            if self.accesses.any():
                told.append(f"Yesterday it turned {TURNED_AWAY[math.ceil(busy * 4)]} away.")
            if times := int(recalled.uses[agent, source]):
                grade = choose_words(float(recalled.value[agent, source]), ANSWERS)
                told.append(f"You had {grade} from it ({count_noun(times, 'time')}).")
            if self.sees == COUNTS and round(lately[source]):
                told.append(f"Lately it answered {count_noun(round(lately[source]), 'request')} of others.")
            if users := [name for name, row in known.items() if self.accesses[row, source] >= 0.5]:
                told.append(f"Lately it served {join_words(users)}.")
            lines.append(" ".join(told))
        return tuple(lines)

    def learn(self, source: Ints, answer: Ints, half_life: float, now: int) -> None:
        """Take in round `now`: the sources that each agent asked, and the grades of their answers."""
        agents, sources = self.looks.shape
        served, asked = answer != DENIED, source >= 0
        for place in range(source.shape[1]):
            rows = np.flatnonzero(served[:, place])
            self.write(rows, source[rows, place], answer[rows, place] / (GRADES - 1), now)
        place = (np.arange(agents)[:, None] * sources + source)[served]
        found = np.bincount(place, minlength=self.looks.size).reshape(self.looks.shape)
        together = found @ found.T
        np.fill_diagonal(together, 0)
        accesses, met = DecayedCounts(half_life, self.accesses), DecayedCounts(half_life, self.met)
        for counts, new in ((accesses, found), (met, together)):
            counts.fade()
            counts.add(np.arange(new.size), new.ravel())
        self.accesses, self.met = accesses.values, met.values
        denied, requests = (np.bincount(source[one], minlength=sources) for one in (asked & ~served, asked))
        self.busy = quantise(denied / np.maximum(requests, 1))


def relative(counts: Floats) -> Floats:
    """Divide each row by its largest; a row of zeros stays."""
    most = counts.max(axis=1, keepdims=True)
    return np.asarray(quantise(np.divide(counts, most, out=np.zeros(counts.shape), where=most > 0)))
