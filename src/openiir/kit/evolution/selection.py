"""Selection: who has children, what a win is worth, and whom to meet."""

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import ConfigTable, Draw, InputError, order_by, quantise


class SelectionRule(ConfigTable):
    """How parents are chosen by fitness; ties go to the agent that comes first."""

    method: Literal["tournament", "truncation", "random"] = "tournament"
    """`tournament`: the best of some drawn; `truncation`: one of the best; `random`: anybody, no elites."""
    contestants: Annotated[int, Field(ge=1)] = 3
    """How many meet in a tournament, drawn with replacement."""
    share: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Share of the population that truncation leaves."""
    elites: Annotated[int, Field(ge=0)] = 2
    """How many of the best are copied without mutation, as the first children."""

    @property
    def copies(self) -> int:
        """Number of elites (children that are unchanged copies); 0 if parents are chosen at random.

        A neutral control must have no elites: with two of them, fitness still decides.
        """
        return 0 if self.method == "random" else self.elites

    def choose_parents(self, fitness: ArrayLike, children: int, draw: Draw, generation: int) -> Ints:
        """Choose a parent (by position) for each child, elites first, with draws keyed by child.

        Raises InputError for a population of one, fitness that is no number, and more elites than children.
        """
        ranked = rank_agents(fitness)
        number = len(ranked)
        if self.copies > min(children, number):
            raise InputError(
                f"{self.elites} elites of {number} agents with {children} children; lower elites"
            )
        if self.method == "random":
            return random_parents(number, children, draw, generation)
        if self.method == "truncation":
            places = random_parents(max(1, round(self.share * number)), children, draw, generation)
        else:
            contestants = draw.at("tournament", step=generation).below(
                number, item=np.arange(children)[:, None], agent=np.arange(self.contestants)
            )
            places = order_by(ranked)[contestants].min(axis=1)
        places[: self.copies] = np.arange(self.copies)
        return np.asarray(ranked[places])


def random_parents(agents: int, children: int, draw: Draw, generation: int) -> Ints:
    """Choose a parent for each child uniformly: reproduction in a neutral Wright-Fisher population."""
    return np.asarray(draw.at("parent", step=generation).below(agents, item=np.arange(children)))


def rank_agents(fitness: ArrayLike) -> Ints:
    """Order agents by fitness on the grid of 2^-20, best first; ties by position.

    Raises InputError for a population of one and for fitness that is no number.
    """
    value = np.asarray(fitness, dtype=np.float64)
    if value.ndim != 1 or len(value) < 2:
        raise InputError(f"selection needs a fitness for each of 2 agents or more, got shape {value.shape}")
    if len(missing := np.flatnonzero(~np.isfinite(value))):
        raise InputError(f"agent {missing[0]} has the fitness {value[missing[0]]}; give every agent a number")
    return order_by(-quantise(value))


def share_fitness(beats: ArrayLike) -> Floats:
    """Compute competitive fitness sharing from wins (Rosin & Belew, Evol. Comput. 1997).

    Each opponent is worth 1, shared among all who beat it: beating one whom nobody else beats counts most.
    """
    won = np.asarray(beats, dtype=bool).astype(np.float64)
    if won.ndim != 2:
        raise InputError(f"who beats whom is a table of agents by opponents, got shape {won.shape}")
    return np.asarray((won / np.maximum(won.sum(axis=0), 1.0)).sum(axis=1))


def choose_opponents(
    current: Sequence[str], hall: Sequence[str], number: int, draw: Draw, generation: int, share: float = 0.5
) -> list[str]:
    """Choose distinct opponents: a share from the hall of fame, the rest from the current population.

    The hall of fame (Rosin & Belew 1997) holds the ids of earlier generations' best, who guard against
    forgetting. Where it has too few, more of the current come; raises InputError where those do not suffice.
    """
    own = draw.at("opponents", step=generation)
    fame = own.order(sorted(set(hall) - set(current)), item="hall")[: round(share * number)]
    rest = own.order(current, item="current")[: number - len(fame)]
    if len(fame) + len(rest) < number:
        raise InputError(f"there are {len(fame) + len(rest)} opponents, not {number}; ask for fewer")
    return fame + rest
