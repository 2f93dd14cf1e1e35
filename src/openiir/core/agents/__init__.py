"""Agents with persona, budget and memory; lanes; routing of questions to answerers; populations."""

from openiir.core.agents.action import Action
from openiir.core.agents.agent import Agent
from openiir.core.agents.answer_router import AnswerRouter
from openiir.core.agents.crowd import Crowd, Parallelism
from openiir.core.agents.knowledge import Knowledge
from openiir.core.agents.lane import Lane
from openiir.core.agents.memory import (
    EmbeddingLookup,
    EpisodicMemory,
    Memory,
    MemoryPolicy,
    MemoryRecord,
    texts_in_order,
)
from openiir.core.agents.population import Population
from openiir.core.agents.processes import map_in_processes, may_fork, run_unsuspended
from openiir.core.agents.shared_memory import MemoryPool
