"""Memories that several agents write and read together, under the policy `shared:NAME`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from openiir.core.agents.memory import EpisodicMemory, FrozenDict, Memory, MemoryPolicy, MemoryRecord
from openiir.core.records import Persona


class MemoryPool:
    """Makes the memories of agents who live together: those of one `shared:NAME` have one, others their own.

    Make one pool for each world in which agents live, such as an arm, and all memories of that world by it.
    Agents who remember in lanes that run beside each other cannot share: what one reads there would depend on
    who wrote first.
    """

    def __init__(self, half_life: int = 0) -> None:
        self._half_life = half_life
        self._shared: dict[str, EpisodicMemory] = {}

    def memory(self, persona: Persona, policy: str = "") -> Memory:
        """Make a persona's memory, under its own policy or the one given."""
        policy = policy or persona.memory
        if not (name := MemoryPolicy.parse(policy).shared):
            return EpisodicMemory(policy, half_life=self._half_life)
        if name not in self._shared:
            self._shared[name] = EpisodicMemory(policy, half_life=self._half_life)
        return SharedMemory(self._shared[name], persona)


class SharedMemory:
    """One agent's view of a memory that others write too.

    Another's record is told as such, and has the name of its writer as the fact `by`. A text that several
    store is one record, and each one's own.
    """

    def __init__(self, records: EpisodicMemory, persona: Persona) -> None:
        self._records, self._persona = records, persona
        self.policy = records.policy

    def store(self, text: str, importance: float = 0.0, **facts: Any) -> str:
        """Store a record for all and return its id; raises InputError as `EpisodicMemory.store` does."""
        writer = (self._persona.id, self._persona.name)
        for known in self._records:
            if known.text == text:
                if writer not in known.facts["by"]:
                    self._records.replace_facts(known.id, {**known.facts, "by": (*known.facts["by"], writer)})
                return known.id
        return self._records.store(text, importance, **facts, by=(writer,))

    def recall(
        self, queries: str | Sequence[str], k: int = 5, skip: Callable[[MemoryRecord], bool] | None = None
    ) -> tuple[MemoryRecord, ...]:
        """Recall the k best records of all agents, as `EpisodicMemory.recall` does."""
        found = self._records.recall(queries, k, skip and (lambda record: skip(self._tell(record))))
        return tuple(map(self._tell, found))

    def _tell(self, record: MemoryRecord) -> MemoryRecord:
        """Tell a record as this agent knows it: as its own, or as another's."""
        facts = dict(record.facts)
        writers = dict(facts.pop("by"))
        if self._persona.id in writers:
            return record._replace(facts=FrozenDict(facts))
        name = next(iter(writers.values()))
        told = f'{name} remembers: "{record.text}"'
        return record._replace(text=told, facts=FrozenDict({**facts, "by": name}))

    def fork(self) -> "SharedMemory":
        """Copy the memory of all; records stored later in one copy do not appear in the other."""
        return SharedMemory(self._records.fork(), self._persona)

    def dump(self) -> Any:
        """Return the state of the memory of all as JSON values."""
        return self._records.dump()

    async def restore(self, dumped: Any) -> None:
        """Restore the memory of all, unless another agent's view has done so."""
        if not len(self._records):
            await self._records.restore(dumped)

    def __iter__(self) -> Iterator[MemoryRecord]:
        return map(self._tell, self._records)

    def __len__(self) -> int:
        return len(self._records)
