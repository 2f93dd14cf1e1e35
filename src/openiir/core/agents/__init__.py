"""Agents with persona, budget and memory; lanes; routing of questions to answerers; crowds."""

from openiir.core.agents.action import Action
from openiir.core.agents.agent import Agent
from openiir.core.agents.asking import Answering
from openiir.core.agents.crowd import Crowd, Spread
from openiir.core.agents.knowledge import Knowledge
from openiir.core.agents.lane import Lane
from openiir.core.agents.memory import Embedded, EpisodicMemory, Memory, MemoryPolicy, Remembered, order_lived
from openiir.core.agents.processes import map_in_processes, may_fork, run_unsuspended

__all__ = [
    "Action",
    "Agent",
    "Answering",
    "Crowd",
    "Embedded",
    "EpisodicMemory",
    "Knowledge",
    "Lane",
    "Memory",
    "MemoryPolicy",
    "Remembered",
    "Spread",
    "run_unsuspended",
    "map_in_processes",
    "may_fork",
    "order_lived",
]
