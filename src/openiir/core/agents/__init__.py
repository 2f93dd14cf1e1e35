"""Agents with persona, budget and memory, the lanes they live in, and how many are asked at once."""

from openiir.core.agents.action import Action
from openiir.core.agents.agent import Agent
from openiir.core.agents.asking import Answering
from openiir.core.agents.crowd import Crowd, Spread
from openiir.core.agents.knowledge import Knowledge
from openiir.core.agents.lane import Lane
from openiir.core.agents.memory import Embedded, EpisodicMemory, Memory, Remembered, memory_span
from openiir.core.agents.processes import FORKS, finished, in_processes

__all__ = [
    "FORKS",
    "Action",
    "Agent",
    "Answering",
    "Crowd",
    "Embedded",
    "EpisodicMemory",
    "Knowledge",
    "Lane",
    "Memory",
    "Remembered",
    "Spread",
    "finished",
    "in_processes",
    "memory_span",
]
