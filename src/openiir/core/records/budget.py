"""Budget of an agent."""

from pydantic import Field

from openiir.core.records.record import Record


class Budget(Record):
    """Reply tokens and web searches left to an agent; never below zero."""

    tokens: int = Field(ge=0)
    """Reply tokens that the agent may still produce (prompts are not charged)."""
    searches: int = Field(ge=0)

    def spend(self, tokens: int = 0, searches: int = 0) -> "Budget":
        """Return the budget after spending; never below zero, even where more is spent than was left."""
        return Budget(tokens=max(0, self.tokens - tokens), searches=max(0, self.searches - searches))
