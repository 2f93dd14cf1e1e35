"""A lane that searches worlds, without a run."""

from openiir.core.agents import AnswerRouter, Knowledge
from openiir.core.asking import AnswererChoice, OfflineAnswerer
from openiir.plugin import Lane


def searching(*worlds, ledger=None, retrievers=None):
    """A lane at its first step, answered offline, over these worlds."""
    answering = AnswerRouter(1, AnswererChoice(), {"offline": OfflineAnswerer()})
    knowledge = Knowledge({world.name: world for world in worlds}, ledger, None, retrievers)
    lane = Lane("main", answering, knowledge)
    lane.begin(1)
    return lane
