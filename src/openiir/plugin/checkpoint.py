"""What a checkpoint holds beside a type's arrays: agents, the claim extractor's sources, and memories.

The rest of a stage's state is read from the log: personas, who left, claims, edges, passages found, simulated
time.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents import Agent
from openiir.core.claims import ClaimSource
from openiir.core.errors import InputError
from openiir.core.grid import is_rounded
from openiir.core.hashing import canonical
from openiir.core.records import Budget, Record
from openiir.core.storage import Log

STAGE = "~stage"
"""Name of the array with the stage's own state, as no array of a type can be called."""


def check_arrays(kept: Mapping[str, NDArray[Any]]) -> None:
    """Raise InputError for arrays that no checkpoint can hold, and for floats that are not rounded."""
    for name, array in kept.items():
        if array.dtype.kind not in "biufU":
            raise InputError(
                f"stage.keep({name}=...) is given values of type {array.dtype}; keep bools, numbers or text"
            )
        if not is_rounded(array):
            raise InputError(
                f"stage.keep({name}=...) is given floats whose last bits depend on the processor; "
                "round them where they are computed: quantise(values, span), or round_floats(values)"
            )


class AgentState(Record):
    """State of an agent that the log does not determine.

    Debits in the log name the persona, and a type may have several agents of one persona, each with its own
    budget.
    """

    id: str
    key: str | int
    tokens: int
    searches: int

    @classmethod
    def of(cls, agent: Agent) -> "AgentState":
        return cls(id=agent.id, key=agent.key, tokens=agent.budget.tokens, searches=agent.budget.searches)


class StageState(Record):
    """State of a stage that neither the log nor the scenario type's arrays hold."""

    agents: tuple[AgentState, ...]
    """The agents present, in order."""
    sources: tuple[ClaimSource, ...]
    """Utterances read by the claim extractor, in order."""
    names: dict[str, str]
    """Names of their speakers, by id."""
    memories: dict[str, Any]
    """Memories as dumped, by the names that the type gave them."""

    def as_array(self) -> NDArray[Any]:
        """Write the state as JSON in an array of bytes."""
        return np.frombuffer(canonical(self).encode("utf-8", "surrogatepass"), np.uint8)

    @classmethod
    def from_array(cls, array: NDArray[Any]) -> "StageState":
        return cls.model_validate(json.loads(array.tobytes().decode("utf-8", "surrogatepass")))


def restore_agents(states: tuple[AgentState, ...], log: Log) -> list[Agent]:
    """Build agents from their state and the personas in the log."""
    personas = {persona.id: persona for persona in log.personas}
    return [
        Agent(personas[one.id], Budget(tokens=one.tokens, searches=one.searches), one.key) for one in states
    ]
