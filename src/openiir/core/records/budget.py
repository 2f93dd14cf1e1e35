"""What an agent may still spend."""

from pydantic import Field

from openiir.core.records.record import Record


class Budget(Record):
    """Tokens of replies and web searches; never below zero."""

    tokens: int = Field(ge=0)
    """Reply tokens an agent may still produce (prompts are not charged to it)."""
    searches: int = Field(ge=0)

    def spend(self, tokens: int = 0, searches: int = 0) -> "Budget":
        """What is left after spending; a debit larger than the rest takes the rest."""
        return Budget(tokens=max(0, self.tokens - tokens), searches=max(0, self.searches - searches))
