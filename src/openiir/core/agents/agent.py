"""Agents: individual participants with a persona and a budget."""

from dataclasses import dataclass

from openiir.core.records import Budget, Persona


@dataclass(eq=False)
class Agent:
    """A persona taking part in a run, with its remaining budget of tokens and searches."""

    persona: Persona
    budget: Budget
    key: str | int
    """Key for the agent's random draws: the persona's id, or its row number if it came from a crowd."""

    @classmethod
    def of(cls, persona: Persona, key: str | int | None = None) -> "Agent":
        budget = Budget(tokens=persona.tokens, searches=persona.searches)
        return cls(persona, budget, persona.id if key is None else key)

    @property
    def id(self) -> str:
        return self.persona.id

    @property
    def spent(self) -> bool:
        """Whether the agent's token budget is used up."""
        return self.budget.tokens <= 0

    def debit(self, tokens: int = 0, searches: int = 0) -> tuple[int, int]:
        """Charge the agent's budget; returns the tokens and searches charged, at most those left."""
        before = self.budget
        self.budget = before.spend(tokens, searches)
        return before.tokens - self.budget.tokens, before.searches - self.budget.searches

    def __repr__(self) -> str:
        return f"Agent({self.id}, {self.budget.tokens} tokens, {self.budget.searches} searches)"
