"""The budget of an agent."""

from pydantic import Field

from openiir.core.records.record import Record


class Budget(Record):
    """Reply tokens and web searches that an agent may still use; never below zero."""

    tokens: int = Field(ge=0)
    """Reply tokens an agent may still produce (prompts are not charged to it)."""
    searches: int = Field(ge=0)

    def spend(self, tokens: int = 0, searches: int = 0) -> "Budget":
        """The budget after spending; a debit larger than what is left takes all of it."""
        return Budget(tokens=max(0, self.tokens - tokens), searches=max(0, self.searches - searches))
