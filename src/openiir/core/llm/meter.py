"""Count the calls, tokens and cost of model endpoints."""

from dataclasses import dataclass, field

from pydantic import Field

from openiir.core.llm.provider import Reply
from openiir.core.records import Record


class Prices(Record):
    """Money per million tokens, in whatever currency the settings are written in; 0 for one's own machine."""

    prompt: float = Field(default=0.0, ge=0.0)
    reply: float = Field(default=0.0, ge=0.0)
    embedding: float = Field(default=0.0, ge=0.0)

    def of(self, prompt_tokens: int, reply_tokens: int, embedded_tokens: int = 0) -> float:
        """Cost of a number of tokens."""
        micro = prompt_tokens * self.prompt + reply_tokens * self.reply + embedded_tokens * self.embedding
        return micro / 1e6


@dataclass
class Meter:
    """Usage so far. Cost is computed from the totals, so it does not depend on the order of arrival."""

    prices: Prices = field(default_factory=Prices)
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    embedded_tokens: int = 0

    @property
    def money(self) -> float:
        """Cost so far."""
        return self.prices.of(self.prompt_tokens, self.reply_tokens, self.embedded_tokens)

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens
        self.reply_tokens += reply.reply_tokens

    def add_embedding(self, tokens: int) -> None:
        """Count one call of an embeddings endpoint."""
        self.calls += 1
        self.embedded_tokens += tokens
