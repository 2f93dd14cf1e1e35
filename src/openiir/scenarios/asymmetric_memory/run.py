"""One world as an arm of the run, and what its members do in a round."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from openiir.kit.access import NOWHERE, grant_access, log_accesses
from openiir.kit.arrays import Ints
from openiir.kit.memory import CrowdMemory
from openiir.kit.prompting import choose_words
from openiir.plugin import Lane, Own, Population, Stage, first_largest, quantise, texts_in_order
from openiir.scenarios.asymmetric_memory.model import SourceRound, exchange_memories
from openiir.scenarios.asymmetric_memory.questions import ANSWERS, LOOKS, TURNED_AWAY, ChooseSource


class MemoryWorld(CrowdMemory):
    """One world: what its members remember, and how long they have waited for an answer."""

    waited: Own[Ints]
    """(members,) rounds since the present need began."""

    def __init__(self, name: str, users: Population, policies: Sequence[str], sources: int) -> None:
        super().__init__(users, policies, sources)
        self.name, self.waited = name, np.zeros(users.size, np.int64)


async def live_round(stage: Stage, now: SourceRound, world: MemoryWorld, lane: Lane) -> None:
    """Let the members of a world recall, choose a source, get an answer and remember it, and log all that."""
    config, rows, sources = stage.config, np.arange(len(now.goal)), now.sources
    whose = exchange_memories(now.goal, stage.draw("asymmetric_memory.whose")) if config.exchanged else rows
    recalled = world.recall(whose, stage.step, stage.draw("asymmetric_memory.recall"))

    def see(row: int) -> dict[str, Any]:
        need, seen = sources.needs[now.goal[row]], now.seen[row].tolist()
        looks = [f"{name}: {choose_words(at, LOOKS)}" for name, at in zip(sources.names, seen, strict=True)]
        notes = world.recall_notes(int(whose[row]), need)
        if lane.answerer(world.agents[row], ChooseSource.kind) != "offline":
            recalled.told[row] = notes
        known = {"day": stage.step, "need": need, "looks": tuple(looks), "crowded": config.capacity > 0}
        return {**known, "remembered": texts_in_order(notes)}

    columns = {"seen": now.seen, "value": recalled.value, "weight": recalled.weight}
    source = (await lane.ask_crowd(ChooseSource, world.users, columns, see))["source"] - 1
    each = max(round(config.capacity * len(rows) / len(sources.names)), 1) if config.capacity else len(rows)
    granted = grant_access(source, np.full(len(sources.names), each), stage.draw("asymmetric_memory.queue"))
    asked, place = source != NOWHERE, np.maximum(source, 0)
    worth = now.worth[rows, place]
    outcome = np.where(granted, quantise(np.clip(worth + now.noise, 0.0, 1.0)), 0.0)
    met = granted & (outcome >= config.enough)
    world.waited = np.where(now.turned, 0, world.waited) + 1
    read, stale = recalled.count(now.changed)
    gain = np.where(asked, worth - now.worth[rows, first_largest(now.seen, axis=1)], 0.0)
    came = {"granted": granted, "outcome": outcome, "met": met, "waited": world.waited, "need": now.goal}
    log_accesses(lane, world.name, rows, source=source, read=read, stale=stale, gain=gain, **came)
    world.waited = np.where(met, 0, world.waited)
    world.write(rows[asked], source[asked], outcome[asked], stage.step)
    for row in world.agents:
        if asked[row]:
            need, name = sources.needs[now.goal[row]], sources.names[source[row]]
            said = choose_words(outcome[row], ANSWERS) if granted[row] else TURNED_AWAY
            world.note(row, f'Day {stage.step}, on "{need}": {name} {said}.', int(source[row]), stage.step)
