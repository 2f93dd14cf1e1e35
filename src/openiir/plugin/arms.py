"""Arms of one run: worlds side by side, under the same ids and the same draws, each with state of its own."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents import Agent, Lane, Memory, MemoryPool, Population
from openiir.core.errors import InputError
from openiir.plugin.stage import Stage


@dataclass(frozen=True)
class Twins:
    """Two arms of a study that nothing tells apart, so that their logs must be equal: the null of arms."""

    names: tuple[str, str]
    config: Mapping[str, Any]
    """Values of Config keys under which a study has both."""
    column: str
    """Name of the column that names the arm in tables; all their other columns must be equal."""


T = TypeVar("T")
Own = Annotated[T, "own"]
"""Marks a field of an arm as state that this arm alone has and changes."""


class Arm:
    """State of one arm: derive a dataclass, and mark as `Own[...]` the arrays that an arm has for itself.

    Arrays that are not marked are shared: all arms hold the same one, which none may change. Other fields are
    what tells arms apart, such as a policy. Arms that are fields of an arm are parts of it, with state of
    their own. State that is not in arrays needs `state` and `restore`.
    """

    @classmethod
    def own_fields(cls) -> list[str]:
        """List the names of the fields marked as `Own`."""
        hints = get_type_hints(cls, include_extras=True)
        return [name for name, hint in hints.items() if "own" in getattr(hint, "__metadata__", ())]

    def parts(self) -> dict[str, "Arm"]:
        """Return the arms that are fields of this one, by name."""
        return {name: part for name, part in vars(self).items() if isinstance(part, Arm)}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arm's state for a checkpoint, as arrays by name; a part's begin with its name."""
        own = {name: getattr(self, name) for name in self.own_fields()}
        return own | {
            f"{name}.{k}": v for name, part in self.parts().items() for k, v in part.state().items()
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over the state that `state` returned at the last checkpoint."""
        parts = self.parts()
        for name, part in parts.items():
            own = f"{name}."
            part.restore({k.removeprefix(own): v for k, v in arrays.items() if k.startswith(own)})
        for name, array in arrays.items():
            if name.partition(".")[0] not in parts:
                setattr(self, name, array.copy())


class CastArm(Arm):
    """An arm in which members of the cast live lives of their own, each with a budget and a memory.

    With one budget for all arms, what an agent could still say in one would depend on which other was first.
    `policies` are memory policies of members by row, instead of their persona's; `half_life` is that of
    `EpisodicMemory`.
    """

    def __init__(
        self, users: Population, policies: Mapping[int, str] | None = None, half_life: int = 0
    ) -> None:
        given, pool = policies or {}, MemoryPool(half_life)
        self.agents = {row: Agent.of(agent.persona, row) for row, agent in users.agents.items()}
        """The cast as it is in this arm, by row."""
        self.users = Population(users, self.agents, users.crowd.spread)
        """The run's population with these agents, for `Lane.ask_crowd`."""
        self.memories: dict[int, Memory] = {
            row: pool.memory(agent.persona, given.get(row, "")) for row, agent in self.agents.items()
        }
        """What the cast remembers in this arm, by row: give `Arms.memories` to `Stage.keep`, or log them."""

    def state(self) -> dict[str, NDArray[Any]]:
        tokens = [agent.budget.tokens for agent in self.agents.values()]
        return super().state() | {"tokens": np.array(tokens, dtype=np.int64)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        own = dict(arrays)
        for agent, left in zip(self.agents.values(), own.pop("tokens").tolist(), strict=True):
            agent.debit(agent.budget.tokens - left)
        super().restore(own)


A = TypeVar("A", bound=Arm)


class Arms(dict[str, A]):
    """The arms of a run by name, as they stand at its checkpoint or at its start.

    `shared` is state that all arms have in common, which changes between the parts of steps that they live.
    Raises InputError where two arms share state that is marked as `Own`, or have arrays of their own that are
    not: a difference between them would not be what tells them apart.
    """

    def __init__(self, stage: Stage, arms: Mapping[str, A], shared: Arm | None = None) -> None:
        super().__init__(arms)
        self.stage = stage
        self._kept: dict[str, Arm] = {**arms} if shared is None else {**arms, "": shared}
        (first, one), *others = arms.items()
        for name, other in others:
            _check_apart(f"the arms {first!r} and {name!r}", one, other)
        if stage.restored is not None:
            for name, arm in self._kept.items():
                own = f"{name}."
                arrays = stage.restored.items()
                arm.restore({key.removeprefix(own): array for key, array in arrays if key.startswith(own)})

    async def live(self, life: Callable[[A, Lane], Coroutine[Any, Any, T]]) -> dict[str, T]:
        """Let all arms live the same part of a step, each in a lane of its name; returns results by arm.

        A question with the same asker, subject and step has the same draw in all arms, and so have
        `Stage.draw` and `Lane.answer_draw`.
        """
        return await self.stage.lanes({name: partial(life, arm) for name, arm in self.items()})

    def memories(self) -> dict[str, Memory]:
        """Return the memories of the cast in all arms, for `stage.keep` and `stage.restore_memories`."""
        return {
            f"{name}.{row}": memory
            for name, arm in self.items()
            if isinstance(arm, CastArm)
            for row, memory in arm.memories.items()
        }

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the state of all arms, and what they share, for `stage.keep`."""
        kept = self._kept.items()
        return {f"{name}.{key}": array for name, arm in kept for key, array in arm.state().items()}


def _check_apart(who: str, one: Arm, other: Arm) -> None:
    """Refuse arms, and arms that are parts of them, which share what they own or own what they share."""
    own = set(one.own_fields())
    for field, twin in vars(one).items():
        value = getattr(other, field, None)
        if isinstance(value, Arm) and isinstance(twin, Arm):
            _check_apart(who, twin, value)
        if not (isinstance(value, np.ndarray) and isinstance(twin, np.ndarray)):
            continue
        if field in own and np.shares_memory(value, twin):
            raise InputError(f"{who} have one array as their own {field}; give each a copy")
        if field not in own and value is not twin:
            raise InputError(
                f"{who} have different arrays as {field}, which is shared; give both the same one, or mark "
                "it as Own"
            )
